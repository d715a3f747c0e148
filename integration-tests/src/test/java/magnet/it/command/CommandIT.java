// SPDX-License-Identifier: Apache-2.0
package magnet.it.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestProcess;
import magnet.it.guest.GuestResult;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
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

    private final Guest guest;

    CommandIT(Guest guest) {
        this.guest = guest;
    }

    private GuestResult magnet(String arguments) {
        return guest.sh(LIMIT, MAGNET + " " + arguments);
    }

    private void load(String... parameters) {
        if (guest.run("test", "-d", "/sys/module/magnet").exitCode() != 0) {
            KernelModule.load(guest, parameters);
        }
    }

    /** A reader that reads already: what it prints first, it prints when all is switched on. */
    private GuestProcess startReading(String arguments) {
        GuestProcess reader =
                guest.start("env", "--default-signal=INT", "bash", "-c", "exec " + MAGNET + " read " + arguments);
        reader.awaitOutput("TIME", LIMIT);
        return reader;
    }

    private static void assertOneLine(GuestResult result, int exitCode, String... parts) {
        assertThat(result.exitCode()).as(result.toString()).isEqualTo(exitCode);
        assertThat(result.stderr().lines()).as(result.toString()).hasSize(1);
        assertThat(result.stderr()).startsWith("magnet: ").contains(parts);
    }

    private void assertNothingOn() {
        assertThat(magnet("status").orFail().stdout()).contains("no buffers", "no subscriptions");
        assertThat(guest.sh("grep magnet /sys/kernel/tracing/enabled_functions").stdout())
                .isEmpty();
    }

    @Test
    @Order(1)
    void shouldSayThatTheModuleIsNotLoaded() {
        assertThat(guest.run("test", "-d", "/sys/module/magnet").exitCode()).isNotZero();
        for (String command : List.of("points", "read", "status", "unload")) {
            assertOneLine(magnet(command), 1, "the kernel module is not loaded; load it with: modprobe magnet");
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
                + workload.stdout().strip() + "/\\d+ +udp_sendmsg +cookie=[1-9]\\d* len=2 .*");
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

    @Test
    @Order(4)
    void shouldEndWhenNobodyReadsItsOutput() {
        load();
        GuestResult result = guest.sh(LIMIT, "set -o pipefail; " + MAGNET + " read -p sched_switch | head -n 3");
        assertThat(result.exitCode()).as(result.toString()).isZero();
        assertThat(result.stdout().lines()).hasSize(3);
        assertThat(result.stderr()).isEmpty();
        assertNothingOn();
    }

    @Test
    @Order(5)
    void shouldLeaveNothingOnWhenKilled() {
        load();
        GuestProcess reader = startReading("-p udp_sendmsg -p sched_switch");
        assertThat(magnet("status").orFail().stdout())
                .containsPattern("(?m)^ *\\d+ +udp_sendmsg +read-\\d+ ")
                .containsPattern("(?m)^ *\\d+ +sched_switch +read-\\d+ ");
        reader.kill();
        assertNothingOn();
    }

    @Test
    @Order(6)
    void shouldPrintJson() {
        load();
        GuestResult result = magnet("read --json -n 5 -p sched_switch").orFail();
        long now = Long.parseLong(guest.sh("date +%s%N").orFail().stdout().strip());
        Pattern line = Pattern.compile("\\{\"time\":\"[^\"]+Z\",\"time_ns\":(\\d+),\"timer\":\\d+,\"cpu\":[01],.*"
                + "\"event\":\"sched_switch\",\"abstract_id\":\\d+,\"fields\":\\{\"prev_state\":\"0x[0-9a-f]+\",.*}}");
        assertThat(result.stdout().lines()).hasSize(5).allSatisfy(text -> {
            Matcher matcher = line.matcher(text);
            assertThat(matcher.matches()).as(text).isTrue();
            assertThat(Long.parseLong(matcher.group(1)))
                    .isLessThan(now + TOLERANCE_NS)
                    .isGreaterThan(now - LIMIT.toNanos());
        });
    }

    @Test
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
        assertOneLine(guest.sh(LIMIT, NOBODY + MAGNET + " unload"), 1, "CAP_PERFMON", "root");
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
        magnet("unload").orFail();
        GuestResult read = reader.waitFor(LIMIT);
        assertThat(read.exitCode()).as(read.toString()).isZero();
        assertThat(read.stderr()).contains("somebody else removed the buffer");
        assertThat(guest.run("test", "-d", "/sys/module/magnet").exitCode()).isNotZero();
    }

    @Test
    @Order(12)
    void shouldSayWhoKeepsTheModuleFromBeingUnloaded() {
        load();
        GuestProcess holder =
                guest.start("bash", "-c", "exec 7</sys/kernel/debug/magnet/control/events; echo open; exec sleep 1000");
        holder.awaitOutput("open", LIMIT);
        assertOneLine(
                magnet("unload"),
                1,
                "still in use",
                "process " + holder.pid() + " (sleep) has /sys/kernel/debug/magnet/control/events open");
        holder.kill();
        magnet("unload").orFail();
    }
}
