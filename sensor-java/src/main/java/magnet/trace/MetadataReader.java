// SPDX-License-Identifier: Apache-2.0
package magnet.trace;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import magnet.record.PayloadField;
import magnet.record.RecordLayout;
import magnet.record.WordKind;
import magnet.record.Words;
import org.jspecify.annotations.Nullable;

/**
 * Understands the metadata that magnet writes, and no other TSDL: a statement is a line. For one text.
 */
final class MetadataReader {
    private static final Pattern ASSIGNMENT = Pattern.compile("\\s*(\\w{1,40}) = \"?([^\";]{0,1100})\"?;");
    private static final Pattern FIELD = Pattern.compile("\\s*(\\w{1,15}) _(\\w{1,63})(?:\\[([\\w.]{1,70})])?;");
    private static final Pattern COUNT = Pattern.compile("\\d{1,5}");
    private static final Pattern WORD = Pattern.compile("\\s*\"([\\w.-]{1,63})\" = (\\d{1,10}),?");
    private static final Pattern WORDS_END = Pattern.compile(Metadata.WORDS_END + "(\\w{1,15});");
    private static final Pattern PROCESS = Pattern.compile(Metadata.PROCESS + "(\\d{1,9})");
    private static final Pattern CGROUP_OF = Pattern.compile(Metadata.CGROUP_OF + "(\\d{1,9})");
    private static final Pattern CGROUP = Pattern.compile(Metadata.CGROUP + "(\\d{1,19})");
    private static final Pattern ID = Pattern.compile("\\d{1,18}");
    private static final Pattern LIST = Pattern.compile(",");
    private static final String EVENT_BEGIN = "event {";
    private static final int PAYLOAD_MAX = 1 << 16;

    private final String file;
    private final Map<String, String> values = new HashMap<>();
    private final List<EventFormat> events = new ArrayList<>();
    private Words words = Words.common();

    private MetadataReader(String file) {
        this.file = file;
    }

    /** What it says. */
    record Content(
            RecordFormats formats,
            TraceClock clock,
            String host,
            String machine,
            Words words,
            Map<Integer, String> processNames,
            Optional<TraceOwners> owners,
            Optional<Overwritten> overwritten) {}

    /**
     * Reads a text.
     *
     * @param file its name, for the exception
     * @throws TraceFormatException if magnet did not write it, or not this version
     */
    static Content read(String text, String file) throws TraceFormatException {
        MetadataReader reader = new MetadataReader(file);
        reader.take(text.split("\n", -1));
        return reader.content();
    }

    private void take(String[] lines) throws TraceFormatException {
        int i = 0;
        while (i < lines.length) {
            if (lines[i].equals(EVENT_BEGIN)) {
                i = takeEvent(lines, i + 1);
            } else if (lines[i].startsWith(Metadata.WORDS_BEGIN)) {
                i = takeWords(lines, i + 1);
            } else {
                Matcher matcher = ASSIGNMENT.matcher(lines[i]);
                if (matcher.matches()) {
                    values.put(matcher.group(1), matcher.group(2));
                }
                i++;
            }
        }
    }

    /** Those of its kernel; what all kernels agree on this program knows. */
    private int takeWords(String[] lines, int begin) {
        Map<Long, String> table = new LinkedHashMap<>();
        int i = begin;
        for (; i < lines.length && !lines[i].startsWith("}"); i++) {
            Matcher word = WORD.matcher(lines[i]);
            if (word.matches()) {
                table.putIfAbsent(Long.valueOf(word.group(2)), word.group(1));
            }
        }
        Matcher end = WORDS_END.matcher(i < lines.length ? lines[i] : "");
        WordKind kind = end.matches() ? WordKind.ofLabel(end.group(1)) : null;
        if (kind != null && kind.isOfKernel()) {
            words = words.with(kind, table);
        }
        return i;
    }

    private int takeEvent(String[] lines, int begin) throws TraceFormatException {
        Map<String, String> own = new HashMap<>();
        List<EventField> fields = new ArrayList<>();
        EventFormat.Tail tail = EventFormat.Tail.NONE;
        int at = 0;
        int i = begin;
        for (; i < lines.length && !lines[i].equals("};"); i++) {
            Matcher field = FIELD.matcher(lines[i]);
            Matcher assignment = ASSIGNMENT.matcher(lines[i]);
            if (assignment.matches()) {
                own.put(assignment.group(1), assignment.group(2));
            } else if (field.matches()) {
                String count = field.group(3);
                if (count != null && !COUNT.matcher(count).matches()) {
                    tail = tail(count);
                    at = (at + tail.unit() - 1) / tail.unit() * tail.unit();
                } else {
                    at = takeField(field, count, at, fields);
                }
            }
        }
        int id = (int) number(own, "id", RecordFormats.EVENT_IDS - 1);
        // What comes behind the last field is not said, and fills the record up.
        int size = tail == EventFormat.Tail.NONE ? (at + Long.BYTES - 1) / Long.BYTES * Long.BYTES : at;
        events.add(new EventFormat(id, own.getOrDefault("name", "event_" + id), size, fields, tail));
        return i;
    }

    private int takeField(Matcher line, @Nullable String count, int at, List<EventField> fields)
            throws TraceFormatException {
        String type = plainType(line.group(1));
        String name = line.group(2);
        int items = count == null ? 1 : Integer.parseInt(count);
        boolean text = type.equals("text");
        EventField unplaced = EventField.of(name, text ? "char[" + items + "]" : type, 0);
        if (unplaced == null || (!text && items != 1 && !name.startsWith("reserved"))) {
            throw wrong("does not know the type of '" + line.group().strip() + "'");
        }
        int align = unplaced.alignment();
        EventField field = new EventField(name, unplaced.type(), (at + align - 1) / align * align);
        if (field.end() > PAYLOAD_MAX) {
            throw wrong("has an event that is too large");
        }
        if (name.startsWith("reserved")) {
            return field.offset() + items * field.size();
        }
        fields.add(field);
        return field.end();
    }

    /** Of numbers that have words the type of the numbers. */
    private static String plainType(String type) {
        WordKind kind = WordKind.ofLabel(type);
        PayloadField.Type field = kind == null ? null : kind.field();
        return field == null ? type : "u" + field.size() * Byte.SIZE;
    }

    private static EventFormat.Tail tail(String count) {
        for (EventFormat.Tail tail : EventFormat.Tail.values()) {
            if (!tail.countField().isEmpty() && count.equals("_" + tail.countField())) {
                return tail;
            }
        }
        return EventFormat.Tail.MORE;
    }

    private Content content() throws TraceFormatException {
        if (!"magnet".equals(values.get("tracer_name"))) {
            throw wrong("is not one that magnet wrote");
        }
        if (!"le".equals(values.get("byte_order"))) {
            throw wrong("is of a machine with another byte order");
        }
        String layout = values.getOrDefault("layout", "").toUpperCase(Locale.ROOT);
        RecordFormats formats;
        try {
            formats = new RecordFormats(RecordLayout.valueOf(layout));
        } catch (IllegalArgumentException e) {
            throw wrong("has records of a layout that this version does not know");
        }
        events.forEach(formats::add);
        long frequency = number(values, "freq", Long.MAX_VALUE);
        long offset = number(values, "offset", Long.MAX_VALUE);
        if (frequency < 1_000 || offset >= frequency) {
            throw wrong("has a clock that cannot be");
        }
        TraceClock clock = new TraceClock(
                values.getOrDefault("description", ""), frequency, number(values, "offset_s", Long.MAX_VALUE), offset);
        return new Content(
                formats,
                clock,
                values.getOrDefault("hostname", ""),
                values.getOrDefault("machine", ""),
                words,
                names(),
                owners(),
                overwritten());
    }

    private Optional<Overwritten> overwritten() throws TraceFormatException {
        String recorder = values.get(Metadata.RECORDER);
        return recorder == null
                ? Optional.empty()
                : Optional.of(new Overwritten(recorder, number(values, Metadata.OVERWRITTEN, Long.MAX_VALUE)));
    }

    private Optional<TraceOwners> owners() {
        String companions = values.get(Metadata.OWNERS);
        if (companions == null) {
            return Optional.empty();
        }
        Map<Integer, Long> cgroups = new HashMap<>();
        Map<Long, String> paths = new HashMap<>();
        values.forEach((key, value) -> {
            Matcher process = CGROUP_OF.matcher(key);
            Matcher cgroup = CGROUP.matcher(key);
            if (process.matches() && ID.matcher(value).matches()) {
                cgroups.put(Integer.valueOf(process.group(1)), Long.valueOf(value));
            } else if (cgroup.matches() && ID.matcher(cgroup.group(1)).matches()) {
                paths.put(Long.valueOf(cgroup.group(1)), Metadata.path(value));
            }
        });
        Set<String> points = LIST.splitAsStream(companions).collect(Collectors.toUnmodifiableSet());
        return Optional.of(new TraceOwners(points, cgroups, paths));
    }

    private Map<Integer, String> names() {
        Map<Integer, String> names = new HashMap<>();
        values.forEach((key, value) -> {
            Matcher process = PROCESS.matcher(key);
            if (process.matches()) {
                names.put(Integer.valueOf(process.group(1)), Metadata.unescaped(value));
            }
        });
        return names;
    }

    private long number(Map<String, String> from, String name, long most) throws TraceFormatException {
        String text = from.getOrDefault(name, "");
        try {
            long value = Long.parseLong(text);
            if (value >= 0 && value <= most) {
                return value;
            }
        } catch (NumberFormatException e) {
            // The same complaint.
        }
        throw wrong("has no good '" + name + "'");
    }

    private TraceFormatException wrong(String what) {
        return new TraceFormatException(file + " " + what);
    }
}
