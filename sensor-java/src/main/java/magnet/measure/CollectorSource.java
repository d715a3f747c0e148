// SPDX-License-Identifier: Apache-2.0
package magnet.measure;

import java.io.IOException;
import java.util.function.LongSupplier;
import magnet.magnetfs.Collector;
import magnet.magnetfs.CollectorCounter;

/** The collector as who measures sees it. Threads are as with the collector. */
public final class CollectorSource implements RecordSource {
    private final Collector collector;
    private final long mostBytes;
    private final LongSupplier ringBytes;

    /**
     * @param collector the collector; closed with this
     * @param mostBytes at least the size of the buffer that was made, for each CPU
     * @param ringBytes asks the kernel for what it is now
     */
    public CollectorSource(Collector collector, long mostBytes, LongSupplier ringBytes) {
        this.collector = collector;
        this.mostBytes = mostBytes;
        this.ringBytes = ringBytes;
    }

    /** The collector. */
    public Collector collector() {
        return collector;
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
    public long ringBytes() {
        return ringBytes.getAsLong();
    }

    @Override
    public int drain(long bytes) throws IOException {
        return collector.drain(bytes);
    }

    /** The same in a buffer of the size that was made, by who reads, without a word with the kernel. */
    public int drainWhatIsThere() throws IOException {
        return collector.drain(mostBytes);
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
