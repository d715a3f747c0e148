// SPDX-License-Identifier: Apache-2.0
package magnet.trace;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import magnet.record.EventType;
import magnet.record.PayloadField;
import magnet.record.RecordFlyweight;
import org.jspecify.annotations.Nullable;

/**
 * A field of an event's payload. Immutable.
 *
 * @param name as the module gives it
 * @param type as {@code control/format} has it: {@code u8} to {@code u64}, {@code s8} …, {@code x8} …, {@code char[N]}
 * @param offset bytes from the payload's start
 */
public record EventField(String name, String type, int offset) {
    private static final Pattern TEXT = Pattern.compile("char\\[(\\d{1,4})]");
    private static final Pattern NUMBER = Pattern.compile("[usx](8|16|32|64)");

    /** The fields of an event of the ABI. */
    static List<EventField> of(EventType type) {
        List<EventField> fields = new ArrayList<>();
        for (PayloadField field : type.fields()) {
            fields.add(new EventField(field.name(), field.type().label(), field.offset()));
        }
        return fields;
    }

    /** What the type is of, or null if it is not known. */
    static @Nullable EventField of(String name, String type, int offset) {
        return TEXT.matcher(type).matches() || NUMBER.matcher(type).matches()
                ? new EventField(name, type, offset)
                : null;
    }

    /** Whether it is a text, and no number. */
    public boolean isText() {
        return type.startsWith("c");
    }

    /** Whether negative numbers are smaller than others. */
    public boolean isSigned() {
        return type.startsWith("s");
    }

    /** Bytes. */
    public int size() {
        if (!isText()) {
            return Integer.parseInt(type, 1, type.length(), 10) / Byte.SIZE;
        }
        Matcher matcher = TEXT.matcher(type);
        return matcher.matches() ? Integer.parseInt(matcher.group(1)) : 0;
    }

    /** The number in a record, signs extended; of a field that is no text and that the record has. */
    public long numberIn(RecordFlyweight record) {
        ByteBuffer buffer = record.buffer();
        int at = record.payloadOffset() + offset;
        long value = switch (size()) {
            case Byte.BYTES -> buffer.get(at);
            case Short.BYTES -> buffer.getShort(at);
            case Integer.BYTES -> buffer.getInt(at);
            default -> buffer.getLong(at);
        };
        int unused = Long.SIZE - size() * Byte.SIZE;
        return isSigned() ? value : value << unused >>> unused;
    }

    /** The text in a record, up to its first NUL; of a field that is a text and that the record has. */
    public String textIn(RecordFlyweight record) {
        byte[] bytes = new byte[size()];
        record.buffer().get(record.payloadOffset() + offset, bytes);
        int length = 0;
        while (length < bytes.length && bytes[length] != 0) {
            length++;
        }
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }

    /** Whether its numbers are meant to be read in hex. */
    public boolean isHex() {
        return type.startsWith("x");
    }

    /** A multiple of this many bytes is where it begins. */
    int alignment() {
        return isText() ? 1 : size();
    }

    /** Index after its last byte in the payload. */
    int end() {
        return offset + size();
    }
}
