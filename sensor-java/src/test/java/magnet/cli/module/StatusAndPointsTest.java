// SPDX-License-Identifier: Apache-2.0
package magnet.cli.module;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import magnet.cli.TestWorld;
import magnet.control.FakeModule;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class StatusAndPointsTest {
    @TempDir
    private Path folder;

    @Test
    void shouldListPointsWithWhatWasFoundOfThem() throws IOException {
        TestWorld world = new TestWorld(folder, new FakeModule());
        assertThat(world.run("points")).isZero();
        assertThat(world.outLines())
                .containsExactly(
                        "ID     NAME          SUBSYSTEM  MECHANISM   STATE                FUNCTIONS",
                        "0x010  udp_sendmsg   net        ftrace      off                  ipv4:udp_sendmsg ipv6:udp_sendmsg",
                        "0x110  sched_switch  sched      tracepoint  on (2)               sched_switch",
                        "0x020  half_there    net        ftrace      off, partly missing  ipv4:half_there"
                                + " ipv6:none-of(half_there|half_there_old)",
                        "0x030  not_there     net        ftrace      missing              "
                                + "ipv4:none-of(not_there|not_there_old)");
    }

    @Test
    void shouldShowBuffersAndTheLossEquation() throws IOException {
        TestWorld world = new TestWorld(folder, new FakeModule().subscribed("sched_switch"));
        world.addProcess(1, "init", "/sbin/init");
        world.addProcess(77, "java", "java -Xmx48m -cp x.jar magnet.service.Magnetd --config y");
        assertThat(world.run("status")).isZero();
        assertThat(world.outLines())
                .containsExactly(
                        "service   running, process 77",
                        "module    loaded, version 0.1.0, ABI 1",
                        "layout    wide",
                        "clock     tsc, 2500000 kHz",
                        "",
                        "BUFFER  OWNER       CPUS  KIB/CPU  SUBSCRIPTIONS  RECORDS  READ  UNREAD BYTES  LOST",
                        "main    persistent     1      256              1     1000   900          4000     5",
                        "",
                        "ID  POINT         BUFFER  HITS  COMMITTED  FILTERED  SAMPLED  FULL  BIG  RECURSION"
                                + "  STORM  MISSED",
                        " 1  sched_switch  main      25         20         0        0     5    0          0      0"
                                + "       0");
        assertThat(world.outLines()).allSatisfy(line -> assertThat(line).hasSizeLessThan(100));
    }

    @Test
    void shouldSayThatFtraceIsSwitchedOff() throws IOException {
        FakeModule module = new FakeModule().ftraceDisabled();
        TestWorld world = new TestWorld(folder, module);
        assertThat(world.run("status")).isZero();
        assertThat(world.outLines())
                .contains("ftrace    switched off: points at the entry of functions see nothing"
                        + " (sysctl kernel.ftrace_enabled=1)");
        assertThat(world.run("status", "--json")).isZero();
        assertThat(world.outLines()).anyMatch(line -> line.contains("\"ftrace_off\": true"));
        module.content();
        assertThat(world.run("status")).isZero();
        assertThat(world.outLines())
                .filteredOn(line -> line.startsWith("ftrace"))
                .as("what was said before it was switched on again")
                .hasSize(1);
    }

    @Test
    void shouldSayThatKprobesAreSwitchedOff() throws IOException {
        TestWorld world = new TestWorld(folder, new FakeModule().kprobesDisabled());
        assertThat(world.run("status")).isZero();
        assertThat(world.outLines())
                .contains("kprobes   switched off: points that are kprobes see nothing"
                        + " (echo 1 >/sys/kernel/debug/kprobes/enabled)");
        assertThat(world.run("status", "--json")).isZero();
        assertThat(world.outLines()).anyMatch(line -> line.contains("\"kprobes_off\": true"));
    }

    @Test
    void shouldSayThatNoPointCanBeInserted() throws IOException {
        TestWorld world = new TestWorld(folder, new FakeModule().dynamicDisabled());
        assertThat(world.run("status")).isZero();
        assertThat(world.outLines()).contains("dynamic   off: loaded with dynamic=off, no points can be inserted");
        assertThat(world.run("status", "--json")).isZero();
        assertThat(world.outLines()).anyMatch(line -> line.contains("\"dynamic_off\": true"));
    }

    @Test
    void shouldSayThatTheKernelCalledTheTscUnstable() throws IOException {
        TestWorld world = new TestWorld(folder, new FakeModule().unstableClock());
        assertThat(world.run("status")).isZero();
        assertThat(world.outLines())
                .contains("clock     tsc, 2500000 kHz; the kernel called it unstable: load the module with clock=mono");
        assertThat(world.run("status", "--json")).isZero();
        assertThat(world.outLines()).anyMatch(line -> line.contains("\"clock_unstable\": true"));
    }

    @Test
    void shouldPrintOneJsonObjectOfTheStatus() throws IOException {
        TestWorld world = new TestWorld(folder, new FakeModule().subscribed("sched_switch"));
        world.addProcess(77, "java", "java -Xmx48m -cp x.jar magnet.service.Magnetd --config y");
        assertThat(world.run("status", "--json")).isZero();
        assertThat(world.outLines())
                .singleElement(STRING)
                .startsWith(
                        "{\"service\": {\"process\": 77}, \"module\": {\"version\": \"0.1.0\", \"abi\": 1,"
                                + " \"layout\": \"wide\", \"clock\": \"tsc\", \"khz\": 2500000}, \"buffers\": [{\"name\": \"main\",")
                .contains("\"bytes_per_cpu\": 262144, \"subscriptions\": 1, \"lost\": 5,")
                .contains("\"records\": 1000, \"records_read\": 900,")
                .endsWith("\"subscriptions\": [{\"id\": 1, \"point\": \"sched_switch\", \"buffer\": \"main\","
                        + " \"hits\": 25, \"committed\": 20, \"filtered\": 0, \"sampled_out\": 0, \"dropped_full\": 5,"
                        + " \"dropped_big\": 0, \"dropped_recursion\": 0, \"dropped_storm\": 0, \"missed\": 0}]}");
    }

    @Test
    void shouldPrintOneJsonObjectOfThePoints() throws IOException {
        TestWorld world = new TestWorld(folder, new FakeModule());
        assertThat(world.run("points", "--json")).isZero();
        assertThat(world.outLines())
                .singleElement(STRING)
                .startsWith("{\"points\": [{\"event\": 16, \"name\": \"udp_sendmsg\", \"subsystem\": \"net\","
                        + " \"mechanism\": \"ftrace\",")
                .contains("\"functions\": [{\"family\": \"ipv4\", \"state\": \"")
                .contains("\"name\": \"not_there\", \"subsystem\": \"net\", \"mechanism\": \"ftrace\"")
                .contains("\"available\": false")
                .contains("\"state\": \"unresolved\", \"tried\": [\"not_there\", \"not_there_old\"]}");
        assertThat(world.run("points", "--json", "--remove", "nonesuch")).isZero();
        assertThat(world.outLines()).last().isEqualTo("{\"points\": []}");
    }

    @Test
    void shouldPrintNothingElseWhenThereIsNoModule() throws IOException {
        TestWorld world = new TestWorld(folder, new FakeModule());
        world.control = () -> {
            throw new IOException("not loaded");
        };
        assertThat(world.run("status")).isEqualTo(1);
        assertThat(world.outLines()).isEmpty();
        assertThat(world.errLines()).containsExactly("magnet: not loaded");
    }

    @Test
    void shouldChangePoints() throws IOException {
        FakeModule module = new FakeModule();
        TestWorld world = new TestWorld(folder, module);
        assertThat(world.run("points", "--disable", "marker")).isZero();
        assertThat(module.lastRequest("POINT_SET")).isEqualTo("POINT=marker ENABLED=0");
        assertThat(world.run("points", "--enable", "marker")).isZero();
        assertThat(module.lastRequest("POINT_SET")).isEqualTo("POINT=marker ENABLED=1");
        assertThat(world.run("points", "--storm-guard", "marker=500")).isZero();
        assertThat(module.lastRequest("POINT_SET")).isEqualTo("POINT=marker STORM_RATE=500");
        assertThat(world.run("points", "--storm-guard", "marker=0/10")).isZero();
        assertThat(module.lastRequest("POINT_SET")).isEqualTo("POINT=marker STORM_RATE=0 STORM_BURST=10");
        assertThat(world.outLines().stream().filter(line -> line.startsWith("0x3c0")))
                .containsExactly(
                        "0x3c0  marker  user       module     disabled (2)  ipv4:marker",
                        "0x3c0  marker  user       module     on (2)  ipv4:marker",
                        "0x3c0  marker  user       module     on (2), guard 500/10  ipv4:marker",
                        "0x3c0  marker  user       module     on (2)  ipv4:marker");
    }

    @Test
    void shouldShowAnIdleModule() throws IOException {
        TestWorld world = new TestWorld(folder, new FakeModule().idle());
        assertThat(world.run("status")).isZero();
        assertThat(world.outLines()).contains("service   not running", "no buffers", "no subscriptions");
    }

    @Test
    void shouldSayWhyNoModuleCanBeLoadedWhenTheKernelIsLockedDown() throws IOException {
        TestWorld world = new TestWorld(folder, new FakeModule());
        world.control = FakeModule::openWithout;
        Files.writeString(world.lockdown, "none [integrity] confidentiality\n");

        assertThat(world.run("status")).isNotZero();

        assertThat(world.outLines()).isEmpty();
        assertThat(world.errLines())
                .singleElement(STRING)
                .contains("the kernel module is not loaded", "locked down, integrity: ", "mokutil --import");
    }

    @Test
    void shouldNotSpeakOfLockdownWhereThereIsNone() throws IOException {
        for (String text : List.of("[none] integrity confidentiality\n", "")) {
            TestWorld world = new TestWorld(folder, new FakeModule());
            world.control = FakeModule::openWithout;
            Files.writeString(world.lockdown, text);

            assertThat(world.run("status")).isNotZero();

            assertThat(world.errLines()).singleElement(STRING).doesNotContain("locked down");
        }
    }
}
