// SPDX-License-Identifier: Apache-2.0
package magnet.cli.top;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import magnet.metric.BlockMetrics;
import magnet.metric.DistributionMetrics;
import magnet.metric.Hop;
import magnet.metric.InterruptMetrics;
import magnet.metric.Metric;
import magnet.metric.MetricSnapshot;
import magnet.metric.SchedulerMetrics;

/** A time of which {@code magnet top} shows how it is distributed. */
// The checker does not see that the records in it hold copies only.
@SuppressWarnings("ImmutableEnumChecker")
public enum TopLatency {
    RUN_QUEUE("run queue wait", SchedulerMetrics.RUN_QUEUE_WAIT),
    BLOCK_READ("block read", BlockMetrics.READ_TIME),
    BLOCK_WRITE("block write", BlockMetrics.WRITE_TIME),
    UDP_SEND("UDP send", Hop.SOCKET_TO_DEVICE.metrics()),
    UDP_RECEIVE("UDP receive", Hop.UDP_RECEIVE_DEVICE_TO_PROGRAM.metrics()),
    TCP_SEND("TCP send", Hop.TCP_SEND_SOCKET_TO_DEVICE.metrics()),
    TCP_RECEIVE("TCP receive", Hop.TCP_RECEIVE_DEVICE_TO_CONNECTION.metrics()),
    HARD_INTERRUPT("hard interrupt", InterruptMetrics.HARD_HANDLER),
    SOFT_INTERRUPT("soft interrupt", InterruptMetrics.SOFT_HANDLER);

    /** What is shown of each: percentiles, the last one is the maximum. */
    static final List<Double> QUANTILES = List.of(50.0, 99.0, 100.0);

    private final String label;
    private final DistributionMetrics metrics;

    TopLatency(String label, DistributionMetrics metrics) {
        this.label = label;
        this.metrics = metrics;
    }

    String label() {
        return label;
    }

    /** The metrics that are shown of it, one for each of {@link #QUANTILES}. */
    List<Metric> shown() {
        List<Metric> shown = new ArrayList<>();
        for (double quantile : QUANTILES) {
            shown.add(metrics.metrics().get(metrics.quantiles().indexOf(quantile)));
        }
        return shown;
    }

    /** Microseconds, one for each of {@link #QUANTILES}: zeros if it did not happen, none if it is not computed. */
    List<Double> micros(MetricSnapshot snapshot) {
        List<Double> values = new ArrayList<>();
        for (Metric metric : shown()) {
            OptionalDouble value = snapshot.value(metric);
            if (value.isEmpty()) {
                return List.of();
            }
            values.add(value.getAsDouble());
        }
        return values;
    }
}
