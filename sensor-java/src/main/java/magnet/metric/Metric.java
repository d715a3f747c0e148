// SPDX-License-Identifier: Apache-2.0
package magnet.metric;

import java.util.EnumSet;
import java.util.Set;
import magnet.record.EventType;

/**
 * One metric of the catalogue.
 *
 * <p>Immutable and thread-safe. The constructor refuses what would break a frontend: Ganglia takes the name as a file
 * name, reads a name that ends in {@code _report} as a report, and carries text into XML without escaping it.
 *
 * @param name {@code magnet_<subsystem>_<what>_<statistic>}, of a-z, 0-9 and _, at most 100 characters; gmond's own
 *     name if it takes the place of that metric
 * @param group what it is shown and switched with
 * @param level lowest level that has it
 * @param unit unit of the published number, for people and for the axis of a graph
 * @param title title of its graph
 * @param description what it says, in one or two sentences
 * @param slope how it may change
 * @param type type of the published number
 * @param decimals digits after the point, 0 to 9
 * @param events events without which it cannot be computed; empty for what the sensor knows of itself
 * @param byThread whether these events are joined by the thread that they happened in
 * @param shownIn Ganglia group that it is shown in, without space and comma
 */
public record Metric(
        String name,
        MetricGroup group,
        Level level,
        String unit,
        String title,
        String description,
        Slope slope,
        ValueType type,
        int decimals,
        Set<EventType> events,
        boolean byThread,
        String shownIn) {

    /** Longest name, in characters. */
    public static final int NAME_MAX = 100;

    private static final String PREFIX = "magnet_";
    private static final int LEAST_UNDERSCORES = 3;

    /**
     * Checks every part.
     *
     * @throws IllegalArgumentException naming the metric and the part that is not allowed
     */
    public Metric {
        if (!isName(name, group) || name.length() > NAME_MAX || name.endsWith("_report")) {
            throw new IllegalArgumentException("metric name not allowed: " + name);
        }
        checkText(name, unit);
        checkText(name, title);
        checkText(name, description);
        checkText(name, shownIn);
        if (shownIn.indexOf(' ') >= 0 || shownIn.indexOf(',') >= 0) {
            throw new IllegalArgumentException("group of " + name + " not allowed: " + shownIn);
        }
        if (decimals < 0 || decimals > 9) {
            throw new IllegalArgumentException("decimals of " + name + " not allowed: " + decimals);
        }
        events = Set.copyOf(events);
    }

    /** One that is shown in its own group. */
    public Metric(
            String name,
            MetricGroup group,
            Level level,
            String unit,
            String title,
            String description,
            Slope slope,
            ValueType type,
            int decimals,
            Set<EventType> events,
            boolean byThread) {
        this(name, group, level, unit, title, description, slope, type, decimals, events, byThread, group.ganglia());
    }

    /** How often what it is made of happens. */
    public CostClass cost() {
        return CostClass.of(events);
    }

    /** Equal metrics have equal names, and a text's hash is computed once. */
    @Override
    public int hashCode() {
        return name.hashCode();
    }

    /** Whether everything that this metric is made of is there. */
    public boolean isComputableFrom(Set<EventType> available) {
        return available.containsAll(events);
    }

    /** The events as a set in the order of their declaration, for documents. */
    public Set<EventType> orderedEvents() {
        EnumSet<EventType> ordered = EnumSet.noneOf(EventType.class);
        ordered.addAll(events);
        return ordered;
    }

    // Written out: the whole catalogue is checked at each start, and a pattern takes ten times as long until compiled.

    private static boolean isName(String name, MetricGroup group) {
        int underscores = 0;
        char before = 0;
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (c == '_') {
                underscores++;
            }
            if (!(c == '_' && before != '_') && !(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9')) {
                return false;
            }
            before = c;
        }
        boolean prefixed = name.startsWith(PREFIX) && underscores >= LEAST_UNDERSCORES;
        return (group.isGmonds() ? !name.isEmpty() && !name.startsWith(PREFIX) : prefixed) && before != '_';
    }

    private static void checkText(String name, String text) {
        boolean allowed = !text.isEmpty();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            allowed &= c >= ' ' && c <= '~' && c != '&' && c != '<' && c != '>' && c != '"' && c != '\'';
        }
        if (!allowed) {
            throw new IllegalArgumentException("text of " + name + " not allowed: " + text);
        }
    }
}
