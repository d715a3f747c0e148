// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import magnet.metric.Metric;
import magnet.metric.MetricSnapshot;
import magnet.metric.SensorMetrics;

/** What the sensor reads and loses. For one thread. */
final class SensorSummary implements Windowed {
    private final WindowedCount events;
    private final WindowedCount lost;
    /** Losses and jumps of the timer. */
    private final WindowedCount cuts;

    private final Map<Metric, WindowedTotal> totals = new HashMap<>();
    private final WindowedMax lagNanos;
    private final WindowedMax cycleNanos;
    private final WindowedMax awayNanos;
    private final WindowedMax closingNanos;
    private long eventsSoFar;

    /**
     * @param slots slots of the window
     * @param eventsSoFar events before the first window, counted since start
     */
    SensorSummary(int slots, long eventsSoFar) {
        this.eventsSoFar = eventsSoFar;
        this.events = new WindowedCount(slots);
        this.lost = new WindowedCount(slots);
        this.cuts = new WindowedCount(slots);
        this.lagNanos = new WindowedMax(slots);
        this.cycleNanos = new WindowedMax(slots);
        this.awayNanos = new WindowedMax(slots);
        this.closingNanos = new WindowedMax(slots);
        SensorMetrics.OF_READING.forEach(metric -> totals.put(metric, new WindowedTotal(slots)));
    }

    /** Events, counted since start. */
    void onEvents(long sinceStart) {
        events.add(sinceStart - eventsSoFar);
        eventsSoFar = sinceStart;
    }

    void onLost(long count) {
        lost.add(count);
        cuts.add(count);
    }

    /** The timer jumped: what was open is thrown away. */
    void onJump() {
        cuts.increment();
    }

    /** One of {@link SensorMetrics#OF_READING} has come to so much since start. */
    void onTotal(Metric metric, long sinceStart) {
        Objects.requireNonNull(totals.get(metric), metric.name()).is(sinceStart);
    }

    /** The same before the first window. */
    void startTotal(Metric metric, long sinceStart) {
        Objects.requireNonNull(totals.get(metric), metric.name()).startAt(sinceStart);
    }

    /** An event arrived so long after it happened. */
    void onLag(long nanos) {
        lagNanos.record(nanos);
    }

    /** A cycle of the collector took so long. */
    void onCycle(long nanos) {
        cycleNanos.record(nanos);
    }

    /** So long the collector did not look at its files. */
    void onAway(long nanos) {
        awayNanos.record(nanos);
    }

    /** A window's end took so long. */
    void onClosing(long nanos) {
        closingNanos.record(nanos);
    }

    void put(MetricSnapshot.Builder snapshot, Quality quality) {
        snapshot.putRate(SensorMetrics.EVENTS, events.sum());
        snapshot.putRate(SensorMetrics.LOST, lost.sum());
        snapshot.put(SensorMetrics.LOSSY, cuts.slotsWithAny());
        totals.forEach((metric, total) -> snapshot.putRate(metric, total.sum()));
        snapshot.putRate(SensorMetrics.DISCARDED, quality.discardedInWindow());
        snapshot.put(SensorMetrics.LAG, lagNanos.max() / 1_000.0);
        snapshot.put(SensorMetrics.CYCLE, cycleNanos.max() / 1_000.0);
        snapshot.put(SensorMetrics.AWAY, awayNanos.max() / 1_000.0);
        snapshot.put(SensorMetrics.CLOSING, closingNanos.max() / 1_000.0);
        snapshot.put(SensorMetrics.WINDOW, snapshot.windowSeconds());
    }

    @Override
    public void advance() {
        events.advance();
        lost.advance();
        cuts.advance();
        totals.values().forEach(WindowedTotal::advance);
        lagNanos.advance();
        cycleNanos.advance();
        awayNanos.advance();
        closingNanos.advance();
    }
}
