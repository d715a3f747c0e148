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

    /** Whether it is so in this snapshot; not if the metric is not in it. */
    public boolean holds(MetricSnapshot snapshot) {
        return snapshot.value(metric).stream().anyMatch(this::isBeyond);
    }

    @Override
    public String toString() {
        return metric.name() + (above ? " > " : " < ") + bound;
    }
}
