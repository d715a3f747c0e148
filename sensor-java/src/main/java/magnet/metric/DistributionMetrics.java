// SPDX-License-Identifier: Apache-2.0
package magnet.metric;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import magnet.record.EventType;

/**
 * The metrics of one distribution of times: percentiles and the exact maximum, in microseconds. Immutable.
 *
 * @param metrics one for each of {@code quantiles}, in the same order
 * @param quantiles percentiles from 0 to 100, exclusive; 100 is the exact maximum
 */
public record DistributionMetrics(List<Metric> metrics, List<Double> quantiles) {

    /** Median, tail and maximum. */
    static final List<Double> P50_P95_P99_MAX = List.of(50.0, 95.0, 99.0, 100.0);

    /** Median, tail and maximum, for where the budget is tight. */
    static final List<Double> P50_P99_MAX = List.of(50.0, 99.0, 100.0);

    public DistributionMetrics {
        metrics = List.copyOf(metrics);
        quantiles = List.copyOf(quantiles);
    }

    static DistributionMetrics ofTime(
            String stem,
            MetricGroup group,
            String title,
            String description,
            Set<EventType> events,
            List<Double> quantiles) {
        List<Metric> metrics = new ArrayList<>();
        for (double quantile : quantiles) {
            String statistic = quantile == 100 ? "max" : "p" + (int) quantile;
            metrics.add(new Metric(
                    stem + "_" + statistic,
                    group,
                    "us",
                    title + " " + statistic,
                    description + ". " + (quantile == 100 ? "The longest" : (int) quantile + " percent took no longer")
                            + " in the window.",
                    Slope.BOTH,
                    ValueType.DOUBLE,
                    Metrics.TIME_DECIMALS,
                    events));
        }
        return new DistributionMetrics(metrics, quantiles);
    }

    /** The metric of the exact maximum. */
    public Metric max() {
        return metrics.get(metrics.size() - 1);
    }
}
