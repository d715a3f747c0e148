// SPDX-License-Identifier: Apache-2.0
package magnet.trace;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;
import magnet.record.EventType;
import magnet.record.RecordLayout;

/**
 * Describes records as the module's control file {@code format} does, for who may not read that: by the ABI, which has all
 * fields of the module's own events, and by the names of other points, whose fields it does not know. Stateless.
 */
public final class AbiFormat {
    private AbiFormat() {}

    /**
     * The lines.
     *
     * @param layout the layout that the module writes
     * @param names what the module's points are called, by the id of their events
     */
    public static List<String> lines(RecordLayout layout, Map<Integer, String> names) {
        List<String> lines = new ArrayList<>();
        lines.add("layout " + layout.name().toLowerCase(Locale.ROOT));
        for (EventType type : EventType.values()) {
            if (!ControlFormat.isAlwaysKnown(type)) {
                lines.add(line(layout, EventFormat.of(type)));
            }
        }
        names.forEach((id, name) -> {
            if (EventType.ofId(id) == null) {
                lines.add(line(layout, new EventFormat(id, name, 0, List.of(), EventFormat.Tail.MORE)));
            }
        });
        return lines;
    }

    private static String line(RecordLayout layout, EventFormat event) {
        int header = layout.headerSize();
        StringJoiner fields = new StringJoiner(" ");
        for (EventField field : event.fields()) {
            fields.add(field.name() + ":" + field.type() + "@" + (header + field.offset()));
        }
        return "event 0x%03x %s abi size %d fields %s"
                .formatted(event.id(), event.name(), header + event.size(), fields);
    }
}
