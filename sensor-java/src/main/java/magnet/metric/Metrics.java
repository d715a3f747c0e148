// SPDX-License-Identifier: Apache-2.0
package magnet.metric;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import magnet.record.EventType;

/**
 * The catalogue: every metric that magnet publishes. Their names stand in the classes of the groups, beside this one,
 * and nowhere else.
 *
 * <p>Times are in microseconds with three decimals, so that the nanosecond shows. Rates and the window have six, so that
 * rate times window gives back the exact count up to twenty million events in a window. All numbers are gauges over a
 * trailing window, because gmetad keeps one value per poll: a counter would show the one it happened to see.
 *
 * <p>{@code docs/metrics.md} is written from this class.
 */
public final class Metrics {
    /**
     * Most numbers at the default level: what 1,000 nodes and one gmond bear. A text costs gmetad no file, and is not counted.
     */
    public static final int BUDGET = 60;

    /**
     * All of them, in the order in which they are documented and sent; not those under gmond's names, which
     * {@link Replacement} has.
     */
    public static final List<Metric> ALL = all();

    /** Those of the default level. */
    public static final List<Metric> DEFAULT = of(Level.SUMMARY);

    /** Those of them that are places of an order: every text but the sensor's version is the name at one. */
    public static final List<Ranking> RANKINGS = rankings();

    private Metrics() {}

    /** All of a level, by the groups that are on where nobody says otherwise. */
    public static List<Metric> of(Level level) {
        return chosen(MetricGroup.onByDefault(), level, true);
    }

    /** The one of this name, among those that take the place of gmond's, too. */
    public static Optional<Metric> named(String name) {
        return Stream.concat(ALL.stream(), Replacement.all().stream())
                .filter(metric -> metric.name().equals(name))
                .findFirst();
    }

    /**
     * What a choice comes to.
     *
     * @param groups groups that are switched on; {@link MetricGroup#SENSOR} is always
     * @param level how much of them
     * @param threads whether the records tell which thread they are of
     * @return in the order of {@link #ALL}
     */
    public static List<Metric> chosen(Set<MetricGroup> groups, Level level, boolean threads) {
        return ALL.stream()
                .filter(metric -> metric.group() == MetricGroup.SENSOR || groups.contains(metric.group()))
                .filter(metric -> level.includes(metric.level()))
                .filter(metric -> threads || !metric.byThread())
                .toList();
    }

    /**
     * What a choice comes to: magnet's own metrics, and those of gmond that they are to take the place of, which each
     * level has.
     *
     * @param choice what shall be published
     * @param level the level that is in force
     * @param threads whether the records tell which thread they are of
     */
    public static List<Metric> chosen(MetricChoice choice, Level level, boolean threads) {
        List<Metric> chosen = new ArrayList<>(chosen(choice.groups(), level, threads));
        for (Replacement replacement : Replacement.values()) {
            if (choice.replace().contains(replacement)) {
                chosen.addAll(replacement.metrics());
            }
        }
        return List.copyOf(chosen);
    }

    /** The events that these metrics need. */
    public static Set<EventType> eventsOf(List<Metric> metrics) {
        EnumSet<EventType> events = EnumSet.noneOf(EventType.class);
        metrics.forEach(metric -> events.addAll(metric.events()));
        return events;
    }

    private static List<Ranking> rankings() {
        List<Ranking> rankings = new ArrayList<>();
        for (TopOrder order : TopOrder.values()) {
            rankings.add(order.ranking());
        }
        rankings.add(SystemCallMetrics.SLOWEST);
        return List.copyOf(rankings);
    }

    private static List<Metric> all() {
        List<Metric> all = new ArrayList<>();
        all.addAll(NetworkMetrics.all());
        all.addAll(JourneyMetrics.all());
        all.addAll(SchedulerMetrics.all());
        all.addAll(InterruptMetrics.all());
        all.addAll(BlockMetrics.all());
        all.addAll(MemoryMetrics.all());
        all.addAll(SystemCallMetrics.all());
        all.addAll(ProcessMetrics.all());
        all.addAll(JobMetrics.all());
        all.addAll(UserMetrics.all());
        all.addAll(SensorMetrics.all());
        return List.copyOf(all);
    }
}
