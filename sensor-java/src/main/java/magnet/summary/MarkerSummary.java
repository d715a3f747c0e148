// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import java.util.Set;
import magnet.metric.MetricSnapshot;
import magnet.metric.UserMetrics;
import magnet.record.EventType;
import magnet.record.RecordFlyweight;

/** Markers that programs write, and the time from one to the next of the same number. For one thread. */
final class MarkerSummary extends BuiltInHandler {
    private static final int CAPACITY = 1_024;
    private static final int SEEN = 1;
    /** The kernel's number for a text that begins with none. */
    private static final long NO_NUMBER = 0;

    private final Quality quality;
    private final OpenIntervals last = new OpenIntervals(CAPACITY);
    private final WindowedCount markers;
    private final WindowedDistribution intervals;

    MarkerSummary(int slots, TimerScale scale, Quality quality) {
        this.quality = quality;
        this.markers = new WindowedCount(slots);
        this.intervals = new WindowedDistribution(slots, scale);
    }

    @Override
    Set<EventType> events() {
        return Set.of(EventType.MARKER);
    }

    @Override
    void onRecord(EventType type, RecordFlyweight record) {
        markers.increment();
        if (record.abstractId() == NO_NUMBER) {
            return;
        }
        int place = last.find(record.abstractId(), 0);
        if (place != OpenIntervals.NONE) {
            intervals.record(quality.length(record.timer() - last.begin(place)));
        }
        last.open(record.abstractId(), 0, record.timer(), SEEN);
    }

    @Override
    void onRecords(PutOffRecords records) {
        records.handTo(this);
    }

    @Override
    void onLost(int cpu) {
        quality.dropByLoss(last.closeAll());
    }

    @Override
    void put(MetricSnapshot.Builder snapshot) {
        // Whether it would have been used again nobody knows: it may have been an interval.
        quality.evict(last.takeEvicted());
        snapshot.putRate(UserMetrics.MARKERS, markers.sum());
        intervals.put(UserMetrics.MARKER_INTERVAL, snapshot);
    }

    @Override
    public void advance() {
        markers.advance();
        intervals.advance();
    }
}
