// SPDX-License-Identifier: Apache-2.0
package magnet.metric;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Metrics of gmond's own that are published in its place, under its names: so that its stock reports and pages draw what
 * events say. Immutable.
 */
// The checker does not see that the lists are immutable.
@SuppressWarnings("ImmutableEnumChecker")
public enum Replacement {
    CPU("cpu", GmondMetrics.cpu(), Set.of("cpu_wio", "cpu_steal")),
    CPU_INTERRUPTS("cpu-interrupts", GmondMetrics.interrupts(), Set.of()),
    NETWORK("network", GmondMetrics.network(), Set.of());

    private final String key;
    private final List<Metric> metrics;
    private final Set<String> withThem;

    Replacement(String key, List<Metric> metrics, Set<String> withThem) {
        this.key = key;
        this.metrics = metrics;
        this.withThem = withThem;
    }

    /** The one of this key. */
    public static Optional<Replacement> ofKey(String key) {
        return Arrays.stream(values()).filter(each -> each.key.equals(key)).findFirst();
    }

    /** The metrics of all. */
    public static List<Metric> all() {
        List<Metric> all = new ArrayList<>();
        for (Replacement each : values()) {
            all.addAll(each.metrics);
        }
        return all;
    }

    /** How it is called in {@code magnet.conf}. */
    public String key() {
        return key;
    }

    /** What is published. */
    public List<Metric> metrics() {
        return metrics;
    }

    /**
     * Names of what gmond must no longer collect itself: the same metrics, and those whose time these have in them, which
     * the stock report would draw on top.
     */
    public Set<String> gmondsNames() {
        Set<String> names = new TreeSet<>(withThem);
        metrics.forEach(metric -> names.add(metric.name()));
        return names;
    }
}
