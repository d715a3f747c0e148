// SPDX-License-Identifier: Apache-2.0
package magnet.measure;

import java.io.IOException;
import magnet.magnetfs.Collector;
import magnet.magnetfs.CollectorCounter;

/**
 * The collector as who measures sees it. Threads are as with the collector.
 *
 * @param collector the collector
 * @param ringBytes at least the size of the buffer, for each CPU
 */
public record CollectorSource(Collector collector, long ringBytes) implements RecordSource {
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
        return collector.drain();
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
    public void close() throws IOException {
        collector.close();
    }
}
