// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import magnet.metric.Layer;
import magnet.metric.MetricSnapshot;

/** Packets and bytes at one layer. For one thread. */
final class LayerSummary implements Windowed {
    private final Layer layer;
    private final WindowedCount packets;
    private final WindowedCount bytes;

    LayerSummary(Layer layer, int slots) {
        this.layer = layer;
        this.packets = new WindowedCount(slots);
        this.bytes = new WindowedCount(slots);
    }

    /** A packet passes, of so many bytes. */
    void onPacket(long length) {
        packets.increment();
        bytes.add(length);
    }

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
