// SPDX-License-Identifier: Apache-2.0
package magnet.metric;

import static magnet.metric.MetricGroup.GMOND_CPU;
import static magnet.metric.MetricGroup.GMOND_NETWORK;
import static magnet.record.EventType.CPU_TIME;
import static magnet.record.EventType.NET_DEV_RECEIVE;
import static magnet.record.EventType.NET_DEV_XMIT;

import java.util.List;
import java.util.Set;
import magnet.record.EventType;

/**
 * Metrics of gmond's own, made of events: names, units, type, slope and groups are those of gmond's modules
 * {@code cpu_module} and {@code net_module}, titles those of the gmond.conf that it comes with.
 *
 * <p>As in gmond, {@code cpu_system} has interrupts in it, so that user, nice, system and idle add up to 100 %. What
 * events cannot tell is not here: {@code cpu_wio} and {@code cpu_steal}, whose time is in the others; {@code cpu_aidle},
 * which counts from the boot on; {@code cpu_guest} and {@code cpu_gnice}.
 */
public final class GmondMetrics {
    private static final int PERCENT_DECIMALS = 3;
    private static final int RATE_DECIMALS = 2;

    public static final Metric CPU_USER = percent(
            "cpu_user",
            "CPU User",
            "Percentage of CPU utilization that occurred while executing at the user level, from events");
    public static final Metric CPU_NICE = percent(
            "cpu_nice",
            "CPU Nice",
            "Percentage of CPU utilization that occurred while executing at the user level with nice priority, from"
                    + " events");
    public static final Metric CPU_SYSTEM = percent(
            "cpu_system",
            "CPU System",
            "Percentage of CPU utilization that occurred while executing at the system level, interrupts included, from"
                    + " events");
    public static final Metric CPU_IDLE = percent(
            "cpu_idle",
            "CPU Idle",
            "Percentage of time that the CPU or CPUs were idle, whether or not something waited for a disk, from events");
    public static final Metric CPU_INTR = percent(
            "cpu_intr",
            "CPU intr",
            "Percentage of time in hard interrupts, which cpu_system has in it, too; from events");
    public static final Metric CPU_SINTR = percent(
            "cpu_sintr",
            "CPU sintr",
            "Percentage of time in soft interrupts, which cpu_system has in it, too; from events");

    public static final Metric BYTES_IN = rate(
            "bytes_in", "bytes/sec", "Bytes Received", "Number of bytes in per second, from events", NET_DEV_RECEIVE);
    public static final Metric BYTES_OUT =
            rate("bytes_out", "bytes/sec", "Bytes Sent", "Number of bytes out per second, from events", NET_DEV_XMIT);
    public static final Metric PACKETS_IN =
            rate("pkts_in", "packets/sec", "Packets Received", "Packets in per second, from events", NET_DEV_RECEIVE);
    public static final Metric PACKETS_OUT =
            rate("pkts_out", "packets/sec", "Packets Sent", "Packets out per second, from events", NET_DEV_XMIT);

    private GmondMetrics() {}

    /** Those that add up to 100 %. */
    public static List<Metric> cpu() {
        return List.of(CPU_USER, CPU_SYSTEM, CPU_IDLE, CPU_NICE);
    }

    /** Parts of {@link #CPU_SYSTEM}. */
    public static List<Metric> interrupts() {
        return List.of(CPU_INTR, CPU_SINTR);
    }

    /** What network devices carry. */
    public static List<Metric> network() {
        return List.of(BYTES_OUT, BYTES_IN, PACKETS_IN, PACKETS_OUT);
    }

    private static Metric percent(String name, String title, String description) {
        return metric(name, GMOND_CPU, "%", title, description, PERCENT_DECIMALS, CPU_TIME);
    }

    private static Metric rate(String name, String unit, String title, String description, EventType event) {
        return metric(name, GMOND_NETWORK, unit, title, description, RATE_DECIMALS, event);
    }

    private static Metric metric(
            String name,
            MetricGroup group,
            String unit,
            String title,
            String description,
            int decimals,
            EventType event) {
        return new Metric(
                name,
                group,
                Level.HEARTBEAT,
                unit,
                title,
                description,
                Slope.BOTH,
                ValueType.FLOAT,
                decimals,
                Set.of(event),
                false);
    }
}
