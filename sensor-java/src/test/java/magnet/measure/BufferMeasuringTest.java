// SPDX-License-Identifier: Apache-2.0
package magnet.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import magnet.agent.AgentHealth;
import magnet.job.JobNames;
import magnet.magnetfs.CollectorCounter;
import magnet.metric.Metric;
import magnet.metric.MetricSnapshot;
import magnet.metric.ProcessMetrics;
import magnet.metric.SensorMetrics;
import magnet.metric.TopOrder;
import magnet.record.ClockModel;
import magnet.service.FakeKernel;
import magnet.summary.EventSummary;
import magnet.summary.ProcessRanking;
import magnet.summary.SavedMachine;
import magnet.summary.SummarySetup;
import magnet.summary.TimerScale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class BufferMeasuringTest {
    private static final long INTERVAL = 100_000_000;
    private static final List<Metric> METRICS =
            List.of(ProcessMetrics.EXECS, SensorMetrics.LATE, SensorMetrics.RECORDS);

    private final FakeKernel kernel = new FakeKernel();
    private final AtomicLong nanos = new AtomicLong();
    private final EventSummary summary = new EventSummary(
            new SummarySetup(
                    2,
                    1,
                    TimerScale.ofKhz(1_000_000),
                    new ClockModel(1_000_000, 0, 0, 0),
                    new SavedMachine(Map.of(), Map.of()),
                    JobNames.DEFAULTS),
            nanos.get());
    private final BufferMeasuring measuring;

    BufferMeasuringTest() {
        MeasuringCore core =
                new MeasuringCore("test-conductor", kernel.open(null, summary), nanos::get, AgentHealth.unheard());
        MeasuredMetrics measured = new MeasuredMetrics(
                core, new Points(kernel, core::answered), summary, nanos::get, ReadingTotals.unsaid());
        measuring = new BufferMeasuring(
                new BufferMeasuring.Assignment(
                        METRICS, List.of(), JobNames.DEFAULTS, new ProcessRanking(TopOrder.CPU, 0), INTERVAL, Map.of()),
                new BufferMeasuring.MeasuringClocks(nanos::get, InstantSource.system()),
                summary,
                kernel,
                core,
                measured);
    }

    @AfterEach
    void tearDown() throws IOException {
        measuring.close();
    }

    /** Files are read when a batch has come together: what has not belongs to the interval that it was logged in. */
    @Test
    void shouldReadWhatWaitsBeforeAnIntervalEnds() throws IOException {
        measuring.begin();
        for (int interval = 1; interval <= 3; interval++) {
            kernel.execsThatWait.set(40);
            assertThat(next().value(ProcessMetrics.EXECS))
                    .as("in interval " + interval)
                    .hasValue(400);
        }
    }

    @Test
    void shouldHaveWhatWaitedWhereAnIntervalEnds() throws IOException {
        measuring.begin();
        kernel.execsThatWait.set(7);
        AtomicLong events = new AtomicLong();
        nanos.addAndGet(INTERVAL);
        measuring.work(() -> events.set(summary.events()));
        assertThat(events).hasValue(7);
    }

    @Test
    void shouldCountWhatItsReaderDidInTheIntervalAndNothingOfBefore() throws IOException {
        kernel.counts.put(CollectorCounter.LATE, 1_000L);
        kernel.counts.put(CollectorCounter.RECORDS, 5_000L);
        measuring.begin();
        kernel.counts.put(CollectorCounter.LATE, 1_003L);
        kernel.counts.put(CollectorCounter.RECORDS, 5_070L);
        MetricSnapshot first = next();
        assertThat(first.value(SensorMetrics.LATE)).hasValue(30);
        assertThat(first.value(SensorMetrics.RECORDS)).hasValue(700);
        assertThat(next().value(SensorMetrics.LATE)).hasValue(0);
    }

    private MetricSnapshot next() throws IOException {
        nanos.addAndGet(INTERVAL);
        Optional<MetricSnapshot> ended = Optional.empty();
        while (ended.isEmpty()) {
            ended = measuring.work(() -> {});
        }
        return ended.get();
    }
}
