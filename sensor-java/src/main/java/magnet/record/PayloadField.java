// SPDX-License-Identifier: Apache-2.0
package magnet.record;

import java.nio.ByteBuffer;
import java.nio.charset.Charset;

/**
 * One field of a payload.
 *
 * @param name as in the kernel's header
 * @param offset bytes from the payload's start
 * @param type its type
 * @param style how people want to see it; a number, where it has no word
 * @param words what kind of number it is
 * @param meaning what it says, with its unit
 */
public record PayloadField(String name, int offset, Type type, Style style, WordKind words, String meaning) {

    /** A number that there are no words for. */
    public PayloadField(String name, int offset, Type type, Style style, String meaning) {
        this(name, offset, type, style, WordKind.NUMBER, meaning);
    }

    /** Types of the kernel's ABI: unsigned integers, and texts that end with NUL. */
    public enum Type {
        U16(2, "u16"),
        U32(4, "u32"),
        U64(8, "u64"),
        CHAR16(16, "char[16]"),
        CHAR128(128, "char[128]"),
        CHAR256(256, "char[256]");

        private final int size;
        private final String label;

        Type(int size, String label) {
            this.size = size;
            this.label = label;
        }

        /** Bytes. */
        public int size() {
            return size;
        }

        /** As {@code control/format} has it. */
        public String label() {
            return label;
        }

        /** Whether it is a text, and no number. */
        public boolean isText() {
            return this == CHAR16 || this == CHAR128 || this == CHAR256;
        }

        /** A multiple of this many bytes is where a field begins. */
        int alignment() {
            return isText() ? 1 : size;
        }
    }

    /** How a value is printed. */
    public enum Style {
        DECIMAL,
        HEX,
        TEXT
    }

    /** Whether it is a text, and no number. */
    public boolean isText() {
        return type.isText();
    }

    /** Whether a record has it: those of a module's first versions may be shorter. */
    public boolean isIn(RecordFlyweight record) {
        return offset + type.size() <= record.payloadSize();
    }

    /** The field's value in a record; a u64 above {@link Long#MAX_VALUE} comes out negative. Of a text its length. */
    public long valueIn(RecordFlyweight record) {
        return switch (type) {
            case U16 -> record.payloadU16(offset);
            case U32 -> record.payloadU32(offset);
            case U64 -> record.payloadU64(offset);
            case CHAR16, CHAR128, CHAR256 -> length(record);
        };
    }

    /** The text in a record that has it, up to its first NUL. */
    public String textIn(RecordFlyweight record, Charset charset) {
        byte[] bytes = new byte[length(record)];
        record.buffer().get(record.payloadOffset() + offset, bytes);
        return new String(bytes, charset);
    }

    private int length(RecordFlyweight record) {
        ByteBuffer buffer = record.buffer();
        int begin = record.payloadOffset() + offset;
        int at = begin;
        while (at < begin + type.size() && buffer.get(at) != 0) {
            at++;
        }
        return at - begin;
    }
}
