// SPDX-License-Identifier: Apache-2.0
package magnet.measure;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import magnet.magnetfs.CollectorCounter;

/** A buffer that has what the test logs, wakes its reader, lets it hang, and ends. */
public abstract class FakeSource implements RecordSource {
    public final Map<CollectorCounter, Long> counts = new ConcurrentHashMap<>();
    public final AtomicLong longestCycle = new AtomicLong();
    public final AtomicLong longestAway = new AtomicLong();
    public volatile boolean closed;
    public volatile boolean ended;
    public volatile boolean hanging;
    private final Semaphore wake = new Semaphore(0);
    private final Semaphore going = new Semaphore(1);

    /** Lets the next read hang. */
    public final void stall() {
        going.acquireUninterruptibly();
    }

    /** Ends that. */
    public final void goOn() {
        going.release();
    }

    /** Ends a wait. */
    protected final void wake() {
        wake.release();
    }

    @Override
    public int doWork(int longestWaitMillis) {
        awaitWork(longestWaitMillis);
        return drain();
    }

    /** Waits as a reader does. */
    protected final void awaitWork(int longestWaitMillis) {
        try {
            if (!going.tryAcquire()) {
                hanging = true;
                going.acquire();
                hanging = false;
            }
            going.release();
            if (wake.tryAcquire(longestWaitMillis, TimeUnit.MILLISECONDS)) {
                wake.drainPermits();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Hands on what the test has logged. */
    protected abstract int drain();

    /** More than a test logs. */
    @Override
    public final long ringBytes() {
        return 1 << 20;
    }

    @Override
    public final int drain(long ringBytes) {
        return drain();
    }

    @Override
    public int readNow() {
        return drain();
    }

    @Override
    public final void catchUp() {
        drain();
    }

    @Override
    public final void stop() {
        wake();
    }

    @Override
    public final boolean hasEnded() {
        return ended;
    }

    @Override
    public final long count(CollectorCounter counter) {
        return counts.getOrDefault(counter, 0L);
    }

    @Override
    public final long takeLongestCycle() {
        return longestCycle.getAndSet(0);
    }

    @Override
    public final long takeLongestAway() {
        return longestAway.getAndSet(0);
    }

    @Override
    public void close() {
        closed = true;
    }
}
