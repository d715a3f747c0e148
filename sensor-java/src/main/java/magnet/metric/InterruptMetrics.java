// SPDX-License-Identifier: Apache-2.0
package magnet.metric;

import static magnet.metric.DistributionMetrics.P50_P99_MAX;
import static magnet.metric.MetricGroup.INTERRUPTS;
import static magnet.record.EventType.IRQ_HANDLER_ENTRY;
import static magnet.record.EventType.IRQ_HANDLER_EXIT;
import static magnet.record.EventType.SOFTIRQ_ENTRY;
import static magnet.record.EventType.SOFTIRQ_EXIT;

import java.util.ArrayList;
import java.util.List;

/** Metrics of group interrupts: hard ones, soft ones, and each kind of the soft ones. */
public final class InterruptMetrics {
    private static final MetricMaker HARD = MetricMaker.of(INTERRUPTS, IRQ_HANDLER_ENTRY, IRQ_HANDLER_EXIT);
    private static final MetricMaker SOFT = MetricMaker.of(INTERRUPTS, SOFTIRQ_ENTRY, SOFTIRQ_EXIT);

    public static final Metric HARD_TIME = HARD.percent(
            "magnet_irq_hard_time_percent",
            "Hard interrupt time",
            "Time in hard interrupt handlers, as a share of the time of all CPUs");

    public static final Metric HARD_RATE = HARD.at(Level.FULL)
            .rate(
                    "magnet_irq_hard_handlers_rate",
                    "handlers/sec",
                    "Hard interrupts",
                    "Runs of hard interrupt handlers per second; not those of the timer of a CPU, and one for each handler"
                            + " of a line that is shared");

    public static final DistributionMetrics HARD_HANDLER = HARD.time(
            "magnet_irq_hard_handler",
            "Hard interrupt handler",
            "How long a hard interrupt handler ran",
            P50_P99_MAX,
            List.of(50.0, 99.0));

    public static final BucketMetrics HARD_BUCKETS = HARD.buckets(
            "magnet_irq_hard_handler",
            "handlers/sec",
            "Hard interrupt handler",
            "runs of hard interrupt handlers by how long they took",
            1);

    public static final Metric SOFT_TIME = SOFT.percent(
            "magnet_irq_soft_time_percent",
            "Soft interrupt time",
            "Time in soft interrupt handlers without the hard interrupts that broke in, as a share of the time of all"
                    + " CPUs");

    public static final Metric SOFT_RATE = SOFT.at(Level.FULL)
            .rate(
                    "magnet_irq_soft_handlers_rate",
                    "handlers/sec",
                    "Soft interrupts",
                    "Runs of soft interrupt handlers per second");

    public static final DistributionMetrics SOFT_HANDLER = SOFT.time(
            "magnet_irq_soft_handler",
            "Soft interrupt handler",
            "How long a soft interrupt handler ran, without the hard interrupts that broke in",
            P50_P99_MAX,
            List.of(50.0, 99.0));

    public static final BucketMetrics SOFT_BUCKETS = SOFT.buckets(
            "magnet_irq_soft_handler",
            "handlers/sec",
            "Soft interrupt handler",
            "runs of soft interrupt handlers by how long they took, without the hard interrupts that broke in",
            1);

    private InterruptMetrics() {}

    /** All, those of each kind included. */
    public static List<Metric> all() {
        List<Metric> all = new ArrayList<>();
        all.add(HARD_TIME);
        all.addAll(HARD_HANDLER.metrics());
        all.add(HARD_RATE);
        all.addAll(HARD_BUCKETS.metrics());
        all.add(SOFT_TIME);
        all.addAll(SOFT_HANDLER.metrics());
        all.add(SOFT_RATE);
        all.addAll(SoftInterrupt.all());
        all.addAll(SOFT_BUCKETS.metrics());
        return all;
    }
}
