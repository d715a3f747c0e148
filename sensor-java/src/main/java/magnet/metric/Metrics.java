// SPDX-License-Identifier: Apache-2.0
package magnet.metric;

import static magnet.metric.MetricGroup.INTERRUPTS;
import static magnet.metric.MetricGroup.NETWORK;
import static magnet.metric.MetricGroup.PROCESSES;
import static magnet.metric.MetricGroup.SCHEDULER;
import static magnet.metric.MetricGroup.SENSOR;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import magnet.record.EventType;

/**
 * The catalogue: every metric that magnet publishes, and nothing else knows their names.
 *
 * <p>Times are in microseconds with three decimals, so that the nanosecond shows. Rates and the window have six, so that
 * rate times window gives back the exact count up to twenty million events in a window. All are gauges over a
 * trailing window, because gmetad keeps one value per poll: a counter would show the one it happened to see.
 *
 * <p>{@code docs/metrics.md} is written from this class.
 */
public final class Metrics {
    /** Most metrics at the default level: what 1,000 nodes and one gmond bear. */
    public static final int BUDGET = 60;

    static final int RATE_DECIMALS = 6;
    static final int TIME_DECIMALS = 3;

    public static final DistributionMetrics UDP_INTERARRIVAL = DistributionMetrics.ofTime(
            "magnet_net_udp_interarrival",
            NETWORK,
            "UDP inter-arrival",
            "Time between one UDP datagram and the next at udp_rcv, over all sockets and CPUs",
            Set.of(EventType.UDP_RCV),
            DistributionMetrics.P50_P99_MAX);

    public static final Metric CONTEXT_SWITCHES = rate(
            "magnet_sched_context_switches_rate",
            SCHEDULER,
            "switches/sec",
            "Context switches",
            "Context switches per second over all CPUs, to and from idle included",
            EventType.SCHED_SWITCH);

    public static final DistributionMetrics RUN_QUEUE_WAIT = DistributionMetrics.ofTime(
            "magnet_sched_run_queue_wait",
            SCHEDULER,
            "Run queue wait",
            "How long threads that could run waited for a CPU, since they were made, woke or were taken off one",
            EnumSet.of(EventType.SCHED_SWITCH, EventType.SCHED_WAKEUP),
            DistributionMetrics.P50_P95_P99_MAX);

    public static final DistributionMetrics TIME_SLICE = DistributionMetrics.ofTime(
            "magnet_sched_time_slice",
            SCHEDULER,
            "Time slice",
            "How long threads ran on a CPU without a break, counted when they leave it",
            Set.of(EventType.SCHED_SWITCH),
            DistributionMetrics.P50_P99_MAX);

    public static final Metric IDLE_GAP_MAX = longest(
            "magnet_sched_idle_gap_max",
            SCHEDULER,
            "Longest idle gap",
            "The longest time that a CPU had nothing to run, of the gaps that ended in the window",
            Set.of(EventType.SCHED_SWITCH));

    public static final Metric HARD_INTERRUPT_TIME = percent(
            "magnet_irq_hard_time_percent",
            INTERRUPTS,
            "Hard interrupt time",
            "Time in hard interrupt handlers, in percent of the time of all CPUs",
            EnumSet.of(EventType.IRQ_HANDLER_ENTRY, EventType.IRQ_HANDLER_EXIT));

    public static final Metric HARD_INTERRUPT_MAX = longest(
            "magnet_irq_hard_handler_max",
            INTERRUPTS,
            "Longest hard interrupt handler",
            "The longest run of one hard interrupt handler in the window",
            EnumSet.of(EventType.IRQ_HANDLER_ENTRY, EventType.IRQ_HANDLER_EXIT));

    public static final Metric SOFT_INTERRUPT_TIME = percent(
            "magnet_irq_soft_time_percent",
            INTERRUPTS,
            "Soft interrupt time",
            "Time in soft interrupt handlers without the hard interrupts that broke in, in percent of the time of all"
                    + " CPUs",
            EnumSet.of(EventType.SOFTIRQ_ENTRY, EventType.SOFTIRQ_EXIT));

    public static final Metric SOFT_INTERRUPT_MAX = longest(
            "magnet_irq_soft_handler_max",
            INTERRUPTS,
            "Longest soft interrupt handler",
            "The longest run of one soft interrupt handler in the window, without the hard interrupts that broke in",
            EnumSet.of(EventType.SOFTIRQ_ENTRY, EventType.SOFTIRQ_EXIT));

    public static final Metric FORKS = rate(
            "magnet_process_forks_rate",
            PROCESSES,
            "processes/sec",
            "Processes made",
            "New processes per second; new threads of a process do not count",
            EventType.SCHED_PROCESS_FORK);

    public static final Metric EXECS = rate(
            "magnet_process_execs_rate",
            PROCESSES,
            "programs/sec",
            "Programs started",
            "Programs started by execve per second",
            EventType.SCHED_PROCESS_EXEC);

    public static final Metric EXITS = rate(
            "magnet_process_exits_rate",
            PROCESSES,
            "processes/sec",
            "Processes ended",
            "Processes whose last thread ended, per second",
            EventType.SCHED_PROCESS_EXIT);

    public static final Metric SENSOR_EVENTS = rate(
            "magnet_sensor_events_rate", SENSOR, "events/sec", "Events read", "Events that the sensor read per second");

    public static final Metric SENSOR_LOST = rate(
            "magnet_sensor_lost_rate",
            SENSOR,
            "events/sec",
            "Events lost",
            "Events per second that the kernel dropped, as its LOST records say; other values are then too low");

    public static final Metric SENSOR_LATE = rate(
            "magnet_sensor_late_rate",
            SENSOR,
            "events/sec",
            "Events late",
            "Events per second that came after later ones of other CPUs had been passed on");

    public static final Metric SENSOR_DISCARDED = rate(
            "magnet_sensor_discarded_rate",
            SENSOR,
            "intervals/sec",
            "Intervals discarded",
            "Measured times per second that were thrown away because events were lost or a table was full");

    public static final Metric SENSOR_LAG = longest(
            "magnet_sensor_lag_max",
            SENSOR,
            "Sensor lag",
            "Time from the newest event that was read to now, after each read; the longest in the window",
            Set.of());

    public static final Metric SENSOR_CPU = percent(
            "magnet_sensor_cpu_percent",
            SENSOR,
            "Sensor CPU",
            "CPU time of the service in percent of one CPU",
            Set.of());

    public static final Metric SENSOR_MEMORY = new Metric(
            "magnet_sensor_memory_resident",
            SENSOR,
            "bytes",
            "Sensor memory",
            "Resident memory of the service",
            Slope.BOTH,
            ValueType.DOUBLE,
            0,
            Set.of());

    public static final Metric SENSOR_WINDOW = new Metric(
            "magnet_sensor_window_length",
            SENSOR,
            "s",
            "Window",
            "Measured length of the window that all values describe; up to 900000/s a rate times it, rounded, is the exact"
                    + " count",
            Slope.BOTH,
            ValueType.DOUBLE,
            RATE_DECIMALS,
            Set.of());

    public static final Metric SENSOR_POINTS_FAILED = new Metric(
            "magnet_sensor_points_failed",
            SENSOR,
            "points",
            "Points failed",
            "Points that this kernel does not have or refused; the metrics that need them are not published",
            Slope.BOTH,
            ValueType.UINT32,
            0,
            Set.of());

    /** All of them, in the order in which they are documented and sent. */
    public static final List<Metric> ALL = all();

    private Metrics() {}

    /**
     * What to publish.
     *
     * @param groups groups that are switched on; {@link MetricGroup#SENSOR} is always
     * @param available events that are subscribed
     * @return the metrics of these groups that can be computed, in the order of {@link #ALL}
     */
    public static List<Metric> select(Set<MetricGroup> groups, Set<EventType> available) {
        return ALL.stream()
                .filter(metric -> metric.group() == SENSOR || groups.contains(metric.group()))
                .filter(metric -> metric.isComputableFrom(available))
                .toList();
    }

    /** The events that the metrics of these groups need. */
    public static Set<EventType> eventsOf(Set<MetricGroup> groups) {
        EnumSet<EventType> events = EnumSet.noneOf(EventType.class);
        ALL.stream()
                .filter(metric -> groups.contains(metric.group()))
                .forEach(metric -> events.addAll(metric.events()));
        return events;
    }

    private static List<Metric> all() {
        List<Metric> all = new ArrayList<>();
        for (Layer layer : Layer.values()) {
            all.add(layer.packets());
            all.add(layer.bytes());
        }
        all.addAll(UDP_INTERARRIVAL.metrics());
        for (Hop hop : Hop.values()) {
            all.addAll(hop.metrics().metrics());
        }
        all.add(CONTEXT_SWITCHES);
        all.addAll(RUN_QUEUE_WAIT.metrics());
        all.addAll(TIME_SLICE.metrics());
        all.add(IDLE_GAP_MAX);
        all.addAll(List.of(HARD_INTERRUPT_TIME, HARD_INTERRUPT_MAX, SOFT_INTERRUPT_TIME, SOFT_INTERRUPT_MAX));
        all.addAll(List.of(FORKS, EXECS, EXITS));
        all.addAll(List.of(
                SENSOR_EVENTS,
                SENSOR_LOST,
                SENSOR_LATE,
                SENSOR_DISCARDED,
                SENSOR_LAG,
                SENSOR_CPU,
                SENSOR_MEMORY,
                SENSOR_WINDOW,
                SENSOR_POINTS_FAILED));
        return List.copyOf(all);
    }

    private static Metric rate(
            String name, MetricGroup group, String unit, String title, String description, EventType... events) {
        return new Metric(
                name, group, unit, title, description, Slope.BOTH, ValueType.DOUBLE, RATE_DECIMALS, Set.of(events));
    }

    private static Metric longest(
            String name, MetricGroup group, String title, String description, Set<EventType> events) {
        return new Metric(name, group, "us", title, description, Slope.BOTH, ValueType.DOUBLE, TIME_DECIMALS, events);
    }

    private static Metric percent(
            String name, MetricGroup group, String title, String description, Set<EventType> events) {
        return new Metric(name, group, "%", title, description, Slope.BOTH, ValueType.DOUBLE, TIME_DECIMALS, events);
    }
}
