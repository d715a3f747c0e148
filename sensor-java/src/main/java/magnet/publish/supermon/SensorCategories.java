// SPDX-License-Identifier: Apache-2.0
package magnet.publish.supermon;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import magnet.metric.Metric;
import magnet.metric.MetricGroup;
import magnet.metric.MetricSnapshot;
import magnet.metric.ValueType;
import magnet.publish.supermon.Category.Kind;
import magnet.publish.supermon.Category.Variable;

/**
 * Magnet's own categories, one for each group of metrics. A variable is a metric, under its name and in its unit, with the
 * value that Ganglia gets. Stateless.
 */
final class SensorCategories {
    private static final Map<MetricGroup, Long> BITS = new EnumMap<>(Map.ofEntries(
            Map.entry(MetricGroup.SENSOR, 0x1000L),
            Map.entry(MetricGroup.NETWORK, 0x2000L),
            Map.entry(MetricGroup.SCHEDULER, 0x4000L),
            Map.entry(MetricGroup.INTERRUPTS, 0x8000L),
            Map.entry(MetricGroup.JOURNEY, 0x100000L),
            Map.entry(MetricGroup.BLOCK, 0x200000L),
            Map.entry(MetricGroup.MEMORY, 0x400000L),
            Map.entry(MetricGroup.SYSCALLS, 0x800000L),
            Map.entry(MetricGroup.PROCESSES, 0x1000000L),
            Map.entry(MetricGroup.USER, 0x2000000L),
            Map.entry(MetricGroup.JOBS, 0x10000000L),
            Map.entry(MetricGroup.GMOND_CPU, 0x4000000L),
            Map.entry(MetricGroup.GMOND_NETWORK, 0x8000000L)));

    private SensorCategories() {}

    /** What a snapshot has, of the categories in the mask. */
    static List<Category> of(MetricSnapshot snapshot, long mask) {
        Map<MetricGroup, List<Variable>> groups = new EnumMap<>(MetricGroup.class);
        for (int i = 0; i < snapshot.size(); i++) {
            MetricGroup group = snapshot.metric(i).group();
            if ((bit(group) & mask) != 0) {
                groups.computeIfAbsent(group, any -> new ArrayList<>()).add(variable(snapshot, i));
            }
        }
        List<Category> categories = new ArrayList<>();
        groups.forEach((group, variables) -> categories.add(new Category(name(group), bit(group), variables)));
        return categories;
    }

    static String name(MetricGroup group) {
        return group.isGmonds() ? "magnet_" + group.key().replace('-', '_') : group.ganglia();
    }

    static long bit(MetricGroup group) {
        return BITS.getOrDefault(group, 0L);
    }

    private static Variable variable(MetricSnapshot snapshot, int index) {
        Metric metric = snapshot.metric(index);
        if (metric.type() == ValueType.STRING) {
            return new Variable(metric.name(), Kind.STRING, List.of(ByteText.ofCharacters(snapshot.text(index))));
        }
        String value =
                BigDecimal.valueOf(snapshot.value(index)).stripTrailingZeros().toPlainString();
        return new Variable(metric.name(), Kind.DECIMAL, List.of(value));
    }
}
