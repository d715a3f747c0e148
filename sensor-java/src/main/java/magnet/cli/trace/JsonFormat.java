// SPDX-License-Identifier: Apache-2.0
package magnet.cli.trace;

import java.time.Instant;
import magnet.record.ClockModel;
import magnet.record.Counter;
import magnet.record.EventType;
import magnet.record.PayloadField;
import magnet.record.RecordFlyweight;
import magnet.trace.EventField;
import magnet.trace.EventFormat;
import magnet.trace.LiveFormats;
import org.jspecify.annotations.Nullable;

/**
 * A record for programs: one JSON object a line.
 *
 * <p>What follows a payload is among its fields: {@code text} of a marker, counters by their names ({@code null} if
 * one could not be read), {@code packet} in hex, and {@code more} in hex: what another module's event has after its fields.
 *
 * <p>{@code time_ns} is nanoseconds since 1970, {@code time} the same as text in UTC. Fields that are printed in hex
 * are strings, since the numbers of many JSON readers end at 2^53.
 */
public final class JsonFormat implements RecordFormat {
    private static final long NANOS_PER_SECOND = 1_000_000_000;

    private final ClockModel clockModel;
    private final LiveFormats formats;

    /** @param formats of the events that are not the ABI's */
    JsonFormat(ClockModel clockModel, LiveFormats formats) {
        this.clockModel = clockModel;
        this.formats = formats;
    }

    @Override
    public void append(RecordFlyweight record, StringBuilder line) {
        long realtimeNs = clockModel.realtimeNs(record.timer());
        Instant time = Instant.ofEpochSecond(
                Math.floorDiv(realtimeNs, NANOS_PER_SECOND), Math.floorMod(realtimeNs, NANOS_PER_SECOND));
        EventType type = EventType.ofId(record.event());
        line.append("{\"time\":\"").append(time);
        line.append("\",\"time_ns\":").append(realtimeNs);
        line.append(",\"timer\":").append(Long.toUnsignedString(record.timer()));
        line.append(",\"cpu\":").append(record.cpu());
        line.append(",\"tgid\":").append(record.tgid());
        if (record.layout().hasTid()) {
            line.append(",\"tid\":").append(record.tid());
        }
        line.append(",\"event_id\":").append(record.event());
        String name = type == null ? formats.name(record.event()) : type.label();
        if (name != null) {
            line.append(",\"event\":").append(Trailer.quoted(name));
        }
        line.append(",\"abstract_id\":").append(Long.toUnsignedString(record.abstractId()));
        if (type == null) {
            appendFields(record, formats.event(record.event()), line);
        } else {
            appendFields(record, type, line);
        }
        line.append('}');
    }

    private static void appendFields(RecordFlyweight record, @Nullable EventFormat format, StringBuilder line) {
        if (format == null || !format.fits(record)) {
            line.append(",\"payload_bytes\":").append(record.payloadSize());
            return;
        }
        line.append(",\"fields\":{");
        String separator = "";
        for (EventField field : format.fields()) {
            line.append(separator).append('"').append(field.name()).append("\":");
            if (field.isHex()) {
                line.append("\"0x")
                        .append(Long.toHexString(field.numberIn(record)))
                        .append('"');
            } else {
                line.append(Trailer.value(record, field));
            }
            separator = ",";
        }
        String more = Trailer.more(record, format);
        if (!more.isEmpty()) {
            line.append(separator).append("\"more\":\"").append(more).append('"');
        }
        line.append('}');
    }

    private static void appendFields(RecordFlyweight record, EventType type, StringBuilder line) {
        line.append(",\"fields\":{");
        String separator = "";
        for (PayloadField field : type.fields()) {
            long value = field.valueIn(record);
            line.append(separator).append('"').append(field.name()).append("\":");
            if (field.style() == PayloadField.Style.HEX) {
                line.append("\"0x").append(Long.toHexString(value)).append('"');
            } else {
                line.append(Long.toUnsignedString(value));
            }
            separator = ",";
        }
        appendTrailer(record, type, line);
        line.append('}');
    }

    private static void appendTrailer(RecordFlyweight record, EventType type, StringBuilder line) {
        if (type == EventType.MARKER) {
            line.append(",\"text\":").append(Trailer.quoted(Trailer.markerText(record)));
        } else if (type == EventType.COUNTERS) {
            Trailer.counters(record)
                    .forEach((name, value) -> line.append(",\"")
                            .append(name)
                            .append("\":")
                            .append(value == Counter.UNREADABLE ? "null" : Long.toUnsignedString(value)));
        } else {
            String packet = Trailer.packet(record, type);
            if (!packet.isEmpty()) {
                line.append(",\"packet\":\"").append(packet).append('"');
            }
        }
    }
}
