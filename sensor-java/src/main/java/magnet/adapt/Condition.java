// SPDX-License-Identifier: Apache-2.0
package magnet.adapt;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import magnet.config.InstalledDocument;
import magnet.config.NearestName;
import magnet.metric.Metric;
import magnet.metric.MetricBound;
import magnet.metric.MetricGroup;
import magnet.metric.MetricSnapshot;
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
 * nor ends a condition; what is above it is. In an interval that does not know the value, no condition about it begins or ends.
 */
public final class Condition {
    private static final Duration HOLD_MAX = Duration.ofDays(365);

    private final MetricBound start;
    /** Null if it is about the whole node. */
    private final @Nullable JobMetric job;

    private final @Nullable MetricBound leaving;
    private final Duration hold;

    private Condition(MetricBound start, @Nullable JobMetric job, @Nullable MetricBound leaving, Duration hold) {
        this.start = start;
        this.job = job;
        this.leaving = leaving;
        this.hold = hold;
    }

    /**
     * A condition as it is written.
     *
     * @param text {@code METRIC > NUMBER} or {@code METRIC < NUMBER}: a metric of docs/metrics.md that is a number and not
     *     about the sensor itself, in its unit; of one job {@code job:NAME METRIC > NUMBER}, with a metric of
     *     {@link magnet.metric.JobColumn}, such as {@code job:slurm:4711 wait_percent > 20}
     * @throws IllegalArgumentException if it cannot be that; the message says why in one line
     */
    public static Condition when(String text) {
        Optional<JobMetric.Text> ofJob = JobMetric.parse(text);
        if (ofJob.isPresent()) {
            MetricBound.Text read = read(ofJob.get().bound());
            JobMetric metric = JobMetric.of(ofJob.get().job(), read.name());
            return new Condition(read.of(metric.measured()), metric, null, Duration.ZERO);
        }
        MetricBound.Text read = read(text);
        return new Condition(read.of(known(read.name())), null, null, Duration.ZERO);
    }

    /**
     * The same with a bound to leave.
     *
     * @param text of the same metric, the other way and not beyond the bound: {@code METRIC < 20} of {@code METRIC > 100}
     * @throws IllegalArgumentException if it is not
     */
    public Condition until(String text) {
        Optional<JobMetric.Text> ofJob = JobMetric.parse(text);
        MetricBound.Text read = read(ofJob.map(JobMetric.Text::bound).orElse(text));
        String name = ofJob.map(of -> "job:" + of.job() + " " + read.name()).orElse(read.name());
        boolean overlaps = start.above() ? read.bound() > start.bound() : read.bound() < start.bound();
        if (!name.equals(metric()) || read.above() == start.above() || overlaps) {
            throw new IllegalArgumentException("'" + text + "' does not end '" + this + "'; it wants " + metric()
                    + (start.above() ? " < " : " > ") + "NUMBER with a number of at "
                    + (start.above() ? "most " : "least ") + number(start.bound()));
        }
        return new Condition(start, job, read.of(start.metric()), hold);
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
        return new Condition(start, job, leaving, time);
    }

    private static MetricBound.Text read(String text) {
        return MetricBound.parse(text)
                .orElseThrow(() ->
                        new IllegalArgumentException("a condition is " + MetricBound.FORM + ", not '" + text + "'"));
    }

    private static Metric known(String name) {
        Metric metric = Metrics.named(name)
                .orElseThrow(() -> new IllegalArgumentException("there is no metric '" + name + "'; "
                        + NearestName.near(
                                        name,
                                        Metrics.ALL.stream().map(Metric::name).toList())
                                .map(near -> "did you mean '" + near + "'?")
                                .orElseGet(() -> InstalledDocument.path("metrics.md") + " lists them")));
        if (metric.type() == ValueType.STRING) {
            throw new IllegalArgumentException(name + " is a name and no number: it has no bounds");
        }
        if (metric.group() == MetricGroup.SENSOR) {
            throw new IllegalArgumentException(
                    name + " is about the sensor itself, not about what happens on this node");
        }
        return metric;
    }

    /** Name of the metric; of one job as it is written, {@code job:NAME METRIC}. */
    public String metric() {
        return job != null ? job.toString() : start.metric().name();
    }

    /** Unit of the metric. */
    public String unit() {
        return start.metric().unit();
    }

    Metric known() {
        return start.metric();
    }

    /** The value in a snapshot that has its metric; empty if the job may be one of those that are not told apart. */
    OptionalDouble in(MetricSnapshot snapshot) {
        return job != null
                ? job.in(snapshot)
                : OptionalDouble.of(snapshot.value(start.metric()).orElseThrow());
    }

    /** Whether it is about one job. */
    public boolean isOfJob() {
        return job != null;
    }

    /** How long it holds on. */
    public Duration hold() {
        return hold;
    }

    /** Whether an interval lets it begin. */
    boolean begins(double value, boolean lossy) {
        return start.holds(value, lossy);
    }

    /** Whether an interval lets it end. */
    boolean leaves(double value, boolean lossy) {
        return leaving == null ? start.isBack(value, lossy) : leaving.holds(value, lossy);
    }

    private static String number(double value) {
        return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Condition that
                && start.equals(that.start)
                && Objects.equals(job, that.job)
                && Objects.equals(leaving, that.leaving)
                && hold.equals(that.hold);
    }

    @Override
    public int hashCode() {
        return Objects.hash(start, job, leaving, hold);
    }

    /** As it is written, without the bound to leave and the time to hold. */
    @Override
    public String toString() {
        return metric() + (start.above() ? " > " : " < ") + number(start.bound());
    }
}
