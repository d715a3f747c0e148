// SPDX-License-Identifier: Apache-2.0
package magnet.metric;

import java.util.EnumSet;
import java.util.Set;
import java.util.regex.Pattern;
import magnet.record.EventType;

/**
 * One metric of the catalogue.
 *
 * <p>Immutable and thread-safe. The constructor refuses what would break a frontend: Ganglia takes the name as a file
 * name, reads a name that ends in {@code _report} as a report, and carries text into XML without escaping it.
 *
 * @param name {@code magnet_<subsystem>_<what>_<statistic>}, of a-z, 0-9 and _, at most 100 characters
 * @param group what it is shown and switched with
 * @param unit unit of the published number, for people and for the axis of a graph
 * @param title title of its graph
 * @param description what it says, in one or two sentences
 * @param slope how it may change
 * @param type type of the published number
 * @param decimals digits after the point, 0 to 9
 * @param events events without which it cannot be computed; empty for what the sensor knows of itself
 */
public record Metric(
        String name,
        MetricGroup group,
        String unit,
        String title,
        String description,
        Slope slope,
        ValueType type,
        int decimals,
        Set<EventType> events) {

    /** Longest name, in characters. */
    public static final int NAME_MAX = 100;

    private static final Pattern NAME = Pattern.compile("magnet(_[a-z0-9]+){3,}");
    private static final Pattern TEXT = Pattern.compile("[\\x20-\\x7e&&[^&<>\"']]+");

    /**
     * Checks every part.
     *
     * @throws IllegalArgumentException naming the metric and the part that is not allowed
     */
    public Metric {
        if (!NAME.matcher(name).matches() || name.length() > NAME_MAX || name.endsWith("_report")) {
            throw new IllegalArgumentException("metric name not allowed: " + name);
        }
        for (String text : new String[] {unit, title, description}) {
            if (!TEXT.matcher(text).matches()) {
                throw new IllegalArgumentException("text of " + name + " not allowed: " + text);
            }
        }
        if (decimals < 0 || decimals > 9) {
            throw new IllegalArgumentException("decimals of " + name + " not allowed: " + decimals);
        }
        events = Set.copyOf(events);
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
}
