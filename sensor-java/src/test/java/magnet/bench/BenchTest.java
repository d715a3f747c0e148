// SPDX-License-Identifier: Apache-2.0
package magnet.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import magnet.bench.Report.Measured;
import magnet.control.ControlException;
import magnet.control.Hook;
import magnet.control.Mechanism;
import magnet.os.CheapCall;
import magnet.os.Errno;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class BenchTest {
    private static final String FUNCTION = "__x64_sys_setitimer";
    private static final Plan PLAN = new Plan(80, 5);
    private static final long EVENTS = 6 * 90;

    private final FakeMachine machine = new FakeMachine();

    @TempDir
    private Path proc;

    @BeforeEach
    void makeMachine() throws IOException {
        machine.with(FUNCTION, 9, 11, 16);
        optimisation("1\n");
    }

    private void optimisation(String setting) throws IOException {
        Path file = proc.resolve("sys/debug/kprobes-optimization");
        Files.createDirectories(proc.resolve("sys/debug"));
        Files.writeString(file, setting);
    }

    private Report run() throws IOException {
        Report report = new Bench(machine, machine, machine, new JumpOptimisation(proc)).run(PLAN, what -> {});
        assertThat(machine.on()).as("left on").isZero();
        assertThat(report.rows()).extracting(Report.Row::way).containsExactly(Way.values());
        return report;
    }

    private static Measured measured(Report report, Way way) {
        return row(report, way).measured().orElseThrow();
    }

    private static Report.Row row(Report report, Way way) {
        return report.rows().stream()
                .filter(row -> row.way() == way)
                .findFirst()
                .orElseThrow();
    }

    private static void assertCost(Report report, Way way, Hook hook, String place) {
        Measured measured = measured(report, way);
        double cost = FakeMachine.COSTS.get(hook);
        assertThat(measured.place()).isEqualTo(place);
        assertThat(measured.point().hook()).isEqualTo(hook);
        assertThat(measured.nanos()).as("%s", way).isEqualTo(new Spread(cost, cost, cost));
        assertThat(measured.events()).isEqualTo(EVENTS);
    }

    @Test
    void shouldMeasureEachWay() throws IOException {
        Report report = run();
        assertCost(report, Way.BREAKPOINT, Hook.BREAKPOINT, FUNCTION + "+0x9");
        assertCost(report, Way.ENTRY, Hook.FTRACE, FUNCTION);
        assertCost(report, Way.RETURN, Hook.FTRACE, FUNCTION);
        assertCost(report, Way.JUMP, Hook.JUMP, FUNCTION + "+0xb");
        assertCost(report, Way.TRACEPOINT, Hook.TRACEPOINT, "itimer_state");
        assertThat(report.bare()).containsOnlyKeys(CheapCall.SETITIMER);
        assertThat(report.bare().get(CheapCall.SETITIMER)).isEqualTo(new Spread(300, 300, 300));
        assertThat(machine.inserted()).as("those that are measured").hasSize(Way.values().length);
    }

    @Test
    void shouldKeepABreakpointFromBecomingAJumpByItsNeighbour() throws IOException {
        machine.with(FUNCTION, 5, 6, 9, 11);
        Report report = run();
        assertCost(report, Way.BREAKPOINT, Hook.BREAKPOINT, FUNCTION + "+0x5");
        assertCost(report, Way.JUMP, Hook.JUMP, FUNCTION + "+0x6");
        int first = machine.switched.indexOf(FUNCTION + "+0x5");
        assertThat(machine.switched.get(first - 1)).isEqualTo(FUNCTION + "+0x6 unlogged");
    }

    @Test
    void shouldPassOverInstructionsThatFillAJump() throws IOException {
        machine.functions.get(FUNCTION).clear();
        machine.functions.get(FUNCTION).put(9, true);
        machine.functions.get(FUNCTION).put(14, true);
        machine.functions.get(FUNCTION).put(20, true);
        machine.functions.get(FUNCTION).put(21, true);
        assertCost(run(), Way.JUMP, Hook.JUMP, FUNCTION + "+0x15");
    }

    @Test
    void shouldNotBeMovedByInterruptions() throws IOException {
        machine.hiccupEvery = 997;
        assertThat(measured(run(), Way.ENTRY).nanos().median()).isEqualTo(25);
    }

    @Test
    void shouldCancelWhatSlowsTheMachineDownSteadily() throws IOException {
        machine.drift = 0.5;
        Measured measured = measured(
                new Bench(machine, machine, machine, new JumpOptimisation(proc)).run(new Plan(80, 6), what -> {}),
                Way.ENTRY);
        // 90 calls later each takes 45 ns more: as often with the point on as off.
        assertThat(measured.nanos().median()).isCloseTo(25, within(2.0));
        assertThat(measured.nanos().upper() - measured.nanos().lower()).isGreaterThan(60);
    }

    @Test
    void shouldSayThatJumpsAreSwitchedOff() throws IOException {
        optimisation("0\n");
        Report report = run();
        assertThat(row(report, Way.JUMP).measured()).isEmpty();
        assertThat(row(report, Way.JUMP).why())
                .isEqualTo("not jump-optimised here: it is switched off, sysctl debug.kprobes-optimization is 0");
        assertCost(report, Way.BREAKPOINT, Hook.BREAKPOINT, FUNCTION + "+0x5");
        assertThat(machine.switched)
                .as("no neighbour")
                .noneMatch(each -> each.contains("unlogged") && each.contains("+"));
    }

    @Test
    void shouldSayThatTheKernelHasNoJumps() throws IOException {
        Files.delete(proc.resolve("sys/debug/kprobes-optimization"));
        assertThat(row(run(), Way.JUMP).why())
                .isEqualTo("not jump-optimised here: this kernel was built without (CONFIG_OPTPROBES)");
    }

    @Test
    void shouldSayWhenNoInstructionBecomesAJump() throws IOException {
        machine.with(FUNCTION);
        Report report = run();
        assertThat(row(report, Way.JUMP).why())
                .isEqualTo("not jump-optimised here: none of the instructions tried became a jump: " + FUNCTION
                        + "+0x6, " + FUNCTION + "+0xb");
        assertCost(report, Way.BREAKPOINT, Hook.BREAKPOINT, FUNCTION + "+0x5");
    }

    @Test
    void shouldTakeAnotherCallWhereOneCannotBeProbed() throws IOException {
        machine.with("__arm64_sys_getppid", 11);
        machine.functions.remove(FUNCTION);
        Report report = run();
        assertCost(report, Way.BREAKPOINT, Hook.BREAKPOINT, "__arm64_sys_getppid+0x9");
        assertCost(report, Way.JUMP, Hook.JUMP, "__arm64_sys_getppid+0xb");
        assertCost(report, Way.TRACEPOINT, Hook.TRACEPOINT, "itimer_state");
        assertThat(report.bare()).containsOnlyKeys(CheapCall.SETITIMER, CheapCall.GETPPID);
    }

    @Test
    void shouldSayWhatTheKernelRefuses() throws IOException {
        machine.refused.put("f:" + FUNCTION, Errno.EOPNOTSUPP);
        machine.refused.put("t:itimer_state", Errno.ENOENT);
        Report report = run();
        assertThat(row(report, Way.ENTRY).why()).isEqualTo("insert f:" + FUNCTION + ": refused (EOPNOTSUPP)");
        assertThat(row(report, Way.TRACEPOINT).why()).isEqualTo("insert t:itimer_state: refused (ENOENT)");
        assertCost(report, Way.JUMP, Hook.JUMP, FUNCTION + "+0xb");
    }

    @Test
    void shouldSayThatNothingCanBeProbed() {
        machine.functions.clear();
        assertThatThrownBy(this::run)
                .isInstanceOf(BenchException.class)
                .hasMessage(
                        "no system call can be probed to measure by: insert p:" + FUNCTION + "+0x5: refused (ENOENT)");
    }

    @Test
    void shouldNotTakeAMissingRightForAMissingFunction() {
        machine.refused.put("p:" + FUNCTION + "+0x5", Errno.EPERM);
        assertThatThrownBy(this::run)
                .isInstanceOfSatisfying(
                        ControlException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EPERM));
    }

    @Test
    void shouldRefuseToMeasureBesideSomebodyElse() {
        machine.ofOthers.add(FakeMachine.info("theirs", Mechanism.KPROBE, FUNCTION + "+0x10", Hook.BREAKPOINT));
        assertThatThrownBy(this::run)
                .isInstanceOf(BenchException.class)
                .hasMessageStartingWith("the point theirs is on in " + FUNCTION);
    }

    @Test
    void shouldNotMindWhatIsElsewhereOrOff() throws IOException {
        machine.ofOthers.add(FakeMachine.info("off", Mechanism.KPROBE, FUNCTION + "+0x10", Hook.NONE));
        machine.ofOthers.add(FakeMachine.info("elsewhere", Mechanism.FTRACE, FUNCTION + "2", Hook.FTRACE));
        assertCost(run(), Way.ENTRY, Hook.FTRACE, FUNCTION);
    }

    @Test
    void shouldNotGiveFiguresWhenEventsAreMissing() {
        machine.lost = 1;
        assertThatThrownBy(this::run)
                .isInstanceOf(BenchException.class)
                .hasMessage("of the 90 calls of setitimer() that this process made, 89 were logged at " + FUNCTION
                        + "+0x9");
    }

    @Test
    void shouldNotGiveFiguresOfAnotherMechanism() {
        machine.unsteady = true;
        assertThatThrownBy(this::run)
                .isInstanceOf(BenchException.class)
                .hasMessageStartingWith(
                        "the kernel gets to " + FUNCTION + "+0xb by breakpoint, where jump was measured");
    }

    @Test
    void shouldTellHowFarItIs() throws IOException {
        List<String> told = new ArrayList<>();
        new Bench(machine, machine, machine, new JumpOptimisation(proc)).run(new Plan(1, 2), told::add);
        assertThat(told)
                .containsExactly("looking for functions to probe", "round 0 of 2", "round 1 of 2", "round 2 of 2");
    }
}
