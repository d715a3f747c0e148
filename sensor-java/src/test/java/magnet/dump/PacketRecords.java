// SPDX-License-Identifier: Apache-2.0
package magnet.dump;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import magnet.record.EventType;
import magnet.record.RecordCursor;
import magnet.record.RecordHandler;
import magnet.record.RecordLayout;
import magnet.record.RecordWriter;

/** Records of packets as the module writes them, and packets. */
public final class PacketRecords {
    private static final int HEADER = 32;

    private final RecordWriter writer;
    private int cpu;
    private int tgid = 400;
    private int tid = 419;

    /** Room for some. */
    public PacketRecords() {
        this(1 << 16);
    }

    /** Room for so many bytes of records. */
    PacketRecords(int capacity) {
        writer = new RecordWriter(RecordLayout.WIDE, capacity);
    }

    /** From here on events happen there. */
    public PacketRecords at(int onCpu, int process, int thread) {
        cpu = onCpu;
        tgid = process;
        tid = thread;
        return this;
    }

    /** A program's call. */
    public PacketRecords call(EventType type, long timer, long cookie, int protocol) {
        writer.record(type, cpu, tgid, tid, cookie, timer, 100, 2, protocol);
        return this;
    }

    /** An event about a packet, without its bytes. */
    public PacketRecords packet(EventType type, long timer, long cookie, long id) {
        return packet(type, timer, cookie, id, 2, Ethertype.IPV4, new byte[0]);
    }

    /** An event about a packet. */
    public PacketRecords packet(
            EventType type, long timer, long cookie, long id, int ifindex, int ethertype, byte[] bytes) {
        int payload = type.payload().size();
        int start =
                writer.header(HEADER + payload + (bytes.length + 7) / 8 * 8, cpu, type.id(), tgid, tid, cookie, timer);
        ByteBuffer buffer = writer.buffer();
        buffer.putLong(start + HEADER, id)
                .putInt(start + HEADER + 8, bytes.length)
                .putInt(start + HEADER + 12, ifindex)
                .putShort(start + HEADER + 16, (short) ethertype)
                .putShort(start + HEADER + 18, (short) bytes.length)
                .putInt(start + HEADER + 20, bytes.length);
        buffer.put(start + HEADER + payload, bytes);
        return this;
    }

    /** A driver's answer. */
    public PacketRecords answer(long timer, long id, int ifindex, long namespace) {
        writer.record(EventType.NET_DEV_XMIT, cpu, tgid, tid, 0, timer, id, 60, ifindex, 0, namespace);
        return this;
    }

    /** A driver hands a packet up. */
    public PacketRecords handedUp(long timer, long id, int ifindex, long namespace) {
        writer.record(EventType.NET_DEV_RECEIVE, cpu, tgid, tid, 0, timer, id, 60, ifindex, namespace);
        return this;
    }

    /** A packet is thrown away. */
    public PacketRecords drop(long timer, long id, int reason) {
        writer.record(EventType.KFREE_SKB, cpu, tgid, tid, 0, timer, id, 60, 2, Ethertype.IPV4, 0, 0, reason);
        return this;
    }

    public byte[] bytes() {
        return writer.bytes();
    }

    public void handTo(RecordHandler handler) {
        new RecordCursor(RecordLayout.WIDE)
                .wrap(writer.buffer(), 0, writer.size())
                .forEach(handler);
    }

    /** All of a packet. */
    public static byte[] bytes(ByteBuffer packet) {
        byte[] bytes = new byte[packet.capacity()];
        packet.get(0, bytes);
        return bytes;
    }

    /** A UDP datagram over IPv4. */
    public static byte[] udp(int source, int destination, int sourcePort, int destinationPort, int data) {
        ByteBuffer packet = ipv4(source, destination, 17, 0, 8 + data);
        packet.putShort((short) sourcePort).putShort((short) destinationPort).putShort((short) (8 + data));
        return bytes(packet);
    }

    /** An IPv4 packet whose data is zeros, with its position behind the header. */
    public static ByteBuffer ipv4(int source, int destination, int protocol, int fragment, int data) {
        ByteBuffer packet = ByteBuffer.allocate(20 + data).order(ByteOrder.BIG_ENDIAN);
        packet.put((byte) 0x45).put((byte) 0).putShort((short) (20 + data)).putShort((short) 7);
        packet.putShort((short) fragment).put((byte) 64).put((byte) protocol).putShort((short) 0);
        return packet.putInt(source).putInt(destination);
    }

    /** An IPv6 packet whose data is zeros, with its position behind the header; addresses are fd00:: and a number. */
    public static ByteBuffer ipv6(int source, int destination, int protocol, int data) {
        ByteBuffer packet = ByteBuffer.allocate(40 + data).order(ByteOrder.BIG_ENDIAN);
        packet.putInt(0x6000_0000).putShort((short) data).put((byte) protocol).put((byte) 64);
        packet.putLong(0xfd00L << 48).putLong(source);
        return packet.putLong(0xfd00L << 48).putLong(destination);
    }

    /** An ARP packet over Ethernet. */
    public static byte[] arp(boolean request, int source, int target) {
        ByteBuffer packet = ByteBuffer.allocate(28).order(ByteOrder.BIG_ENDIAN);
        packet.putShort((short) 1).putShort((short) 0x800).put((byte) 6).put((byte) 4);
        return bytes(
                packet.putShort((short) (request ? 1 : 2)).putInt(14, source).putInt(24, target));
    }
}
