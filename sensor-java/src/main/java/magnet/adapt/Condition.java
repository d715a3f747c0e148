// SPDX-License-Identifier: Apache-2.0
package magnet.adapt;

import java.time.Duration;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import magnet.config.NearestName;
import magnet.metric.Metric;
import magnet.metric.MetricGroup;
import magnet.metric.Metrics;
import magnet.metric.ValueType;
import org.jspecify.annotations.Nullable;

/**
 * A metric is above a bound, or below one. Immutable; equal conditions say the same.
 *
 * <p>It begins to hold with the first interval whose value is beyond the bound. It ends with an interval whose value is not,
 * or, where a bound to leave is given, is beyond that one; where a time to hold is given, all intervals since such a time
 * must have been so. What lies in between keeps it as it is, so a value that swings about a bound changes nothing.
 *
 * <p>In an interval that lost events values are too low: what is below a bound is not believed then, and neither begins
 * nor ends a condition; what is above it is.
 */
public final class Condition {
    private static final Duration HOLD_MAX = Duration.ofDays(365);
    private static final Pattern FORM = Pattern.compile("\\s*(\\w+)\\s*([<>])\\s*(-?\\d{1,15}(?:\\.\\d{1,9})?)\\s*");

    private final Metric metric;
    private final boolean above;
    private final double bound;
    private final @Nullable Double leaving;
    private final Duration hold;

    private Condition(Metric metric, boolean above, double bound, @Nullable Double leaving, Duration hold) {
        this.metric = metric;
        this.above = above;
        this.bound = bound;
        this.leaving = leaving;
        this.hold = hold;
    }

    /**
     * A condition as it is written.
     *
     * @param text {@code METRIC > NUMBER} or {@code METRIC < NUMBER}: a metric of docs/metrics.md that is a number and not
     *     about the sensor itself, in its unit
     * @throws IllegalArgumentException if it cannot be that; the message says why in one line
     */
    public static Condition when(String text) {
        Matcher matcher = match(text);
        double bound = Double.parseDouble(matcher.group(3));
        return new Condition(known(matcher.group(1)), matcher.group(2).equals(">"), bound, null, Duration.ZERO);
    }

    /**
     * The same with a bound to leave.
     *
     * @param text of the same metric, the other way and not beyond the bound: {@code METRIC < 20} of {@code METRIC > 100}
     * @throws IllegalArgumentException if it is not
     */
    public Condition until(String text) {
        Matcher matcher = match(text);
        double other = Double.parseDouble(matcher.group(3));
        boolean below = matcher.group(2).equals("<");
        if (!matcher.group(1).equals(metric.name()) || below != above || (above ? other > bound : other < bound)) {
            throw new IllegalArgumentException(
                    "'" + text + "' does not end '" + beginning() + "'; it wants " + metric.name()
                            + (above ? " < " : " > ") + "NUMBER with a number of at " + (above ? "most " : "least ")
                            + number(bound));
        }
        return new Condition(metric, above, bound, other, hold);
    }

    /**
     * The same with a time to hold.
     *
     * @param time how long it goes on when the value is no longer beyond the bound
     * @throws IllegalArgumentException if it is negative, or longer than 365 days
     */
    public Condition hold(Duration time) {
        if (time.isNegative() || time.compareTo(HOLD_MAX) > 0) {
            throw new IllegalArgumentException("the time to hold is negative, or longer than 365 days: " + time);
        }
        return new Condition(metric, above, bound, leaving, time);
    }

    private static Matcher match(String text) {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    "a condition is METRIC > NUMBER or METRIC < NUMBER, with at most 15 digits and 9 behind the point, not '"
                            + text + "'");
        }
        return matcher;
    }

    private static Metric known(String name) {
        Metric metric = Metrics.named(name)
                .orElseThrow(() -> new IllegalArgumentException("there is no metric '" + name + "'; "
                        + NearestName.near(
                                        name,
                                        Metrics.ALL.stream().map(Metric::name).toList())
                                .map(near -> "did you mean '" + near + "'?")
                                .orElse("docs/metrics.md lists them")));
        if (metric.type() == ValueType.STRING) {
            throw new IllegalArgumentException(name + " is a name and no number: it has no bounds");
        }
        if (metric.group() == MetricGroup.SENSOR) {
            throw new IllegalArgumentException(
                    name + " is about the sensor itself, not about what happens on this node");
        }
        return metric;
    }

    /** Name of the metric. */
    public String metric() {
        return metric.name();
    }

    /** Unit of the metric. */
    public String unit() {
        return metric.unit();
    }

    Metric known() {
        return metric;
    }

    /** How long it holds on. */
    public Duration hold() {
        return hold;
    }

    /** Whether an interval lets it begin. */
    boolean begins(double value, boolean lossy) {
        return above ? value > bound : value < bound && !lossy;
    }

    /** Whether an interval lets it end. */
    boolean leaves(double value, boolean lossy) {
        if (leaving != null) {
            return above ? value < leaving && !lossy : value > leaving;
        }
        return above ? value <= bound && !lossy : value >= bound;
    }

    private String beginning() {
        return metric.name() + (above ? " > " : " < ") + number(bound);
    }

    private static String number(double value) {
        return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Condition that
                && metric.equals(that.metric)
                && above == that.above
                && Double.compare(bound, that.bound) == 0
                && Objects.equals(leaving, that.leaving)
                && hold.equals(that.hold);
    }

    @Override
    public int hashCode() {
        return Objects.hash(metric, above, bound, leaving, hold);
    }

    /** As it is written, without the bound to leave and the time to hold. */
    @Override
    public String toString() {
        return beginning();
    }
}
