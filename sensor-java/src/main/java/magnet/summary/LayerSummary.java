// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import java.util.Set;
import magnet.metric.Layer;
import magnet.metric.MetricSnapshot;
import magnet.record.EventType;
import magnet.record.Payload;
import magnet.record.RecordFlyweight;

/** Packets and bytes at one layer. For one thread. */
final class LayerSummary extends BuiltInHandler {
    private final Layer layer;
    private final int lengthOffset;
    private final WindowedCount packets;
    private final WindowedCount bytes;

    LayerSummary(Layer layer, int slots) {
        this.layer = layer;
        this.lengthOffset =
                layer.event().payload() == Payload.SOCK ? Payload.SOCK_LEN_OFFSET : Payload.PACKET_LEN_OFFSET;
        this.packets = new WindowedCount(slots);
        this.bytes = new WindowedCount(slots);
    }

    @Override
    Set<EventType> events() {
        return Set.of(layer.event());
    }

    @Override
    void onRecord(EventType type, RecordFlyweight record) {
        packets.increment();
        bytes.add(record.payloadU32(lengthOffset));
    }

    @Override
    void onRecords(PutOffRecords records) {
        records.handTo(this);
    }

    @Override
    void put(MetricSnapshot.Builder snapshot) {
        snapshot.putRate(layer.packets(), packets.sum());
        snapshot.putRate(layer.bytes(), bytes.sum());
    }

    @Override
    public void advance() {
        packets.advance();
        bytes.advance();
    }
}
