// SPDX-License-Identifier: Apache-2.0
package magnet.handler;

import java.nio.ByteBuffer;
import magnet.record.RecordFlyweight;
import magnet.spi.Field;
import magnet.trace.EventField;
import org.jspecify.annotations.Nullable;

/**
 * Reads a field of records. Immutable.
 *
 * @param name its name
 * @param isText whether it is a text
 * @param source where it is
 * @param offset in the payload
 * @param size bytes
 * @param signed whether it has a sign
 */
record RecordField(String name, boolean isText, Source source, int offset, int size, boolean signed) implements Field {
    /** Where a field is. */
    enum Source {
        CPU,
        TGID,
        TID,
        ID,
        PAYLOAD
    }

    static RecordField of(EventField field) {
        return new RecordField(
                field.name(), field.isText(), Source.PAYLOAD, field.offset(), field.size(), field.isSigned());
    }

    /** One that every event has, or null. */
    static @Nullable RecordField ofHeader(String name) {
        return switch (name) {
            case "cpu" -> header(name, Source.CPU);
            case "tgid" -> header(name, Source.TGID);
            case "tid" -> header(name, Source.TID);
            case "id" -> header(name, Source.ID);
            default -> null;
        };
    }

    private static RecordField header(String name, Source source) {
        return new RecordField(name, false, source, 0, Long.BYTES, false);
    }

    /** As a number; 0 of a text. */
    long number(RecordFlyweight record) {
        return switch (source) {
            case CPU -> record.cpu();
            case TGID -> record.tgid();
            case TID -> record.tid();
            case ID -> record.abstractId();
            case PAYLOAD -> isText ? 0 : payload(record.buffer(), record.payloadOffset() + offset);
        };
    }

    private long payload(ByteBuffer buffer, int at) {
        return switch (size) {
            case Byte.BYTES -> signed ? buffer.get(at) : Byte.toUnsignedLong(buffer.get(at));
            case Short.BYTES -> signed ? buffer.getShort(at) : Short.toUnsignedLong(buffer.getShort(at));
            case Integer.BYTES -> signed ? buffer.getInt(at) : Integer.toUnsignedLong(buffer.getInt(at));
            default -> buffer.getLong(at);
        };
    }

    /** As a text. */
    String text(RecordFlyweight record) {
        if (!isText) {
            return Long.toString(number(record));
        }
        StringBuilder text = new StringBuilder(size);
        int from = record.payloadOffset() + offset;
        for (int at = from; at < from + size; at++) {
            byte b = record.buffer().get(at);
            if (b == 0) {
                break;
            }
            text.append(b < 0 ? '?' : (char) b);
        }
        return text.toString();
    }
}
