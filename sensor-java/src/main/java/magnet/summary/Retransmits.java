// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import java.util.Set;
import magnet.metric.MetricSnapshot;
import magnet.metric.NetworkMetrics;
import magnet.record.EventType;
import magnet.record.Payload;
import magnet.record.RecordFlyweight;

/**
 * Segments that TCP sends again. A packet that is cut up later counts as many, as in the kernel's own counters. For one
 * thread.
 */
final class Retransmits extends BuiltInHandler {
    private final WindowedCount segments;

    Retransmits(int slots) {
        this.segments = new WindowedCount(slots);
    }

    @Override
    Set<EventType> events() {
        return Set.of(EventType.TCP_RETRANSMIT_SKB);
    }

    @Override
    void onRecord(EventType type, RecordFlyweight record) {
        segments.add(record.payloadU32(Payload.RETRANSMIT_SEGMENTS_OFFSET));
    }

    @Override
    void onRecords(PutOffRecords records) {
        records.handTo(this);
    }

    @Override
    void put(MetricSnapshot.Builder snapshot) {
        snapshot.putRate(NetworkMetrics.TCP_RETRANSMITS, segments.sum());
    }

    @Override
    public void advance() {
        segments.advance();
    }
}
