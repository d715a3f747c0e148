// SPDX-License-Identifier: Apache-2.0
package magnet.record;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A window on one record in a batch, which reads the record's fields in place.
 *
 * <p>Layout {@link RecordLayout#WIDE}, {@code struct magnet_record}:
 *
 * <pre>
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +---------------------------------------------------------------+
 *  0|                             size                              |
 *  +-------------------------------+-------------------------------+
 *  4|              cpu              |             event             |
 *  +-------------------------------+-------------------------------+
 *  8|                             tgid                              |
 *  +---------------------------------------------------------------+
 * 12|                              tid                              |
 *  +---------------------------------------------------------------+
 * 16|                          abstract id                          |
 *   |                                                               |
 *  +---------------------------------------------------------------+
 * 24|                             timer                             |
 *   |                                                               |
 *  +---------------------------------------------------------------+
 * 32|                            payload                           ...
 * </pre>
 *
 * <p>Layout {@link RecordLayout#CLASSIC}, {@code struct magnet_record_classic}; bit 0 is the lowest:
 *
 * <pre>
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +-----------+-------------------+-------------------------------+
 *  0|    cpu    |       event       |             size              |
 *  +-----------+-------------------+-------------------------------+
 *  4|                              pid                              |
 *  +---------------------------------------------------------------+
 *  8|                          abstract id                          |
 *   |                                                               |
 *  +---------------------------------------------------------------+
 * 16|                             timer                             |
 *   |                                                               |
 *  +---------------------------------------------------------------+
 * 24|                            payload                           ...
 * </pre>
 *
 * <p>All fields are in the machine's byte order; a record begins at a multiple of {@value #ALIGNMENT} bytes and
 * its size is one. The getters check nothing: ask {@link #validity(int)} first. Not thread-safe.
 */
public final class RecordFlyweight {
    /** Bytes to a multiple of which records are aligned and padded. */
    public static final int ALIGNMENT = 8;
    /** No record has more bytes than this, header included. */
    public static final int SIZE_MAX = 8192;

    static final int WIDE_SIZE_OFFSET = 0;
    static final int WIDE_CPU_OFFSET = 4;
    static final int WIDE_EVENT_OFFSET = 6;
    static final int WIDE_TGID_OFFSET = 8;
    static final int WIDE_TID_OFFSET = 12;
    static final int WIDE_ABSTRACT_ID_OFFSET = 16;
    static final int WIDE_TIMER_OFFSET = 24;

    static final int CLASSIC_HEADER_OFFSET = 0;
    static final int CLASSIC_PID_OFFSET = 4;
    static final int CLASSIC_ABSTRACT_ID_OFFSET = 8;
    static final int CLASSIC_TIMER_OFFSET = 16;
    static final int CLASSIC_CPU_BITS = 6;
    static final int CLASSIC_EVENT_SHIFT = 6;
    static final int CLASSIC_EVENT_BITS = 10;
    static final int CLASSIC_SIZE_SHIFT = 16;

    private static final int CLASSIC_CPU_MASK = (1 << CLASSIC_CPU_BITS) - 1;
    private static final int CLASSIC_EVENT_MASK = (1 << CLASSIC_EVENT_BITS) - 1;
    private static final ByteBuffer NOTHING = ByteBuffer.allocateDirect(0).order(ByteOrder.nativeOrder());

    private final RecordLayout layout;
    private final boolean classic;
    /** Whether the first eight bytes are a {@link #head()} as they stand. */
    private final boolean headStands;

    private final int headerSize;
    private ByteBuffer buffer = NOTHING;
    private int offset;

    /** A flyweight that stands on no record yet. */
    public RecordFlyweight(RecordLayout layout) {
        this.layout = layout;
        this.classic = layout == RecordLayout.CLASSIC;
        this.headStands = !classic && ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;
        this.headerSize = layout.headerSize();
    }

    /**
     * Moves to another record.
     *
     * @param buffer a batch in the machine's byte order; its position and limit do not matter
     * @param offset index of the record's first byte
     * @throws IllegalArgumentException if the buffer has the other byte order, as a slice of it has by default
     */
    public RecordFlyweight wrap(ByteBuffer buffer, int offset) {
        if (buffer.order() != ByteOrder.nativeOrder()) {
            throw new IllegalArgumentException("records are in native byte order: order=" + buffer.order());
        }
        this.buffer = buffer;
        this.offset = offset;
        return this;
    }

    /** Moves to another record of the same batch; cheaper than {@link #wrap}, for each of many. */
    public RecordFlyweight moveTo(int other) {
        this.offset = other;
        return this;
    }

    /** The layout that the fields are read by. */
    public RecordLayout layout() {
        return layout;
    }

    /** The batch that the record lies in. */
    public ByteBuffer buffer() {
        return buffer;
    }

    /** Index of the record's first byte in {@link #buffer()}. */
    public int offset() {
        return offset;
    }

    /**
     * Whether the record can be read: its header and all the bytes it claims to have are there, its size is
     * aligned and in range, and a known event has its whole payload.
     *
     * @param limit index after the last byte of the batch
     */
    public Validity validity(int limit) {
        int available = limit - offset;
        if (available < Integer.BYTES) {
            return Validity.TRUNCATED;
        }
        if (available < headerSize) {
            return isPossible(size()) ? Validity.TRUNCATED : Validity.CORRUPT;
        }
        return validity(head(), available);
    }

    /**
     * The same for whoever has read the head.
     *
     * @param head the record's {@link #head()}
     * @param available bytes from its first one on; at least a header's
     */
    public Validity validity(long head, int available) {
        int size = (int) head;
        if (!isPossible(size)) {
            return Validity.CORRUPT;
        }
        if (available < size) {
            return Validity.TRUNCATED;
        }
        return size - headerSize < EventType.payloadSizeOf(RecordBatch.event(head)) ? Validity.CORRUPT : Validity.VALID;
    }

    private boolean isPossible(int size) {
        return size >= headerSize && size <= SIZE_MAX && (size & (ALIGNMENT - 1)) == 0;
    }

    /**
     * Event, CPU and size in one number, arranged as a {@link RecordBatch#place} with the size in place of the offset: read
     * at once, which costs less than each of them does. Only where all bytes of a header are there.
     */
    public long head() {
        return headStands ? buffer.getLong(offset) : RecordBatch.place(event(), cpu(), size());
    }

    /** Bytes of the whole record, header included. */
    public int size() {
        return classic ? classicHeader() >>> CLASSIC_SIZE_SHIFT : buffer.getInt(offset + WIDE_SIZE_OFFSET);
    }

    /** The CPU that the event happened on. */
    public int cpu() {
        return classic
                ? classicHeader() & CLASSIC_CPU_MASK
                : Short.toUnsignedInt(buffer.getShort(offset + WIDE_CPU_OFFSET));
    }

    /** The event's id; {@link EventType#ofId(int)} knows the fixed ones. */
    public int event() {
        return classic
                ? classicHeader() >>> CLASSIC_EVENT_SHIFT & CLASSIC_EVENT_MASK
                : Short.toUnsignedInt(buffer.getShort(offset + WIDE_EVENT_OFFSET));
    }

    /** The process that was running. */
    public int tgid() {
        return buffer.getInt(offset + (classic ? CLASSIC_PID_OFFSET : WIDE_TGID_OFFSET));
    }

    /** The thread that was running; 0 in layout classic, which does not say. */
    public int tid() {
        return classic ? 0 : buffer.getInt(offset + WIDE_TID_OFFSET);
    }

    /** What joins events, see {@link EventType#abstractId()}. */
    public long abstractId() {
        return buffer.getLong(offset + (classic ? CLASSIC_ABSTRACT_ID_OFFSET : WIDE_ABSTRACT_ID_OFFSET));
    }

    /** When it happened, in ticks of the module's clock: TSC, or nanoseconds of CLOCK_MONOTONIC. */
    public long timer() {
        return buffer.getLong(offset + (classic ? CLASSIC_TIMER_OFFSET : WIDE_TIMER_OFFSET));
    }

    /** Index of the payload's first byte in {@link #buffer()}. */
    public int payloadOffset() {
        return offset + headerSize;
    }

    /** Bytes of payload. */
    public int payloadSize() {
        return size() - headerSize;
    }

    /** The unsigned 16-bit field at an offset within the payload. */
    public int payloadU16(int fieldOffset) {
        return Short.toUnsignedInt(buffer.getShort(offset + headerSize + fieldOffset));
    }

    /** The unsigned 32-bit field at an offset within the payload. */
    public long payloadU32(int fieldOffset) {
        return Integer.toUnsignedLong(buffer.getInt(offset + headerSize + fieldOffset));
    }

    /** The 64-bit field at an offset within the payload; it is unsigned, so treat it with {@link Long}'s methods. */
    public long payloadU64(int fieldOffset) {
        return buffer.getLong(offset + headerSize + fieldOffset);
    }

    private int classicHeader() {
        return buffer.getInt(offset + CLASSIC_HEADER_OFFSET);
    }
}
