// SPDX-License-Identifier: Apache-2.0
package magnet.measure;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import magnet.agent.Agent;
import org.jspecify.annotations.Nullable;

/**
 * Does what may take long, so that the collector never waits: requests to the kernel, looks into /proc, and handing
 * publications over. Modelled on Aeron's driver conductor: whoever reads the data asks, goes on, and takes the result when
 * it is there.
 *
 * <p>Long work is done in the order in which it was asked for. Short work comes before it, and also where long work
 * {@link #pause}s, which is between any two of its requests to the kernel. What a piece of work throws is its result.
 *
 * <p>{@link #ask} and {@link #askSoon} are for any thread, {@link #pause} is for the conductor's own.
 */
final class Conductor implements Agent {
    /** Longer than it takes to subscribe all points on a busy machine. */
    static final Duration LONGEST_WORK = Duration.ofMinutes(5);

    private static final long IDLE_MILLIS = 1_000;

    private final ConcurrentLinkedQueue<Runnable> shortWork = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<Runnable> longWork = new ConcurrentLinkedQueue<>();
    private final Semaphore waiting = new Semaphore(0);
    private final String name;

    Conductor(String name) {
        this.name = name;
    }

    /** Asks for something that may take seconds. */
    <T> CompletableFuture<T> ask(Callable<T> work) {
        return ask(longWork, work);
    }

    /** Asks for something that may take milliseconds and must not wait for longer work. */
    <T> CompletableFuture<T> askSoon(Callable<T> work) {
        return ask(shortWork, work);
    }

    private <T> CompletableFuture<T> ask(ConcurrentLinkedQueue<Runnable> queue, Callable<T> work) {
        CompletableFuture<T> result = new CompletableFuture<>();
        queue.add(() -> {
            try {
                result.complete(work.call());
            } catch (Throwable e) { // who asked is told, errors of the JVM too
                result.completeExceptionally(e);
            }
        });
        waiting.release();
        return result;
    }

    /** Does the short work that waits: to be called between the steps of long work. */
    void pause() {
        for (Runnable next = shortWork.poll(); next != null; next = shortWork.poll()) {
            next.run();
        }
    }

    @Override
    public String roleName() {
        return name;
    }

    @Override
    public Optional<Duration> longestTurn() {
        return Optional.of(LONGEST_WORK);
    }

    /** One piece of work. Also a turn without any ends soon: then the conductor is heard to be alive. */
    @Override
    public int doWork() throws InterruptedException {
        Runnable next = next();
        if (next == null) {
            if (waiting.tryAcquire(IDLE_MILLIS, TimeUnit.MILLISECONDS)) {
                waiting.drainPermits();
            }
            next = next();
        }
        if (next == null) {
            return 0;
        }
        next.run();
        return 1;
    }

    private @Nullable Runnable next() {
        Runnable next = shortWork.poll();
        return next == null ? longWork.poll() : next;
    }

    @Override
    public void wakeUp() {
        waiting.release();
    }
}
