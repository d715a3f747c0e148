// SPDX-License-Identifier: Apache-2.0
package magnet.cli.top;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import magnet.control.HitCounts;
import magnet.job.JobNames;
import magnet.metric.JobColumn;
import magnet.metric.JobTable;
import magnet.metric.TopOrder;
import magnet.os.TerminalSize;
import magnet.summary.ProcessRanking;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class TopPageTest {
    private static final HitCounts LOSS = new HitCounts(HitCounts.ALL_CPUS, 100, 90, 0, 0, 7, 1, 2, 0, 4);

    private static TopFrame frame(Map<String, HitCounts> losses, List<String> absent, String processName) {
        return frame(losses, absent, processName, List.of());
    }

    private static TopFrame frame(
            Map<String, HitCounts> losses, List<String> absent, String processName, List<JobTable.Row> jobs) {
        List<TopFrame.EventRow> events = new ArrayList<>();
        List<ProcessRanking.Row> processes = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            events.add(new TopFrame.EventRow("event_" + i, 1_000.0 - i, 5_000 - i));
            processes.add(new ProcessRanking.Row(100 + i, processName, 99.5 - i, 1.25, 1_234.5));
        }
        Map<TopLatency, List<Double>> latencies = new EnumMap<>(TopLatency.class);
        for (TopLatency latency : TopLatency.values()) {
            latencies.put(latency, List.of(0.0, 0.0, 0.0));
        }
        latencies.put(TopLatency.RUN_QUEUE, List.of(12.34, 1_500.0, 2_500_000.0));
        latencies.put(TopLatency.TCP_SEND, List.of());
        long lost = losses.isEmpty() ? 0 : 14;
        return new TopFrame(
                Instant.parse("2026-09-21T14:13:20.125Z"),
                "14:13:20",
                1,
                2,
                30,
                absent,
                events,
                lost,
                lost,
                0,
                0.5,
                250,
                latencies,
                TopOrder.WAIT,
                processes,
                !jobs.isEmpty(),
                jobs,
                101,
                Optional.empty(),
                losses);
    }

    /** Rows of a table: slurm:1 has waited for cron.service, and processes of no job have run. */
    private static JobTable jobs() {
        double[] slurm = new double[JobColumn.values().length];
        slurm[JobColumn.CPU.index()] = 12.5;
        slurm[JobColumn.WAIT.index()] = 38;
        slurm[JobColumn.WAIT_P99.index()] = 1_500;
        slurm[JobColumn.WAIT_MAX.index()] = 2_000;
        slurm[JobColumn.SLICES.index()] = 250;
        slurm[JobColumn.SEND_BYTES.index()] = 1_001;
        double[] cron = new double[JobColumn.values().length];
        cron[JobColumn.CPU.index()] = 40;
        return new JobTable(List.of(
                new JobTable.Row("cron.service", cron, List.of()),
                new JobTable.Row(
                        "slurm:1",
                        slurm,
                        List.of(
                                new JobTable.Cause("cron.service", 31),
                                new JobTable.Cause(JobTable.IDLE, 6.5),
                                new JobTable.Cause("slurm:1", 0.5))),
                new JobTable.Row(JobTable.NO_JOB, new double[0], List.of())));
    }

    @Test
    void shouldShowJobsInPlaceOfProcessesWhenTheyAreAskedFor() {
        List<JobTable.Row> ranked = TopJobs.ranked(jobs(), TopOrder.WAIT, TopFilter.NONE, 10);
        TopFrame frame = frame(Map.of(), List.of(), "server", ranked);

        assertThat(TopPage.block(frame))
                .containsSequence(
                        "CPU %  *WAIT %     P99     MAX  SLICES/S  SENT/S  RECEIVED/S  JOB           WAITED FOR (%)",
                        " 12.5     38.0  1.50ms  2.00ms       250    1001           -  slurm:1       cron.service 31.0, idle 6.5, slurm:1 0.5",
                        " 40.0      0.0       -       -       0.0       -           -  cron.service  -",
                        "  0.0      0.0       -       -       0.0       -           -  none          -")
                .noneMatch(line -> line.contains("server"));
        assertThat(TopJson.of(frame))
                .contains(
                        "{\"job\": \"slurm:1\", \"cpu_percent\": 12.5, \"wait_percent\": 38.0, \"wait_p99_us\": 1500.0")
                .contains("\"waited_for\": [{\"name\": \"cron.service\", \"percent\": 31.0},")
                .doesNotContain("processes");
    }

    @Test
    void shouldLeaveOutFiguresThatNobodyKnows() {
        double[] values = new double[JobColumn.values().length];
        values[JobColumn.CPU.index()] = 7;
        values[JobColumn.WAIT.index()] = Double.NaN;
        values[JobColumn.WAIT_P99.index()] = Double.NaN;
        values[JobColumn.WAIT_MAX.index()] = Double.NaN;
        List<JobTable.Row> rest = List.of(new JobTable.Row(JobTable.REST, values, List.of()));
        TopFrame frame = frame(Map.of(), List.of(), "server", rest);

        assertThat(TopPage.block(frame))
                .contains("  7.0        -    -    -       0.0       -           -  other jobs  -");
        assertThat(TopJson.of(frame))
                .contains("{\"job\": \"other jobs\", \"cpu_percent\": 7.0, \"slices_rate\": 0.0")
                .doesNotContain("NaN");
    }

    @Test
    void shouldLeaveTheRestOutWhenOneJobIsAskedFor() {
        TopFilter one = new TopFilter(Set.of(), "", "slurm:1", JobNames.DEFAULTS);
        assertThat(TopJobs.ranked(jobs(), TopOrder.CPU, one, 10))
                .extracting(JobTable.Row::name)
                .containsExactly("slurm:1");
        assertThat(TopJobs.ranked(jobs(), TopOrder.CPU, TopFilter.NONE, 2))
                .extracting(JobTable.Row::name)
                .containsExactly("cron.service", "slurm:1");
    }

    @Test
    void shouldShowAllOfItInABlock() {
        List<String> lines = TopPage.block(frame(Map.of(), List.of(), "server"));

        assertThat(lines)
                .startsWith(
                        "magnet top  14:13:20  window 1.00 s, 2 CPUs, 30 points",
                        "LOST 0 (0 since start)  events 29565/s  late 0.0/s  discarded 0.5/s  lag 250.0us",
                        "",
                        "PID  CPU %  *WAIT %  SWITCHES/S  PROCESS",
                        "100   99.5      1.3        1235  server")
                .contains(
                        "LATENCY            P50     P99    MAX",
                        "run queue wait  12.3us  1.50ms  2.50s",
                        "block read           -       -      -")
                .anySatisfy(line -> assertThat(line).matches("event_29 +971 +4971"))
                .noneMatch(line -> line.startsWith("TCP send"));
    }

    @Test
    void shouldPutLossesFirst() {
        TopFrame frame = frame(Map.of("sched_switch", LOSS), List.of("tcp_rcv"), "server");

        assertThat(TopPage.screen(frame, new TerminalSize(100, 40)))
                .startsWith(
                        "magnet top  14:13:20  window 1.00 s, 2 CPUs, 30 points",
                        "LOST 14 (14 since start)  events 29565/s  late 0.0/s  discarded 0.5/s  lag 250.0us",
                        "events were lost: what follows is too low; --buffer-size makes more room for them",
                        "without 1 point, see \"magnet check\": tcp_rcv",
                        "",
                        "LOST SINCE START  FULL  BIG  RECURSION  STORM  MISSED  OF HITS",
                        "sched_switch         7    1          2      0       4      100");
    }

    @ParameterizedTest
    @CsvSource({"80,24", "200,60", "79,24", "40,10", "20,3", "1,1", "80,2"})
    void shouldFitAnyTerminal(int columns, int rows) {
        TopFrame frame = frame(Map.of("sched_switch", LOSS), List.of("a", "b"), "a rather long name of a process");

        assertThat(TopPage.screen(frame, new TerminalSize(columns, rows)))
                .hasSizeLessThanOrEqualTo(rows)
                .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(columns));
    }

    @Test
    void shouldUseTheTerminalsHeight() {
        assertThat(TopPage.screen(frame(Map.of(), List.of(), "x"), new TerminalSize(80, 24)))
                .hasSize(24)
                .anyMatch(line -> line.startsWith("run queue wait") && line.contains("event_0"))
                .last()
                .asString()
                .endsWith("  x");
    }

    @Test
    void shouldNotLetANameReachTheTerminal() {
        TopFrame frame = frame(Map.of(), List.of(), "\033]0;owned\007\u009bx");

        assertThat(String.join("", TopPage.block(frame)))
                .contains("\\x1b]0;owned\\x07\\x9bx")
                .isPrintable();
        assertThat(String.join("", TopPage.screen(frame, TerminalSize.USUAL))).isPrintable();
    }

    @ParameterizedTest
    @CsvSource({"80, 24", "20, 5", "80, 1", "1, 2"})
    void shouldKeepTheLastLineForTheFooter(int columns, int rows) {
        List<String> lines =
                TopPage.screen(frame(Map.of(), List.of(), "x"), new TerminalSize(columns, rows), TopKeys.HELP);

        assertThat(lines).hasSizeLessThanOrEqualTo(rows).allMatch(line -> line.length() <= columns);
        if (rows > 1) {
            assertThat(lines).hasSize(rows).last().asString().startsWith("q").matches(TopKeys.HELP::startsWith);
        }
    }

    @Test
    void shouldMarkItsOwnProcess() {
        assertThat(TopPage.block(frame(Map.of(), List.of(), "java")))
                .anyMatch(line -> line.matches("101 .*  java \\(this magnet top\\)"))
                .filteredOn(line -> line.contains("this magnet top"))
                .hasSize(1);
    }

    @Test
    void shouldScrollProcesses() {
        TopFrame frame = frame(Map.of(), List.of(), "x");
        TerminalSize size = new TerminalSize(80, 24);

        List<String> above = TopPage.screen(frame, size, "footer");
        List<String> scrolled = TopPage.screen(frame, size, "footer", 5);
        int title = above.indexOf("PID  CPU %  *WAIT %  SWITCHES/S  PROCESS");
        assertThat(scrolled.get(title)).isEqualTo(above.get(title));
        assertThat(above.get(title + 1)).startsWith("100 ");
        assertThat(scrolled.get(title + 1)).startsWith("105 ");
        assertThat(TopPage.screen(frame, size, "footer", 29).get(title + 1)).startsWith("129 ");
        assertThat(TopPage.screen(frame, size, "footer", 1_000))
                .hasSize(24)
                .last()
                .isEqualTo("footer");
    }

    @ParameterizedTest
    @CsvSource({"80, 24", "20, 5", "80, 1", "1, 2"})
    void shouldShowTheKeysOnAnyTerminal(int columns, int rows) {
        assertThat(TopPage.keys(new TerminalSize(columns, rows), "any key goes back"))
                .hasSizeLessThanOrEqualTo(rows)
                .allMatch(line -> line.length() <= columns);
    }
}
