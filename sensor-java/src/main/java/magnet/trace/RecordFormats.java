// SPDX-License-Identifier: Apache-2.0
package magnet.trace;

import java.util.Collection;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import magnet.record.RecordLayout;
import magnet.record.WordKind;
import magnet.record.Words;
import org.jspecify.annotations.Nullable;

/** The layout of records, and every event that was described so far. Not thread-safe. */
final class RecordFormats {
    static final int EVENT_IDS = 1 << 16;

    private static final byte UNKNOWN = 0;
    private static final byte CLOSED = 1;
    private static final byte OPEN = 2;

    private final RecordLayout layout;
    private final SortedMap<Integer, EventFormat> events = new TreeMap<>();
    private final Map<WordKind, Map<Long, String>> words = new EnumMap<>(WordKind.class);
    private final byte[] kinds = new byte[EVENT_IDS];
    private final int[] fixedSizes = new int[EVENT_IDS];

    RecordFormats(RecordLayout layout) {
        this.layout = layout;
    }

    RecordLayout layout() {
        return layout;
    }

    /** Adds an event; the first description of an id stays. */
    void add(EventFormat event) {
        if (events.putIfAbsent(event.id(), event) == null) {
            kinds[event.id()] = event.tail() == EventFormat.Tail.MORE ? OPEN : CLOSED;
            fixedSizes[event.id()] = layout.headerSize() + event.size();
        }
    }

    /** Adds what the kernel calls a number; the first word for a number stays. */
    void addWord(WordKind kind, long number, String word) {
        words.computeIfAbsent(kind, any -> new LinkedHashMap<>()).putIfAbsent(number, word);
    }

    /** The words that were added, and those that are the same for all kernels. */
    Words words() {
        Words all = Words.common();
        for (Map.Entry<WordKind, Map<Long, String>> each : words.entrySet()) {
            all = all.with(each.getKey(), each.getValue());
        }
        return all;
    }

    /** All of them, by id. */
    Collection<EventFormat> events() {
        return events.values();
    }

    /** Whether another one says the same: one is enough for all parts of a trace, each of which takes 320 KiB. */
    boolean describesAs(RecordFormats other) {
        return layout == other.layout && events.equals(other.events);
    }

    @Nullable
    EventFormat event(int id) {
        return events.get(id);
    }

    boolean isDescribed(int id) {
        return kinds[id] != UNKNOWN;
    }

    /** Bytes of an event's header and fields; 0 if it is not described. */
    int fixedSize(int id) {
        return fixedSizes[id];
    }

    /** Whether a record has more than its fields, and only the record tells how much. */
    boolean isOpen(int id) {
        return kinds[id] == OPEN;
    }

    boolean hasOpenEvents() {
        return events.values().stream().anyMatch(event -> event.tail() == EventFormat.Tail.MORE);
    }
}
