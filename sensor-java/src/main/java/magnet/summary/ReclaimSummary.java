// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import static magnet.record.EventType.MM_VMSCAN_DIRECT_RECLAIM_BEGIN;
import static magnet.record.EventType.MM_VMSCAN_DIRECT_RECLAIM_END;

import java.util.EnumSet;
import java.util.Set;
import magnet.metric.MemoryMetrics;
import magnet.metric.MetricSnapshot;
import magnet.record.EventType;
import magnet.record.Payload;
import magnet.record.RecordFlyweight;

/**
 * Threads that want memory and have to free some first: the machine's, or their control group's. Neither happens inside
 * the other, so the thread joins begin and end. For one thread.
 */
final class ReclaimSummary extends BuiltInHandler {
    private static final int CAPACITY = 1_024;
    private static final int STALLED = 1;

    private final Quality quality;
    private final OpenIntervals open = new OpenIntervals(CAPACITY);
    private final WindowedCount stalls;
    private final WindowedCount pages;
    private final WindowedDistribution times;

    ReclaimSummary(int slots, TimerScale scale, Quality quality) {
        this.quality = quality;
        this.stalls = new WindowedCount(slots);
        this.pages = new WindowedCount(slots);
        this.times = new WindowedDistribution(slots, scale);
    }

    @Override
    Set<EventType> events() {
        return EnumSet.of(MM_VMSCAN_DIRECT_RECLAIM_BEGIN, MM_VMSCAN_DIRECT_RECLAIM_END);
    }

    @Override
    void onRecord(EventType type, RecordFlyweight record) {
        if (type == MM_VMSCAN_DIRECT_RECLAIM_BEGIN) {
            open.open(record.tid(), 0, record.timer(), STALLED);
            return;
        }
        pages.add(record.payloadU64(Payload.RECLAIM_END_PAGES_OFFSET));
        stalls.increment();
        int place = open.find(record.tid(), 0);
        if (place != OpenIntervals.NONE) {
            long ticks = quality.length(record.timer() - open.begin(place));
            times.record(ticks);
            open.close(place);
        }
    }

    @Override
    void onRecords(PutOffRecords records) {
        records.handTo(this);
    }

    @Override
    void onLost(int cpu) {
        quality.dropByLoss(open.closeAll());
    }

    @Override
    void put(MetricSnapshot.Builder snapshot) {
        quality.evict(open.takeEvicted());
        snapshot.putRate(MemoryMetrics.STALLS, stalls.sum());
        snapshot.putRate(MemoryMetrics.RECLAIMED_PAGES, pages.sum());
        times.put(MemoryMetrics.STALL_TIME, snapshot);
        times.put(MemoryMetrics.STALL_BUCKETS, snapshot);
    }

    @Override
    public void advance() {
        stalls.advance();
        pages.advance();
        times.advance();
    }
}
