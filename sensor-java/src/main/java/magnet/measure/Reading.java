// SPDX-License-Identifier: Apache-2.0
package magnet.measure;

import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import magnet.agent.AgentHealth;
import magnet.agent.AgentRunner;

/**
 * Reads a buffer while points begin, change and end to log into it: the lower half of {@link MeasuringCore}, and all of it
 * for whoever wants records and no windows. There is one beginning, which is a change like others, and one end, and nobody
 * waits for the kernel without reading, so that a small ring does not overflow meanwhile.
 *
 * <p><b>Threads.</b> All methods are for one thread, the reader's, which becomes who handles the records. What asks the
 * kernel is done by a {@link Conductor}, on a thread of its own, which has come to rest when a method returns or throws.
 */
public final class Reading implements AutoCloseable {
    /** The longest that nobody reads while the kernel answers. */
    private static final int READ_MILLIS = 2;

    private final RecordSource source;
    private final Runnable turned;
    private final Conductor conductor;
    private final AgentRunner runner;
    private boolean begun;
    /** Of what nobody has taken yet. */
    private long longestAway;

    private long longestAwayEver;

    /**
     * One without points.
     *
     * @param name of the conductor's thread
     * @param source where records come from; the caller closes it
     * @param health hears of the conductor
     */
    public Reading(String name, RecordSource source, AgentHealth health) {
        this(name, source, health, () -> {});
    }

    /**
     * The same, for somebody who wants to know that the reader goes on.
     *
     * @param turned called by the reader after each read, also while it waits for the kernel; never waits itself
     */
    Reading(String name, RecordSource source, AgentHealth health, Runnable turned) {
        this.source = source;
        this.turned = turned;
        this.conductor = new Conductor(name);
        this.runner = AgentRunner.start(conductor, health);
    }

    Conductor conductor() {
        return conductor;
    }

    /**
     * Reads for a while.
     *
     * @param longestWaitMillis longest sleep
     * @return records handed on
     */
    public int work(long longestWaitMillis) throws IOException {
        int handed = source.doWork((int) Math.max(0, Math.min(Integer.MAX_VALUE, longestWaitMillis)));
        turned.run();
        return handed;
    }

    /** The longest that reading and handing on took since the last call, the wait apart, in nanoseconds. */
    long takeLongestCycle() {
        return source.takeLongestCycle();
    }

    /** The longest since the last call that nobody looked at the files, in nanoseconds. */
    long takeLongestAway() {
        long longest = Math.max(longestAway, source.takeLongestAway());
        longestAway = 0;
        longestAwayEver = Math.max(longestAwayEver, longest);
        return longest;
    }

    /** The same since the first point was asked for. */
    long longestAway() {
        longestAway = Math.max(longestAway, source.takeLongestAway());
        return Math.max(longestAwayEver, longestAway);
    }

    /**
     * Has points begin, end or log other events, and reads until that is done.
     *
     * @param change asks the kernel, on the conductor's thread
     * @return what that gave
     * @throws IOException if it threw, or records cannot be read
     */
    public <T> T meanwhile(Callable<T> change) throws IOException {
        if (!begun) {
            begun = true;
            rehearse();
        }
        CompletableFuture<T> changed = conductor.ask(change);
        try {
            while (!isThere(changed)) {
                source.catchUp();
                turned.run();
            }
        } catch (IOException | RuntimeException | Error e) {
            settle(changed);
            throw e;
        }
        return result(changed);
    }

    /** All classes that it takes to ask and to read are there, and absences are counted, before the first point logs. */
    private void rehearse() throws IOException {
        CompletableFuture<Boolean> asked = conductor.ask(() -> true);
        do {
            source.catchUp();
        } while (!isThere(asked));
        source.catchUp();
        source.takeLongestAway();
    }

    /** The same; then what was logged until it was done has been handed on, but for what may not be in order yet. */
    public <T> T change(Callable<T> change) throws IOException {
        T result = meanwhile(change);
        source.catchUp();
        return result;
    }

    /** What came of an end, and how much there can be to read after it. */
    private record Ended<T>(T result, long ringBytes) {}

    /**
     * The same where points end: then everything that they logged has been handed on. It ends also if somebody else logs into
     * the buffer without end.
     */
    public <T> T end(Callable<T> ending) throws IOException {
        Ended<T> ended = meanwhile(() -> new Ended<>(ending.call(), source.ringBytes()));
        source.drain(ended.ringBytes);
        return ended.result;
    }

    /** Lets the conductor come to its end: what it used is the caller's now. What it has not begun is not done. */
    public void rest() {
        runner.close();
    }

    @Override
    public void close() {
        rest();
    }

    private static boolean isThere(CompletableFuture<?> result) {
        try {
            result.get(READ_MILLIS, TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return result.isDone();
        }
    }

    /** Waits until a piece of work of the conductor is done, or has failed: then who asked may use what it used. */
    static void settle(CompletableFuture<?> result) {
        try {
            result.get();
        } catch (ExecutionException e) {
            // who takes the result is told of it
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** What a piece of work of the conductor gave, that is done. */
    static <T> T result(CompletableFuture<T> there) throws IOException {
        try {
            return there.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } catch (ExecutionException e) {
            Throwable why = e.getCause();
            if (why instanceof IOException failure) {
                throw failure;
            }
            if (why instanceof PointException refused && refused.refusal().isPresent()) {
                throw refused.refusal().get();
            }
            throw new IOException(why instanceof Exception ? why.getMessage() : String.valueOf(why), why);
        }
    }
}
