// SPDX-License-Identifier: Apache-2.0
package magnet.measure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import magnet.agent.AgentHealth;
import magnet.control.HitCounts;
import magnet.control.ModuleInfo;
import magnet.control.PointInfo;
import magnet.job.JobNames;
import magnet.magnetfs.CollectorCounter;
import magnet.magnetfs.CollectorSettings;
import magnet.metric.Metric;
import magnet.metric.MetricSnapshot;
import magnet.os.MonotonicClock;
import magnet.record.ClockModel;
import magnet.summary.EventSummary;
import magnet.summary.Machine;
import magnet.summary.ProcessRanking;
import magnet.summary.SummarySetup;
import magnet.summary.TimerScale;

/**
 * Metrics of a buffer of one's own, interval after interval, from beginning to end: for whoever measures beside the service.
 * Each window is one interval. {@link #stop}, {@link #isStopped}, {@link #hasEnded} and {@link #ended} are for any thread,
 * all else for one.
 */
public final class BufferMeasuring implements AutoCloseable {
    private static final long NANOS_PER_MILLI = 1_000_000;

    /**
     * The clocks of a measurement.
     *
     * @param monotonic CLOCK_MONOTONIC
     * @param wall the wall clock
     */
    public record MeasuringClocks(MonotonicClock monotonic, InstantSource wall) {}

    /**
     * What is measured.
     *
     * @param metrics of the catalogue
     * @param points others that are subscribed beside those that the metrics need
     * @param jobs which cgroups are jobs
     * @param ranking gets the first processes of each interval
     * @param intervalNanos how long one is
     * @param rules of points that are not to log every event, by their names
     */
    public record Assignment(
            List<Metric> metrics,
            List<String> points,
            JobNames jobs,
            ProcessRanking ranking,
            long intervalNanos,
            Map<String, String> rules) {}

    private final Assignment assignment;
    private final MeasuringClocks clocks;
    private final EventSummary summary;
    private final RecordSource source;
    private final MeasuringCore core;
    private final MeasuredMetrics measured;
    private long nextNanos;
    private volatile boolean stopped;
    /** At the end of the last interval: of the conductor, then of the snapshot's taker. */
    private Map<String, HitCounts> losses = Map.of();
    /** Likewise. */
    private long jumps;

    BufferMeasuring(
            Assignment assignment,
            MeasuringClocks clocks,
            EventSummary summary,
            RecordSource source,
            MeasuringCore core,
            MeasuredMetrics measured) {
        this.assignment = assignment;
        this.clocks = clocks;
        this.summary = summary;
        this.source = source;
        this.core = core;
        this.measured = measured;
    }

    /**
     * Becomes the reader of a buffer that no point logs into yet.
     *
     * @param module what the module says of itself
     * @param known all points that this kernel tells of
     * @param thread name of the thread that asks the kernel
     * @param machine what names numbers have
     */
    public static BufferMeasuring open(
            OwnBuffer buffer,
            ModuleInfo module,
            List<PointInfo> known,
            String thread,
            CollectorSettings settings,
            Machine machine,
            MeasuringClocks clocks,
            Assignment assignment)
            throws IOException {
        ClockModel clockModel = module.clockModel();
        SummarySetup setup = new SummarySetup(
                buffer.cpus(),
                1,
                TimerScale.ofKhz(module.ticksPerMilli()),
                clockModel,
                machine,
                assignment.jobs,
                assignment.ranking);
        EventSummary summary = new EventSummary(setup, clocks.monotonic.nanos());
        CollectorSource source = buffer.read(summary, clockModel, buffer.fitted(settings));
        MeasuringCore core = new MeasuringCore(thread, source, clocks.monotonic, AgentHealth.unheard());
        Points points = new Points(buffer.points(known, Set.of(), assignment.rules), core::answered, line -> {});
        MeasuredMetrics measured = new MeasuredMetrics(core, points, summary, clocks.monotonic, ReadingTotals.unsaid());
        return new BufferMeasuring(assignment, clocks, summary, source, core, measured);
    }

    /**
     * Subscribes the points, and lets the first interval begin.
     *
     * @throws IOException if none can be subscribed, or one of those that are named
     */
    public void begin() throws IOException {
        nextNanos = measured.begin(assignment.metrics, assignment.points) + assignment.intervalNanos;
    }

    /** What it does where an interval ends. */
    @FunctionalInterface
    public interface IntervalEnd {
        /** Does it, after what the interval had was read and before its values are computed. */
        void ends();
    }

    /**
     * Reads for a while, at most up to the end of the interval.
     *
     * @return an interval that has ended
     */
    public Optional<MetricSnapshot> work(IntervalEnd end) throws IOException {
        long wait = Math.max(0, nextNanos - clocks.monotonic.nanos()) / NANOS_PER_MILLI + 1;
        int handed = core.work(core.isClosing() ? Long.MAX_VALUE : wait, Long.MAX_VALUE);
        long now = clocks.monotonic.nanos();
        if (handed > 0) {
            summary.noteLag(now);
        }
        Optional<MetricSnapshot> ended = core.takeSnapshot();
        if (ended.isEmpty() && now - nextNanos >= 0 && !core.isClosing() && !isStopped() && !hasEnded()) {
            measured.endWindow(clocks.wall, List.of(), ends -> {
                end.ends();
                long jumpsNow = summary.jumps();
                return new MeasuringCore.Completion(
                        window -> {
                            losses = lossesNow();
                            jumps = jumpsNow;
                        },
                        snapshot -> {});
            });
            // What was missed while the machine stood still is not made up for.
            nextNanos +=
                    (now - nextNanos) / assignment.intervalNanos * assignment.intervalNanos + assignment.intervalNanos;
        }
        return ended;
    }

    /** On the conductor's thread. */
    private Map<String, HitCounts> lossesNow() {
        try {
            return measured.points().subscriptions().losses();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Points that had lost events since the beginning when the last interval ended that {@link #work} gave. */
    public Map<String, HitCounts> losses() {
        return losses;
    }

    /** The same of {@link EventSummary#jumps()}. */
    public long jumps() {
        return jumps;
    }

    /** What is measured now. */
    public MeasuredMetrics.State state() {
        return measured.state();
    }

    /** What the records come to. */
    public EventSummary summary() {
        return summary;
    }

    /** One of the collector's counts. */
    public long count(CollectorCounter counter) {
        return source.count(counter);
    }

    /**
     * Ends the points, and hands on all that they logged.
     *
     * @return what became of their hits
     * @throws IOException if that cannot be told
     */
    public HitCounts end() throws IOException {
        measured.end();
        core.rest();
        Subscriptions own = measured.points().subscriptions();
        if (own.untold().isPresent()) {
            throw own.untold().get();
        }
        return own.total();
    }

    /** How many points have ended. */
    public int ended() {
        return measured.points().subscriptions().ended();
    }

    /** Ends a wait, and all waits to come. */
    public void stop() {
        stopped = true;
        source.stop();
    }

    /** Whether {@link #stop} was called. */
    public boolean isStopped() {
        return stopped;
    }

    /** Whether the buffer was removed, or the module unloaded. */
    public boolean hasEnded() {
        return source.hasEnded();
    }

    @Override
    public void close() throws IOException {
        core.close();
        source.close();
    }
}
