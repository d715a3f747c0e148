// SPDX-License-Identifier: Apache-2.0
package magnet.metric;

import java.util.List;
import java.util.Set;

/** Metrics of group sensor, which is always on, at each level. */
public final class SensorMetrics {
    private static final MetricMaker SENSOR = new MetricMaker(MetricGroup.SENSOR, Level.HEARTBEAT, Set.of(), false);

    private static final MetricMaker FULL = SENSOR.at(Level.FULL);

    public static final Metric EVENTS = SENSOR.rate(
            "magnet_sensor_events_rate", "events/sec", "Events read", "Events that the sensor read per second");
    public static final Metric LOST = SENSOR.rate(
            "magnet_sensor_lost_rate",
            "events/sec",
            "Events lost",
            "Events per second that the kernel dropped, as its LOST records say; other values are then too low");
    public static final Metric LOSSY = new Metric(
            "magnet_sensor_lossy_intervals",
            MetricGroup.SENSOR,
            Level.HEARTBEAT,
            "intervals",
            "Intervals with losses",
            "Intervals of the window in which events were lost or the timer jumped; until it is 0 again other values are too"
                    + " low",
            Slope.BOTH,
            ValueType.UINT32,
            0,
            Set.of(),
            false);
    public static final Metric MISSED = FULL.rate(
            "magnet_sensor_missed_rate",
            "events/sec",
            "Events missed",
            "Events per second that a kernel probe did not see, because too many were under way: there is no record of"
                    + " them, nor of their loss. Of the points that metrics are made of, only major_fault can");
    public static final Metric LATE = FULL.rate(
            "magnet_sensor_late_rate",
            "events/sec",
            "Events late",
            "Events per second that came after later ones of other CPUs had been passed on");
    public static final Metric CLOCK_JUMPS = FULL.rate(
            "magnet_sensor_clock_jumps_rate",
            "jumps/sec",
            "Clock jumps",
            "Times per second that the timer of the events jumped or began anew, as after a suspend to RAM; intervals that"
                    + " were open then are thrown away");
    public static final Metric MALFORMED = FULL.rate(
            "magnet_sensor_malformed_records_rate",
            "records/sec",
            "Malformed records",
            "Records per second that were passed over because no module writes such ones");
    public static final Metric CORRUPT_BYTES = FULL.rate(
            "magnet_sensor_corrupt_bytes_rate",
            "bytes/sec",
            "Corrupt bytes",
            "Bytes per second of malformed records; the events in them are missing");
    public static final Metric RECORDS = FULL.rate(
            "magnet_sensor_records_rate",
            "records/sec",
            "Records read",
            "Records per second: events, and what the module says of losses, storms and its clock");
    public static final Metric READ_BYTES = FULL.rate(
            "magnet_sensor_read_bytes_rate", "bytes/sec", "Bytes read", "Bytes per second that the sensor read");
    public static final Metric READS = FULL.rate(
            "magnet_sensor_reads_rate",
            "reads/sec",
            "Sensor reads",
            "Reads of a file of one CPU per second that returned something");
    public static final Metric ROUNDS = FULL.rate(
            "magnet_sensor_rounds_rate",
            "rounds/sec",
            "Sensor rounds",
            "Times per second that the sensor woke up to read, merge and count");
    public static final Metric DISCARDED = SENSOR.rate(
            "magnet_sensor_discarded_rate",
            "intervals/sec",
            "Intervals discarded",
            "Measured times per second that were thrown away because events were lost or a table was full");
    public static final Metric LAG = SENSOR.micros(
            "magnet_sensor_lag_max",
            "Sensor lag",
            "Time from the newest event that was read to now, after each read; the longest in the window");
    public static final Metric CPU =
            SENSOR.percent("magnet_sensor_cpu_percent", "Sensor CPU", "CPU time of the service as a share of one CPU");
    public static final Metric MEMORY = SENSOR.number(
            "magnet_sensor_memory_resident", "bytes", "Sensor memory", "Resident memory of the service", 0);
    public static final Metric WINDOW = SENSOR.number(
            "magnet_sensor_window_length",
            "s",
            "Window",
            "Measured length of the window that all values describe; up to 900000/s a rate times it, rounded, is the exact"
                    + " count. What was switched on under way has a shorter one until this time has passed",
            MetricMaker.RATE_DECIMALS);
    public static final Metric LEVEL = SENSOR.number(
            "magnet_sensor_detail_level",
            "level",
            "Detail level",
            "Level that is measured: 0 heartbeat, 1 summary, 2 full",
            0);
    public static final Metric POINTS_FAILED = new Metric(
            "magnet_sensor_points_failed",
            MetricGroup.SENSOR,
            Level.HEARTBEAT,
            "points",
            "Points failed",
            "Points that this kernel does not have or refused; the metrics that need them are not published",
            Slope.BOTH,
            ValueType.UINT32,
            0,
            Set.of(),
            false);

    public static final Metric VERSION = new Metric(
            "magnet_sensor_software_version",
            MetricGroup.SENSOR,
            Level.HEARTBEAT,
            "version",
            "Sensor version",
            "Version of the service, and behind a comma that of the kernel module",
            Slope.ZERO,
            ValueType.STRING,
            0,
            Set.of(),
            false);

    public static final Metric POINTS_BLIND = FULL.number(
            "magnet_sensor_points_blind",
            "points",
            "Points blind",
            "Points that are hooked and see nothing, because kernel.ftrace_enabled is 0 (the entry of functions) or"
                    + " kprobes/enabled in debugfs (kprobes); until it is 1 again the metrics that need them are too low",
            0);
    public static final Metric CLOCK_UNSTABLE = FULL.number(
            "magnet_sensor_clock_unstable",
            "flag",
            "Clock unstable",
            "1 since the kernel called the TSC unstable that is the timer of the events: times from one CPU to another are"
                    + " false then, until the module is loaded with clock=mono",
            0);

    public static final Metric CYCLE = FULL.micros(
            "magnet_sensor_cycle_time_max",
            "Sensor cycle time",
            "Time to read what is there, merge it and count it; the longest in the window");
    public static final Metric AWAY = FULL.micros(
            "magnet_sensor_away_time_max",
            "Sensor away time",
            "Time from one look at the files of events to the next one, sleep for events apart; the longest in the"
                    + " window");
    public static final Metric CLOSING = FULL.micros(
            "magnet_sensor_publication_time_max",
            "Sensor publication time",
            "Time to compute a publication and hand it over, what the sensor says of itself included; the longest of"
                    + " those in the window before this one");
    public static final Metric EVENT_CPU = FULL.micros(
            "magnet_sensor_event_cpu_mean",
            "Sensor CPU per event",
            "CPU time of the service in the window for each event that it read; 0 without events");
    public static final Metric PUBLISH_FAILURES = FULL.rate(
            "magnet_sensor_publish_failures_rate",
            "failures/sec",
            "Publish failures",
            "Per second: packets that a channel did not send, answers that a client did not take, publications that were"
                    + " dropped or failed, and failures of threads");

    /** What is counted since start by whoever reads the records. */
    public static final List<Metric> OF_READING =
            List.of(LATE, CLOCK_JUMPS, MALFORMED, CORRUPT_BYTES, RECORDS, READ_BYTES, READS, ROUNDS);

    private SensorMetrics() {}

    static List<Metric> all() {
        return List.of(
                EVENTS,
                LOST,
                LOSSY,
                MISSED,
                LATE,
                CLOCK_JUMPS,
                MALFORMED,
                CORRUPT_BYTES,
                RECORDS,
                READ_BYTES,
                READS,
                ROUNDS,
                DISCARDED,
                LAG,
                CPU,
                MEMORY,
                WINDOW,
                LEVEL,
                POINTS_FAILED,
                VERSION,
                POINTS_BLIND,
                CLOCK_UNSTABLE,
                CYCLE,
                AWAY,
                CLOSING,
                EVENT_CPU,
                PUBLISH_FAILURES);
    }
}
