// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import magnet.metric.MetricSnapshot;
import magnet.metric.SensorMetrics;

/** What the sensor reads and loses. For one thread. */
final class SensorSummary implements Windowed {
    private final WindowedCount events;
    private final WindowedCount lost;
    private final WindowedCount late;
    private final WindowedMax lagNanos;
    private long lateSoFar;

    SensorSummary(int slots) {
        this.events = new WindowedCount(slots);
        this.lost = new WindowedCount(slots);
        this.late = new WindowedCount(slots);
        this.lagNanos = new WindowedMax(slots);
    }

    void onEvent() {
        events.increment();
    }

    void onLost(long count) {
        lost.add(count);
    }

    /** Records that came late, counted since start. */
    void onLate(long sinceStart) {
        late.add(sinceStart - lateSoFar);
        lateSoFar = sinceStart;
    }

    /** An event arrived so long after it happened. */
    void onLag(long nanos) {
        lagNanos.record(nanos);
    }

    void put(MetricSnapshot.Builder snapshot, Quality quality) {
        snapshot.putRate(SensorMetrics.EVENTS, events.sum());
        snapshot.putRate(SensorMetrics.LOST, lost.sum());
        snapshot.putRate(SensorMetrics.LATE, late.sum());
        snapshot.putRate(SensorMetrics.DISCARDED, quality.discardedInWindow());
        snapshot.put(SensorMetrics.LAG, lagNanos.max() / 1_000.0);
        snapshot.put(SensorMetrics.WINDOW, snapshot.windowSeconds());
    }

    @Override
    public void advance() {
        events.advance();
        lost.advance();
        late.advance();
        lagNanos.advance();
    }
}
