// SPDX-License-Identifier: Apache-2.0
package magnet.cli.aggregate;

import java.util.List;
import magnet.record.RecordFlyweight;
import magnet.summary.TimerJump;
import org.jspecify.annotations.Nullable;

/** Takes the key of its group, and the value, out of a record of one event. Allocates nothing per record. Not thread-safe. */
final class EventKeys {
    private final RecordValue[] parts;
    private final @Nullable RecordValue value;
    private final @Nullable PacketValues packet;
    private final boolean ofLatency;
    private final int payloadBytes;

    /**
     * Those of an event.
     *
     * @param keys what the events are grouped by
     * @param value what histograms are made of; null without any
     * @param packet reads the packet's headers, of an event that has them
     */
    EventKeys(List<EventValue> keys, @Nullable EventValue value, @Nullable PacketValues packet) {
        int bytes = value == null ? 0 : value.end();
        boolean packets = value != null && value.ofPacket();
        boolean latencies = value != null && value.kind() == ValueKind.NANOS;
        this.parts = new RecordValue[keys.size()];
        for (int i = 0; i < parts.length; i++) {
            EventValue key = keys.get(i);
            parts[i] = key.value();
            bytes = Math.max(bytes, key.end());
            packets |= key.ofPacket();
            latencies |= key.kind() == ValueKind.NANOS;
        }
        this.value = value == null ? null : value.value();
        this.packet = packets ? packet : null;
        this.ofLatency = latencies;
        this.payloadBytes = bytes;
    }

    /** Whether a record has all that is asked of it; what is in the packet's headers is read. */
    boolean read(RecordFlyweight record) {
        if (record.payloadSize() < payloadBytes) {
            return false;
        }
        if (packet != null) {
            packet.read(record);
        }
        return true;
    }

    /** Whether a latency is asked of a record that was read, and the timer may have jumped meanwhile. */
    boolean spans(TimerJump jump, RecordFlyweight record) {
        return ofLatency && jump.isSpanned(record.timer(), record.payloadU64(EventValues.LATENCY_OFFSET));
    }

    /** Puts the key of a record that was read into {@code key}. */
    void keyInto(RecordFlyweight record, long[] key) {
        for (int i = 0; i < parts.length; i++) {
            key[i] = parts[i].in(record);
        }
    }

    /** The value of a record that was read; 0 where none is wanted. */
    long value(RecordFlyweight record) {
        return value == null ? 0 : value.in(record);
    }

    /** Records whose packet's headers were asked for and were not all there. */
    long untold() {
        return packet == null ? 0 : packet.untold();
    }

    /** Whether anything is in the headers of packets. */
    boolean isOfPacket() {
        return packet != null;
    }
}
