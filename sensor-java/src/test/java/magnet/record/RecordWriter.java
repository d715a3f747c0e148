// SPDX-License-Identifier: Apache-2.0
package magnet.record;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Writes records as the module does, for tests. */
public final class RecordWriter {
    private final RecordLayout layout;
    private final ByteBuffer buffer;

    public RecordWriter(RecordLayout layout, int capacity) {
        this.layout = layout;
        this.buffer = ByteBuffer.allocateDirect(capacity).order(ByteOrder.nativeOrder());
    }

    /** A writer for a few records in layout wide. */
    public RecordWriter() {
        this(RecordLayout.WIDE, 64 * 1024);
    }

    /**
     * Appends a record of a known event.
     *
     * @param fields values of the payload's fields in their order; those left out are 0
     */
    public RecordWriter record(
            EventType type, int cpu, int tgid, int tid, long abstractId, long timer, long... fields) {
        int start = header(layout.headerSize() + type.payload().size(), cpu, type.id(), tgid, tid, abstractId, timer);
        for (int i = 0; i < fields.length; i++) {
            PayloadField field = type.fields().get(i);
            int at = start + layout.headerSize() + field.offset();
            switch (field.type()) {
                case U16 -> buffer.putShort(at, (short) fields[i]);
                case U32 -> buffer.putInt(at, (int) fields[i]);
                case U64 -> buffer.putLong(at, fields[i]);
                case CHAR16, CHAR128, CHAR256 -> throw new IllegalArgumentException(field.name() + " is a text");
            }
        }
        return this;
    }

    /** Writes a text field of the record that was appended last, cut off as the module does. */
    public RecordWriter text(EventType type, String name, String text) {
        PayloadField field = type.fields().stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow();
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        int at = buffer.position() - type.payload().size() + field.offset();
        buffer.put(at, bytes, 0, Math.min(bytes.length, field.type().size() - 1));
        return this;
    }

    /** Appends a record of any event with a payload of 64-bit words. */
    public RecordWriter unknown(int event, int cpu, long timer, long... words) {
        int start = header(layout.headerSize() + words.length * Long.BYTES, cpu, event, 1, 1, 0, timer);
        for (int i = 0; i < words.length; i++) {
            buffer.putLong(start + layout.headerSize() + i * Long.BYTES, words[i]);
        }
        return this;
    }

    /** Appends a header and makes room for the rest; returns where the record begins. */
    public int header(int size, int cpu, int event, int tgid, int tid, long abstractId, long timer) {
        int start = buffer.position();
        if (layout == RecordLayout.WIDE) {
            buffer.putInt(size)
                    .putShort((short) cpu)
                    .putShort((short) event)
                    .putInt(tgid)
                    .putInt(tid);
        } else {
            buffer.putInt(cpu | event << 6 | size << 16).putInt(tgid);
        }
        buffer.putLong(abstractId).putLong(timer);
        buffer.position(Math.max(buffer.position(), Math.min(buffer.capacity(), start + size)));
        return start;
    }

    /** Bytes written so far. */
    public int size() {
        return buffer.position();
    }

    /** The records from the buffer's first byte to {@link #size()}, in place. */
    public ByteBuffer buffer() {
        return buffer;
    }

    /** A copy of what was written. */
    public byte[] bytes() {
        byte[] bytes = new byte[size()];
        buffer.get(0, bytes);
        return bytes;
    }

    /** Forgets what was written. */
    public RecordWriter clear() {
        buffer.clear();
        byte[] zeros = new byte[buffer.capacity()];
        Arrays.fill(zeros, (byte) 0);
        buffer.put(0, zeros);
        return this;
    }
}
