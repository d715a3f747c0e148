// SPDX-License-Identifier: Apache-2.0
package magnet.metric;

import static magnet.metric.DistributionMetrics.P50_P99_MAX;

import java.util.ArrayList;
import java.util.List;
import magnet.record.EventType;

/** Metrics of group user. */
public final class UserMetrics {
    private static final MetricMaker MARKER =
            MetricMaker.of(MetricGroup.USER, EventType.MARKER).at(Level.FULL);

    public static final Metric MARKERS = MARKER.rate(
            "magnet_user_markers_rate", "markers/sec", "User markers", "Markers per second that programs wrote");
    public static final DistributionMetrics MARKER_INTERVAL = MARKER.time(
            "magnet_user_marker_interval",
            "User marker interval",
            "Time between one marker and the next that begins with the same number. Some 1000 numbers are remembered; one that"
                    + " gives way to another counts as a discarded interval",
            P50_P99_MAX,
            List.of());

    private UserMetrics() {}

    public static List<Metric> all() {
        List<Metric> all = new ArrayList<>();
        all.add(MARKERS);
        all.addAll(MARKER_INTERVAL.metrics());
        return all;
    }
}
