// SPDX-License-Identifier: Apache-2.0
package magnet.metric;

/**
 * A metric is above or below a bound. Immutable.
 *
 * @param metric a number
 * @param above whether it has to be above; else below
 * @param bound in the metric's unit
 */
public record RaiseCondition(Metric metric, boolean above, double bound) {

    /** Whether it is so in this snapshot; not if the metric is not in it. */
    public boolean holds(MetricSnapshot snapshot) {
        return snapshot.value(metric).stream().anyMatch(value -> above ? value > bound : value < bound);
    }

    @Override
    public String toString() {
        return metric.name() + (above ? " > " : " < ") + bound;
    }
}
