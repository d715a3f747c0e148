// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import magnet.handler.run.OwnHandlers;
import magnet.machine.ProcessUsage;
import magnet.machine.UsageWindow;
import magnet.measure.DoubtLog;
import magnet.measure.LossLog;
import magnet.measure.MeasuredMetrics;
import magnet.measure.MeasuringCore;
import magnet.measure.PointControl;
import magnet.metric.Level;
import magnet.metric.MetricSnapshot;
import magnet.metric.SensorMetrics;
import magnet.os.MonotonicClock;
import magnet.summary.EventSummary;
import magnet.tee.RecordTee;
import org.jspecify.annotations.Nullable;

/**
 * Ends the service's windows: what is made of records is computed at once, what the machine and the module have to be asked
 * for, and what the log and the sinks are told, is the conductor's. All methods are for the collector's thread.
 */
final class WindowEnd {
    private final MonotonicClock clock;
    private final MeasuredMetrics measured;
    private final EventSummary summary;
    private final Publishing publishing;
    private final String versions;
    /** For the conductor's thread. */
    private final UsageWindow usage;

    private final LossLog losses = new LossLog();
    private final DoubtLog doubtLog = new DoubtLog();
    private final Deque<RecordTee.Mark> marks = new ArrayDeque<>();
    private long lostBefore;
    /** How long the last one took until it was handed over. */
    private volatile long closingNanos;

    /**
     * Of the windows from now on.
     *
     * @param slots slots of a window
     * @param began when the first began, monotonic
     * @param versions those of the service and of the module, as {@link SensorMetrics#VERSION} tells them
     */
    WindowEnd(
            int slots,
            long began,
            MonotonicClock clock,
            MeasuredMetrics measured,
            EventSummary summary,
            Publishing publishing,
            String versions) {
        this.clock = clock;
        this.measured = measured;
        this.summary = summary;
        this.publishing = publishing;
        this.versions = versions;
        this.usage = new UsageWindow(
                slots,
                began,
                ProcessUsage.Timed.now(clock),
                new UsageWindow.Totals(
                        summary.events(),
                        publishing.failures(),
                        measured.state().missed()));
        this.lostBefore = summary.lost();
    }

    /**
     * Ends one.
     *
     * @param wall the wall clock
     * @param values of own handlers
     * @param published is told, on the conductor's thread, of the snapshot that was handed to the sinks
     */
    void end(
            InstantSource wall,
            OwnHandlers.Values values,
            Level level,
            @Nullable RecordTee tee,
            Consumer<MetricSnapshot> published)
            throws IOException {
        measured.endWindow(wall, values.with(List.of()), now -> completion(now, values, level, tee, published));
    }

    private MeasuringCore.Completion completion(
            long now,
            OwnHandlers.Values values,
            Level level,
            @Nullable RecordTee tee,
            Consumer<MetricSnapshot> published) {
        long events = summary.events();
        long failures = publishing.failures();
        long jumps = summary.jumps();
        long withoutRoom = summary.ownersWithoutRoom();
        Map<Integer, Long> lostByCpu = summary.lostByCpu();
        int failed = measured.state().failed().size();
        if (tee != null) {
            marks.add(tee.mark(summary.lost() - lostBefore));
        }
        lostBefore = summary.lost();
        return new MeasuringCore.Completion(
                snapshot -> {
                    values.put(snapshot);
                    UsageWindow.Totals totals = new UsageWindow.Totals(
                            events, failures, measured.points().missed());
                    usage.close(now, ProcessUsage.Timed.now(clock), totals, snapshot);
                    snapshot.put(SensorMetrics.LEVEL, level.number());
                    snapshot.put(SensorMetrics.POINTS_FAILED, failed);
                    snapshot.putText(SensorMetrics.VERSION, versions);
                    put(measured.points().doubts(), snapshot);
                },
                snapshot -> {
                    publishing.publish(snapshot);
                    losses.interval(lostByCpu, now);
                    doubtLog.jumps(jumps);
                    doubtLog.ownersWithoutRoom(withoutRoom);
                    closingNanos = clock.nanos() - now;
                    published.accept(snapshot);
                });
    }

    private void put(PointControl.Doubts doubts, MetricSnapshot.Builder snapshot) {
        snapshot.put(SensorMetrics.POINTS_BLIND, doubts.blindPoints());
        snapshot.put(SensorMetrics.CLOCK_UNSTABLE, doubts.clockUnstable() ? 1 : 0);
        doubtLog.interval(doubts);
    }

    /** The snapshot of the one that ended first of those not yet taken has been published. */
    void taken(MetricSnapshot snapshot, @Nullable RecordTee tee) {
        summary.noteClosing(closingNanos);
        if (tee != null) {
            tee.onWindow(marks.remove(), snapshot);
        }
    }
}
