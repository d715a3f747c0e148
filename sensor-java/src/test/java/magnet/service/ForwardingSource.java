// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import java.io.IOException;
import magnet.magnetfs.CollectorCounter;
import magnet.measure.RecordSource;

/** Another source, for who does one thing otherwise. */
class ForwardingSource implements RecordSource {
    private final RecordSource to;

    ForwardingSource(RecordSource to) {
        this.to = to;
    }

    @Override
    public int doWork(int longestWaitMillis) throws IOException {
        return to.doWork(longestWaitMillis);
    }

    @Override
    public int readNow() throws IOException {
        return to.readNow();
    }

    @Override
    public void catchUp() throws IOException {
        to.catchUp();
    }

    @Override
    public long ringBytes() {
        return to.ringBytes();
    }

    @Override
    public int drain(long ringBytes) throws IOException {
        return to.drain(ringBytes);
    }

    @Override
    public void stop() {
        to.stop();
    }

    @Override
    public boolean hasEnded() {
        return to.hasEnded();
    }

    @Override
    public long count(CollectorCounter counter) {
        return to.count(counter);
    }

    @Override
    public long takeLongestCycle() {
        return to.takeLongestCycle();
    }

    @Override
    public long takeLongestAway() {
        return to.takeLongestAway();
    }

    @Override
    public void close() throws IOException {
        to.close();
    }
}
