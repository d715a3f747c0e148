// SPDX-License-Identifier: Apache-2.0
package magnet.measure;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Stream;
import magnet.agent.AgentHealth;
import magnet.metric.Metric;
import magnet.metric.MetricSnapshot;
import magnet.os.MonotonicClock;
import magnet.summary.EventSummary;
import org.jspecify.annotations.Nullable;

/**
 * Measures: has points subscribed, reads their events, and ends windows, with one beginning, one change and one end for
 * whoever measures.
 *
 * <p><b>Beginning.</b> The first window begins when every point is subscribed and what came until then has been read, and
 * is in no window. <b>Change.</b> What goes on to be measured is read without interruption while points are subscribed and
 * ended; what ends is let go of before its points are, and what is new has a window that begins when its points are there.
 * <b>End.</b> The points end first, then what they logged is read to the last.
 *
 * <p><b>Threads.</b> All methods but {@link #points} are for one thread, the collector's, which reads and never waits for
 * the kernel's answers, for /proc or for a disk, but at the beginning and the end. A {@link Conductor} has a thread of its
 * own for that, and it alone uses the points from the beginning to the end.
 */
public final class MeasuringCore implements AutoCloseable {
    /** While something is under way it is looked after so often. */
    private static final int LOOK_MILLIS = 20;

    private static final int MOST_CLOSING = 3;

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

    /** What a change has come to, and what was done ahead for it. */
    private record Change(State state, EventSummary.Preparation preparation) {}

    private final RecordSource source;
    private final Points points;
    private final EventSummary summary;
    private final MonotonicClock clock;
    private final Reading reading;
    private final Conductor conductor;
    private State state = State.NOTHING;
    private List<Metric> chosen = List.of();
    private @Nullable CompletableFuture<Change> change;
    private final Deque<CompletableFuture<MetricSnapshot>> closing = new ArrayDeque<>();

    /**
     * One that measures nothing yet. The points are to call what they are given after each request.
     *
     * @param name of the conductor's thread
     * @param health hears of the conductor
     */
    public MeasuringCore(
            String name,
            RecordSource source,
            PointsMaker points,
            EventSummary summary,
            MonotonicClock clock,
            AgentHealth health) {
        this.source = source;
        this.summary = summary;
        this.clock = clock;
        this.reading = new Reading(name, source, clock, health);
        this.conductor = reading.conductor();
        this.points = points.make(conductor::pause);
    }

    /** Makes the points, given what is to be called after each request to the kernel. */
    @FunctionalInterface
    public interface PointsMaker {
        /** Makes them. */
        Points make(Runnable answered);
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
        // What came while points were subscribed is for no window: it would hold more than its length.
        EventSummary.Preparation preparation = summary.preparation();
        state = reading.change(() -> {
            List<Metric> measured = points.use(metrics);
            points.add(others);
            preparation.make(measured);
            return state(measured);
        });
        // Nor is what was lost until then.
        reading.change(() -> {
            points.subscriptions().beginLosses();
            return true;
        });
        long now = clock.nanos();
        summary.begin(now);
        summary.use(state.metrics, preparation, now);
        return now;
    }

    /**
     * Does what takes long and is no change, while the collector reads.
     *
     * @param work done on the conductor's thread
     * @return what that gave
     * @throws IOException if it threw, or records cannot be read
     */
    public <T> T meanwhile(Callable<T> work) throws IOException {
        return reading.meanwhile(work);
    }

    /**
     * Reads for a while.
     *
     * @param longestWaitMillis longest sleep; it is shorter while something is under way
     * @return records handed on
     */
    public int work(long longestWaitMillis) throws IOException {
        int most = change == null && closing.isEmpty() ? Integer.MAX_VALUE : LOOK_MILLIS;
        return reading.work(Math.min(most, longestWaitMillis));
    }

    /** Lets the window that is about to end know how long the longest cycle was, and the longest absence from the files. */
    public void noteDuty() {
        summary.noteCycle(reading.takeLongestCycle());
        summary.noteAway(reading.takeLongestAway());
    }

    /** The longest that nobody looked at the files since the beginning, in nanoseconds. */
    public long longestAway() {
        return reading.longestAway();
    }

    /**
     * Measures something else as soon as the points for it are subscribed. What is measured now and is not among it is
     * measured no more from now on. While a change is under way nothing happens: the caller asks again.
     */
    public void change(List<Metric> metrics) {
        if (change != null || metrics.equals(chosen)) {
            return;
        }
        chosen = List.copyOf(metrics);
        state = state.with(state.metrics.stream().filter(metrics::contains).toList());
        summary.use(state.metrics, clock.nanos());
        EventSummary.Preparation preparation = summary.preparation();
        change = conductor.ask(() -> {
            List<Metric> measured = points.use(metrics);
            preparation.make(measured);
            return new Change(state(measured), preparation);
        });
    }

    /** Whether a change has just come to its end. To be asked in each turn. */
    public boolean takeChange() throws IOException {
        CompletableFuture<Change> changing = change;
        if (changing == null || !changing.isDone()) {
            return false;
        }
        change = null;
        Change changed = Reading.result(changing);
        state = changed.state;
        source.catchUp();
        summary.use(state.metrics, changed.preparation, clock.nanos());
        return true;
    }

    /**
     * Ends the window. What is made of records is computed at once; what the machine has to be asked for is put in by the
     * conductor, which hands the snapshot over.
     *
     * @param nowNanos monotonic time
     * @param taken the same instant on the wall clock
     * @param beside metrics that are put in by others
     * @param machine puts in, on the conductor's thread, what is not made of records
     * @param handOver gets the snapshot, on the conductor's thread
     */
    public void closeWindow(
            long nowNanos,
            Instant taken,
            List<Metric> beside,
            Consumer<MetricSnapshot.Builder> machine,
            Consumer<MetricSnapshot> handOver) {
        List<Metric> all = beside.isEmpty()
                ? state.metrics
                : Stream.concat(state.metrics.stream(), beside.stream()).toList();
        MetricSnapshot.Builder window = summary.endWindow(nowNanos, taken, all);
        closing.add(conductor.askSoon(() -> {
            machine.accept(window);
            MetricSnapshot snapshot = window.build();
            handOver.accept(snapshot);
            return snapshot;
        }));
    }

    /** Whether a window has ended whose snapshot was not taken yet. */
    public boolean isClosing() {
        return !closing.isEmpty();
    }

    /** Whether another window may end: not while the conductor is {@value #MOST_CLOSING} snapshots behind. */
    public boolean mayCloseWindow() {
        return closing.size() < MOST_CLOSING;
    }

    /** The snapshot of the window that ended first of those whose snapshot was not taken yet. To be asked in each turn. */
    public Optional<MetricSnapshot> takeSnapshot() throws IOException {
        CompletableFuture<MetricSnapshot> ended = closing.peek();
        if (ended == null || !ended.isDone()) {
            return Optional.empty();
        }
        closing.remove();
        return Optional.of(Reading.result(ended));
    }

    /** What is measured now. */
    public State state() {
        return state;
    }

    /** The points; for the conductor's thread between beginning and end. */
    public Points points() {
        return points;
    }

    /** Ends the points, and reads what they logged to the last; nothing waits unread for a point's end meanwhile. */
    public void end() throws IOException {
        reading.end(() -> {
            points.unsubscribe();
            return true;
        });
    }

    /** Lets the conductor come to its end: the points are the caller's now. What it has not begun is not done. */
    public void rest() {
        reading.rest();
    }

    @Override
    public void close() {
        rest();
    }

    private State state(List<Metric> measured) {
        return new State(List.copyOf(measured), points.count(), Map.copyOf(points.failed()), points.missed());
    }
}
