// SPDX-License-Identifier: Apache-2.0
package magnet.metric;

import java.util.List;

/**
 * The metrics of one distribution of times: percentiles and the exact maximum, in microseconds. Immutable.
 *
 * @param metrics one for each of {@code quantiles}, in the same order
 * @param quantiles percentiles from 0 to 100, exclusive; 100 is the exact maximum
 */
public record DistributionMetrics(List<Metric> metrics, List<Double> quantiles) {

    /** Median, tail and maximum. */
    static final List<Double> P50_P95_P99_MAX = List.of(50.0, 95.0, 99.0, 100.0);

    /** Median, tail and maximum, where one tail is enough. */
    static final List<Double> P50_P99_MAX = List.of(50.0, 99.0, 100.0);

    public DistributionMetrics {
        metrics = List.copyOf(metrics);
        quantiles = List.copyOf(quantiles);
    }

    /** The metric of the exact maximum. */
    public Metric max() {
        return metrics.get(metrics.size() - 1);
    }
}
