// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import magnet.metric.MetricSnapshot;
import magnet.metric.Metrics;

/** Processes made, programs started, processes ended. For one thread. */
final class ProcessSummary implements Windowed {
    private final WindowedCount forks;
    private final WindowedCount execs;
    private final WindowedCount exits;

    ProcessSummary(int slots) {
        this.forks = new WindowedCount(slots);
        this.execs = new WindowedCount(slots);
        this.exits = new WindowedCount(slots);
    }

    /** A thread was made; it is a new process if it leads its own thread group. */
    void onFork(long childTid, long childTgid) {
        if (childTid == childTgid) {
            forks.increment();
        }
    }

    void onExec() {
        execs.increment();
    }

    /** A thread ended; so did its process if it was the last one. */
    void onExit(boolean lastOfProcess) {
        if (lastOfProcess) {
            exits.increment();
        }
    }

    void put(MetricSnapshot.Builder snapshot) {
        snapshot.putRate(Metrics.FORKS, forks.sum());
        snapshot.putRate(Metrics.EXECS, execs.sum());
        snapshot.putRate(Metrics.EXITS, exits.sum());
    }

    @Override
    public void advance() {
        forks.advance();
        execs.advance();
        exits.advance();
    }
}
