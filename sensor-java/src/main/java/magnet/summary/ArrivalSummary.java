// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import java.util.Set;
import magnet.metric.BucketMetrics;
import magnet.metric.DistributionMetrics;
import magnet.metric.MetricSnapshot;
import magnet.record.EventType;
import magnet.record.RecordFlyweight;

/**
 * The time from one incoming packet of a protocol to the next, over all CPUs and sockets: the socket is not known there
 * yet. For one thread.
 */
final class ArrivalSummary extends BuiltInHandler {
    private final EventType event;
    private final DistributionMetrics metrics;
    private final BucketMetrics buckets;
    private final Quality quality;
    private final WindowedDistribution interarrival;
    private boolean arrived;
    private long lastTimer;

    ArrivalSummary(
            EventType event,
            DistributionMetrics metrics,
            BucketMetrics buckets,
            int slots,
            TimerScale scale,
            Quality quality) {
        this.event = event;
        this.metrics = metrics;
        this.buckets = buckets;
        this.quality = quality;
        this.interarrival = new WindowedDistribution(slots, scale);
    }

    @Override
    Set<EventType> events() {
        return Set.of(event);
    }

    @Override
    void onRecord(EventType type, RecordFlyweight record) {
        long timer = record.timer();
        if (arrived) {
            interarrival.record(quality.length(timer - lastTimer));
        }
        arrived = true;
        lastTimer = timer;
    }

    @Override
    void onRecords(PutOffRecords records) {
        records.handTo(this);
    }

    /** Packets may be missing since the last one. */
    @Override
    void onLost(int cpu) {
        if (arrived) {
            arrived = false;
            quality.dropByLoss(1);
        }
    }

    @Override
    void put(MetricSnapshot.Builder snapshot) {
        interarrival.put(metrics, snapshot);
        interarrival.put(buckets, snapshot);
    }

    @Override
    public void advance() {
        interarrival.advance();
    }
}
