// SPDX-License-Identifier: Apache-2.0
package magnet.publish.muse;

import java.util.ArrayList;
import java.util.List;
import magnet.record.EventType;
import magnet.record.Subsystem;

/**
 * Which points of the kernel an event number of MUSE stands for: 3, 4, 258 and 259 as its clients use them, all others as
 * magnet's own ids. Stateless.
 */
final class EventNumber {
    /**
     * An event with what says in a rule which process it is about.
     *
     * @param type the event
     * @param processField field of rules
     */
    record Origin(EventType type, String processField) {}

    private static final String RUNNING = "tgid";

    private EventNumber() {}

    /** Where the events of a number come from; nowhere if there are none. */
    static List<Origin> origins(long number) {
        if (number == MuseEvent.SOCKET_RECEIVE) {
            return List.of(new Origin(EventType.SKB_CONSUME_UDP, RUNNING), new Origin(EventType.TCP_CONSUME, RUNNING));
        }
        if (number == MuseEvent.CONTEXT_IN) {
            return List.of(new Origin(EventType.SCHED_SWITCH, "next_tgid"));
        }
        if (number == MuseEvent.CONTEXT_OUT) {
            return List.of(new Origin(EventType.SCHED_SWITCH, RUNNING));
        }
        EventType type = number < EventType.ID_END ? EventType.ofId((int) number) : null;
        return type == null || type.subsystem() == Subsystem.SENSOR ? List.of() : List.of(new Origin(type, RUNNING));
    }

    /** What there is, a line each. */
    static List<String> lines() {
        List<String> lines = new ArrayList<>(List.of(
                MuseEvent.SOCKET_SEND + " a program sends on a socket",
                MuseEvent.SOCKET_RECEIVE + " a program has received from a socket",
                MuseEvent.CONTEXT_IN + " a thread gets a CPU",
                MuseEvent.CONTEXT_OUT + " a thread leaves its CPU"));
        for (EventType type : EventType.values()) {
            if (!MuseEvent.isNamed(type.id()) && !origins(type.id()).isEmpty()) {
                lines.add(type.id() + " " + type.label());
            }
        }
        return lines;
    }
}
