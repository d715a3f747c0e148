// SPDX-License-Identifier: Apache-2.0
package magnet.metric;

import static magnet.metric.DistributionMetrics.P50_P95_P99_MAX;
import static magnet.metric.DistributionMetrics.P50_P99_MAX;
import static magnet.metric.MetricGroup.SCHEDULER;
import static magnet.record.EventType.SCHED_SWITCH;
import static magnet.record.EventType.SCHED_WAKEUP;

import java.util.ArrayList;
import java.util.List;
import magnet.record.EventType;

/** Metrics of group scheduler but for its {@link TopOrder}s. */
public final class SchedulerMetrics {
    private static final MetricMaker SWITCHES =
            MetricMaker.of(SCHEDULER, SCHED_SWITCH).joinedByThread();
    private static final MetricMaker WAITS = SWITCHES.and(SCHED_WAKEUP);

    public static final Metric CONTEXT_SWITCHES = SWITCHES.rate(
            "magnet_sched_context_switches_rate",
            "switches/sec",
            "Context switches",
            "Context switches per second over all CPUs, to and from idle included");

    public static final Metric PREEMPTIONS = SWITCHES.at(Level.FULL)
            .rate(
                    "magnet_sched_preemptions_rate",
                    "switches/sec",
                    "Preemptions",
                    "Times per second that a thread was taken off its CPU while it could run on");

    public static final DistributionMetrics RUN_QUEUE_WAIT = WAITS.time(
            "magnet_sched_run_queue_wait",
            "Run queue wait",
            "How long threads that could run waited for a CPU, since they were made, woke or were taken off one",
            P50_P95_P99_MAX,
            List.of());

    public static final BucketMetrics RUN_QUEUE_WAIT_BUCKETS = WAITS.buckets(
            "magnet_sched_run_queue_wait",
            "waits/sec",
            "Run queue wait",
            "threads that got a CPU, by how long they had waited for it",
            4);

    public static final DistributionMetrics TIME_SLICE = SWITCHES.time(
            "magnet_sched_time_slice",
            "Time slice",
            "How long threads ran on a CPU without a break, counted when they leave it",
            P50_P99_MAX,
            List.of());

    public static final BucketMetrics TIME_SLICE_BUCKETS = SWITCHES.buckets(
            "magnet_sched_time_slice",
            "slices/sec",
            "Time slice",
            "times that a thread left its CPU, by how long it had run without a break",
            16);

    public static final DistributionMetrics IDLE_GAP = SWITCHES.time(
            "magnet_sched_idle_gap",
            "Idle gap",
            "How long CPUs had nothing to run, counted when they have something again",
            P50_P99_MAX,
            List.of(50.0, 99.0));

    public static final BucketMetrics IDLE_GAP_BUCKETS = SWITCHES.buckets(
            "magnet_sched_idle_gap",
            "gaps/sec",
            "Idle gap",
            "times that a CPU had something to run again, by how long it had nothing",
            64);

    public static final Metric MIGRATIONS = MetricMaker.of(SCHEDULER, EventType.SCHED_MIGRATE_TASK)
            .at(Level.FULL)
            .rate(
                    "magnet_sched_migrations_rate",
                    "migrations/sec",
                    "Migrations",
                    "Threads per second that went to another run queue than that of the CPU they ran on last");

    private SchedulerMetrics() {}

    /** What is made of switches and wakeups. */
    public static List<Metric> ofSwitches() {
        List<Metric> all = new ArrayList<>();
        all.add(CONTEXT_SWITCHES);
        all.add(PREEMPTIONS);
        all.addAll(RUN_QUEUE_WAIT.metrics());
        all.addAll(TIME_SLICE.metrics());
        all.addAll(IDLE_GAP.metrics());
        all.addAll(RUN_QUEUE_WAIT_BUCKETS.metrics());
        all.addAll(TIME_SLICE_BUCKETS.metrics());
        all.addAll(IDLE_GAP_BUCKETS.metrics());
        return all;
    }

    static List<Metric> all() {
        List<Metric> all = new ArrayList<>(ofSwitches());
        all.add(MIGRATIONS);
        all.addAll(TopOrder.all());
        return all;
    }
}
