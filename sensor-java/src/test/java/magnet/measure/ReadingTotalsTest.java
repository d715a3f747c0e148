// SPDX-License-Identifier: Apache-2.0
package magnet.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import magnet.job.JobNames;
import magnet.machine.LinuxMachine;
import magnet.magnetfs.CollectorCounter;
import magnet.metric.MetricSnapshot;
import magnet.metric.SensorMetrics;
import magnet.os.MonotonicClock;
import magnet.publish.LogLines;
import magnet.record.ClockModel;
import magnet.service.FakeKernel;
import magnet.summary.EventSummary;
import magnet.summary.SummarySetup;
import magnet.summary.TimerScale;
import org.junit.jupiter.api.Test;

class ReadingTotalsTest {
    private final FakeKernel kernel = new FakeKernel();
    private final EventSummary summary = new EventSummary(
            new SummarySetup(
                    1,
                    5,
                    TimerScale.ofKhz(1_000_000),
                    new ClockModel(1_000_000, 0, 0, 0),
                    LinuxMachine.running(MonotonicClock.SYSTEM, Map.of()),
                    JobNames.DEFAULTS),
            0);
    private final ReadingTotals totals = ReadingTotals.ofSensor();

    /** The summary counts losses itself. */
    @Test
    void shouldPublishEveryCounterOfTheCollector() {
        Set<CollectorCounter> all = EnumSet.allOf(CollectorCounter.class);
        all.remove(CollectorCounter.LOST);
        assertThat(ReadingTotals.METRICS).containsOnlyKeys(all);
        assertThat(ReadingTotals.METRICS.values()).containsExactlyInAnyOrderElementsOf(SensorMetrics.OF_READING);
        for (CollectorCounter counter : CollectorCounter.values()) {
            kernel.counts.put(counter, 100L + kernel.counts.size());
        }
        totals.note(kernel, summary::noteTotal);
        MetricSnapshot snapshot =
                summary.closeWindow(1_000_000_000, Instant.EPOCH, SensorMetrics.OF_READING, others -> {});
        ReadingTotals.METRICS.forEach((counter, metric) ->
                assertThat(snapshot.value(metric)).as(metric.name()).hasValue(kernel.counts.get(counter)));
    }

    @Test
    void shouldSayOnceThatRecordsWerePassedOver() {
        try (LogLines log = new LogLines(ReadingTotals.class)) {
            totals.note(kernel, summary::noteTotal);
            assertThat(log.lines()).isEmpty();
            for (long records = 1; records < 10; records++) {
                kernel.counts.put(CollectorCounter.MALFORMED, records);
                totals.note(kernel, summary::noteTotal);
            }
            assertThat(log.lines())
                    .containsExactly(
                            "WARN malformed records, which no module writes, were passed over: module and service are"
                                    + " perhaps not of one version, or memory is damaged;"
                                    + " magnet_sensor_malformed_records_rate at level full and malformed of --summary"
                                    + " count them (said once, counted from now on)");
        }
    }

    @Test
    void shouldSayOfWhichBufferRecordsWerePassedOver() {
        try (LogLines log = new LogLines(ReadingTotals.class)) {
            kernel.counts.put(CollectorCounter.MALFORMED, 1L);
            ReadingTotals.ofHandlers().note(kernel, (metric, total) -> {});
            assertThat(log.lines())
                    .singleElement()
                    .asString()
                    .startsWith("WARN malformed records for own handlers, which no module writes, were passed over: ")
                    .contains("; magnet_handlers_malformed_records_rate and handler_malformed of --summary count them");
        }
    }
}
