// SPDX-License-Identifier: Apache-2.0
package magnet.trace;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import magnet.record.EventType;
import magnet.record.RecordLayout;
import magnet.record.WordKind;

/** Understands the module's control file {@code format}: layout, a line for each event, and the kernel's words for numbers. Stateless. */
final class ControlFormat {
    /** {@code event 0x010 udp_sendmsg net size 40 abstract_id cookie fields len:u32@32 …} */
    private static final Pattern EVENT =
            Pattern.compile("event 0x([0-9a-f]{1,4}) (\\w{1,63}) (\\w+) size (\\d{1,5}) .*fields ?(.*)");

    /** {@code word gfp_flags 0xcc0 GFP_KERNEL} */
    private static final Pattern WORD = Pattern.compile("word (\\w{1,15}) 0x([0-9a-f]{1,8}) ([\\w.-]{1,63})");

    private static final Pattern FIELD = Pattern.compile("([^:@\\s]{1,63}):([^@\\s]{1,15})@(\\d{1,5})");
    private static final int CLASSIC_DYNAMIC_END = 0x3c0;
    private static final Set<EventType> ALWAYS_KNOWN =
            EnumSet.of(EventType.CORRELATED, EventType.COUNTERS, EventType.STORM);

    private ControlFormat() {}

    /**
     * Adds the events that the lines describe, and what the sensor itself says, in the ABI's form, if they do not.
     *
     * @param lines of {@code control/format}
     * @throws TraceFormatException if the lines are not understood, or are of another layout
     */
    static void addTo(RecordFormats formats, List<String> lines) throws TraceFormatException {
        RecordLayout wanted = formats.layout();
        boolean hasLayout = false;
        for (String line : lines) {
            if (line.startsWith("layout ")) {
                hasLayout = line.substring("layout ".length()).equalsIgnoreCase(wanted.name());
                if (!hasLayout) {
                    throw new TraceFormatException(
                            "control/format says '" + line + "' where records have layout " + wanted);
                }
            } else if (line.startsWith("event ")) {
                formats.add(event(wanted, line));
            } else {
                addWord(formats, line);
            }
        }
        if (!hasLayout) {
            throw new TraceFormatException("control/format does not say which layout records have");
        }
        ALWAYS_KNOWN.forEach(own -> formats.add(ofAbi(own)));
    }

    /** Whether an event is described although no line does it. */
    static boolean isAlwaysKnown(EventType type) {
        return ALWAYS_KNOWN.contains(type);
    }

    /** A kind of words that this version does not know is of no use to it. */
    private static void addWord(RecordFormats formats, String line) {
        Matcher matcher = WORD.matcher(line);
        WordKind kind = matcher.matches() ? WordKind.ofLabel(matcher.group(1)) : null;
        if (kind != null && kind.isOfKernel()) {
            formats.addWord(kind, Long.parseLong(matcher.group(2), 16), matcher.group(3));
        }
    }

    private static EventFormat event(RecordLayout layout, String line) throws TraceFormatException {
        Matcher matcher = EVENT.matcher(line);
        if (!matcher.matches()) {
            throw notUnderstood(line);
        }
        int id = Integer.parseInt(matcher.group(1), 16);
        int size = Integer.parseInt(matcher.group(4)) - layout.headerSize();
        List<EventField> fields = new ArrayList<>();
        int end = 0;
        for (String text : matcher.group(5).split(" ", -1)) {
            if (!text.isEmpty()) {
                EventField field = field(layout, text, line);
                if (field.offset() < end || field.end() > size) {
                    throw notUnderstood(line);
                }
                end = field.end();
                fields.add(field);
            }
        }
        if (size < 0) {
            throw notUnderstood(line);
        }
        boolean dynamic = matcher.group(3).equals("dynamic");
        return new EventFormat(
                id, matcher.group(2), size, fields, dynamic ? EventFormat.Tail.NONE : tail(layout, id, fields));
    }

    private static EventField field(RecordLayout layout, String text, String line) throws TraceFormatException {
        Matcher matcher = FIELD.matcher(text);
        if (!matcher.matches()) {
            throw notUnderstood(line);
        }
        int offset = Integer.parseInt(matcher.group(3)) - layout.headerSize();
        EventField field = EventField.of(matcher.group(1), matcher.group(2), offset);
        if (field == null || offset < 0) {
            throw notUnderstood(line);
        }
        return field;
    }

    /** The format tells no more than that there is a count; what it counts is in the ABI. */
    private static EventFormat.Tail tail(RecordLayout layout, int id, List<EventField> fields) {
        boolean ofModules = layout == RecordLayout.CLASSIC
                ? id >= layout.firstDynamicEvent() && id < CLASSIC_DYNAMIC_END
                : id >= layout.firstDynamicEvent();
        if (ofModules) {
            return EventFormat.Tail.MORE;
        }
        EventFormat.Tail tail = id == EventType.MARKER.id()
                ? EventFormat.Tail.TEXT
                : id == EventType.COUNTERS.id() ? EventFormat.Tail.VALUES : EventFormat.Tail.BYTES;
        boolean counted = fields.stream().anyMatch(field -> field.name().equals(tail.countField()));
        return counted ? tail : EventFormat.Tail.NONE;
    }

    private static EventFormat ofAbi(EventType type) {
        List<EventField> fields = EventField.of(type);
        EventFormat.Tail tail = type == EventType.COUNTERS ? EventFormat.Tail.VALUES : EventFormat.Tail.NONE;
        return new EventFormat(type.id(), type.label(), type.payload().size(), fields, tail);
    }

    private static TraceFormatException notUnderstood(String line) {
        return new TraceFormatException("control/format is not what this program understands: " + line);
    }
}
