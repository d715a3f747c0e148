// SPDX-License-Identifier: Apache-2.0
package magnet.cli;

import java.time.Instant;
import magnet.record.ClockModel;
import magnet.record.Counter;
import magnet.record.EventType;
import magnet.record.PayloadField;
import magnet.record.RecordFlyweight;

/**
 * A record for programs: one JSON object a line.
 *
 * <p>What follows a payload is among its fields: {@code text} of a marker, counters by their names ({@code null} if
 * one could not be read), {@code packet} in hex.
 *
 * <p>{@code time_ns} is nanoseconds since 1970, {@code time} the same as text in UTC. Fields that are printed in hex
 * are strings, since the numbers of many JSON readers end at 2^53.
 */
final class JsonFormat implements RecordFormat {
    private static final long NANOS_PER_SECOND = 1_000_000_000;

    private final ClockModel clockModel;

    JsonFormat(ClockModel clockModel) {
        this.clockModel = clockModel;
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
        if (type != null) {
            line.append(",\"event\":\"").append(type.label()).append('"');
        }
        line.append(",\"abstract_id\":").append(Long.toUnsignedString(record.abstractId()));
        if (type == null) {
            line.append(",\"payload_bytes\":").append(record.payloadSize());
        } else {
            appendFields(record, type, line);
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
