// SPDX-License-Identifier: Apache-2.0
package magnet.cli.trace;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import magnet.cli.world.VisibleText;
import magnet.job.Owners;
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
 * A record for people: wall clock, CPU, process and thread, the thread's name, event, and the fields by name.
 *
 * <pre>
 * 13:37:00.123456789   0     412/419     bash            sched_switch        next_tid=77 prev_state=sleeping next_tgid=77
 * </pre>
 *
 * <p>Not thread-safe.
 */
public final class TextFormat implements RecordFormat {
    private static final DateTimeFormatter SECONDS = DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT);
    private static final long NANOS_PER_SECOND = 1_000_000_000;
    private static final int NANO_DIGITS = 9;

    private final ClockModel clockModel;
    private final ZoneId zone;
    private final boolean verbose;
    private final @Nullable Owners owners;
    private final LiveFormats formats;
    private final Words words;
    private final ThreadNames names;
    private long second = Long.MIN_VALUE;
    private String secondText = "";
    private String lastName = "";
    private String lastVisible = "";

    /**
     * A format.
     *
     * @param clockModel places the records in time
     * @param zone time zone of the times
     * @param verbose whether the bytes of packets are printed
     * @param owners of processes, as of the record that is printed; null = not printed
     * @param formats of the events that are not the ABI's
     * @param names of threads, as of the record that is printed
     * @param words for numbers
     */
    TextFormat(
            ClockModel clockModel,
            ZoneId zone,
            boolean verbose,
            @Nullable Owners owners,
            LiveFormats formats,
            ThreadNames names,
            Words words) {
        this.clockModel = clockModel;
        this.zone = zone;
        this.verbose = verbose;
        this.owners = owners;
        this.formats = formats;
        this.words = words;
        this.names = names;
    }

    /** The line over the columns. */
    static String heading() {
        return "%-18s %3s %15s %-15s %-18s %s".formatted("TIME", "CPU", "PROCESS/THREAD", "NAME", "EVENT", "FIELDS");
    }

    @Override
    public void append(RecordFlyweight record, StringBuilder line) {
        appendTime(clockModel.realtimeNs(record.timer()), line);
        appendRight(Integer.toString(record.cpu()), 4, line);
        String thread = record.layout().hasTid() ? record.tgid() + "/" + record.tid() : record.tgid() + "/?";
        appendRight(thread, 16, line);
        EventType type = EventType.ofId(record.event());
        appendLeft(nameOf(record), 15, line);
        String name = type == null ? formats.name(record.event()) : type.label();
        appendLeft(name == null ? "event_0x" + Integer.toHexString(record.event()) : name, 18, line);
        if (type == null) {
            appendFields(record, formats.event(record.event()), line);
        } else {
            appendFields(record, type, line);
        }
        if (owners != null && record.tgid() != 0) {
            String owner = owners.owner(record.tgid());
            // Byte by byte, as all texts are shown.
            String bytes = new String(owner.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
            line.append(owner.isEmpty() ? "" : " owner=").append(VisibleText.of(bytes));
        }
    }

    /** Mostly a thread has several events in a row. */
    private String nameOf(RecordFlyweight record) {
        String name = names.of(record);
        if (!name.equals(lastName)) {
            lastName = name;
            lastVisible = VisibleText.of(name);
        }
        return lastVisible;
    }

    private void appendTime(long realtimeNs, StringBuilder line) {
        long seconds = Math.floorDiv(realtimeNs, NANOS_PER_SECOND);
        if (seconds != second) {
            second = seconds;
            secondText = SECONDS.format(Instant.ofEpochSecond(seconds).atZone(zone));
        }
        line.append(secondText).append('.');
        String nanos = Long.toString(Math.floorMod(realtimeNs, NANOS_PER_SECOND));
        line.append("0".repeat(NANO_DIGITS - nanos.length())).append(nanos);
    }

    private static void appendRight(String text, int width, StringBuilder line) {
        line.append(" ".repeat(Math.max(1, width - text.length()))).append(text);
    }

    private static void appendLeft(String text, int width, StringBuilder line) {
        line.append(' ').append(text).append(" ".repeat(Math.max(0, width - text.length())));
    }

    private void appendFields(RecordFlyweight record, @Nullable EventFormat format, StringBuilder line) {
        if (format == null || format.tail() == EventFormat.Tail.MORE) {
            line.append(" abstract_id=").append(Long.toUnsignedString(record.abstractId()));
        }
        if (format == null || !format.fits(record)) {
            line.append(" payload=").append(record.payloadSize()).append("_bytes");
            return;
        }
        for (EventField field : format.fields()) {
            line.append(' ').append(field.name()).append('=');
            if (field.isHex()) {
                line.append("0x").append(Long.toHexString(field.numberIn(record)));
            } else {
                line.append(Trailer.value(record, field));
            }
        }
        String more = verbose ? Trailer.more(record, format) : "";
        line.append(more.isEmpty() ? "" : " more=").append(more);
    }

    private void appendFields(RecordFlyweight record, EventType type, StringBuilder line) {
        if (!type.abstractId().equals("none")) {
            line.append(' ').append(type.abstractId()).append('=');
            String word = words.ofAbstractId(type, record);
            line.append(word == null ? Long.toUnsignedString(record.abstractId()) : word);
        }
        for (PayloadField field : type.fields()) {
            if (field.isIn(record)) {
                line.append(' ').append(field.name()).append('=').append(value(record, field));
            }
        }
        appendTrailer(record, type, line);
    }

    private String value(RecordFlyweight record, PayloadField field) {
        if (field.style() == PayloadField.Style.TEXT) {
            return Trailer.quoted(field.textIn(record, StandardCharsets.UTF_8));
        }
        long value = field.valueIn(record);
        String word = words.of(field, value);
        if (word != null) {
            return word;
        }
        return field.style() == PayloadField.Style.HEX ? "0x" + Long.toHexString(value) : Long.toUnsignedString(value);
    }

    private void appendTrailer(RecordFlyweight record, EventType type, StringBuilder line) {
        if (type == EventType.MARKER) {
            line.append(" text=").append(Trailer.quoted(Trailer.markerText(record)));
        } else if (type == EventType.COUNTERS) {
            Trailer.counters(record)
                    .forEach((name, value) -> line.append(' ')
                            .append(name)
                            .append('=')
                            .append(value == Counter.UNREADABLE ? "unreadable" : Long.toUnsignedString(value)));
        } else if (verbose) {
            String packet = Trailer.packet(record, type);
            line.append(packet.isEmpty() ? "" : " packet=").append(packet);
        }
    }
}
