// SPDX-License-Identifier: Apache-2.0
package magnet.metric;

import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import magnet.record.EventType;

/**
 * Makes metrics of one group, level and set of events, so that each says only what is its own. Immutable.
 *
 * @param group what they are shown and switched with
 * @param level lowest level that has them
 * @param events events without which they cannot be computed
 * @param byThread whether events are joined by the thread, which layout classic does not tell
 */
record MetricMaker(MetricGroup group, Level level, Set<EventType> events, boolean byThread) {
    static final int RATE_DECIMALS = 6;
    static final int TIME_DECIMALS = 3;
    private static final int BUCKETS_STEP = 4;

    MetricMaker {
        events = Set.copyOf(events);
    }

    /** For the default level, of events that need not be joined by thread. */
    static MetricMaker of(MetricGroup group, EventType... events) {
        return new MetricMaker(group, Level.SUMMARY, Set.of(events), false);
    }

    /** The same for another level. */
    MetricMaker at(Level other) {
        return new MetricMaker(group, other, events, byThread);
    }

    /** The same where more events are needed. */
    MetricMaker and(EventType... others) {
        Set<EventType> all = EnumSet.copyOf(events);
        all.addAll(List.of(others));
        return new MetricMaker(group, level, all, byThread);
    }

    /** The same where events are joined by the thread. */
    MetricMaker joinedByThread() {
        return new MetricMaker(group, level, events, true);
    }

    /** Something that is counted, per second. */
    Metric rate(String name, String unit, String title, String description) {
        return number(name, unit, title, description, RATE_DECIMALS);
    }

    /** A share. */
    Metric percent(String name, String title, String description) {
        return number(name, "%", title, description, TIME_DECIMALS);
    }

    /** One time, in microseconds. */
    Metric micros(String name, String title, String description) {
        return number(name, "us", title, description, TIME_DECIMALS);
    }

    /** Any number. */
    Metric number(String name, String unit, String title, String description, int decimals) {
        return new Metric(
                name, group, level, unit, title, description, Slope.BOTH, ValueType.DOUBLE, decimals, events, byThread);
    }

    /** A text: who or what a number beside it belongs to. */
    Metric text(String name, String title, String description) {
        return new Metric(
                name, group, level, "name", title, description, Slope.ZERO, ValueType.STRING, 0, events, byThread);
    }

    /**
     * Percentiles and the maximum of a time.
     *
     * @param quantiles from 0 to 100, exclusive, ascending; 100 is the maximum
     * @param atFull those of them that only the full level has
     */
    DistributionMetrics time(
            String stem, String title, String description, List<Double> quantiles, Collection<Double> atFull) {
        List<Metric> metrics = new ArrayList<>();
        for (double quantile : quantiles) {
            String statistic = quantile == 100 ? "max" : "p" + (int) quantile;
            metrics.add(at(atFull.contains(quantile) ? Level.FULL : level)
                    .micros(
                            stem + "_" + statistic,
                            title + " " + statistic,
                            description + ". "
                                    + (quantile == 100 ? "The longest" : (int) quantile + " percent took no longer")
                                    + " in the window."));
        }
        return new DistributionMetrics(metrics, quantiles);
    }

    /**
     * How many of a time are how long, as eight rates that add up to the rate of all: for a stacked graph. Of the full
     * level.
     *
     * @param firstMicros where the first bucket ends, a power of two; each other ends at four times that of the one
     *     before, the last one has no end
     */
    BucketMetrics buckets(String stem, String unit, String title, String description, long firstMicros) {
        List<Metric> metrics = new ArrayList<>();
        long from = 0;
        long to = firstMicros;
        for (int i = 1; i <= BucketMetrics.BUCKETS; i++) {
            boolean last = i == BucketMetrics.BUCKETS;
            String bounds = last ? "from " + from + " us" : from + " to " + to + " us";
            metrics.add(at(Level.FULL)
                    .rate(
                            stem + "_bucket" + i + "_" + (last ? "from_" + from : from + "_to_" + to) + "us",
                            unit,
                            title + " " + (last ? BucketMetrics.fromText(from) : BucketMetrics.boundsText(from, to)),
                            "Per second: " + description + ", " + bounds + (last ? "" : ", the latter not included")));
            from = to;
            to *= BUCKETS_STEP;
        }
        return new BucketMetrics(metrics, firstMicros);
    }
}
