// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.view.index;

import java.io.IOException;
import magnet.cluster.sync.PacketKey;
import magnet.record.Payload;
import magnet.record.RecordFlyweight;

/**
 * Packets that a node sent and received, in the order of time: of each a key that it has on both ends, when, on which CPU, and who
 * sent it. 21 bytes each. Threads: one adds; once the file is mapped, any may ask.
 */
public final class PacketLog {
    private static final int SENT = 1 << 31;
    private static final int CPU_MASK = 0xffff;

    private final Times times;
    private final Column keys;
    private final Column places;
    private final Column subjects;
    private final PacketKey key = new PacketKey();
    private long keyless;

    PacketLog(PagedFile file) {
        this.times = new Times(file);
        this.keys = Column.ofLongs(file);
        this.places = Column.ofInts(file);
        this.subjects = Column.ofInts(file);
    }

    void onSend(RecordFlyweight record, long at, int subject) throws IOException {
        add(record, at, SENT, subject);
    }

    void onReceive(RecordFlyweight record, long at) throws IOException {
        add(record, at, 0, Subject.NOTHING);
    }

    private void add(RecordFlyweight record, long when, int direction, int subject) throws IOException {
        int captured = Math.min(
                record.payloadU16(Payload.PACKET_CAPTURED_OFFSET), record.payloadSize() - Payload.PACKET.size());
        int at = record.payloadOffset() + Payload.PACKET.size();
        if (!key.isIn(record.buffer(), at, captured, record.payloadU32(Payload.PACKET_NETWORK_LEN_OFFSET))) {
            keyless++;
            return;
        }
        times.add(when);
        keys.addLong(key.value());
        places.addInt(direction | (record.cpu() & CPU_MASK));
        subjects.addInt(subject);
    }

    void finish() throws IOException {
        times.finish();
        keys.finish();
        places.finish();
        subjects.finish();
    }

    /** How many there are. */
    public long size() {
        return times.size();
    }

    /** Packets whose bytes the trace lacks, or that are of no protocol whose headers tell them apart. */
    public long keyless() {
        return keyless;
    }

    /** When, in ticks of the node. */
    public long at(long index) {
        return times.get(index);
    }

    /** What it has in common with the same packet at its other end. */
    long key(long index) {
        return keys.getLong(index);
    }

    /** Whether the node sent it; otherwise it received it. */
    public boolean isSent(long index) {
        return places.getInt(index) < 0;
    }

    /** On which CPU. */
    public int cpu(long index) {
        return places.getInt(index) & CPU_MASK;
    }

    /** The thread that sent it; {@link Subject#NOTHING} if it was received. */
    public int subject(long index) {
        return subjects.getInt(index);
    }
}
