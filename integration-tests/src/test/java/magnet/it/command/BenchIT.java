// SPDX-License-Identifier: Apache-2.0
package magnet.it.command;

import static magnet.it.command.Refusals.assertOnlyOneLine;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestProcess;
import magnet.it.guest.GuestResult;
import magnet.it.guest.GuestTest;
import magnet.it.guest.LoadedModule;
import magnet.it.service.ModuleState;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * "magnet bench" against the real module: each row is measured by the mechanism that it names, as the kernel's own
 * lists say, and on exactly the calls that were made. What it costs is not looked at: a guest's times mean nothing.
 */
@GuestTest(smp = 1)
@ExtendWith(LoadedModule.class)
final class BenchIT {
    private static final String MAGNET = "sensor-java/bin/magnet";
    private static final Duration LIMIT = Duration.ofMinutes(10);
    private static final String FUNCTION = "__x64_sys_setitimer";
    private static final String KPROBES = "/sys/kernel/debug/kprobes/list";
    private static final String HOOKED = "/sys/kernel/tracing/enabled_functions";

    private static final int WAYS = 5;
    private static final int CALLS = 200;
    private static final int ROUNDS = 3;
    /** Of one way: an eighth more to warm up, and one round more. */
    private static final int EVENTS = (ROUNDS + 1) * (CALLS + CALLS / 8);

    private static final String SMALL = " bench --calls " + CALLS + " --rounds " + ROUNDS;
    private static final String ENDLESS = " bench --calls 20000 --rounds 1000000";
    /** What a call costs may drown in what else an emulated processor does; the events are counted exactly all the same. */
    private static final String NUMBERS = " +(?:too noisy +-|[0-9.]+ +[0-9.]+ to [0-9.]+) +" + EVENTS + "$";

    private final Guest guest;

    BenchIT(Guest guest) {
        this.guest = guest;
    }

    private GuestResult magnet(String arguments) {
        return guest.sh(LIMIT, MAGNET + arguments);
    }

    private GuestProcess start(String arguments) {
        return guest.start("env", "--default-signal=INT", "bash", "-c", "exec " + MAGNET + arguments);
    }

    private void await(String condition) {
        guest.sh(LIMIT, "until " + condition + "; do sleep 0.01; done").orFail();
    }

    private void assertNothingLeft() {
        new ModuleState(guest).awaitNothingOn();
        assertThat(guest.sh("cat /sys/kernel/debug/magnet/control/events")
                        .orFail()
                        .stdout())
                .contains("sched_switch")
                .doesNotContain("dynamic");
        assertThat(guest.sh("cat " + KPROBES).orFail().stdout()).doesNotContain(FUNCTION);
        assertThat(guest.sh("cat " + HOOKED).orFail().stdout()).doesNotContain(FUNCTION);
    }

    private static String place(String row, String table) {
        Matcher matcher = Pattern.compile("(?m)^" + row + NUMBERS).matcher(table);
        assertThat(matcher.find()).as("%s in %s", row, table).isTrue();
        return matcher.group(1);
    }

    @Test
    void shouldReprintThePapersTableOfExactlyTheCallsThatWereMade() {
        GuestResult result = guest.run(
                        LIMIT,
                        "bpftrace",
                        "-e",
                        "tracepoint:timer:itimer_state /pid == cpid/ { @calls = count(); }",
                        "-c",
                        "/bin/sh " + MAGNET + SMALL)
                .orFail();
        String table = result.stdout();
        String breakpoint = place("Kprobes +~800 +kprobe/breakpoint +(" + FUNCTION + "\\+0x[0-9a-f]+)", table);
        String jump = place("Djprobe +~10 +kprobe/jump +(" + FUNCTION + "\\+0x[0-9a-f]+)", table);
        assertThat(offset(jump) - offset(breakpoint)).as("neighbours").isBetween(1, 4);
        place("Jprobes +~1000 +ftrace +(" + FUNCTION + ")", table);
        place("Kretprobes +~1100 +kretprobe/ftrace +(" + FUNCTION + ")", table);
        place("- +- +tracepoint +(itimer_state)", table);
        assertThat(table)
                .contains("with no point on, setitimer() costs ")
                .as("with the point on, and as many with it off")
                .contains("@calls: " + 2 * WAYS * EVENTS);
        assertNothingLeft();
    }

    private static int offset(String place) {
        return Integer.decode(place.substring(place.indexOf('+') + 1));
    }

    @Test
    @Tag("long")
    void shouldReallyGetThereAsItSaysAndLeaveNothingBehindWhenInterrupted() {
        GuestProcess bench = start(ENDLESS);
        await("grep -Eq 'k +" + FUNCTION + "\\+0x[0-9a-f]+ .*\\[OPTIMIZED\\]' " + KPROBES);
        await("list=$(grep '" + FUNCTION + "+' " + KPROBES + ") && [ $(echo \"$list\" | wc -l) = 2 ]"
                + " && [ $(echo \"$list\" | grep -c '\\[OPTIMIZED\\]') = 1 ]"
                + " && [ $(echo \"$list\" | grep -Ec '\\+0x[0-9a-f]+ *$') = 1 ]");
        await("grep -Eq 'r +" + FUNCTION + "\\+0x0 .*\\[FTRACE\\]' " + KPROBES);
        await("grep -Eq '^" + FUNCTION + " .*\\[magnet\\]' " + HOOKED);
        await("grep -Eq '^0x.* dynamic .*tracepoint.*=on' /sys/kernel/debug/magnet/control/events");
        bench.signal("INT");
        GuestResult result = bench.waitFor(LIMIT);
        assertThat(result.exitCode()).as(result.toString()).isEqualTo(130);
        assertThat(result.stdout() + result.stderr()).isEmpty();
        assertNothingLeft();
    }

    @Test
    @Tag("long")
    void shouldLeaveNothingBehindWhenKilled() {
        GuestProcess bench = start(ENDLESS);
        await("grep -q '" + FUNCTION + "' " + KPROBES);
        bench.kill();
        assertNothingLeft();
    }

    @Test
    @Tag("long")
    void shouldSayThatTheKernelDoesNotMakeJumps() {
        guest.sh("echo 0 >/proc/sys/debug/kprobes-optimization").orFail();
        try {
            String table = magnet(SMALL).orFail().stdout();
            place("Kprobes +~800 +kprobe/breakpoint +(" + FUNCTION + "\\+0x[0-9a-f]+)", table);
            assertThat(table)
                    .containsPattern("(?m)^Djprobe +~10( +-){5}$")
                    .contains("Djprobe: not jump-optimised here: it is switched off, sysctl debug.kprobes-optimization"
                            + " is 0");
        } finally {
            guest.sh("echo 1 >/proc/sys/debug/kprobes-optimization").orFail();
        }
    }

    @Test
    @Tag("long")
    void shouldNotMeasureBesideSomebodyElse() {
        GuestProcess other = guest.start("build/tools/magnet-read", "-i", "p:" + FUNCTION);
        await("grep -q '" + FUNCTION + "' " + KPROBES);
        assertOnlyOneLine(magnet(SMALL), 1, "the point p___x64_sys_setitimer is on in " + FUNCTION);
        other.signal("INT");
        other.waitFor(LIMIT).orFail();
        assertNothingLeft();
    }

    @Test
    void shouldSayWhichRightIsMissing() {
        List<String> nobody = List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups");
        assertOnlyOneLine(
                guest.sh(LIMIT, String.join(" ", nobody) + " " + MAGNET + " bench"), 1, "CAP_PERFMON", "root");
    }
}
