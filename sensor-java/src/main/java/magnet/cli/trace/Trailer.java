// SPDX-License-Identifier: Apache-2.0
package magnet.cli.trace;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import magnet.record.Counter;
import magnet.record.EventType;
import magnet.record.Payload;
import magnet.record.RecordFlyweight;
import magnet.trace.EventField;
import magnet.trace.EventFormat;

/** What follows the fields of some records: a marker's text, the values of counters, bytes of a packet. Stateless. */
public final class Trailer {
    private static final int FIRST_PRINTABLE = 0x20;
    private static final int DELETE = 0x7f;
    private static final int LAST_CONTROL = 0x9f;

    private Trailer() {}

    /** The text of a marker. */
    static String markerText(RecordFlyweight record) {
        return new String(bytes(record, record.payloadU32(Payload.MARKER_LEN_OFFSET)), StandardCharsets.UTF_8);
    }

    /** The values of a COUNTERS record by name, in their order. */
    static Map<String, Long> counters(RecordFlyweight record) {
        Map<String, Long> values = new LinkedHashMap<>();
        long which = record.payloadU32(Payload.COUNTERS_WHICH_OFFSET);
        int at = Payload.COUNTERS.size();
        for (long bit = 1; bit <= which && at + Long.BYTES <= record.payloadSize(); bit <<= 1) {
            if ((which & bit) != 0) {
                String name = Counter.ofBits(bit).stream()
                        .map(Counter::label)
                        .findFirst()
                        .orElse("counter_0x" + Long.toHexString(bit));
                values.put(name, record.payloadU64(at));
                at += Long.BYTES;
            }
        }
        return values;
    }

    /** The bytes of the packet that a record of a network event carries, in hex; empty without any. */
    static String packet(RecordFlyweight record, EventType type) {
        return switch (type.payload()) {
            case PACKET -> HexFormat.of().formatHex(bytes(record, record.payloadU16(Payload.PACKET_CAPTURED_OFFSET)));
            case RETRANSMIT ->
                HexFormat.of().formatHex(bytes(record, record.payloadU16(Payload.RETRANSMIT_CAPTURED_OFFSET)));
            case DROP -> HexFormat.of().formatHex(bytes(record, record.payloadU16(Payload.DROP_CAPTURED_OFFSET)));
            default -> "";
        };
    }

    /** The value of a field that is not printed in hex: a number, or a text in quotes. */
    static String value(RecordFlyweight record, EventField field) {
        if (field.isText()) {
            return quoted(field.textIn(record));
        }
        long number = field.numberIn(record);
        return field.isSigned() ? Long.toString(number) : Long.toUnsignedString(number);
    }

    /** What another module's event has after its fields, in hex; empty without any. */
    static String more(RecordFlyweight record, EventFormat format) {
        if (format.tail() != EventFormat.Tail.MORE) {
            return "";
        }
        byte[] bytes = new byte[Math.max(0, record.payloadSize() - format.size())];
        record.buffer().get(record.payloadOffset() + format.size(), bytes);
        return HexFormat.of().formatHex(bytes);
    }

    /** A text in quotes, with nothing in it that a terminal would obey. */
    static String quoted(String text) {
        StringBuilder quoted = new StringBuilder(text.length() + 2).append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (c < FIRST_PRINTABLE || (c >= DELETE && c <= LAST_CONTROL)) {
                quoted.append("\\u%04x".formatted((int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }

    /** Bytes behind the fields, as many as are said to be there and are. */
    private static byte[] bytes(RecordFlyweight record, long length) {
        EventType type = EventType.ofId(record.event());
        int start = type == null ? 0 : type.payload().size();
        byte[] bytes = new byte[(int) Math.min(length, record.payloadSize() - start)];
        record.buffer().get(record.payloadOffset() + start, bytes);
        return bytes;
    }
}
