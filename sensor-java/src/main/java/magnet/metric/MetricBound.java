// SPDX-License-Identifier: Apache-2.0
package magnet.metric;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A metric is above or below a bound: what {@code raise-when} and {@code magnet adapt} are conditions of. Immutable.
 *
 * @param metric a number
 * @param above whether it has to be above; else below
 * @param bound in the metric's unit
 */
public record MetricBound(Metric metric, boolean above, double bound) {

    /** The one form in which a bound is written, to follow "is". */
    public static final String FORM =
            "METRIC > NUMBER or METRIC < NUMBER, with at most 15 digits and 9 behind the point";

    private static final Pattern WRITTEN = Pattern.compile("\\s*(\\w+)\\s*([<>])\\s*(-?\\d{1,15}(?:\\.\\d{1,9})?)\\s*");

    /**
     * A bound whose metric nobody has looked up.
     *
     * @param name of the metric
     * @param above whether it has to be above; else below
     * @param bound in the metric's unit
     */
    public record Text(String name, boolean above, double bound) {

        /** The bound of the metric of this name. */
        public MetricBound of(Metric metric) {
            return new MetricBound(metric, above, bound);
        }
    }

    /** What {@code METRIC > NUMBER} or {@code METRIC < NUMBER} says; empty if a text is not of this form. */
    public static Optional<Text> parse(String text) {
        Matcher matcher = WRITTEN.matcher(text);
        return matcher.matches()
                ? Optional.of(
                        new Text(matcher.group(1), matcher.group(2).equals(">"), Double.parseDouble(matcher.group(3))))
                : Optional.empty();
    }

    /** Whether a value is beyond the bound. */
    public boolean isBeyond(double value) {
        return above ? value > bound : value < bound;
    }

    /**
     * Whether a value says for certain that it is beyond the bound.
     *
     * @param lossy whether events were lost: then it may be too low, and what is below is not believed
     */
    public boolean holds(double value, boolean lossy) {
        return isBeyond(value) && (above || !lossy);
    }

    /**
     * Whether a value says for certain that it is not beyond the bound.
     *
     * @param lossy as for {@link #holds(double, boolean)}
     */
    public boolean isBack(double value, boolean lossy) {
        return !isBeyond(value) && (!above || !lossy);
    }

    /**
     * The same in a snapshot, which is lossy as long as events were lost, or the timer jumped, in its window; not if the
     * metric is not in it.
     *
     * @param before whether it held in the snapshot before, and so does unless this one says for certain that it does not
     */
    public boolean holds(MetricSnapshot snapshot, boolean before) {
        boolean lossy = snapshot.value(SensorMetrics.LOSSY).orElse(0) > 0;
        return snapshot.value(metric).stream().anyMatch(value -> before ? !isBack(value, lossy) : holds(value, lossy));
    }

    @Override
    public String toString() {
        return metric.name() + (above ? " > " : " < ") + bound;
    }
}
