// SPDX-License-Identifier: Apache-2.0
package magnet.measure;

import java.io.IOException;
import magnet.magnetfs.Collector;
import magnet.magnetfs.CollectorCounter;

/** The collector as who measures sees it. Threads are as with the collector. */
public final class CollectorSource implements RecordSource {
    private final Collector collector;
    private final long ringBytes;
    private volatile long mostBytes = Long.MAX_VALUE;

    /**
     * @param collector the collector; closed with this
     * @param ringBytes at least the size of the buffer, for each CPU
     */
    public CollectorSource(Collector collector, long ringBytes) {
        this.collector = collector;
        this.ringBytes = ringBytes;
    }

    /** The collector. */
    public Collector collector() {
        return collector;
    }

    /** What {@link #drain} hands on of each CPU is no more: somebody else may log into the buffer without end. */
    void holdsAtMost(long bytes) {
        mostBytes = bytes;
    }

    @Override
    public int doWork(int longestWaitMillis) throws IOException {
        return collector.doWork(longestWaitMillis);
    }

    @Override
    public int readNow() throws IOException {
        return collector.readNow();
    }

    @Override
    public void catchUp() throws IOException {
        collector.catchUp();
    }

    @Override
    public int drain() throws IOException {
        return collector.drain(mostBytes);
    }

    @Override
    public int drainWhatIsThere() throws IOException {
        return collector.drain(ringBytes);
    }

    @Override
    public void stop() {
        collector.stop();
    }

    @Override
    public boolean hasEnded() {
        return collector.hasEnded();
    }

    @Override
    public long count(CollectorCounter counter) {
        return collector.count(counter);
    }

    @Override
    public long takeLongestCycle() {
        return collector.takeLongestCycle();
    }

    @Override
    public long takeLongestAway() {
        return collector.takeLongestAway();
    }

    @Override
    public void close() throws IOException {
        collector.close();
    }
}
