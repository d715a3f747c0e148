// SPDX-License-Identifier: Apache-2.0
package magnet.cli.trace;

import java.nio.charset.StandardCharsets;
import magnet.job.Owners;
import magnet.json.JsonLine;
import magnet.record.ClockModel;
import magnet.record.Counter;
import magnet.record.EventType;
import magnet.record.PayloadField;
import magnet.record.RecordFlyweight;
import magnet.record.Words;
import magnet.trace.EventField;
import magnet.trace.EventFormat;
import magnet.trace.LiveFormats;
import magnet.trace.ThreadNames;
import org.jspecify.annotations.Nullable;

/**
 * A record for programs: one JSON object a line.
 *
 * <p>What follows a payload is among its fields: {@code text} of a marker, counters by their names ({@code null} if
 * one could not be read), {@code packet} in hex, and {@code more} in hex: what another module's event has after its fields.
 *
 * <p>{@code comm} is the name of the thread; it is left out where nobody knows it.
 *
 * <p>{@code time_ns} is nanoseconds since 1970, {@code time} the same as text in UTC. Fields that are printed in hex
 * are strings, since the numbers of many JSON readers end at 2^53. So are numbers that have words: the value is the word. An
 * abstract id stays a number, and its word stands behind it: {@code nr} of system calls, {@code vector} of soft interrupts.
 */
public final class JsonFormat implements RecordFormat {
    private final ClockModel clockModel;
    private final @Nullable Owners owners;
    private final LiveFormats formats;
    private final Words words;
    private final ThreadNames names;
    private final JsonLine json = new JsonLine();
    private final InstantText times = new InstantText();
    private String lastBytes = "";
    private String lastName = "";

    /**
     * @param clockModel places the records in time
     * @param owners of processes, as of the record that is printed; null = not printed
     * @param formats of the events that are not the ABI's
     * @param names of threads, as of the record that is printed
     * @param words for numbers
     */
    JsonFormat(ClockModel clockModel, @Nullable Owners owners, LiveFormats formats, ThreadNames names, Words words) {
        this.clockModel = clockModel;
        this.owners = owners;
        this.formats = formats;
        this.names = names;
        this.words = words;
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
        String thread = nameOf(record);
        if (!thread.isEmpty()) {
            json.text("comm", thread);
        }
        String owner = owners == null || record.tgid() == 0 ? "" : owners.owner(record.tgid());
        if (!owner.isEmpty()) {
            json.text("owner", owner);
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
            appendAbstractId(record, type);
            appendFields(record, type);
        }
        json.end();
    }

    /** Its bytes are meant to be UTF-8. Mostly a thread has several events in a row. */
    private String nameOf(RecordFlyweight record) {
        String bytes = names.of(record);
        if (!bytes.equals(lastBytes)) {
            lastBytes = bytes;
            lastName = new String(bytes.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
        }
        return lastName;
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

    private void appendAbstractId(RecordFlyweight record, EventType type) {
        String word = words.ofAbstractId(type, record);
        if (word != null) {
            json.text(type.abstractId(), word);
        }
    }

    private void appendFields(RecordFlyweight record, EventType type) {
        json.begin("fields");
        for (PayloadField field : type.fields()) {
            if (field.isIn(record)) {
                appendField(record, field);
            }
        }
        appendTrailer(record, type);
        json.end();
    }

    private void appendField(RecordFlyweight record, PayloadField field) {
        if (field.style() == PayloadField.Style.TEXT) {
            json.text(field.name(), field.textIn(record, StandardCharsets.UTF_8));
            return;
        }
        long value = field.valueIn(record);
        String word = words.of(field, value);
        if (word != null) {
            json.text(field.name(), word);
        } else if (field.style() == PayloadField.Style.HEX) {
            json.hex(field.name(), value);
        } else {
            json.unsigned(field.name(), value);
        }
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
