// SPDX-License-Identifier: Apache-2.0
package magnet.it.command;

import static magnet.it.command.Refusals.assertOneLine;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestProcess;
import magnet.it.guest.GuestResult;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import magnet.it.service.Json;
import magnet.it.service.ModuleState;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** The command "magnet" against the real module. */
@GuestTest
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class CommandIT {
    private static final String MAGNET = "sensor-java/bin/magnet";
    private static final String NOBODY = "setpriv --reuid=65534 --regid=65534 --clear-groups ";
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final long TOLERANCE_NS = 500_000_000;
    private static final int DATAGRAMS = 101;
    /** More than fits into a pipe, as JSON. */
    private static final int FIRST = 1_000;
    /** Four times as many are more than a batch of 128 KiB, and with {@link #FIRST} fit into a CPU's buffer. */
    private static final int MANY = 1_250;

    private static final int FEW = 61;
    private static final String SLOW_TAKER = """
            import os, sys, time
            source = os.open("/tmp/slow", os.O_RDONLY)
            while not os.path.exists("/tmp/go"):
                time.sleep(0.05)
            while part := os.read(source, 4096):
                sys.stdout.buffer.write(part)
                time.sleep(0.01)
            """;

    private final Guest guest;
    private final ModuleState module;

    CommandIT(Guest guest) {
        this.guest = guest;
        this.module = new ModuleState(guest);
    }

    private GuestResult magnet(String arguments) {
        return guest.sh(LIMIT, MAGNET + " " + arguments);
    }

    private void load(String... parameters) {
        KernelModule.loadUnlessLoaded(guest, parameters);
    }

    /** A reader that reads already: what it prints first, it prints when all is switched on. */
    private GuestProcess startReading(String arguments) {
        GuestProcess reader =
                guest.start("env", "--default-signal=INT", "bash", "-c", "exec " + MAGNET + " read " + arguments);
        reader.awaitOutput("TIME", LIMIT);
        return reader;
    }

    @Test
    @Order(0)
    void shouldHelpWhoAsksAndWhoErrs() {
        assertThat(magnet("--help").orFail().stdout()).contains("status", "unload", "Exit codes:");
        assertOneLine(magnet("statsu"), 2, "did you mean", "status", "magnet --help");
    }

    @Test
    @Order(1)
    void shouldSayThatTheModuleIsNotLoaded() {
        sayThatTheModuleIsNotLoaded("points", "watch");
        assertThat(magnet("unload").orFail().stderr())
                .isEqualTo("magnet: nothing to unload: the module is not loaded\n");
    }

    @Test
    @Tag("long")
    @Order(1)
    void shouldSayThatTheModuleIsNotLoadedWhicheverTheCommand() {
        sayThatTheModuleIsNotLoaded("filters", "buffers", "read", "status", "count", "top", "bench");
    }

    private void sayThatTheModuleIsNotLoaded(String... commands) {
        assertThat(module.isLoaded()).isFalse();
        for (String command : commands) {
            GuestResult result = magnet(command);
            assertOneLine(
                    result,
                    1,
                    "the kernel module is not loaded; load it with magnet load or modprobe magnet, or insmod"
                            + " magnet.ko where it was built");
            assertThat(result.stdout()).as(command).isEmpty();
        }
    }

    @Test
    @Order(2)
    void shouldListWhatThisKernelHas() {
        load();
        GuestResult result = magnet("points").orFail();
        assertThat(result.stdout().lines())
                .anySatisfy(
                        line -> assertThat(line).matches("0x110 +sched_switch +sched +tracepoint +off +sched_switch"))
                .anySatisfy(line -> assertThat(line)
                        .matches("0x010 +udp_sendmsg +net +ftrace +off +ipv4:udp_sendmsg ipv6:udpv6_sendmsg"))
                .noneMatch(line -> line.contains("missing"));
        assertThat(result.stdout().lines().skip(1).map(line -> line.split(" +", -1)[1]))
                .as("those of the module's own list")
                .containsExactlyElementsOf(module.events().stream()
                        .map(line -> line.split(" ", -1)[1])
                        .toList());
    }

    @Test
    @Order(3)
    void shouldPrintExactlyTheEventsInTheOrderOfTime() {
        load();
        GuestProcess reader = startReading("-p udp_sendmsg -p sched_switch");
        GuestResult workload = guest.sh(LIMIT, """
                echo $$
                for ((i = 0; i < %d; i++)); do echo x >/dev/udp/127.0.0.1/9; done
                """.formatted(DATAGRAMS)).orFail();
        reader.signal("INT");
        GuestResult read = reader.waitFor(LIMIT);
        assertThat(read.exitCode()).as(read.toString()).isZero();
        assertThat(read.stderr()).contains("none were lost");

        Pattern line = Pattern.compile("(\\d\\d:\\d\\d:\\d\\d)\\.(\\d{9}) +\\d+ +"
                + workload.stdout().strip() + "/\\d+ +bash +udp_sendmsg +cookie=[1-9]\\d* len=2 .*");
        List<Matcher> events = read.stdout()
                .lines()
                .map(line::matcher)
                .filter(Matcher::matches)
                .toList();
        assertThat(events).hasSize(DATAGRAMS);
        List<String> times =
                read.stdout().lines().skip(1).map(text -> text.substring(0, 18)).toList();
        assertThat(times).as("of all CPUs, in the order of time").isSorted();
    }

    /**
     * A reader that nobody reads from, and that then stood still, has more than a batch of one CPU unread and little of
     * the other, and ends as soon as it goes on: the wish comes while it prints the first of them. What order the events are in
     * the timers tell: the times that people know may be put right on the way.
     */
    @Test
    @Tag("long")
    @Order(4)
    void shouldStayInOrderWhenItStoodStillAndThenEnds() {
        load();
        guest.run("mkfifo", "/tmp/slow").orFail();
        GuestProcess taker = guest.start("/usr/bin/python3", "-c", SLOW_TAKER);
        GuestProcess reader = guest.start("bash", "-c", "exec " + MAGNET + " read --json -p udp_sendmsg >/tmp/slow");
        module.awaitOn("udp_sendmsg");
        guest.run("taskset", "-c", "0", "build/tools/udp_mix", "" + FIRST, "9").orFail();
        guest.sh(LIMIT, "until grep -qs pipe_write /proc/" + reader.pid() + "/task/*/stack; do sleep 0.1; done")
                .orFail();
        reader.signal("STOP");
        guest.sh(LIMIT, """
                for i in 1 2 3 4; do
                    taskset -c 0 build/tools/udp_mix %d 9 && taskset -c 1 build/tools/udp_mix %d 9 && sleep 1 || exit
                done >/dev/null
                """.formatted(MANY, FEW)).orFail();
        reader.signal("TERM");
        reader.signal("CONT");
        guest.run("touch", "/tmp/go").orFail();
        GuestResult read = reader.waitFor(LIMIT);
        assertThat(read.exitCode()).as(read.stderr()).isZero();

        List<JsonObject> events =
                taker.waitFor(LIMIT).orFail().stdout().lines().map(Json::object).toList();
        int sent = FIRST + 4 * (MANY + FEW);
        assertThat(events).hasSize(sent);
        assertThat(events.stream().filter(event -> event.get("cpu").getAsInt() == 0))
                .hasSize(FIRST + 4 * MANY);
        assertThat(events.stream().map(event -> event.get("timer").getAsLong())).isSorted();
        assertThat(read.stderr())
                .isEqualTo("magnet: %1$d events printed; of %1$d hits none were lost\n".formatted(sent));
    }

    @Test
    @Tag("long")
    @Order(4)
    void shouldEndWhenNobodyReadsItsOutput() {
        load();
        GuestResult result = guest.sh(LIMIT, "set -o pipefail; " + MAGNET + " read -p sched_switch | head -n 3");
        assertThat(result.exitCode()).as(result.toString()).isZero();
        assertThat(result.stdout().lines()).hasSize(3);
        assertThat(result.stderr()).isEmpty();
        module.awaitNothingOn();
    }

    @Test
    @Order(5)
    void shouldLeaveNothingOnWhenKilled() {
        load();
        GuestProcess reader = startReading("-p udp_sendmsg -p sched_switch");
        assertThat(magnet("status").orFail().stdout())
                .contains("service   not running\n", "layout    wide\n")
                .containsPattern("(?m)^module    loaded, version [0-9.]+, ABI 1$")
                .containsPattern("(?m)^read-\\d+ +port \\d+ +2 +256 +6 ")
                .containsPattern("(?m)^ *\\d+ +udp_sendmsg +read-\\d+ ")
                .containsPattern("(?m)^ *\\d+ +sched_switch +read-\\d+ ");
        reader.kill();
        module.awaitNothingOn();
    }

    @Test
    @Order(6)
    void shouldPrintJsonThatOthersCanRead() {
        load();
        GuestProcess reader = guest.start(MAGNET, "read", "--json", "-p", "udp_sendmsg", "-n", "" + DATAGRAMS);
        module.awaitOn("udp_sendmsg");
        GuestProcess sender = guest.start("build/tools/udp_mix", "" + DATAGRAMS, "9");
        sender.waitFor(LIMIT).orFail();
        List<JsonObject> events = reader.waitFor(LIMIT)
                .orFail()
                .stdout()
                .lines()
                .map(Json::object)
                .toList();

        long now = Long.parseLong(guest.sh("date +%s%N").orFail().stdout().strip());
        assertThat(events)
                .hasSize(DATAGRAMS)
                .allMatch(event -> event.get("tgid").getAsLong() == sender.pid())
                .allMatch(event -> event.get("event").getAsString().equals("udp_sendmsg"))
                .allMatch(event -> event.getAsJsonObject("fields").get("len").getAsInt() == 6);
        assertThat(events.stream().map(event -> event.get("time_ns").getAsLong()))
                .isSorted()
                .allMatch(time -> time < now + TOLERANCE_NS && time > now - LIMIT.toNanos());
    }

    @Test
    @Tag("long")
    @Order(6)
    void shouldPrintNamesAndFieldsOfPointsThatWereInserted() {
        load();
        String sample = KernelModule.sample(guest.options().kernel()).toString();
        guest.run("insmod", sample).orFail();
        magnet("points --insert 'f:__x64_sys_fchmodat mode=$arg2:x32'").orFail();
        GuestProcess reader =
                guest.start(MAGNET, "read", "--json", "-p", "f___x64_sys_fchmodat", "-p", "sample_tick", "-n", "24");
        module.awaitOn("sample_tick");
        guest.sh("touch /tmp/changed; for i in {1..13}; do chmod 640 /tmp/changed; done;"
                        + " echo tick softirq 11 > /sys/kernel/debug/magnet_sample/emit")
                .orFail();
        List<JsonObject> events = reader.waitFor(LIMIT)
                .orFail()
                .stdout()
                .lines()
                .map(Json::object)
                .toList();
        magnet("points --remove f___x64_sys_fchmodat").orFail();
        guest.run("rmmod", "magnet_sample").orFail();

        assertThat(ofName(events, "f___x64_sys_fchmodat"))
                .hasSize(13)
                .allMatch(event -> event.getAsJsonObject("fields").has("mode"));
        assertThat(ofName(events, "sample_tick"))
                .hasSize(11)
                .noneMatch(event -> event.has("payload_bytes"))
                .allMatch(event -> event.getAsJsonObject("fields").size() > 0);
    }

    private static List<JsonObject> ofName(List<JsonObject> events, String name) {
        return events.stream()
                .filter(event -> event.has("event"))
                .filter(event -> event.get("event").getAsString().equals(name))
                .toList();
    }

    @Test
    @Tag("long")
    @Order(7)
    void shouldSayWhatIsWrongWithAPoint() {
        load();
        assertOneLine(magnet("read -p sched_swich"), 1, "no point sched_swich; did you mean sched_switch?");
    }

    @Test
    @Order(8)
    void shouldSayWhichRightIsMissing() {
        load();
        assertOneLine(guest.sh(LIMIT, NOBODY + MAGNET + " read"), 1, "CAP_PERFMON", "root");
        assertOneLine(
                guest.sh(
                        LIMIT,
                        NOBODY + "--inh-caps=+perfmon --ambient-caps=+perfmon " + MAGNET + " read -p sched_switch"),
                1,
                "/dev/magnet/",
                "Permission denied",
                "group");
        assertThat(guest.sh(LIMIT, NOBODY + MAGNET + " points").orFail().stdout())
                .contains("sched_switch");
    }

    @Test
    @Tag("long")
    @Order(8)
    void shouldSayThatUnloadingTakesARight() {
        load();
        assertOneLine(guest.sh(LIMIT, NOBODY + MAGNET + " unload"), 1, "CAP_PERFMON", "root");
    }

    @Test
    @Tag("long")
    @Order(9)
    void shouldReadWithoutDebugfs() {
        load();
        guest.sh("umount /sys/kernel/debug").orFail();
        try {
            assertThat(magnet("read -n 3 -p sched_switch").orFail().stdout().lines())
                    .hasSize(4);
        } finally {
            guest.sh("mount -t debugfs debugfs /sys/kernel/debug").orFail();
        }
    }

    @Test
    @Tag("long")
    @Order(10)
    void shouldReadLayoutClassic() {
        load();
        KernelModule.remove(guest);
        load("layout=classic");
        assertThat(magnet("status").orFail().stdout()).contains("layout    classic");
        assertThat(magnet("read -n 3 -p sched_switch").orFail().stdout().lines())
                .hasSize(4)
                .last()
                .asString()
                .contains("/? sched_switch", "next_tid=");
        KernelModule.remove(guest);
    }

    @Test
    @Order(11)
    void shouldEndReadersAndUnload() {
        load();
        GuestProcess reader = startReading("-p sched_switch");
        assertOneLine(
                guest.sh(LIMIT, "setpriv --bounding-set=-sys_module " + MAGNET + " unload"),
                1,
                "CAP_SYS_MODULE",
                "nobody's reading was ended");
        guest.sh(LIMIT, "kill -STOP " + reader.pid()).orFail();
        assertOneLine(
                magnet("unload"),
                1,
                "a reader is stopped and cannot close its file: process " + reader.pid() + " (java) has ",
                "kill -CONT " + reader.pid(),
                "nobody's reading was ended");
        guest.sh(LIMIT, "kill -CONT " + reader.pid()).orFail();
        assertThat(reader.isAlive()).isTrue();
        magnet("unload").orFail();
        GuestResult read = reader.waitFor(LIMIT);
        assertThat(read.exitCode()).as(read.toString()).isZero();
        assertThat(read.stderr()).contains("somebody else removed the buffer");
        assertThat(module.isLoaded()).isFalse();
    }

    @Test
    @Tag("long")
    @Order(12)
    void shouldSayWhoKeepsTheModuleFromBeingUnloaded() {
        load();
        GuestProcess reader = startReading("-p sched_switch");
        GuestProcess holder =
                guest.start("bash", "-c", "exec 7</sys/kernel/debug/magnet/control/events; echo open; exec sleep 1000");
        holder.awaitOutput("open", LIMIT);
        assertOneLine(
                magnet("unload"),
                1,
                "a file is open whose reader nobody can tell to close it",
                "process " + holder.pid() + " (sleep) has /sys/kernel/debug/magnet/control/events open",
                "nobody's reading was ended");
        assertThat(reader.isAlive()).isTrue();
        holder.kill();
        magnet("unload").orFail();
        reader.waitFor(LIMIT).orFail();
        GuestResult again = magnet("unload").orFail();
        assertThat(again.stderr()).isEqualTo("magnet: nothing to unload: the module is not loaded\n");
    }
}
