// SPDX-License-Identifier: Apache-2.0
package magnet.publish.openmetrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import magnet.metric.JobColumn;
import magnet.metric.JobMetrics;
import magnet.metric.JobTable;
import magnet.metric.Metric;
import magnet.metric.MetricGroup;
import magnet.metric.MetricSnapshot;
import magnet.metric.Metrics;
import magnet.metric.Ranking;
import magnet.metric.SchedulerMetrics;
import magnet.metric.SensorMetrics;
import magnet.metric.SystemCallMetrics;
import magnet.metric.TopOrder;
import magnet.metric.ValueType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FamiliesTest {
    private static final List<Metric> NUMBERS = Metrics.ALL.stream()
            .filter(metric -> metric.group() != MetricGroup.JOBS)
            .filter(metric -> metric.type() != ValueType.STRING)
            .filter(metric -> Metrics.RANKINGS.stream()
                    .noneMatch(ranking -> ranking.numbers().contains(metric)))
            .toList();

    /** Each number another, and somebody at each place. */
    private static MetricSnapshot everything() {
        MetricSnapshot.Builder builder = MetricSnapshot.of(Instant.EPOCH, 25, Metrics.ALL);
        for (int i = 0; i < Metrics.ALL.size(); i++) {
            builder.put(Metrics.ALL.get(i), i + 0.25).putText(Metrics.ALL.get(i), "process " + i);
        }
        return builder.build();
    }

    private static Map<String, OpenMetricsText.Family> families(MetricSnapshot snapshot) {
        return OpenMetricsText.parse(new MetricsPage(snapshot).bytes(PageFormat.OPENMETRICS));
    }

    @Test
    void shouldHaveEachMetricOfTheCatalogueWithItsHelpAndBaseUnit() {
        Map<String, OpenMetricsText.Family> families = families(everything());
        assertThat(families).hasSize(NUMBERS.size() + Metrics.RANKINGS.size() + 1);
        for (Metric metric : NUMBERS) {
            GaugeName name = GaugeName.of(metric.name(), metric.unit());
            OpenMetricsText.Family family = families.get(name.name());
            assertThat(family).as(metric.name()).isNotNull();
            assertThat(family.help()).isEqualTo(metric.description());
            assertThat(family.unit()).isEqualTo(baseUnit(metric.unit()));
            double catalogue = Metrics.ALL.indexOf(metric) + 0.25;
            assertThat(family.value().multiply(perBase(metric.unit()))).isEqualByComparingTo(new BigDecimal(catalogue));
        }
    }

    private static String baseUnit(String unit) {
        return switch (unit) {
            case "us", "s" -> "seconds";
            case "%" -> "ratio";
            case "bytes" -> "bytes";
            default -> "";
        };
    }

    private static BigDecimal perBase(String unit) {
        return switch (unit) {
            case "us" -> new BigDecimal(1_000_000);
            case "%" -> new BigDecimal(100);
            default -> BigDecimal.ONE;
        };
    }

    @Test
    void shouldPutTheUnitAtTheEndOfTheName() {
        assertThat(families(everything()))
                .containsKeys(
                        "magnet_sched_run_queue_wait_p99_seconds",
                        "magnet_sensor_cpu_ratio",
                        "magnet_sensor_memory_resident_bytes",
                        "magnet_sensor_window_length_seconds",
                        "magnet_sensor_events_rate",
                        "magnet_top_cpu_ratio",
                        "magnet_top_wait_ratio",
                        "magnet_top_switches_rate",
                        "magnet_syscall_slowest_max_seconds");
    }

    @Test
    void shouldShowAsTextWhatItShowsAsOpenMetrics() {
        MetricsPage page = new MetricsPage(everything());
        Map<String, OpenMetricsText.Family> text = OpenMetricsText.parsePrometheus(page.bytes(PageFormat.PROMETHEUS));
        Map<String, OpenMetricsText.Family> families = OpenMetricsText.parse(page.bytes(PageFormat.OPENMETRICS));
        assertThat(text.keySet()).isEqualTo(families.keySet());
        families.forEach((name, family) -> {
            assertThat(text.get(name).samples()).as(name).isEqualTo(family.samples());
            assertThat(text.get(name).help()).isEqualTo(family.help());
        });
    }

    @Test
    void shouldLabelPlacesWithWhoHoldsThem() {
        MetricSnapshot.Builder builder = MetricSnapshot.of(Instant.EPOCH, 25, Metrics.ALL);
        builder.put(TopOrder.CPU.numbers().get(0), 80)
                .putText(TopOrder.CPU.names().get(0), "java 17");
        builder.put(TopOrder.CPU.numbers().get(1), 20)
                .putText(TopOrder.CPU.names().get(1), "java 18");
        builder.put(SystemCallMetrics.SLOWEST_TIMES.get(0), 2.5)
                .putText(SystemCallMetrics.SLOWEST_NAMES.get(0), "fsync");
        Map<String, OpenMetricsText.Family> families = families(builder.build());
        assertThat(families.get("magnet_top_cpu_ratio").samples())
                .as("nobody holds the third place")
                .isEqualTo(Map.of(
                        Map.of("place", "1", "process", "java 17"),
                        new BigDecimal("0.8"),
                        Map.of("place", "2", "process", "java 18"),
                        new BigDecimal("0.2")));
        assertThat(families.get("magnet_syscall_slowest_max_seconds").samples())
                .isEqualTo(Map.of(Map.of("place", "1", "call", "fsync"), new BigDecimal("0.0000025")));
        assertThat(families).doesNotContainKey("magnet_top_wait_ratio");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"} 1\n# EOF\n",
                "\\",
                "\\\"",
                "a\\nb",
                "{}",
                "# EOF",
                "\u00e4\u20ac\ud83d\ude00",
                "<&>'",
                "",
                " ",
                "le=\"1\""
            })
    void shouldCarryAnyNameThatAProcessGivesItself(String name) {
        assertThat(process(name)).isEqualTo(name);
    }

    @Test
    void shouldCarryNoControlsAndNoHalvesOfCharacters() {
        assertThat(process("a\r\n\u0000b\u001b[31m\u0085\u2028\u007f.")).isEqualTo("a \n b [31m   .");
        assertThat(process("a\ud83d.")).isEqualTo("a?.");
    }

    /** As the kernel gives names: a character for each byte, and at most 15 of them. */
    @Test
    void shouldShowNamesInUtf8AndEscapeBytesThatAreNone() {
        assertThat(process(bytes("Zürich €😀"))).isEqualTo("Zürich €😀");
        assertThat(process("\u00ffa\u00c3\u00a4b\u00c3(\u00e2\u0082")).isEqualTo("\\xffaäb\\xc3(\\xe2\\x82");
        assertThat(process(bytes("a\u0085\u2028b"))).as("controls in UTF-8").isEqualTo("a  b");
        assertThat(process("\u00c0\u0080")).as("a NUL in disguise").isEqualTo("\\xc0\\x80");
    }

    private static String bytes(String name) {
        return new String(name.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }

    private static String process(String name) {
        MetricSnapshot snapshot = MetricSnapshot.of(Instant.EPOCH, 25, Metrics.ALL)
                .put(TopOrder.CPU.numbers().get(0), 1)
                .putText(TopOrder.CPU.names().get(0), name)
                .build();
        return families(snapshot)
                .get("magnet_top_cpu_ratio")
                .samples()
                .keySet()
                .iterator()
                .next()
                .get("process");
    }

    @Test
    void shouldHaveOnlyWhatIsPublished() {
        MetricSnapshot few = MetricSnapshot.of(
                        Instant.EPOCH, 25, List.of(SensorMetrics.EVENTS, SchedulerMetrics.CONTEXT_SWITCHES))
                .put(SensorMetrics.EVENTS, 1.0 / 3)
                .build();
        Map<String, OpenMetricsText.Family> families = families(few);
        assertThat(new TreeSet<>(families.keySet()))
                .isEqualTo(
                        new TreeSet<>(List.of(SensorMetrics.EVENTS.name(), SchedulerMetrics.CONTEXT_SWITCHES.name())));
        assertThat(families.get(SensorMetrics.EVENTS.name()).value().doubleValue())
                .isEqualTo(1.0 / 3);
        assertThat(families.get(SchedulerMetrics.CONTEXT_SWITCHES.name()).value())
                .isEqualByComparingTo("0");
    }

    @Test
    void shouldHaveAllJobsByLabelWhenTheyArePublished() {
        double[] values = new double[JobColumn.values().length];
        values[JobColumn.CPU.index()] = 12.5;
        values[JobColumn.WAIT_P99.index()] = 1_500;
        values[JobColumn.SEND_BYTES.index()] = 77;
        double[] rest = new double[JobColumn.values().length];
        rest[JobColumn.WAIT_P99.index()] = Double.NaN;
        JobMetrics.Slot slot = JobMetrics.allSlots().get(0);
        MetricSnapshot snapshot = MetricSnapshot.of(
                        Instant.EPOCH,
                        25,
                        List.of(slot.name(), slot.of(JobColumn.CPU), slot.of(JobColumn.WAIT_P99), slot.causePercent()))
                .put(slot.of(JobColumn.CPU), 99)
                .putJobs(new JobTable(List.of(
                        new JobTable.Row(
                                "slurm:1",
                                values,
                                List.of(new JobTable.Cause("cron.service", 31), new JobTable.Cause("slurm:1", 6.5))),
                        new JobTable.Row(JobTable.REST, rest, List.of()))))
                .build();
        Map<String, OpenMetricsText.Family> families = families(snapshot);
        assertThat(families)
                .containsOnlyKeys("magnet_job_cpu_ratio", "magnet_job_wait_p99_seconds", "magnet_job_waited_for_ratio");
        assertThat(families.get("magnet_job_cpu_ratio").samples())
                .isEqualTo(Map.of(
                        Map.of("job", "slurm:1"), new BigDecimal("0.125"),
                        Map.of("job", "other jobs"), new BigDecimal("0.0")));
        assertThat(families.get("magnet_job_wait_p99_seconds").samples())
                .as("nobody knows it of the others")
                .isEqualTo(Map.of(Map.of("job", "slurm:1"), new BigDecimal("0.0015")));
        assertThat(families.get("magnet_job_waited_for_ratio").samples())
                .isEqualTo(Map.of(
                        Map.of("job", "slurm:1", "cause", "cron.service"), new BigDecimal("0.31"),
                        Map.of("job", "slurm:1", "cause", "slurm:1"), new BigDecimal("0.065")));
    }

    @Test
    void shouldRankEachTextOfTheCatalogueOnce() {
        List<Metric> texts = Metrics.ALL.stream()
                .filter(metric -> metric.type() == ValueType.STRING
                        && !metric.equals(SensorMetrics.VERSION)
                        && metric.group() != MetricGroup.JOBS)
                .toList();
        assertThat(Metrics.RANKINGS.stream().flatMap(ranking -> ranking.names().stream()))
                .containsExactlyInAnyOrderElementsOf(texts);
        assertThat(Metrics.RANKINGS).extracting(Ranking::name).doesNotHaveDuplicates();
    }
}
