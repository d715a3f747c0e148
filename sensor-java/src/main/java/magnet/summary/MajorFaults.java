// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import java.util.Set;
import magnet.metric.MemoryMetrics;
import magnet.metric.MetricSnapshot;
import magnet.record.EventType;
import magnet.record.Payload;
import magnet.record.RecordFlyweight;

/** Page faults that had to wait for a device; the kernel measures each. For one thread. */
final class MajorFaults extends BuiltInHandler {
    private final Quality quality;
    private final TimerJump jump = new TimerJump();
    private final WindowedCount faults;
    private final WindowedDistribution times;

    MajorFaults(int slots, TimerScale scale, Quality quality) {
        this.quality = quality;
        this.faults = new WindowedCount(slots);
        this.times = new WindowedDistribution(slots, scale);
    }

    @Override
    Set<EventType> events() {
        return Set.of(EventType.MAJOR_FAULT);
    }

    @Override
    void onRecord(EventType type, RecordFlyweight record) {
        faults.increment();
        long ticks = record.payloadU64(Payload.MAJOR_FAULT_LATENCY_OFFSET);
        if (jump.isSpanned(record.timer(), ticks)) {
            quality.unpair();
        } else {
            times.record(quality.length(ticks));
        }
    }

    @Override
    void onNewEpoch() {
        jump.happened();
    }

    @Override
    void onRecords(PutOffRecords records) {
        records.handTo(this);
    }

    @Override
    void put(MetricSnapshot.Builder snapshot) {
        snapshot.putRate(MemoryMetrics.MAJOR_FAULTS, faults.sum());
        times.put(MemoryMetrics.MAJOR_FAULT_TIME, snapshot);
        times.put(MemoryMetrics.MAJOR_FAULT_BUCKETS, snapshot);
    }

    @Override
    public void advance() {
        faults.advance();
        times.advance();
    }
}
