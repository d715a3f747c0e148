// SPDX-License-Identifier: Apache-2.0
package magnet.measure;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;
import magnet.agent.AgentHealth;
import magnet.metric.MetricSnapshot;
import magnet.os.MonotonicClock;
import org.jspecify.annotations.Nullable;

/**
 * Measures: has points subscribed, reads their events, and ends windows, with one beginning, one change and one end for
 * whoever measures. What is measured is the caller's: {@link MeasuredMetrics} are those of the catalogue.
 *
 * <p><b>Beginning.</b> A window begins when every point that it needs is subscribed and what came until then has been read,
 * and is in no window. <b>Change.</b> What goes on to be measured is read without interruption while points are subscribed
 * and ended, and its windows end meanwhile. <b>End.</b> The points end first, then what they logged is read to the last.
 *
 * <p><b>Threads.</b> All methods but {@link #answered} are for one thread, the collector's, which reads and never waits for
 * the kernel's answers, for /proc or for a disk, but at the beginning and the end. A {@link Conductor} has a thread of its
 * own for that, and it alone uses the points from the beginning to the end.
 */
public final class MeasuringCore implements AutoCloseable {
    /** While something is under way it is looked after so often. */
    private static final int LOOK_MILLIS = 20;

    private static final int MOST_CLOSING = 3;

    private final RecordSource source;
    private final MonotonicClock clock;
    private final Reading reading;
    private final Conductor conductor;
    private @Nullable UnderWay<?> change;
    private final Deque<CompletableFuture<MetricSnapshot>> closing = new ArrayDeque<>();

    /**
     * One without points.
     *
     * @param name of the conductor's thread
     * @param source where records come from; the caller closes it
     * @param health hears of the conductor
     */
    public MeasuringCore(String name, RecordSource source, MonotonicClock clock, AgentHealth health) {
        this(name, source, clock, health, () -> {});
    }

    /**
     * The same, for somebody who wants to know that the collector goes on.
     *
     * @param turned called by the collector after each read, also at the beginning and the end; never waits itself
     */
    public MeasuringCore(String name, RecordSource source, MonotonicClock clock, AgentHealth health, Runnable turned) {
        this.source = source;
        this.clock = clock;
        this.reading = new Reading(name, source, health, turned);
        this.conductor = reading.conductor();
    }

    RecordSource source() {
        return source;
    }

    /** To be called, on the conductor's thread, after each request to the kernel: what must not wait for the next is done. */
    public void answered() {
        conductor.pause();
    }

    /**
     * Does what takes long, while the collector reads. No window ends meanwhile.
     *
     * @param work done on the conductor's thread
     * @return what that gave; then what was logged until it was done has been handed on, but for what may not be in order yet
     * @throws IOException if it threw, or records cannot be read
     */
    public <T> T meanwhile(Callable<T> work) throws IOException {
        return reading.change(work);
    }

    /** The same where points end whose events somebody still wants: all that they logged has been handed on. */
    public <T> T letGo(Callable<T> ending) throws IOException {
        return reading.end(ending);
    }

    /**
     * Lets windows begin whose points are there. What came until now is for none of them: it would hold more than its length.
     *
     * @param begin is given when, by the monotonic clock
     * @return the same
     */
    public long beginWindows(LongConsumer begin) throws IOException {
        source.catchUp();
        long now = clock.nanos();
        begin.accept(now);
        return now;
    }

    /** Goes over to what a change came to, at a time by the monotonic clock, at which its windows begin. */
    @FunctionalInterface
    public interface Adoption<T> {
        /** Does it, on the collector's thread. */
        void adopt(T made, long nowNanos);
    }

    /** A change that is under way. */
    private record UnderWay<T>(CompletableFuture<T> made, Adoption<T> adoption) {
        void adopt(long nowNanos) {
            adoption.adopt(made.join(), nowNanos);
        }
    }

    /**
     * Has points begin and end, while the collector reads and ends windows. Who measures has let go before of what ends. One
     * change is under way at a time.
     *
     * @param work done on the conductor's thread
     * @param adoption done by {@link #takeChange}
     */
    public <T> void change(Callable<T> work, Adoption<T> adoption) {
        if (change != null) {
            throw new IllegalStateException("a change is under way");
        }
        change = new UnderWay<>(conductor.ask(work), adoption);
    }

    /** Whether a change is under way. */
    public boolean isChanging() {
        return change != null;
    }

    /**
     * Whether a change has just come to its end, and what it came to was adopted. To be asked in each turn.
     *
     * @throws IOException if it failed
     */
    public boolean takeChange() throws IOException {
        UnderWay<?> changing = change;
        if (changing == null || !changing.made.isDone()) {
            return false;
        }
        change = null;
        Reading.result(changing.made);
        beginWindows(changing::adopt);
        return true;
    }

    /**
     * Reads for a while.
     *
     * @param windowMillis time until the window ends; nobody looks for that while none may end
     * @param longestWaitMillis longest sleep otherwise; it is shorter while something is under way
     * @return records handed on
     */
    public int work(long windowMillis, long longestWaitMillis) throws IOException {
        long most = change == null && closing.isEmpty() ? longestWaitMillis : Math.min(LOOK_MILLIS, longestWaitMillis);
        return reading.work(mayCloseWindow() ? Math.min(most, windowMillis) : most);
    }

    /** The longest that reading and handing on took since the last call, the wait apart, in nanoseconds. */
    long takeLongestCycle() {
        return reading.takeLongestCycle();
    }

    /** The longest since the last call that nobody looked at the files, in nanoseconds. */
    long takeLongestAway() {
        return reading.takeLongestAway();
    }

    /** The longest that nobody looked at the files since the beginning, in nanoseconds. */
    public long longestAway() {
        return reading.longestAway();
    }

    /**
     * What the conductor does, on its thread, with a window that has ended.
     *
     * @param machine puts in what is not made of records
     * @param handOver gets the snapshot
     */
    public record Completion(Consumer<MetricSnapshot.Builder> machine, Consumer<MetricSnapshot> handOver) {}

    /**
     * A window that has ended.
     *
     * @param window what is made of records
     * @param completion what is done with it
     */
    public record Ended(MetricSnapshot.Builder window, Completion completion) {}

    /**
     * Ends the window. Reads what is there first, also what is too little for a batch: it happened in this window. What is
     * made of records is computed here; what the machine has to be asked for is put in by the conductor, which hands the
     * snapshot over.
     *
     * @param window computes it, given when it ends by the monotonic clock
     * @throws IOException if records cannot be read
     */
    public void endWindow(LongFunction<Ended> window) throws IOException {
        source.readNow();
        Ended ended = window.apply(clock.nanos());
        closing.add(conductor.askSoon(() -> {
            ended.completion.machine.accept(ended.window);
            MetricSnapshot snapshot = ended.window.build();
            ended.completion.handOver.accept(snapshot);
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

    /**
     * Ends the points, and reads what they logged to the last; nothing waits unread for a point's end meanwhile.
     *
     * @param ending done on the conductor's thread
     */
    public void end(Runnable ending) throws IOException {
        reading.end(() -> {
            ending.run();
            return true;
        });
    }

    /**
     * Lets the conductor come to its end: the points are the caller's now. Windows that have ended are completed before, for
     * {@link #takeSnapshot}; what else it has not begun is not done.
     */
    public void rest() {
        closing.forEach(Reading::settle);
        reading.rest();
    }

    @Override
    public void close() {
        reading.rest();
    }
}
