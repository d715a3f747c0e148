// SPDX-License-Identifier: Apache-2.0
package magnet.publish;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import magnet.agent.Agent;
import magnet.agent.AgentHealth;
import magnet.agent.AgentRunner;
import magnet.agent.Backoff;
import magnet.metric.MetricSnapshot;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Feeds one sink from a bounded queue on a thread of its own.
 *
 * <p>{@link #offer} never blocks: when the queue is full the oldest snapshot is dropped and counted, because the newest
 * says more. After a failure, whatever the sink threw, the runner waits, longer each time, and drops what piles up
 * meanwhile. An error is logged once and counted, and its end is said.
 *
 * <p>Thread-safe. Modelled on Hadoop's {@code MetricsSinkAdapter}.
 */
public final class SinkRunner implements AutoCloseable {
    private static final Logger LOGGER = LoggerFactory.getLogger(SinkRunner.class);
    private static final int CAPACITY = 4;
    private static final long BACKOFF_FIRST_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long BACKOFF_LAST_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** Longer than any sink takes that is paced over an interval, and waits for a network. */
    static final Duration LONGEST_PUBLICATION = Duration.ofMinutes(2);

    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Sink sink;
    private final Runnable onPublished;
    private final Outage outage;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ArrayDeque<MetricSnapshot> queue = new ArrayDeque<>(CAPACITY);
    private final Backoff backoff = new Backoff(BACKOFF_FIRST_NANOS, BACKOFF_LAST_NANOS, new Random());
    private final AgentRunner runner;
    private boolean closed;
    private long published;
    private long dropped;
    private long failed;

    /**
     * @param sink what to feed; closed by the runner's thread at its end
     * @param onPublished called on the runner's thread after each snapshot that was sent
     * @param health hears of the thread, which must be alive until this is closed
     */
    public SinkRunner(Sink sink, Runnable onPublished, AgentHealth health) {
        this.sink = sink;
        this.onPublished = onPublished;
        this.outage = new Outage(LOGGER, sink.name(), System::nanoTime);
        this.runner = new AgentRunner(new Feeding(), health);
    }

    /** Starts the thread. Once. */
    public void start() {
        runner.start();
    }

    /** Queues a snapshot; drops the oldest one if the queue is full. */
    public void offer(MetricSnapshot snapshot) {
        lock.lock();
        try {
            if (closed) {
                dropped++;
                return;
            }
            if (queue.size() == CAPACITY) {
                queue.removeFirst();
                dropped++;
            }
            queue.addLast(snapshot);
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Snapshots that were sent. */
    public long published() {
        return locked(() -> published);
    }

    /** Snapshots that were never tried. */
    public long dropped() {
        return locked(() -> dropped);
    }

    /** Snapshots that the sink failed to send. */
    public long failed() {
        return locked(() -> failed);
    }

    /** Ends the thread and closes the sink; what is still queued is dropped. Waits a few seconds at most. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            dropped += queue.size();
            queue.clear();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        runner.close();
    }

    /** What the thread does. */
    private final class Feeding implements Agent {
        @Override
        public String roleName() {
            return "magnet-" + sink.name();
        }

        @Override
        public int doWork() {
            MetricSnapshot snapshot = next();
            if (snapshot == null) {
                return isClosed() ? OVER : 0;
            }
            publish(snapshot);
            return 1;
        }

        @Override
        public Optional<Duration> longestTurn() {
            return Optional.of(LONGEST_PUBLICATION);
        }

        @Override
        public void onClose() {
            sink.close();
        }
    }

    private void publish(MetricSnapshot snapshot) {
        try {
            sink.publish(snapshot);
            count(true);
            backoff.succeeded();
            outage.worked();
            onPublished.run();
        } catch (Throwable e) { // a class of the sink's may be missing while a package is replaced
            count(false);
            if (isClosed()) {
                return; // broken off at the end is no outage
            }
            outage.failed(e instanceof Error || e.getMessage() == null ? e.toString() : e.getMessage());
            pause(backoff.failed());
        }
    }

    private void count(boolean success) {
        lock.lock();
        try {
            if (success) {
                published++;
            } else {
                failed++;
            }
        } finally {
            lock.unlock();
        }
    }

    private boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    /** The next snapshot; null if there is none for a while, or none any more. */
    private @Nullable MetricSnapshot next() {
        lock.lock();
        try {
            long left = IDLE_NANOS;
            while (queue.isEmpty() && !closed && left > 0) {
                left = changed.awaitNanos(left);
            }
            return queue.pollFirst();
        } catch (InterruptedException e) {
            closed = true;
            return null;
        } finally {
            lock.unlock();
        }
    }

    private void pause(long nanos) {
        lock.lock();
        try {
            long left = nanos;
            while (left > 0 && !closed) {
                left = changed.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }

    private long locked(java.util.function.LongSupplier value) {
        lock.lock();
        try {
            return value.getAsLong();
        } finally {
            lock.unlock();
        }
    }
}
