// SPDX-License-Identifier: Apache-2.0
package magnet.cli.trace;

import magnet.json.JsonLine;
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
    private final ClockModel clockModel;
    private final LiveFormats formats;
    private final JsonLine json = new JsonLine();
    private final InstantText times = new InstantText();

    /** @param formats of the events that are not the ABI's */
    JsonFormat(ClockModel clockModel, LiveFormats formats) {
        this.clockModel = clockModel;
        this.formats = formats;
    }

    @Override
    public void append(RecordFlyweight record, StringBuilder line) {
        long realtimeNs = clockModel.realtimeNs(record.timer());
        EventType type = EventType.ofId(record.event());
        json.begin(line)
                .text("time", times.of(realtimeNs))
                .signed("time_ns", realtimeNs)
                .unsigned("timer", record.timer())
                .signed("cpu", record.cpu())
                .signed("tgid", record.tgid());
        if (record.layout().hasTid()) {
            json.signed("tid", record.tid());
        }
        json.signed("event_id", record.event());
        String name = type == null ? formats.name(record.event()) : type.label();
        if (name != null) {
            json.text("event", name);
        }
        json.unsigned("abstract_id", record.abstractId());
        if (type == null) {
            appendFields(record, formats.event(record.event()));
        } else {
            appendFields(record, type);
        }
        json.end();
    }

    private void appendFields(RecordFlyweight record, @Nullable EventFormat format) {
        if (format == null || !format.fits(record)) {
            json.signed("payload_bytes", record.payloadSize());
            return;
        }
        json.begin("fields");
        for (EventField field : format.fields()) {
            if (field.isText()) {
                json.text(field.name(), field.textIn(record));
            } else if (field.isHex()) {
                json.hex(field.name(), field.numberIn(record));
            } else if (field.isSigned()) {
                json.signed(field.name(), field.numberIn(record));
            } else {
                json.unsigned(field.name(), field.numberIn(record));
            }
        }
        String more = Trailer.more(record, format);
        if (!more.isEmpty()) {
            json.text("more", more);
        }
        json.end();
    }

    private void appendFields(RecordFlyweight record, EventType type) {
        json.begin("fields");
        for (PayloadField field : type.fields()) {
            long value = field.valueIn(record);
            if (field.style() == PayloadField.Style.HEX) {
                json.hex(field.name(), value);
            } else {
                json.unsigned(field.name(), value);
            }
        }
        appendTrailer(record, type);
        json.end();
    }

    private void appendTrailer(RecordFlyweight record, EventType type) {
        if (type == EventType.MARKER) {
            json.text("text", Trailer.markerText(record));
        } else if (type == EventType.COUNTERS) {
            Trailer.counters(record).forEach((name, value) -> {
                if (value == Counter.UNREADABLE) {
                    json.unknown(name);
                } else {
                    json.unsigned(name, value);
                }
            });
        } else {
            String packet = Trailer.packet(record, type);
            if (!packet.isEmpty()) {
                json.text("packet", packet);
            }
        }
    }
}
