// SPDX-License-Identifier: Apache-2.0
package magnet.metric;

import java.util.List;

/**
 * Metrics that belong together as places of one order: at each place a number, and the name of what it belongs to. For
 * frontends that have labels; Ganglia shows each metric by itself. Immutable.
 *
 * @param name what the numbers are together, as a metric's name
 * @param unit their unit
 * @param description what they say
 * @param label what is ranked, in one word
 * @param numbers the number of each place, the first one first
 * @param names what stands at each place
 */
public record Ranking(
        String name, String unit, String description, String label, List<Metric> numbers, List<Metric> names) {
    public Ranking {
        numbers = List.copyOf(numbers);
        names = List.copyOf(names);
        if (numbers.size() != names.size()) {
            throw new IllegalArgumentException("ranking " + name + " has other numbers than names");
        }
    }
}
