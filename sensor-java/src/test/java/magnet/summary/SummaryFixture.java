// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import java.time.Instant;
import java.util.List;
import magnet.job.JobNames;
import magnet.metric.DistributionMetrics;
import magnet.metric.Metric;
import magnet.metric.MetricSnapshot;
import magnet.metric.Metrics;
import magnet.metric.TopOrder;
import magnet.record.ClockModel;

/** A summary of two CPUs with five slots, whose timers count nanoseconds, and a clock that moves when told. */
final class SummaryFixture {
    static final int CPUS = 2;
    static final int SLOTS = 5;

    final FakeMachine machine = new FakeMachine();
    final EventSummary summary;
    final ProcessRanking ranking = new ProcessRanking(TopOrder.SWITCHES, 5);
    final ClockModel clockModel;
    final RecordStream records;
    private long nowNanos;

    SummaryFixture() {
        this(1_000_000);
    }

    /** @param khz ticks of the timer in a millisecond */
    SummaryFixture(long khz) {
        clockModel = new ClockModel(khz, 0, 0, 0);
        summary = new EventSummary(
                new SummarySetup(CPUS, SLOTS, TimerScale.ofKhz(khz), clockModel, machine, JobNames.DEFAULTS, ranking),
                0);
        summary.use(Metrics.ALL, 0);
        records = new RecordStream(summary);
    }

    /** Lets seconds pass and ends the window. */
    MetricSnapshot closeAfter(double seconds) {
        nowNanos += Math.round(seconds * 1e9);
        return summary.closeWindow(nowNanos, Instant.EPOCH, Metrics.ALL, snapshot -> {});
    }

    static double value(MetricSnapshot snapshot, Metric metric) {
        return snapshot.value(metric).orElseThrow();
    }

    /** The values of a distribution, in the order of its metrics. */
    static List<Double> values(MetricSnapshot snapshot, DistributionMetrics metrics) {
        return metrics.metrics().stream().map(metric -> value(snapshot, metric)).toList();
    }

    /** What stands in place of a number. */
    static String text(MetricSnapshot snapshot, Metric metric) {
        for (int i = 0; i < snapshot.size(); i++) {
            if (snapshot.metric(i).equals(metric)) {
                return snapshot.text(i);
            }
        }
        throw new AssertionError(metric.name());
    }
}
