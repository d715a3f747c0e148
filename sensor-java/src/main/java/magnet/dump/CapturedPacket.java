// SPDX-License-Identifier: Apache-2.0
package magnet.dump;

import java.nio.ByteBuffer;
import magnet.record.EventType;
import magnet.record.Payload;
import magnet.record.RecordFlyweight;

/**
 * A packet as it was when tcpdump would have seen it, until it is shown. It is used again for another one. For one thread.
 */
final class CapturedPacket {
    private ByteBuffer bytes = ByteBuffer.allocate(256);
    private Journey journey = new Journey(process -> "");
    private long timer;
    private int cpu;
    private int process;
    private int thread;
    private String owner = "";
    private boolean sent;
    private int ifindex;
    private long namespace;
    private int ethertype;
    private int captured;
    private long originalLength;
    private long takenNanos;
    private boolean hasTime;

    /**
     * Takes what a record says.
     *
     * @param most bytes of the packet to keep
     * @param itsOwner whose the process is; empty if that is not known
     */
    CapturedPacket take(RecordFlyweight record, int most, Journey ofPacket, String itsOwner) {
        timer = record.timer();
        cpu = record.cpu();
        process = record.tgid();
        thread = record.tid();
        owner = itsOwner;
        sent = record.event() == EventType.NET_DEV_START_XMIT.id();
        ifindex = (int) record.payloadU32(Payload.PACKET_IFINDEX_OFFSET);
        namespace = 0;
        ethertype = record.payloadU16(Payload.PACKET_ETHERTYPE_OFFSET);
        captured = Math.min(most, capturedOf(record));
        long length = record.payloadU32(Payload.PACKET_NETWORK_LEN_OFFSET);
        originalLength = length == 0 ? record.payloadU32(Payload.PACKET_LEN_OFFSET) : length;
        int size = CookedHeader.SIZE + captured;
        if (bytes.capacity() < size) {
            bytes = ByteBuffer.allocate(Integer.highestOneBit(size) * 2);
        }
        bytes.put(CookedHeader.SIZE, record.buffer(), record.payloadOffset() + Payload.PACKET.size(), captured);
        journey = ofPacket;
        hasTime = false;
        return this;
    }

    /** Bytes of the packet that a record carries and has. */
    static int capturedOf(RecordFlyweight record) {
        return Math.min(
                record.payloadU16(Payload.PACKET_CAPTURED_OFFSET), record.payloadSize() - Payload.PACKET.size());
    }

    /** Where the bytes of the packet begin in {@link #bytes()}; before them is room for a {@link CookedHeader}. */
    static int start() {
        return CookedHeader.SIZE;
    }

    /** Index after the last byte that was captured. */
    int end() {
        return CookedHeader.SIZE + captured;
    }

    ByteBuffer bytes() {
        return bytes;
    }

    Journey journey() {
        return journey;
    }

    long timer() {
        return timer;
    }

    int cpu() {
        return cpu;
    }

    int process() {
        return process;
    }

    int thread() {
        return thread;
    }

    /** Whose the process was; empty if that was not known. */
    String owner() {
        return owner;
    }

    /** Whether it went out, and did not come in. */
    boolean sent() {
        return sent;
    }

    int ifindex() {
        return ifindex;
    }

    /** The inode of the device's network namespace; 0 as long as that is not known. */
    long namespace() {
        return namespace;
    }

    void inNamespace(long inode) {
        namespace = inode;
    }

    int ethertype() {
        return ethertype;
    }

    int captured() {
        return captured;
    }

    /** Bytes that it had from its network header on. */
    long originalLength() {
        return originalLength;
    }

    /** From when on it waits; gives whether that was not known before. */
    boolean takeTime(long nanos) {
        if (hasTime) {
            return false;
        }
        takenNanos = nanos;
        hasTime = true;
        return true;
    }

    /** Whether it is known from when on it waits. */
    boolean hasTime() {
        return hasTime;
    }

    /** When it was taken. */
    long takenNanos() {
        return takenNanos;
    }

    /** Whether nothing more is to be learnt of it: its journey has ended, or it went out to where nobody sees it. */
    boolean isComplete() {
        int last = journey.size() - 1;
        return journey.hasEnded()
                || (sent
                        && last > 0
                        && journey.point(last) == EventType.NET_DEV_XMIT
                        && journey.point(last - 1) == EventType.NET_DEV_START_XMIT);
    }
}
