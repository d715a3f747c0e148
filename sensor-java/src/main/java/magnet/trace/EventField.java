// SPDX-License-Identifier: Apache-2.0
package magnet.trace;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import magnet.record.EventType;
import magnet.record.PayloadField;
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
            fields.add(new EventField(field.name(), "u" + field.type().size() * Byte.SIZE, field.offset()));
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

    /** A multiple of this many bytes is where it begins. */
    int alignment() {
        return isText() ? 1 : size();
    }

    /** Index after its last byte in the payload. */
    int end() {
        return offset + size();
    }
}
