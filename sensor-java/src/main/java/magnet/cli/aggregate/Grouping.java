// SPDX-License-Identifier: Apache-2.0
package magnet.cli.aggregate;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import magnet.cli.world.Failure;
import org.jspecify.annotations.Nullable;

/**
 * How events are put into groups, and what is made of each.
 *
 * @param field what histograms are of; empty without any
 * @param fieldKind what its numbers stand for
 * @param by names of the keys
 * @param kinds what the keys' numbers stand for
 * @param byEvent what is taken out of the records of an event, by its id
 */
record Grouping(
        String field, ValueKind fieldKind, List<String> by, List<KeyKind> kinds, Map<Integer, EventKeys> byEvent) {

    Grouping {
        by = List.copyOf(by);
        kinds = List.copyOf(kinds);
        byEvent = Map.copyOf(byEvent);
    }

    /**
     * That of several events.
     *
     * @param raw whether keys are numbers also where there are words for them
     * @throws Failure if one of them does not have what is asked for, or has it as something else
     */
    static Grouping of(List<EventValues> events, String field, List<String> by, boolean raw) throws Failure {
        Map<Integer, EventKeys> byEvent = new HashMap<>();
        List<KeyKind> kinds = new ArrayList<>();
        ValueKind fieldKind = null;
        for (EventValues event : events) {
            EventValue value = field.isEmpty() ? null : event.number(field);
            if (value != null) {
                checkSame(field, fieldKind, value.kind(), event);
                fieldKind = value.kind();
            }
            List<EventValue> keys = new ArrayList<>();
            for (int i = 0; i < by.size(); i++) {
                EventValue key =
                        raw ? event.of(by.get(i)).plain() : event.of(by.get(i)).grouped();
                if (i == kinds.size()) {
                    kinds.add(key.keyKind());
                }
                checkSame(by.get(i), kinds.get(i), key.keyKind(), event);
                keys.add(key);
            }
            byEvent.put(event.event().id(), new EventKeys(keys, value, event.packet()));
        }
        return new Grouping(field, fieldKind == null ? ValueKind.NUMBER : fieldKind, by, kinds, byEvent);
    }

    private static void checkSame(String name, @Nullable Object before, Object kind, EventValues event) throws Failure {
        if (before != null && !before.equals(kind)) {
            throw new Failure(name + " of " + event.event().name()
                    + " is of another kind than that of the points before it; ask for each of them alone");
        }
    }

    /** Whether there are histograms. */
    boolean isBucketed() {
        return !field.isEmpty();
    }

    /** Whether packets' headers of this event are asked for. */
    boolean asksPacket(int event) {
        EventKeys keys = byEvent.get(event);
        return keys != null && keys.isOfPacket();
    }
}
