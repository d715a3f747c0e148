// SPDX-License-Identifier: Apache-2.0
package magnet.publish.muse;

import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import magnet.record.EventType;

/**
 * What the kernel has to log for handlers: the events that any of them asks for, and of these no more processes than they
 * ask for. Filters of ids and sockets are asked in the service alone. Rules are the language of {@code docs/control.md}.
 */
final class PointRules {
    /** Values of a list in a rule. */
    private static final int VALUES_MAX = 32;

    /** Rules of a chain. */
    private static final int RULES_MAX = 64;

    /** Characters of a chain: the kernel takes a text of 4,096 bytes. */
    private static final int TEXT_MAX = 4_000;

    /** Of an event's processes, by the field of rules; any if the set is empty. */
    private final Map<EventType, SortedMap<String, SortedSet<Long>>> wanted = new EnumMap<>(EventType.class);

    private PointRules() {}

    /** Events that these handlers ask for, with the rules of each; no rules if they are empty. */
    static Map<EventType, String> of(Collection<ClientHandler> handlers) {
        PointRules rules = new PointRules();
        handlers.forEach(rules::add);
        Map<EventType, String> texts = new EnumMap<>(EventType.class);
        rules.wanted.forEach((type, processes) -> texts.put(type, text(processes)));
        return texts;
    }

    private void add(ClientHandler handler) {
        for (EventFilter filter : handler.effectiveFilters()) {
            long process = handler.process() == EventFilter.ANY ? filter.process() : handler.process();
            for (int number : filter.numbers()) {
                if (handler.kind().uses(number)) {
                    EventNumber.origins(number).forEach(origin -> add(origin, process));
                }
            }
        }
    }

    private void add(EventNumber.Origin origin, long process) {
        SortedMap<String, SortedSet<Long>> ofType = wanted.computeIfAbsent(origin.type(), type -> new TreeMap<>());
        if (process == EventFilter.ANY) {
            ofType.put(origin.processField(), new TreeSet<>());
            return;
        }
        SortedSet<Long> processes = ofType.get(origin.processField());
        if (processes == null) {
            ofType.put(origin.processField(), new TreeSet<>(List.of(process)));
        } else if (!processes.isEmpty()) {
            processes.add(process);
        }
    }

    private static String text(SortedMap<String, SortedSet<Long>> ofType) {
        List<String> rules = new ArrayList<>();
        for (Map.Entry<String, SortedSet<Long>> each : ofType.entrySet()) {
            List<Long> processes = List.copyOf(each.getValue());
            if (processes.isEmpty()) {
                return "";
            }
            for (int from = 0; from < processes.size(); from += VALUES_MAX) {
                rules.add("log if " + each.getKey() + " == "
                        + processes.subList(from, Math.min(processes.size(), from + VALUES_MAX)).stream()
                                .map(String::valueOf)
                                .collect(Collectors.joining(",")));
            }
        }
        rules.add("drop");
        String text = String.join("; ", rules);
        return rules.size() > RULES_MAX || text.length() > TEXT_MAX ? "" : text;
    }
}
