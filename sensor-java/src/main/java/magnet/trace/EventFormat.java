// SPDX-License-Identifier: Apache-2.0
package magnet.trace;

import java.util.List;
import magnet.record.EventType;
import magnet.record.RecordFlyweight;
import org.jspecify.annotations.Nullable;

/**
 * What the records of an event look like. Immutable.
 *
 * @param id its id
 * @param name its name
 * @param size bytes of the payload, what follows the fields left out
 * @param fields the fields in their order
 * @param tail what follows the fields
 */
public record EventFormat(int id, String name, int size, List<EventField> fields, Tail tail) {

    /** What follows a payload of fixed size. */
    public enum Tail {
        NONE(0, ""),
        /** Bytes of a packet, as many as the field {@code captured} says. */
        BYTES(1, "captured"),
        /** A marker's text. */
        TEXT(1, "len"),
        /** Values of counters. */
        VALUES(Long.BYTES, "n"),
        /** Whatever there is up to the end of the record; only the record tells how much. */
        MORE(1, "");

        private final int unit;
        private final String countField;

        Tail(int unit, String countField) {
            this.unit = unit;
            this.countField = countField;
        }

        /** Bytes of each one that is counted. */
        int unit() {
            return unit;
        }

        /** Name of the field that says how many there are. */
        String countField() {
            return countField;
        }
    }

    public EventFormat {
        fields = List.copyOf(fields);
    }

    /**
     * An event of the ABI, as a module of this version describes it.
     *
     * @param type not one of the sensor's own
     */
    public static EventFormat of(EventType type) {
        List<EventField> fields = EventField.of(type);
        Tail tail = type == EventType.MARKER ? Tail.TEXT : Tail.BYTES;
        boolean counted = fields.stream().anyMatch(field -> field.name().equals(tail.countField()));
        return new EventFormat(type.id(), type.label(), type.payload().size(), fields, counted ? tail : Tail.NONE);
    }

    /** Whether a text is the definition of a dynamic point, and not the name of a point that is there. */
    public static boolean isDefinition(String text) {
        return DynamicFormat.isDefinition(text);
    }

    /**
     * The event of a dynamic point; docs/control.md.
     *
     * @param id what the kernel gave it
     * @throws DefinitionException if no kernel would take the definition
     */
    public static EventFormat ofDefinition(int id, String name, String definition) throws DefinitionException {
        return DynamicFormat.parse(id, name, definition);
    }

    /** An event that nobody can describe. */
    static EventFormat nameless(int id) {
        return new EventFormat(id, "unknown_0x%03x".formatted(id), 0, List.of(), Tail.MORE);
    }

    /** Whether a record is long enough for all the fields. */
    public boolean fits(RecordFlyweight record) {
        return fields.stream().allMatch(field -> field.end() <= record.payloadSize());
    }

    /** The field of this name, or null. */
    public @Nullable EventField field(String name) {
        for (EventField field : fields) {
            if (field.name().equals(name)) {
                return field;
            }
        }
        return null;
    }
}
