// SPDX-License-Identifier: Apache-2.0
package magnet.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import magnet.bench.Plan;
import magnet.bench.Report;
import magnet.bench.Report.Measured;
import magnet.bench.Report.Row;
import magnet.bench.Spread;
import magnet.bench.Way;
import magnet.cli.TestWorld;
import magnet.cli.world.Folding;
import magnet.cli.world.Output;
import magnet.control.FakeModule;
import magnet.control.Hook;
import magnet.control.Mechanism;
import magnet.control.PointFunction;
import magnet.control.PointInfo;
import magnet.os.CheapCall;
import magnet.testing.Fifo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What is measured and how is BenchTest's. */
@Timeout(60)
final class BenchCommandTest {
    @TempDir
    private Path folder;

    private static Row row(Way way, Mechanism mechanism, Hook hook, String place, double cost) {
        PointInfo point = new PointInfo(
                "p",
                0x400,
                "dynamic",
                mechanism,
                hook,
                List.of(new PointFunction("", place, PointFunction.State.ACTIVE, List.of(place))),
                1,
                true,
                Optional.empty());
        return new Row(
                way, Optional.of(new Measured(place, point, new Spread(cost - 1, cost, cost + 2.25), 58_500)), "");
    }

    private static List<String> print(Report report) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        Output out = new Output(bytes);
        new BenchReport(new Plan(2_000, 25), report).print(out, Folding.NEVER);
        out.flush();
        return bytes.toString(StandardCharsets.UTF_8).lines().toList();
    }

    private static List<Row> rows() {
        return new ArrayList<>(List.of(
                row(Way.BREAKPOINT, Mechanism.KPROBE, Hook.BREAKPOINT, "f+0x5", 912.34),
                row(Way.ENTRY, Mechanism.FTRACE, Hook.FTRACE, "f", 54),
                row(Way.RETURN, Mechanism.KRETPROBE, Hook.FTRACE, "f", 203.5),
                row(Way.JUMP, Mechanism.KPROBE, Hook.JUMP, "f+0x6", 88),
                row(Way.TRACEPOINT, Mechanism.TRACEPOINT, Hook.TRACEPOINT, "itimer_state", 40)));
    }

    @Test
    void shouldPrintThePapersTableBesideWhatWasMeasured() throws IOException {
        Report report = new Report(Map.of(CheapCall.SETITIMER, new Spread(290, 300.55, 310)), rows());
        assertThat(print(report))
                .containsExactly(
                        "PAPER       PAPER NS  HERE               PLACE         COST NS     MIDDLE HALF  EVENTS",
                        "Kprobes         ~800  kprobe/breakpoint  f+0x5           912.3  911.3 to 914.6   58500",
                        "Jprobes        ~1000  ftrace             f                54.0    53.0 to 56.3   58500",
                        "Kretprobes     ~1100  kretprobe/ftrace   f               203.5  202.5 to 205.8   58500",
                        "Djprobe          ~10  kprobe/jump        f+0x6            88.0    87.0 to 90.3   58500",
                        "-                  -  tracepoint         itimer_state     40.0    39.0 to 42.3   58500",
                        "",
                        "with no point on, setitimer() costs 300.6 ns, middle half 290.0 to 310.0; 25 rounds of 2000"
                                + " calls");
    }

    @Test
    void shouldSayThatItIsTooNoisyWhereCallsTookAsLongWithoutAPoint() throws IOException {
        List<Row> rows = rows();
        rows.set(4, row(Way.TRACEPOINT, Mechanism.TRACEPOINT, Hook.TRACEPOINT, "itimer_state", -3.5));
        List<String> lines = print(new Report(Map.of(), rows));
        assertThat(lines.get(5)).endsWith("itimer_state  too noisy               -   58500");
        assertThat(lines)
                .last(STRING)
                .startsWith("too noisy: calls took as long with the point off")
                .contains("--rounds");
        assertThat(lines.get(2)).doesNotContain("too noisy");
    }

    @Test
    void shouldWriteJson() {
        List<Row> rows = List.of(
                row(Way.ENTRY, Mechanism.FTRACE, Hook.FTRACE, "f", 0.5),
                new Row(Way.TRACEPOINT, Optional.empty(), "no such tracepoint"));
        Report report = new Report(Map.of(CheapCall.SETITIMER, new Spread(290, 300.5, 310)), rows);
        assertThat(new BenchReport(new Plan(2_000, 25), report).json())
                .isEqualTo("{\"rounds\": 25, \"calls\": 2000, \"ways\": [{\"way\": \"entry\", \"paper\": \"Jprobes\","
                        + " \"paper_ns\": 1000, \"here\": \"ftrace\", \"place\": \"f\", \"too_noisy\": true,"
                        + " \"cost_ns\": null, \"events\": 58500}, {\"way\": \"tracepoint\", \"paper\": \"-\","
                        + " \"paper_ns\": null, \"missing\": \"no such tracepoint\"}], \"without_points\":"
                        + " {\"setitimer\": {\"lower\": 290.0, \"median\": 300.5, \"upper\": 310.0}}}");
    }

    @Test
    void shouldSayWhatWasNotMeasured() throws IOException {
        List<Row> rows = rows();
        rows.set(3, new Row(Way.JUMP, Optional.empty(), "not jump-optimised here: it is switched off"));
        rows.set(4, new Row(Way.TRACEPOINT, Optional.empty(), "no such tracepoint"));
        assertThat(print(new Report(Map.of(), rows)))
                .contains(
                        "Djprobe          ~10  -                  -            -               -       -",
                        "-                  -  -                  -            -               -       -",
                        "Djprobe: not jump-optimised here: it is switched off",
                        "tracepoint: no such tracepoint");
    }

    @Test
    void shouldSayWhyThereIsNoModule() throws IOException {
        TestWorld world = new TestWorld(folder, new FakeModule());
        world.control = FakeModule::openWithout;
        assertThat(world.run("bench")).isEqualTo(1);
        assertThat(world.errLines())
                .singleElement(STRING)
                .startsWith("magnet: the kernel module is not loaded")
                .doesNotContain("locked down");
    }

    @Test
    void shouldSayThatTheKernelIsLockedDown() throws IOException {
        TestWorld world = new TestWorld(folder, new FakeModule());
        world.control = FakeModule::openWithout;
        Files.writeString(world.lockdown, "none [integrity] confidentiality\n");
        assertThat(world.run("bench")).isEqualTo(1);
        assertThat(world.errLines())
                .singleElement(STRING)
                .contains("the kernel module is not loaded", "locked down, integrity: ", "mokutil --import");
    }

    @Test
    void shouldSayWhichRightIsMissing() throws IOException {
        TestWorld world = new TestWorld(folder, new FakeModule().unprivileged());
        assertThat(world.run("bench")).isEqualTo(1);
        assertThat(world.errLines())
                .singleElement(STRING)
                .contains("needs CAP_PERFMON or CAP_SYS_ADMIN (EPERM); run it as root or give it CAP_PERFMON");
    }

    @Test
    void shouldSayThatNothingCanBeProbed() throws IOException {
        TestWorld world = new TestWorld(folder, new FakeModule().withoutSymbols());
        Fifo data = Fifo.create(world.data.resolve("cpu0"));
        assertThat(world.run("bench")).isEqualTo(1);
        assertThat(world.outLines()).isEmpty();
        assertThat(world.errLines())
                .containsExactly("magnet: no system call can be probed to measure by: insert"
                        + " p:__x64_sys_setitimer+0x5: no such symbol (ENOENT)");
        data.close();
    }

    @Test
    void shouldShowHowFarItIsOnATerminalAndWipeItAway() throws IOException {
        TestWorld world = new TestWorld(folder, new FakeModule().withoutSymbols());
        world.terminal = true;
        Fifo data = Fifo.create(world.data.resolve("cpu0"));
        assertThat(world.run("bench")).isEqualTo(1);
        assertThat(world.err.toString(StandardCharsets.UTF_8))
                .startsWith("\r\033[Kmagnet: looking for functions to probe\r\033[Kmagnet: no system call can");
        data.close();
    }
}
