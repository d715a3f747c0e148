// SPDX-License-Identifier: Apache-2.0
package magnet.cli.trace;

import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.regex.Pattern;
import magnet.handler.run.TraceHandlers;
import magnet.metric.DropReason;
import magnet.metric.JobColumn;
import magnet.metric.JobTable;
import magnet.metric.Metric;
import magnet.metric.MetricGroup;
import magnet.metric.MetricSnapshot;
import magnet.metric.Metrics;
import magnet.metric.ProcessMetrics;
import magnet.record.EventType;
import magnet.summary.EventSummary;
import magnet.summary.SavedJobs;
import magnet.trace.TraceReader;
import org.jspecify.annotations.Nullable;

/** What was made of a saved trace that has been read, in the order in which it is told. */
public final class TraceFigures {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final int IDLE = 0;
    /** Processes have a list of their own, and percentiles stand for the buckets of a graph. */
    private static final Pattern OF_GRAPHS = Pattern.compile("magnet_top_.*|.*_slowest_\\d_.*|.*_bucket\\d_.*");

    /**
     * What a trace can tell of: not the sensor, nor what would have to be asked of the running machine. Jobs have a list of their
     * own.
     */
    static final List<Metric> METRICS = Metrics.ALL.stream()
            .filter(metric -> metric.group() != MetricGroup.SENSOR
                    && metric.group() != MetricGroup.JOBS
                    && !metric.equals(ProcessMetrics.ALIVE)
                    && !OF_GRAPHS.matcher(metric.name()).matches())
            .toList();

    /**
     * Events of a kind.
     *
     * @param name the point's, as the trace has it
     */
    record OfEvent(String name, long count) {}

    /**
     * What a CPU logged.
     *
     * @param lost events that found no room
     * @param refused events that storm guards refused
     */
    record OfCpu(int number, long events, long lost, long refused) {}

    /**
     * What a process did.
     *
     * @param name empty if the trace has none
     * @param millis how long it ran
     * @param slices in how many pieces
     * @param owner whose it was at its last event; empty if that is not known
     */
    record OfProcess(int tgid, String name, long events, double millis, long slices, String owner) {}

    /**
     * What the processes of a job did while they were its.
     *
     * @param job its name, or a word in place of one
     * @param millis how long they ran
     * @param slices in how many pieces
     * @param waits how long they waited for CPUs, and for whom; empty if that is not known
     */
    record OfJob(String job, long events, double millis, long slices, Optional<JobTable.Row> waits) {}

    final TraceReader trace;
    final TraceTotals totals;
    final EventSummary summary;
    private final @Nullable TraceHandlers handlers;
    private final @Nullable SavedJobs jobs;
    private final Map<Integer, String> sureNames;
    private final long nanos;

    /**
     * What was made of a trace.
     *
     * @param handlers own ones; null if there are none
     * @param jobs null if nobody asks for them
     */
    TraceFigures(
            TraceReader trace,
            TraceTotals totals,
            EventSummary summary,
            @Nullable TraceHandlers handlers,
            @Nullable SavedJobs jobs) {
        this.jobs = jobs;
        this.trace = trace;
        this.totals = totals;
        this.summary = summary;
        this.handlers = handlers;
        this.sureNames = trace.sureNames();
        this.nanos =
                Math.round(totals.ticks() * NANOS_PER_SECOND / trace.clock().ticksPerSecond());
    }

    /** When the first event was; of a trace that has any. */
    Instant begin() {
        return Instant.EPOCH.plusNanos(trace.clock().realtimeNs(totals.firstTimer()));
    }

    /** When the last one was. */
    Instant end() {
        return Instant.EPOCH.plusNanos(totals.lastRealtimeNs(trace.clock()));
    }

    /** From the first to the last; without the time in which the timer jumped. */
    double seconds() {
        return nanos / NANOS_PER_SECOND;
    }

    /** The kinds of events, the most frequent first. */
    List<OfEvent> events() {
        return summary.eventsById().entrySet().stream()
                .sorted(Map.Entry.<Integer, Long>comparingByValue().reversed())
                .map(each -> new OfEvent(trace.eventName(each.getKey()), each.getValue()))
                .toList();
    }

    /** The CPUs that logged or lost anything. */
    List<OfCpu> cpus() {
        List<OfCpu> cpus = new ArrayList<>();
        SortedMap<Integer, Long> byCpu = summary.eventsByCpu();
        int end = Math.max(totals.cpuEnd(), byCpu.isEmpty() ? 0 : byCpu.lastKey() + 1);
        for (int cpu = 0; cpu < end; cpu++) {
            OfCpu row = new OfCpu(cpu, byCpu.getOrDefault(cpu, 0L), totals.lost(cpu), totals.refused(cpu));
            if (row.events + row.lost + row.refused > 0) {
                cpus.add(row);
            }
        }
        return cpus;
    }

    /** Whether it is known how long processes ran: only from context switches. */
    boolean hasSwitches() {
        return summary.eventsById().containsKey(EventType.SCHED_SWITCH.id());
    }

    /** The processes with most events, so many. */
    List<OfProcess> processes(int most) {
        return totals.processes().top(most).stream()
                .map(row -> new OfProcess(
                        row.tgid(), name(row), row.events(), millis(row.ticks()), row.switches(), row.owner()))
                .toList();
    }

    /** Whether it is known how long jobs waited for CPUs: only from context switches and wake-ups. */
    boolean hasWaits() {
        return jobs != null && jobs.areMeasured();
    }

    /** Waits of jobs that are missing. */
    long missingWaits() {
        return jobs == null ? 0 : jobs.evicted();
    }

    /** The jobs with most events, so many. To be called once. */
    List<OfJob> jobs(int most) {
        JobTable waits = jobs == null || !jobs.areMeasured() ? JobTable.EMPTY : jobs.table(seconds());
        return totals.jobs().top(most).stream()
                .map(row ->
                        new OfJob(row.job(), row.events(), millis(row.ticks()), row.slices(), waits(row.job(), waits)))
                .toList();
    }

    /** Whoever is not in the table did not wait, or is one of the rest. */
    private Optional<JobTable.Row> waits(String job, JobTable waits) {
        Optional<JobTable.Row> row = waits.row(job);
        boolean isKnown = hasWaits() && waits.row(JobTable.REST).isEmpty();
        return row.isPresent() || !isKnown
                ? row
                : Optional.of(new JobTable.Row(job, new double[JobColumn.values().length], List.of()));
    }

    private double millis(long ticks) {
        return ticks / (double) trace.clock().ticksPerMilli();
    }

    /**
     * As the last record says that names the process; else as the trace does, for those that began before it. Where events
     * were lost meanwhile, of which one may have given another name, there is none.
     */
    private String name(ProcessCounts.Row row) {
        int process = row.tgid();
        if (process == IDLE) {
            return "idle";
        }
        String told = totals.names().ofProcess(process, row.losses());
        return told.isEmpty() ? sureNames.getOrDefault(process, "") : told;
    }

    /** Values of the metrics that can be computed of the events that occurred, over the whole trace. To be called once. */
    Map<Metric, Double> metrics() {
        Set<EventType> occurred = EnumSet.noneOf(EventType.class);
        for (int id : summary.eventsById().keySet()) {
            EventType type = EventType.ofId(id);
            if (type != null) {
                occurred.add(type);
            }
        }
        List<Metric> known = trace.dropReasons().isEmpty() ? DropReason.withoutAny(METRICS) : METRICS;
        List<Metric> metrics = known.stream()
                .filter(metric -> metric.isComputableFrom(occurred))
                .toList();
        MetricSnapshot snapshot = summary.closeWindow(nanos, end(), metrics, others -> {});
        Map<Metric, Double> values = new LinkedHashMap<>();
        metrics.forEach(metric -> values.put(metric, snapshot.value(metric).orElse(0)));
        return values;
    }

    /** What own handlers came to. To be called once. */
    List<TraceHandlers.Value> handlers() {
        return handlers == null ? List.of() : handlers.close(nanos, end());
    }
}
