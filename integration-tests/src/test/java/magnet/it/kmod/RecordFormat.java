// SPDX-License-Identifier: Apache-2.0
package magnet.it.kmod;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Raw records as text, in the words of babeltrace2: decoded from what {@code control/format} says and with nothing of the
 * sensor's own programs. Immutable.
 */
final class RecordFormat {
    private static final Pattern EVENT =
            Pattern.compile("event 0x(\\p{XDigit}+) (\\S+) (\\S+) size (\\d+) .* fields ?(.*)");
    private static final Pattern FIELD = Pattern.compile("([^: ]+):([a-z]+)\\[?(\\d+)]?@(\\d+)");
    private static final long U32 = 0xffff_ffffL;

    private record Field(String name, String type, int size, int offset) {}

    /** An open one's records have more after their fields, up to their end. */
    private record Event(String name, int size, List<Field> fields, boolean open) {}

    private final boolean classic;
    private final Map<Integer, Event> events = new HashMap<>();

    /** What {@code control/format} contains. */
    RecordFormat(String format) {
        classic = format.contains("layout classic\n");
        format.lines().map(EVENT::matcher).filter(Matcher::matches).forEach(this::add);
    }

    private void add(Matcher event) {
        List<Field> fields = new ArrayList<>();
        Matcher field = FIELD.matcher(event.group(5));
        while (field.find()) {
            int size = Integer.parseInt(field.group(3));
            String type = field.group(2);
            fields.add(new Field(
                    field.group(1), type, type.equals("char") ? size : size / 8, Integer.parseInt(field.group(4))));
        }
        int id = Integer.parseInt(event.group(1), 16);
        boolean open = isMadeAtRunTime(id) && !event.group(3).equals("dynamic");
        events.put(id, new Event(event.group(2), Integer.parseInt(event.group(4)), fields, open));
    }

    private boolean isMadeAtRunTime(int id) {
        return classic ? id >= 0x300 && id < 0x3c0 : id >= 0x400;
    }

    /** What the format does not know is all that follows the header. */
    private Event event(int id) {
        return events.computeIfAbsent(
                id, unknown -> new Event("unknown_0x%03x".formatted(unknown), classic ? 24 : 32, List.of(), true));
    }

    /** All records of a CPU's file, each as {@code TIMER NAME: { CPU }, { WHO }, { FIELDS }}. */
    List<String> print(byte[] raw) {
        List<String> lines = new ArrayList<>();
        iterator(raw).forEachRemaining(lines::add);
        return lines;
    }

    /** The same one by one, for a file of very many. */
    Iterator<String> iterator(byte[] raw) {
        ByteBuffer bytes = ByteBuffer.wrap(raw).order(ByteOrder.LITTLE_ENDIAN);
        return new Iterator<>() {
            private int at;

            @Override
            public boolean hasNext() {
                return at < raw.length;
            }

            @Override
            public String next() {
                if (!hasNext()) {
                    throw new NoSuchElementException();
                }
                int size = classic ? bytes.getInt(at) >>> 16 : bytes.getInt(at);
                ByteBuffer record = bytes.slice(at, size);
                at += size;
                return classic ? classic(record) : wide(record);
            }
        };
    }

    private String wide(ByteBuffer record) {
        record.order(ByteOrder.LITTLE_ENDIAN);
        return line(record.getLong(24), record.getShort(6) & 0xffff, record.getShort(4) & 0xffff)
                + "{ tgid = %d, tid = %d, abstract_id = %s }, %s"
                        .formatted(
                                record.getInt(8) & U32,
                                record.getInt(12) & U32,
                                Long.toUnsignedString(record.getLong(16)),
                                payload(record, record.getShort(6) & 0xffff));
    }

    private String classic(ByteBuffer record) {
        record.order(ByteOrder.LITTLE_ENDIAN);
        int header = record.getInt(0);
        int event = header >>> 6 & 0x3ff;
        return line(record.getLong(16), event, header & 0x3f)
                + "{ tgid = %d, abstract_id = %s }, %s"
                        .formatted(
                                record.getInt(4) & U32,
                                Long.toUnsignedString(record.getLong(8)),
                                payload(record, event));
    }

    private String line(long timer, int event, int cpu) {
        return "%d %s: { cpu_id = %d }, ".formatted(timer, event(event).name(), cpu);
    }

    private String payload(ByteBuffer record, int id) {
        Event event = event(id);
        List<String> values = new ArrayList<>();
        for (Field field : event.fields()) {
            values.add(field.name() + " = " + value(record, field));
            if (field.name().equals("len") && event.name().equals("marker")) {
                values.add("text = \"" + text(record, event.size(), record.getInt(field.offset())) + "\"");
            }
        }
        if (event.fields().stream().anyMatch(field -> field.name().equals("captured"))) {
            Field captured = event.fields().stream()
                    .filter(field -> field.name().equals("captured"))
                    .findAny()
                    .orElseThrow();
            values.add("data = " + data(record, event.size(), record.getShort(captured.offset()) & 0xffff));
        }
        if (event.open()) {
            values.add("more = " + data(record, event.size(), record.capacity() - event.size()));
        }
        return values.isEmpty() ? "{ }" : "{ " + String.join(", ", values) + " }";
    }

    private static String data(ByteBuffer record, int at, int count) {
        if (count == 0) {
            return "[ ]";
        }
        return IntStream.range(0, count)
                .mapToObj(i -> "[%d] = 0x%X".formatted(i, record.get(at + i) & 0xff))
                .collect(Collectors.joining(", ", "[ ", " ]"));
    }

    private static String value(ByteBuffer record, Field field) {
        if (field.type().equals("char")) {
            return "\"" + escaped(text(record, field.offset(), field.size())) + "\"";
        }
        long value = switch (field.size()) {
            case 1 -> record.get(field.offset());
            case 2 -> record.getShort(field.offset());
            case 4 -> record.getInt(field.offset());
            default -> record.getLong(field.offset());
        };
        if (field.type().equals("s")) {
            return Long.toString(value);
        }
        long unsigned = field.size() == 8 ? value : value & ((1L << (8 * field.size())) - 1);
        return field.type().equals("x")
                ? "0x" + Long.toHexString(unsigned).toUpperCase(Locale.ROOT)
                : Long.toUnsignedString(unsigned);
    }

    /** As babeltrace2 prints texts: arguments of programs have line ends and quotes in them. */
    private static String escaped(String text) {
        StringBuilder escaped = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '\\', '\'', '"', '?' -> escaped.append('\\').append(c);
                case '\n' -> escaped.append("\\n");
                case '\t' -> escaped.append("\\t");
                default -> escaped.append(c);
            }
        }
        return escaped.toString();
    }

    private static String text(ByteBuffer record, int at, int size) {
        byte[] bytes = new byte[size];
        record.get(at, bytes);
        String text = new String(bytes, StandardCharsets.UTF_8);
        int end = text.indexOf('\0');
        return end < 0 ? text : text.substring(0, end);
    }
}
