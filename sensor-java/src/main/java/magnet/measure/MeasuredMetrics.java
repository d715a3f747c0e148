// SPDX-License-Identifier: Apache-2.0
package magnet.measure;

import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;
import java.util.stream.Stream;
import magnet.metric.Metric;
import magnet.os.MonotonicClock;
import magnet.record.EventType;
import magnet.summary.EventSummary;

/**
 * Metrics of the catalogue, measured by a core: which they are, the points that they need, and the summary of their events.
 * What ends is let go of before its points are, and what is new has a window that begins when its points are there.
 *
 * <p>All methods but {@link #points} are for the collector's thread.
 */
public final class MeasuredMetrics {
    /**
     * What is measured.
     *
     * @param metrics those that can be
     * @param points how many points are subscribed for them
     * @param failed points that are not, with the reason
     * @param missed hits since start that their probes had missed when this was found out
     */
    public record State(List<Metric> metrics, int points, Map<String, String> failed, long missed) {
        private static final State NOTHING = new State(List.of(), 0, Map.of(), 0);

        private State with(List<Metric> others) {
            return new State(others, points, failed, missed);
        }
    }

    /** Points that tell everything that is there when they are subscribed; cgroups before processes. */
    private static final List<EventType> OWNERS = List.of(EventType.CGROUP_MKDIR, EventType.TASK_ATTACH);

    private final MeasuringCore core;
    private final Points points;
    private final EventSummary summary;
    private final MonotonicClock clock;
    private final ReadingTotals totals;
    private State state = State.NOTHING;
    private List<Metric> chosen = List.of();

    /**
     * None yet.
     *
     * @param core what reads the records; its source hands them to the summary
     * @param points call {@link MeasuringCore#answered} after each request
     * @param totals what the reader counts
     */
    public MeasuredMetrics(
            MeasuringCore core, Points points, EventSummary summary, MonotonicClock clock, ReadingTotals totals) {
        this.core = core;
        this.points = points;
        this.summary = summary;
        this.clock = clock;
        this.totals = totals;
    }

    /** Subscribes what these metrics need, and lets the first window begin. Gives when, by the monotonic clock. */
    public long begin(List<Metric> metrics) throws IOException {
        return begin(metrics, List.of());
    }

    /**
     * The same with other points beside those that the metrics need.
     *
     * @throws IOException if one of these, or any at all, cannot be subscribed
     */
    public long begin(List<Metric> metrics, List<String> others) throws IOException {
        chosen = List.copyOf(metrics);
        EventSummary.Preparation preparation = summary.preparation();
        state = core.meanwhile(() -> {
            List<Metric> measured = points.use(metrics);
            points.add(others);
            preparation.make(measured);
            return state(measured);
        });
        // What was lost until now is in no window either.
        core.meanwhile(() -> {
            points.subscriptions().beginLosses();
            return true;
        });
        long began = core.beginWindows(now -> {
            summary.begin(now);
            totals.note(core.source(), summary::startTotal);
            summary.use(state.metrics, preparation, now);
        });
        if (summary.takeOwnersLost()) {
            tellOwners();
        }
        return began;
    }

    /**
     * Measures something else as soon as the points for it are subscribed. What is measured now and is not among it is
     * measured no more from now on. While a change is under way nothing happens: the caller asks again.
     *
     * @return whether a change begins
     */
    public boolean change(List<Metric> metrics) {
        if (core.isChanging() || metrics.equals(chosen)) {
            return false;
        }
        chosen = List.copyOf(metrics);
        state = state.with(state.metrics.stream().filter(metrics::contains).toList());
        summary.use(state.metrics, clock.nanos());
        EventSummary.Preparation preparation = summary.preparation();
        core.change(
                () -> {
                    List<Metric> measured = points.use(metrics);
                    preparation.make(measured);
                    return state(measured);
                },
                (changed, now) -> {
                    state = changed;
                    summary.use(state.metrics, preparation, now);
                });
        return true;
    }

    /**
     * Ends the window: reads what is there, takes note of what the reader did, and computes what is made of records.
     *
     * @param wall the wall clock
     * @param beside metrics that are put in by others
     * @param completion is given when the window ends, by the monotonic clock, after what is there was read and before
     *     anything is computed; says what the conductor does with the window
     * @throws IOException if records cannot be read
     */
    public void endWindow(InstantSource wall, List<Metric> beside, LongFunction<MeasuringCore.Completion> completion)
            throws IOException {
        List<Metric> all = beside.isEmpty()
                ? state.metrics
                : Stream.concat(state.metrics.stream(), beside.stream()).toList();
        core.endWindow(nowNanos -> {
            totals.note(core.source(), summary::noteTotal);
            summary.noteCycle(core.takeLongestCycle());
            summary.noteAway(core.takeLongestAway());
            MeasuringCore.Completion then = completion.apply(nowNanos);
            return new MeasuringCore.Ended(summary.endWindow(nowNanos, wall.instant(), all), then);
        });
        if (!core.isChanging() && summary.takeOwnersLost()) {
            tellOwners();
        }
    }

    /** Has the kernel tell once more which cgroups there are, and which process is in which. */
    private void tellOwners() {
        core.change(
                () -> {
                    points.repeat(OWNERS);
                    return state(state.metrics);
                },
                (changed, now) -> state = changed);
    }

    /** What is measured now. */
    public State state() {
        return state;
    }

    /** The points; for the conductor's thread between beginning and end. */
    public Points points() {
        return points;
    }

    /** Ends the points, and reads what they logged to the last. */
    public void end() throws IOException {
        core.end(points::unsubscribe);
    }

    private State state(List<Metric> measured) {
        return new State(List.copyOf(measured), points.count(), Map.copyOf(points.failed()), points.missed());
    }
}
