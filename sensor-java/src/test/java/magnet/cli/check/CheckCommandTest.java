// SPDX-License-Identifier: Apache-2.0
package magnet.cli.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import magnet.cli.TestWorld;
import magnet.cli.WorldFixture;
import magnet.control.FakeModule;
import magnet.testing.Fifo;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The made-up module has two of the events that metrics are made of, and its buffer has lost 5. */
final class CheckCommandTest extends WorldFixture {
    private static final String ALL_CAPABILITIES = "000001ffffffffff";
    private static final String ONLY_PERFMON = "0000004000000000";
    private static final String NO_CAPABILITIES = "0000000000000000";

    private Fifo dataFile;

    @BeforeEach
    void makeNode() throws IOException {
        dataFile = Fifo.create(world.data.resolve("cpu0"));
        file("proc/mounts", "proc /proc proc rw 0 0\ndebugfs /sys/kernel/debug debugfs rw 0 0\n");
        file("proc/meminfo", "MemTotal: 2000000 kB\nMemAvailable:    1000000 kB\n");
        file("proc/cpuinfo", "processor : 0\nflags: x\nprocessor : 1\n");
        file("proc/sys/kernel/ftrace_enabled", "1\n");
        file("proc/sys/kernel/osrelease", "6.1.0-13-amd64\n");
        file("sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n");
        file("sys/devices/system/clocksource/clocksource0/available_clocksource", "tsc hpet acpi_pm \n");
        file("sys/kernel/debug/kprobes/enabled", "1\n");
        file("format", "");
        file("dev/magnet/marker", "");
        file("etc/magnet/magnet.conf", "[ganglia]\ngmond-conf = " + folder.resolve("gmond.conf") + "\n");
        file("gmond.conf", "udp_send_channel { host = collector.example port = 8649 }\n");
        process(ALL_CAPABILITIES);
    }

    @AfterEach
    void close() throws IOException {
        dataFile.close();
    }

    private void file(String name, String text) throws IOException {
        Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private void process(String capabilities) throws IOException {
        file("proc/self/status", "Name:\tjava\nGid:\t7\t7\t7\t7\nGroups:\t7 8 \nCapEff:\t" + capabilities + "\n");
    }

    private String line(String check) {
        return world.outLines().stream()
                .filter(line -> line.matches("(ok|warning|failed|skipped) +" + check + " .*"))
                .reduce((one, other) -> one + "\n" + other)
                .orElse("none");
    }

    /** What stands below the only line of a check. */
    private String remedy(String check) {
        int at = world.outLines().indexOf(line(check));
        return world.outLines().get(at + 1).strip();
    }

    @Test
    void shouldFindNothingFailedOnANodeThatWorks() throws IOException {
        world.addProcess(77, "java", "java -cp x.jar magnet.service.Magnetd");

        assertThat(world.run("check")).isZero();

        assertThat(line("java")).startsWith("ok ").contains("native calls work");
        assertThat(line("module")).startsWith("ok ").endsWith("loaded, version 0.1.0, ABI 1");
        assertThat(line("clock")).startsWith("ok ").contains("by TSC, 2500000 kHz", "clock source is tsc");
        assertThat(line("points")).startsWith("ok ").endsWith("3 of 4 are on this kernel");
        assertThat(line("hooks")).startsWith("ok ").contains("3 points could be hooked");
        assertThat(line("events")).startsWith("ok ").contains("20 of sched_switch");
        assertThat(line("files")).startsWith("ok ");
        assertThat(line("lockdown")).startsWith("ok ");
        assertThat(line("capabilities")).startsWith("ok ").contains("CAP_PERFMON and CAP_SYS_ADMIN");
        assertThat(line("debugfs")).startsWith("ok ");
        assertThat(line("ftrace")).startsWith("ok ");
        assertThat(line("kprobes")).startsWith("ok ");
        assertThat(line("dynamic")).startsWith("ok ").endsWith("points can be inserted");
        assertThat(line("rights")).startsWith("ok ").contains("CAP_PERFMON is enough");
        assertThat(line("magnet.conf")).startsWith("ok ").endsWith("etc/magnet/magnet.conf is good");
        assertThat(line("gmond.conf")).startsWith("ok ").contains("1 send channel");
        assertThat(line("channel")).startsWith("ok ").endsWith("collector.example:8649: is there");
        assertThat(line("memory")).startsWith("ok ").contains("512 KiB on 2 CPUs, 1000000 KiB are free");
        assertThat(line("service")).startsWith("ok ").endsWith("process 77");
        assertThat(world.outLines()).last().asString().contains(" 0 failed, 0 skipped");
        assertThat(module.lastRequest("SUB_NEW"))
                .as("others are hooked, and log nothing")
                .contains("RULES=drop");
        assertThat(module.wasAskedTo("BUFFER_DEL")).isTrue();
    }

    @Test
    void shouldMissTheFlightRecorderThatTheServiceShallSave() throws IOException {
        world.addProcess(77, "java", "java -cp x.jar magnet.service.Magnetd");
        assertThat(world.run("check")).isZero();
        assertThat(line("recorder")).isEqualTo("none");
        file(
                "etc/magnet/magnet.conf",
                "[ganglia]\ngmond-conf = " + folder.resolve("gmond.conf")
                        + "\n[record]\nrecorder = box\nsave-when = urgent\ndirectory = " + folder + "\n");
        world.out.reset();
        world.run("check");
        assertThat(line("recorder")).startsWith("warning ").contains("there is no flight recorder box");
        assertThat(remedy("recorder")).startsWith("remedy: magnet record start box -p POINT");
    }

    @Test
    void shouldSayWhenTheModuleDoesNotKnowTheJobs() throws IOException {
        world.run("check");
        assertThat(line("jobs")).isEqualTo("none");
        world.addProcess(78, "sleep", "sleep");
        Files.writeString(
                world.processes.resolve("78/cgroup"),
                "9:freezer:/slurm/uid_0/job_42\n0::/system.slice/slurmd.service\n");
        world.out.reset();
        world.run("check");
        assertThat(line("jobs"))
                .startsWith("warning ")
                .endsWith("slurm:42 is in the version 1 hierarchy of freezer, and the module watches the unified"
                        + " hierarchy: it does not know whose their events are");
        assertThat(remedy("jobs"))
                .startsWith("remedy: options magnet job_hierarchy=freezer in a file of /etc/modprobe.d, then ");
        file("sys/module/magnet/parameters/job_hierarchy", "freezer\n");
        world.out.reset();
        world.run("check");
        assertThat(line("jobs"))
                .startsWith("warning ")
                .endsWith("the version 1 hierarchy of freezer is not mounted, and the module was loaded with"
                        + " job_hierarchy=freezer: it knows no job");
        file("proc/self/mountinfo", "36 33 0:30 / /mnt/freezer rw - cgroup none rw,freezer\n");
        world.out.reset();
        world.run("check");
        assertThat(line("jobs")).startsWith("ok ").endsWith("their names come from the version 1 hierarchy of freezer");
    }

    private String nagios(int exitCode) {
        world.out.reset();
        assertThat(world.run("check", "--nagios")).isEqualTo(exitCode);
        assertThat(world.errLines()).isEmpty();
        assertThat(world.outLines()).hasSize(1);
        return world.outLines().get(0);
    }

    /** Its own user has no rights, and is no member of the group. */
    @Test
    void shouldBeAPluginOfNagios() throws IOException {
        world.addProcess(77, "java", "java -cp x.jar magnet.service.Magnetd");
        process(NO_CAPABILITIES);

        assertThat(nagios(1))
                .startsWith("MAGNET WARNING: ")
                .contains("point inet_sendmsg (this module does not have it", ") and ")
                .doesNotContain("capabilities (")
                .containsPattern(" \\| ok=\\d+;;;0 warnings=\\d+;0;;0 failed=0;;0;0 lost=5c;;;0$");
        assertThat(module.wasAskedTo("SUB_NEW")).as("something was hooked").isFalse();
    }

    @Test
    void shouldBeCriticalToNagiosWhenSomethingFailed() throws IOException {
        file("gmond.conf", "udp_send_channel {");
        assertThat(nagios(2)).startsWith("MAGNET CRITICAL: gmond.conf (").contains("failed=1;;0;0");

        world.control = FakeModule::openWithout;
        assertThat(nagios(2)).startsWith("MAGNET CRITICAL: module (").contains("failed=2;;0;0");
    }

    @Test
    void shouldSayWhatGmondStillCollectsWhenItIsReplaced() throws IOException {
        file("gmond.conf", """
                udp_send_channel { host = collector.example port = 8649 }
                collection_group { metric { name = "bytes_in" } }
                """);
        world.run("check", "--passive");
        assertThat(line("replace")).isEqualTo("none");

        file(
                "etc/magnet/magnet.conf",
                "[ganglia]\ngmond-conf = " + folder.resolve("gmond.conf") + "\n[metrics]\nreplace = network\n");
        world.run("check", "--passive");
        assertThat(line("replace"))
                .startsWith("warning ")
                .endsWith("takes the place of: bytes_in (" + folder.resolve("gmond.conf") + ":2)");
        assertThat(remedy("replace")).contains("take it out of the collection groups");
    }

    @Test
    void shouldNameTheMetricsThatAPointIsMissingFor() {
        world.run("check", "--passive");

        assertThat(line("point tcp_retransmit_skb"))
                .startsWith("warning ")
                .contains("this module does not have it", "absent: magnet_net_tcp_retransmits_rate");
        assertThat(line("point half_there")).contains("sees only a part", "half_there, half_there_old");
        assertThat(line("losses")).startsWith("warning ").contains("buffer main has lost 5 events");
        assertThat(remedy("losses")).startsWith("remedy: ").contains("collector.buffer-size");
        assertThat(module.subscriptions()).as("--passive").isEmpty();
    }

    @Test
    void shouldSayHowToGetAModuleWhenThereIsNone() throws IOException {
        world.control = FakeModule::openWithout;

        assertThat(world.run("check")).isEqualTo(1);
        assertThat(line("module")).startsWith("failed ").contains("no magnet.ko for kernel 6.1.0-13-amd64");
        assertThat(remedy("module")).contains("make -C sensor-kmod", "insmod");
        assertThat(line("hooks")).startsWith("skipped ").endsWith("needs the module");
        assertThat(line("gmond.conf")).as("what does not need it is looked at").startsWith("ok ");

        file("lib/modules/6.1.0-12-amd64/updates/magnet/magnet.ko", "");
        world.out.reset();
        assertThat(world.run("check")).isEqualTo(1);
        assertThat(remedy("module"))
                .contains("install the package magnet-module-6.1.0-13-amd64", "systemctl start magnetd");

        file("usr/src/magnet-0.1.0/dkms.conf", "");
        world.out.reset();
        assertThat(world.run("check")).isEqualTo(1);
        assertThat(remedy("module"))
                .contains("linux-headers-6.1.0-13-amd64", "dkms autoinstall", "systemctl start magnetd")
                .doesNotContain("sensor-kmod");

        file("lib/modules/6.1.0-13-amd64/modules.dep", "updates/dkms/magnet.ko.xz: kernel/x.ko\n");
        world.out.reset();
        assertThat(world.run("check")).isEqualTo(1);
        assertThat(remedy("module")).isEqualTo("remedy: modprobe magnet");

        file("var/lib/magnet/held-back", "cause unknown\nreason ended without a shutdown\n");
        world.out.reset();
        assertThat(world.run("check")).isEqualTo(1);
        assertThat(line("module"))
                .startsWith("failed ")
                .endsWith("not loaded, but held back: the last boot with it ended without a shutdown");
        assertThat(remedy("module")).endsWith("magnet load --anyway && systemctl start magnetd");
        Files.delete(folder.resolve("var/lib/magnet/held-back"));

        Files.writeString(world.lockdown, "none [integrity] confidentiality\n");
        world.out.reset();
        assertThat(world.run("check")).isEqualTo(1);
        assertThat(line("lockdown")).startsWith("warning ").contains("integrity", "not signed");
        assertThat(remedy("lockdown")).contains("mokutil --import");
    }

    @Test
    void shouldSayWhenModuleAndProgramDoNotFitTogether() {
        world.control = () -> {
            throw new IOException("the kernel module speaks version 2 of the ABI, this program version 1");
        };

        assertThat(world.run("check")).isEqualTo(1);

        assertThat(line("module")).startsWith("failed ").contains("version 2 of the ABI");
        assertThat(remedy("module")).endsWith("magnet unload && modprobe magnet && systemctl restart magnetd");
    }

    @Test
    void shouldSayWhatAUserMayNot() throws IOException {
        process(NO_CAPABILITIES);
        boolean member = (Integer) Files.getAttribute(folder.resolve("dev/magnet/marker"), "unix:gid") == 7;

        assertThat(world.run("check")).isEqualTo(1);

        assertThat(line("capabilities")).startsWith("failed ").contains("switch nothing on");
        assertThat(remedy("capabilities")).contains("AmbientCapabilities=CAP_PERFMON");
        assertThat(line("nodes")).startsWith(member ? "ok " : "failed ");
        assertThat(line("hooks")).startsWith("skipped ").contains("see capabilities");
        assertThat(module.subscriptions()).isEmpty();
    }

    @Test
    void shouldSayWhatTakesMoreThanTheRightToChangePoints() throws IOException {
        process(ONLY_PERFMON);
        world.run("check", "--passive");
        assertThat(line("capabilities"))
                .startsWith("ok ")
                .endsWith("CAP_PERFMON: enough to control the module, but not for points that fetch memory (CAP_BPF)"
                        + " and for packets' bytes (CAP_NET_RAW)");
    }

    private void handler(String point) throws IOException {
        file(
                "etc/magnet/magnet.conf",
                "[ganglia]\ngmond-conf = " + folder.resolve("gmond.conf") + "\n[handler opens]\nkind = rate\npoint = "
                        + point + "\n");
        world.out.reset();
    }

    @Test
    void shouldNameTheCapabilityThatTheConfigurationAsksForAndTheServiceLacks() throws IOException {
        handler("p:do_filp_open name=+0(+0($arg2)):string");
        assertThat(world.run("check", "--passive")).isZero();
        assertThat(line("rights")).startsWith("ok ").endsWith("with CAP_PERFMON: opens; this user has both");

        process(ONLY_PERFMON);
        handler("p:do_filp_open name=$arg2:string");
        assertThat(world.run("check", "--passive")).isEqualTo(1);
        assertThat(line("rights")).startsWith("failed ").endsWith("opens; this user lacks CAP_BPF");
        assertThat(remedy("rights")).contains("AmbientCapabilities=CAP_BPF", "magnet points --insert");

        process(ALL_CAPABILITIES);
        world.addProcess(77, "java", "java -cp x.jar magnet.service.Magnetd");
        file("proc/77/status", "CapEff:\t" + ONLY_PERFMON + "\n");
        handler("p:do_filp_open first=-8($arg1):u64");
        assertThat(world.run("check", "--passive")).isEqualTo(1);
        assertThat(line("rights")).startsWith("failed ").endsWith("opens; magnetd lacks CAP_BPF");

        handler("p:do_filp_open $arg1:u64");
        assertThat(world.run("check", "--passive")).isZero();
        assertThat(line("rights")).as("arguments are no memory").startsWith("ok ");
    }

    @Test
    void shouldSayThatNoPointCanBeInserted() throws IOException {
        module.dynamicDisabled();
        assertThat(world.run("check", "--passive")).isZero();
        assertThat(line("dynamic")).startsWith("ok ").endsWith("loaded with dynamic=off: no points can be inserted");

        handler("udp_sendmsg");
        assertThat(world.run("check", "--passive")).isZero();

        handler("f:vfs_read");
        assertThat(world.run("check", "--passive")).isEqualTo(1);
        assertThat(line("dynamic")).startsWith("failed ").endsWith("these handlers of magnet.conf have none: opens");
    }

    @Test
    void shouldSayThatKprobesAreSwitchedOff() throws IOException {
        file("sys/kernel/debug/kprobes/enabled", "0\n");
        assertThat(world.run("check", "--passive")).isEqualTo(1);
        assertThat(line("kprobes")).startsWith("failed ").contains("switched off");

        Files.delete(folder.resolve("sys/kernel/debug/kprobes/enabled"));
        world.out.reset();
        module.kprobesDisabled();
        assertThat(world.run("check", "--passive"))
                .as("the module sees it, too")
                .isEqualTo(1);
        assertThat(remedy("kprobes")).isEqualTo("remedy: echo 1 >/sys/kernel/debug/kprobes/enabled");
    }

    @Test
    void shouldSayWhatIsWrongWithTheKernelsSettings() throws IOException {
        module.ftraceDisabled();
        file("proc/mounts", "proc /proc proc rw 0 0\n");
        file("proc/meminfo", "MemAvailable: 100 kB\n");
        file("sys/devices/system/clocksource/clocksource0/available_clocksource", "hpet acpi_pm\n");
        file("sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet\n");

        assertThat(world.run("check")).isEqualTo(1);

        assertThat(remedy("ftrace")).isEqualTo("remedy: sysctl kernel.ftrace_enabled=1");
        assertThat(line("debugfs")).startsWith("warning ").contains("not mounted: \"magnet read -o\" saves no traces");
        assertThat(line("memory")).startsWith("failed ").contains("512 KiB on 2 CPUs, 100 KiB are free");
        assertThat(line("clock")).startsWith("warning ").contains("source is hpet");
        assertThat(world.outLines()).last().asString().contains(" 2 failed, ");
    }

    @Test
    void shouldAskTheKernelItselfWhereNoModuleIsLoaded() throws IOException {
        world.control = FakeModule::openWithout;
        file("proc/sys/kernel/ftrace_enabled", "0\n");

        assertThat(world.run("check")).isEqualTo(1);

        assertThat(line("ftrace")).startsWith("failed ").contains("switched off");
    }

    @Test
    void shouldSayThatTheKernelCalledTheTscUnstable() throws IOException {
        module.unstableClock();
        assertThat(world.run("check")).isEqualTo(1);
        assertThat(line("clock")).startsWith("failed ").contains("called the TSC unstable");
        assertThat(remedy("clock")).isEqualTo("remedy: load the module with clock=mono");
    }

    @Test
    void shouldTakeTheCounterOfArm64ForTheTsc() throws IOException {
        file("sys/devices/system/clocksource/clocksource0/available_clocksource", "arch_sys_counter\n");
        file("sys/devices/system/clocksource/clocksource0/current_clocksource", "arch_sys_counter\n");

        world.run("check");

        assertThat(line("clock")).startsWith("ok ").contains("source is arch_sys_counter");
    }

    @Test
    void shouldSayWhereGmondCannotBeReached() throws IOException {
        file("gmond.conf", """
                udp_send_channel { host = "no" port = 1 }
                udp_send_channel { mcast_join = 239.2.11.71 port = 2 }
                """);
        world.route = channel -> {
            throw channel.multicast()
                    ? new SocketException("Network is unreachable")
                    : new UnknownHostException(channel.host());
        };

        assertThat(world.run("check")).isEqualTo(1);

        assertThat(line("channel").lines())
                .hasSize(2)
                .allMatch(line -> line.startsWith("failed "))
                .anyMatch(line -> line.endsWith("no:1: the name no cannot be resolved, so nothing is sent there"))
                .anyMatch(line -> line.endsWith("no way to it: Network is unreachable"));
    }

    @Test
    void shouldSayWhatIsWrongWithTheConfiguration() throws IOException {
        file("gmond.conf", "udp_send_channel { host = a port = 1 }\nudp_send_channel { host = b }\n");
        world.run("check");
        assertThat(line("gmond.conf").lines())
                .hasSize(2)
                .anyMatch(line -> line.startsWith("warning ")
                        && line.contains(
                                "gmond.conf:2: udp_send_channel has no port; nothing is sent by this channel"));
        world.out.reset();
        file("gmond.conf", "udp_send_channel {\n");
        assertThat(world.run("check")).isEqualTo(1);
        assertThat(line("magnet.conf")).startsWith("ok ");
        assertThat(line("gmond.conf")).startsWith("failed ").contains("gmond.conf:");

        Files.delete(folder.resolve("gmond.conf"));
        world.out.reset();
        assertThat(world.run("check")).isZero();
        assertThat(line("gmond.conf")).startsWith("warning ").contains("sends to 239.2.11.71:8649");

        file("other.conf", "[ganglia]\nbogus = 1\n");
        world.out.reset();
        assertThat(world.run("check", "-c", folder.resolve("other.conf").toString()))
                .isEqualTo(1);
        assertThat(line("magnet.conf")).startsWith("failed ").contains("bogus");
        assertThat(line("gmond.conf")).startsWith("skipped ");
    }

    @Test
    void shouldSayThatNativeCallsDoNotWork() {
        TestWorld broken = world;
        broken.nativeFailure = new UncheckedIOException("no JNA", new IOException("no JNA"));

        assertThat(broken.run("check")).isEqualTo(1);

        assertThat(line("java")).startsWith("failed ").endsWith("no JNA");
        assertThat(remedy("java")).contains("-Djna.tmpdir=");
        assertThat(line("module")).startsWith("skipped ");
    }

    @Test
    void shouldPrintJsonThatEscapesWhatOthersChose() throws IOException {
        file("gmond.conf", "udp_send_channel { host = \"a\\\"\033b\" port = 1 }\n");

        world.run("check", "--json", "--passive");

        assertThat(world.outLines()).singleElement().asString().startsWith("{\"failed\": 0, \"warnings\": ");
        assertThat(world.outLines().get(0))
                .contains("{\"check\": \"hooks\", \"state\": \"skipped\", \"what\": \"--passive")
                .doesNotContain("\033");
    }
}
