// SPDX-License-Identifier: Apache-2.0
package magnet.metric;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Metrics of handlers that an installation has besides the built-in ones. They are no part of the catalogue, since what
 * there is the installation decides; {@code docs/handlers.md} describes them. Stateless.
 */
public final class HandlerMetrics {
    /** Where they are shown unless they say otherwise. */
    public static final String GROUP = "magnet_handlers";

    /** Longest unit, title and description, in characters. */
    public static final int UNIT_MAX = 32;

    public static final int TITLE_MAX = 80;
    public static final int DESCRIPTION_MAX = 400;

    private static final List<String> STATISTICS = List.of("p50", "p95", "p99", "max");

    public static final Metric EVENTS = number(
            "magnet_handlers_events_rate", "events/sec", "Own handlers: events", "Events that own handlers got", 6);
    public static final Metric LOST = number(
            "magnet_handlers_lost_rate",
            "events/sec",
            "Own handlers: events lost",
            "Events per second that the kernel dropped of those for own handlers; their values are then too low",
            6);
    public static final Metric MISSED = number(
            "magnet_handlers_missed_rate",
            "events/sec",
            "Own handlers: events missed",
            "Events per second that kernel probes for own handlers did not see, because too many were under way:"
                    + " there is no record of them, nor of their loss",
            6);
    public static final Metric LATE = number(
            "magnet_handlers_late_rate",
            "events/sec",
            "Own handlers: events late",
            "Events per second that own handlers got after later ones of other CPUs",
            6);
    public static final Metric MALFORMED = number(
            "magnet_handlers_malformed_records_rate",
            "records/sec",
            "Own handlers: malformed records",
            "Records per second for own handlers that were passed over because no module writes such ones",
            6);
    public static final Metric OFF = number(
            "magnet_handlers_off_count",
            "handlers",
            "Own handlers off",
            "Own handlers that could not be started, were switched off because they failed, or stand still",
            0);

    /** What is counted since start by whoever reads the records. */
    public static final List<Metric> OF_READING = List.of(LATE, MALFORMED);

    private HandlerMetrics() {}

    /** What is published whenever there are own handlers. */
    public static List<Metric> all() {
        return List.of(EVENTS, LOST, MISSED, LATE, MALFORMED, OFF);
    }

    /**
     * What metrics of a handler share.
     *
     * @param handler its name
     * @param what what is measured, the part of the name before the statistic
     * @param unit unit of the published number
     * @param title title of the graph
     * @param description what it says
     * @param group Ganglia group
     * @param level lowest level that has it
     */
    public record Stem(
            String handler, String what, String unit, String title, String description, String group, Level level) {
        private Metric metric(String statistic, String titleEnd, String says, int decimals) {
            return new Metric(
                    "magnet_" + handler + "_" + what + "_" + statistic,
                    MetricGroup.USER,
                    level,
                    unit,
                    title + titleEnd,
                    description + says,
                    Slope.BOTH,
                    ValueType.DOUBLE,
                    decimals,
                    Set.of(),
                    false,
                    group);
        }
    }

    /** A number of the window. */
    public static Metric count(Stem stem) {
        return stem.metric("count", "", ". The number in the window.", 0);
    }

    /** The same per second. */
    public static Metric rate(Stem stem) {
        return stem.metric("rate", " rate", ". Per second, over the window.", MetricMaker.RATE_DECIMALS);
    }

    /** Percentiles and the exact maximum. */
    public static DistributionMetrics distribution(Stem stem) {
        List<Metric> metrics = new ArrayList<>();
        for (String statistic : STATISTICS) {
            metrics.add(stem.metric(
                    statistic, " " + statistic, ". " + statistic + " of the window.", MetricMaker.TIME_DECIMALS));
        }
        return new DistributionMetrics(metrics, DistributionMetrics.P50_P95_P99_MAX);
    }

    private static Metric number(String name, String unit, String title, String description, int decimals) {
        return new Metric(
                name,
                MetricGroup.SENSOR,
                Level.HEARTBEAT,
                unit,
                title,
                description,
                Slope.BOTH,
                ValueType.DOUBLE,
                decimals,
                Set.of(),
                false,
                GROUP);
    }
}
