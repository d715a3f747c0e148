// SPDX-License-Identifier: Apache-2.0
package magnet.trace;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import magnet.record.EventType;
import magnet.record.PayloadField;
import magnet.record.RecordLayout;
import magnet.record.WordKind;
import magnet.record.Words;
import org.jspecify.annotations.Nullable;

/**
 * The file {@code metadata} of a trace: what its packets look like, in TSDL, the language of CTF 1.8. Word for word what
 * {@code sensor-kmod/tools/metadata.c} writes, but for names of processes, their owners, and flight recorders.
 * Stateless.
 */
final class Metadata {
    /** What the fields of numbers that have words begin with. */
    static final String WORDS_BEGIN = "typealias enum : ";

    static final String WORDS_END = "} := ";
    /** What stands before a process's number in the name of the entry that has its name. */
    static final String PROCESS = "process_";
    /** What stands before a process's number in the name of the entry that has its cgroup. */
    static final String CGROUP_OF = "cgroup_of_";
    /** What stands before a cgroup's id in the name of the entry that has its path. */
    static final String CGROUP = "cgroup_";
    /** The entry that says that the trace tells owners, with the points that log for their sake only. */
    static final String OWNERS = "owners";
    /** The entry with the name of the flight recorder that the trace was saved from. */
    static final String RECORDER = "recorder";
    /** The entry with what that had given up. */
    static final String OVERWRITTEN = "overwritten";

    private static final Pattern OCTAL = Pattern.compile("\\\\([0-3][0-7]{2})");
    /** Paths beyond that are left out: who reads a trace reads no metadata that is too long. */
    private static final int PATHS_MAX = 2 << 20;

    private static final int[] WIDTHS = {8, 16, 32, 64};

    private Metadata() {}

    /**
     * The text.
     *
     * @param processNames by process, byte by byte; only {@code magnet read} knows any
     * @param owners what the trace says of owners; null if that is not enough
     * @param overwritten what a flight recorder had given up; null if the trace is of none
     */
    static String of(
            RecordFormats formats,
            TraceWriter.Origin origin,
            Map<Integer, String> processNames,
            @Nullable TraceOwners owners,
            @Nullable Overwritten overwritten) {
        StringBuilder text = new StringBuilder("/* CTF 1.8 */\n\n");
        putTypes(text);
        Words words = formats.words().with(WordKind.DROP_REASON, new TreeMap<>(origin.dropReasons()));
        for (WordKind kind : WordKind.values()) {
            putWords(text, kind, words.of(kind));
        }
        text.append("trace {\n\tmajor = 1;\n\tminor = 8;\n\tbyte_order = le;\n")
                .append("\tpacket.header := struct {\n\t\tu32 magic;\n\t\tu32 stream_id;\n\t};\n};\n\n");
        text.append("env {\n\thostname = \"").append(quotable(origin.host())).append("\";\n");
        if (!origin.machine().isEmpty()) {
            text.append("\tmachine = \"").append(quotable(origin.machine())).append("\";\n");
        }
        text.append("\tdomain = \"kernel\";\n");
        text.append("\ttracer_name = \"magnet\";\n\tmagnet_abi = ").append(origin.abiVersion());
        text.append(";\n\tlayout = \"").append(formats.layout().name().toLowerCase(Locale.ROOT));
        text.append("\";\n");
        putOverwritten(text, overwritten);
        putProcesses(text, processNames);
        if (owners != null) {
            putOwners(text, owners);
        }
        text.append("};\n\n");
        putClock(text, origin.clock());
        putStream(text, formats);
        for (EventFormat event : formats.events()) {
            putEvent(text, event, words);
        }
        return text.toString();
    }

    private static void putTypes(StringBuilder text) {
        for (int bits : WIDTHS) {
            String width = "typealias integer { size = " + bits + "; align = " + bits + "; signed = ";
            text.append(width).append("false; } := u").append(bits).append(";\n");
            text.append(width).append("true; } := s").append(bits).append(";\n");
            text.append(width).append("false; base = 16; } := x").append(bits).append(";\n");
        }
        text.append("typealias integer { size = 8; align = 8; signed = false; encoding = UTF8; } := text;\n")
                .append(
                        "typealias integer { size = 64; align = 64; signed = false; map = clock.magnet.value; } := ticks;\n")
                // In layout classic it follows a u32.
                .append("typealias integer { size = 64; align = 32; signed = false; map = clock.magnet.value; }")
                .append(" := ticks32;\n\n");
    }

    /** The type of fields whose numbers have words, so that readers print these. */
    private static void putWords(StringBuilder text, WordKind kind, Map<Long, String> words) {
        PayloadField.Type field = kind.field();
        if (field == null || words.isEmpty()) {
            return;
        }
        text.append(WORDS_BEGIN).append('u').append(field.size() * Byte.SIZE).append(" {");
        String before = "\n";
        for (Map.Entry<Long, String> word : words.entrySet()) {
            text.append(before)
                    .append("\t\"")
                    .append(quotable(word.getValue()))
                    .append("\" = ")
                    .append(word.getKey().longValue());
            before = ",\n";
        }
        text.append('\n').append(WORDS_END).append(kind.label()).append(";\n\n");
    }

    private static void putOverwritten(StringBuilder text, @Nullable Overwritten overwritten) {
        if (overwritten != null) {
            text.append("\t").append(RECORDER).append(" = \"").append(quotable(overwritten.recorder()));
            text.append("\";\n\t").append(OVERWRITTEN).append(" = ").append(overwritten.records());
            text.append(";\n");
        }
    }

    private static void putProcesses(StringBuilder text, Map<Integer, String> names) {
        new TreeMap<>(names)
                .forEach((process, name) -> text.append('\t')
                        .append(PROCESS)
                        .append(process)
                        .append(" = \"")
                        .append(escaped(name))
                        .append("\";\n"));
    }

    private static void putOwners(StringBuilder text, TraceOwners owners) {
        text.append('\t').append(OWNERS).append(" = \"");
        text.append(String.join(",", new TreeSet<>(owners.companions()))).append("\";\n");
        new TreeMap<>(owners.cgroups())
                .forEach((process, cgroup) -> text.append('\t')
                        .append(CGROUP_OF)
                        .append(process)
                        .append(" = ")
                        .append(cgroup.longValue())
                        .append(";\n"));
        int most = text.length() + PATHS_MAX;
        for (Map.Entry<Long, String> each : new TreeMap<>(owners.paths()).entrySet()) {
            String bytes = new String(each.getValue().getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
            if (text.length() < most) {
                text.append('\t').append(CGROUP).append(each.getKey().longValue());
                text.append(" = \"").append(escaped(bytes)).append("\";\n");
            }
        }
    }

    /** A path that {@link #putOwners} was given. */
    static String path(String text) {
        return new String(unescaped(text).getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
    }

    /** A string of TSDL: what is not printable, or means something there, as three octal digits. */
    private static String escaped(String bytes) {
        StringBuilder text = new StringBuilder(bytes.length());
        for (int i = 0; i < bytes.length(); i++) {
            char c = bytes.charAt(i);
            boolean plain = c >= ' ' && c <= '~' && "\"\\;".indexOf(c) < 0;
            text.append(plain ? String.valueOf(c) : "\\%03o".formatted((int) c));
        }
        return text.toString();
    }

    /** What {@link #escaped} was given. */
    static String unescaped(String text) {
        return OCTAL.matcher(text)
                .replaceAll(escape ->
                        Matcher.quoteReplacement(String.valueOf((char) Integer.parseInt(escape.group(1), 8))));
    }

    private static void putClock(StringBuilder text, TraceClock clock) {
        text.append("clock {\n\tname = \"magnet\";\n\tdescription = \"").append(clock.description());
        text.append("\";\n\tfreq = ").append(clock.ticksPerSecond());
        text.append(";\n\toffset_s = ").append(clock.offsetSeconds());
        text.append(";\n\toffset = ").append(clock.offsetTicks());
        text.append(";\n\tabsolute = true;\n};\n\n");
    }

    /**
     * As {@link PacketForm} arranges it. How much follows the fields has a name only where it is needed, since babeltrace2
     * warns of it: it is used, but not shown.
     */
    private static void putStream(StringBuilder text, RecordFormats formats) {
        boolean classic = formats.layout() == RecordLayout.CLASSIC;
        boolean more = formats.hasOpenEvents();
        text.append("stream {\n\tid = 0;\n\tpacket.context := struct {\n")
                .append("\t\tticks timestamp_begin;\n\t\tticks timestamp_end;\n")
                .append("\t\tu64 content_size;\n\t\tu64 packet_size;\n")
                .append("\t\tu64 events_discarded;\n\t\tu32 cpu_id;\n\t};\n")
                .append("\tevent.header := struct {\n");
        if (classic) {
            text.append("\t\tinteger { size = 10; align = 1; signed = false; } id;\n")
                    .append(more ? "\t\tinteger { size = 16; align = 1; signed = false; } _more;\n" : "")
                    .append("\t\tticks32 timestamp;\n\t} align(64);\n\tevent.context := struct {\n\t\tu32 tgid;\n")
                    .append("\t\tinteger { size = 64; align = 32; signed = false; } abstract_id;\n\t};\n");
        } else {
            text.append("\t\tu16 id;\n")
                    .append(more ? "\t\tinteger { size = 32; align = 16; signed = false; } _more;\n" : "")
                    .append("\t\tticks timestamp;\n\t} align(64);\n\tevent.context := struct {\n")
                    .append("\t\tu32 tgid;\n\t\tu32 tid;\n\t\tu64 abstract_id;\n\t};\n");
        }
        text.append("};\n\n");
    }

    /** The last gap is the next event's alignment, unless something follows it. */
    private static void putEvent(StringBuilder text, EventFormat event, Words words) {
        text.append("event {\n\tname = \"")
                .append(event.name())
                .append("\";\n\tid = ")
                .append(event.id());
        text.append(";\n\tstream_id = 0;\n\tfields := struct {\n");
        int at = 0;
        int gaps = 0;
        for (EventField field : event.fields()) {
            gaps += putGap(text, at, field.offset(), field.alignment(), gaps);
            // Underscores keep names apart from the language's words; readers take one away.
            if (field.isText()) {
                text.append("\t\ttext _")
                        .append(field.name())
                        .append('[')
                        .append(field.size())
                        .append("];\n");
            } else {
                text.append("\t\t")
                        .append(type(event, field, words))
                        .append(" _")
                        .append(field.name())
                        .append(";\n");
            }
            at = field.end();
        }
        if (event.tail() != EventFormat.Tail.NONE) {
            putGap(text, at, event.size(), event.tail().unit(), gaps);
            putTail(text, event.tail());
        }
        text.append("\t};\n};\n\n");
    }

    /** That of the words, if there are any and the field is the ABI's. */
    private static String type(EventFormat event, EventField field, Words words) {
        EventType type = EventType.ofId(event.id());
        if (type != null) {
            for (PayloadField known : type.fields()) {
                boolean same = known.name().equals(field.name())
                        && field.type().equals("u" + known.type().size() * Byte.SIZE);
                if (same
                        && known.words().field() == known.type()
                        && !words.of(known.words()).isEmpty()) {
                    return known.words().label();
                }
            }
        }
        return field.type();
    }

    private static void putTail(StringBuilder text, EventFormat.Tail tail) {
        String what = switch (tail) {
            case BYTES -> "x8 _data";
            case TEXT -> "text _text";
            case VALUES -> "u64 _values";
            default -> "x8 _more";
        };
        String count = tail == EventFormat.Tail.MORE ? "stream.event.header._more" : "_" + tail.countField();
        text.append("\t\t").append(what).append('[').append(count).append("];\n");
    }

    /** Bytes that no field describes; those that alignment skips anyway are not named. Returns how many names it took. */
    private static int putGap(StringBuilder text, int at, int end, int align, int gaps) {
        if ((at + align - 1) / align * align == end || end <= at) {
            return 0;
        }
        if (end - at == Integer.BYTES && at % Integer.BYTES == 0) {
            text.append("\t\tu32 _reserved").append(gaps).append(";\n");
        } else {
            text.append("\t\tu8 _reserved")
                    .append(gaps)
                    .append('[')
                    .append(end - at)
                    .append("];\n");
        }
        return 1;
    }

    /** What may stand in quotes there; names of hosts and reasons have nothing else, unless somebody means ill. */
    private static String quotable(String name) {
        return name.replaceAll("[^\\w.-]", "_");
    }
}
