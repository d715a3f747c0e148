// SPDX-License-Identifier: Apache-2.0
package magnet.cli.aggregate;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import magnet.record.EventType;
import magnet.record.RecordFlyweight;
import magnet.trace.EventField;
import magnet.trace.EventFormat;
import magnet.trace.PacketHeaders;

/** What is in the headers of the packet that the records of an event carry. Allocates nothing per record. Not thread-safe. */
final class PacketValues {
    /** Bytes of a packet that have its headers, but for the longest of IPv6. */
    static final int SNAP_BYTES = 128;

    private static final String CAPTURED = "captured";

    private final PacketHeaders headers = new PacketHeaders();
    private final ByteBuffer address = ByteBuffer.allocate(2 * Long.BYTES).order(ByteOrder.BIG_ENDIAN);
    private final int capturedAt;
    private final int packetAt;
    private long untold;

    /** Those of an event that {@link #areIn}. */
    PacketValues(EventFormat event) {
        EventField captured = event.field(CAPTURED);
        this.capturedAt = captured == null ? 0 : captured.offset();
        this.packetAt = event.size();
    }

    /** Whether records of an event may carry a packet that has a network header. */
    static boolean areIn(EventFormat event) {
        boolean early = event.id() == EventType.IP_QUEUE_XMIT.id() || event.id() == EventType.TCP_RETRANSMIT_SKB.id();
        return !early && event.tail() == EventFormat.Tail.BYTES && event.field(CAPTURED) != null;
    }

    /** Records whose packet's headers were not all there: what was asked of them was taken for 0. */
    long untold() {
        return untold;
    }

    /** Reads the headers of a record, before anything is asked of them. */
    void read(RecordFlyweight record) {
        int from = record.payloadOffset() + packetAt;
        int to = Math.min(from + record.payloadU16(capturedAt), record.offset() + record.size());
        if (!headers.read(record.buffer(), from, to)) {
            untold++;
        }
    }

    /** The headers that were read last. */
    PacketHeaders headers() {
        return headers;
    }

    /** The number of the source's address. */
    long source(BytePool pool) {
        return number(headers.sourceHigh(), headers.sourceLow(), pool);
    }

    /** The number of the destination's address. */
    long destination(BytePool pool) {
        return number(headers.destinationHigh(), headers.destinationLow(), pool);
    }

    private long number(long high, long low, BytePool pool) {
        address.putLong(0, high).putLong(Long.BYTES, low);
        return pool.numberOf(address, 0, 2 * Long.BYTES);
    }
}
