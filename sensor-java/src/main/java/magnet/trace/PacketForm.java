// SPDX-License-Identifier: Apache-2.0
package magnet.trace;

import java.nio.ByteBuffer;
import magnet.record.EventType;
import magnet.record.Payload;
import magnet.record.RecordLayout;

/**
 * The packets of a trace: their header, and the order of a record's header in them.
 *
 * <pre>
 *  offset  0      4          8                16             24             32            40                 48      52
 *          magic  stream id  timestamp begin  timestamp end  content bits   packet bits   events discarded   cpu id  reserved
 *
 *  wide     0   2     6      8          16     20    24             32
 *           id  size  (cpu)  timer      tgid   tid   abstract_id    payload…
 *  classic  0 (10 bits)      4          12           16             24
 *           id  size  (cpu)  timer      tgid         abstract_id    payload…
 * </pre>
 *
 * <p>Readers of CTF want an event's id and time before all else of it. So a record's first word is rotated until the id
 * is in front, and the timer goes behind it. In place of the size stands, for an open event
 * ({@link RecordFormats#isOpen}), how many bytes follow its fields. The rest of the record stays as it is. Stateless.
 */
final class PacketForm {
    static final int MAGIC = 0xc1fc1fc1;
    static final int HEADER_SIZE = 56;
    static final int MAGIC_OFFSET = 0;
    static final int STREAM_ID_OFFSET = 4;
    static final int TIMESTAMP_BEGIN_OFFSET = 8;
    static final int TIMESTAMP_END_OFFSET = 16;
    static final int CONTENT_BITS_OFFSET = 24;
    static final int PACKET_BITS_OFFSET = 32;
    static final int EVENTS_DISCARDED_OFFSET = 40;
    static final int CPU_OFFSET = 48;
    /** Where the content ends of a packet without records: what follows is alignment of the first one. */
    static final int NOTHING_END = CPU_OFFSET + Integer.BYTES;

    private static final int WIDE_EVENT_BITS = 16;
    private static final int WIDE_EVENT_MASK = (1 << WIDE_EVENT_BITS) - 1;
    private static final long WIDE_SIZE_MASK = 0xffff_ffffL << WIDE_EVENT_BITS;
    private static final int CLASSIC_CPU_BITS = 6;
    private static final int CLASSIC_EVENT_BITS = 10;
    private static final int CLASSIC_EVENT_MASK = (1 << CLASSIC_EVENT_BITS) - 1;
    private static final int CLASSIC_SIZE_MASK = 0xffff << CLASSIC_EVENT_BITS;
    private static final int CLASSIC_SIZE_SHIFT = 16;

    private PacketForm() {}

    /**
     * Writes the header of a packet that begins with the buffer.
     *
     * @param begin timer of its first record
     * @param end timer of its last one
     * @param contentEnd index after the last byte that is described
     * @param packetEnd index after its last byte
     * @param discarded events lost up to its end
     */
    static void putHeader(
            ByteBuffer packet, int cpu, long begin, long end, int contentEnd, int packetEnd, long discarded) {
        packet.putInt(MAGIC_OFFSET, MAGIC);
        packet.putInt(STREAM_ID_OFFSET, 0);
        packet.putLong(TIMESTAMP_BEGIN_OFFSET, begin);
        packet.putLong(TIMESTAMP_END_OFFSET, end);
        packet.putLong(CONTENT_BITS_OFFSET, (long) contentEnd * Byte.SIZE);
        packet.putLong(PACKET_BITS_OFFSET, (long) packetEnd * Byte.SIZE);
        packet.putLong(EVENTS_DISCARDED_OFFSET, discarded);
        packet.putLong(CPU_OFFSET, cpu);
    }

    /** Puts the header of the record at {@code at} in a packet's order. */
    static void arrange(RecordFormats formats, ByteBuffer packet, int at) {
        if (formats.layout() == RecordLayout.CLASSIC) {
            arrangeClassic(formats, packet, at);
            return;
        }
        long first = Long.rotateLeft(packet.getLong(at), WIDE_EVENT_BITS);
        int event = (int) first & WIDE_EVENT_MASK;
        if (formats.isOpen(event)) {
            int size = (int) (first >>> WIDE_EVENT_BITS);
            first = (first & ~WIDE_SIZE_MASK) | ((long) (size - formats.fixedSize(event)) << WIDE_EVENT_BITS);
        }
        long who = packet.getLong(at + 8);
        long abstractId = packet.getLong(at + 16);
        long timer = packet.getLong(at + 24);
        packet.putLong(at, first);
        packet.putLong(at + 8, timer);
        packet.putLong(at + 16, who);
        packet.putLong(at + 24, abstractId);
    }

    /** Puts it back in a record's order; at least a header's bytes are there. */
    static void restore(RecordFormats formats, ByteBuffer packet, int at) {
        if (formats.layout() == RecordLayout.CLASSIC) {
            restoreClassic(formats, packet, at);
            return;
        }
        long first = packet.getLong(at);
        int event = (int) first & WIDE_EVENT_MASK;
        if (formats.isOpen(event)) {
            long size = ((first & WIDE_SIZE_MASK) >>> WIDE_EVENT_BITS) + formats.fixedSize(event);
            first = (first & ~WIDE_SIZE_MASK) | ((size << WIDE_EVENT_BITS) & WIDE_SIZE_MASK);
        }
        long timer = packet.getLong(at + 8);
        long who = packet.getLong(at + 16);
        long abstractId = packet.getLong(at + 24);
        packet.putLong(at, Long.rotateRight(first, WIDE_EVENT_BITS));
        packet.putLong(at + 8, who);
        packet.putLong(at + 16, abstractId);
        packet.putLong(at + 24, timer);
    }

    /**
     * Bytes of a record that its description covers. A record is filled up to a multiple of 8, which between two records
     * is alignment; behind the last one a reader would look for a further event there.
     *
     * @param at a record in the record's own order
     */
    static int described(RecordFormats formats, ByteBuffer records, int at, int event, int size) {
        EventFormat format = formats.event(event);
        int header = formats.layout().headerSize();
        if (format == null || format.tail() == EventFormat.Tail.MORE) {
            return format == null ? header : size;
        }
        if (format.fields().isEmpty()) {
            return header;
        }
        if (format.tail() == EventFormat.Tail.NONE) {
            return header + format.fields().get(format.fields().size() - 1).end();
        }
        EventField count = format.field(format.tail().countField());
        long items = count == null ? 0 : number(records, at + header + count.offset(), count.size());
        return (int)
                Math.min(size, header + format.size() + items * format.tail().unit());
    }

    /** Events that a record says were lost. */
    static long lost(RecordFormats formats, ByteBuffer records, int at, int event) {
        return event == EventType.LOST.id()
                ? records.getLong(at + formats.layout().headerSize() + Payload.LOST_COUNT_OFFSET)
                : 0;
    }

    private static void arrangeClassic(RecordFormats formats, ByteBuffer packet, int at) {
        int original = packet.getInt(at);
        int first = Integer.rotateRight(original, CLASSIC_CPU_BITS);
        int event = first & CLASSIC_EVENT_MASK;
        if (formats.isOpen(event)) {
            int more = (original >>> CLASSIC_SIZE_SHIFT) - formats.fixedSize(event);
            first = (first & ~CLASSIC_SIZE_MASK) | (more << CLASSIC_EVENT_BITS);
        }
        int pid = packet.getInt(at + 4);
        long abstractId = packet.getLong(at + 8);
        long timer = packet.getLong(at + 16);
        packet.putInt(at, first);
        packet.putLong(at + 4, timer);
        packet.putInt(at + 12, pid);
        packet.putLong(at + 16, abstractId);
    }

    private static void restoreClassic(RecordFormats formats, ByteBuffer packet, int at) {
        int first = packet.getInt(at);
        int event = first & CLASSIC_EVENT_MASK;
        if (formats.isOpen(event)) {
            int size = ((first & CLASSIC_SIZE_MASK) >>> CLASSIC_EVENT_BITS) + formats.fixedSize(event);
            first = (first & ~CLASSIC_SIZE_MASK) | ((size << CLASSIC_EVENT_BITS) & CLASSIC_SIZE_MASK);
        }
        long timer = packet.getLong(at + 4);
        int pid = packet.getInt(at + 12);
        long abstractId = packet.getLong(at + 16);
        packet.putInt(at, Integer.rotateLeft(first, CLASSIC_CPU_BITS));
        packet.putInt(at + 4, pid);
        packet.putLong(at + 8, abstractId);
        packet.putLong(at + 16, timer);
    }

    private static long number(ByteBuffer buffer, int at, int size) {
        return switch (size) {
            case Byte.BYTES -> Byte.toUnsignedInt(buffer.get(at));
            case Short.BYTES -> Short.toUnsignedInt(buffer.getShort(at));
            case Integer.BYTES -> Integer.toUnsignedLong(buffer.getInt(at));
            default -> Math.max(0, Math.min(Integer.MAX_VALUE, buffer.getLong(at)));
        };
    }
}
