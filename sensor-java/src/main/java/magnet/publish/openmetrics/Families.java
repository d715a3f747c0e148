// SPDX-License-Identifier: Apache-2.0
package magnet.publish.openmetrics;

import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.HashSet;
import java.util.Set;
import magnet.metric.Metric;
import magnet.metric.MetricGroup;
import magnet.metric.MetricSnapshot;
import magnet.metric.Metrics;
import magnet.metric.Ranking;
import magnet.metric.SensorMetrics;
import magnet.metric.ValueType;

/**
 * A snapshot as families of OpenMetrics, all of them gauges, as everything that magnet computes is one. Each metric is a
 * family, but those of a ranking are one together: the place is a label, and so is who holds it. Jobs have families of their own
 * ({@link JobFamilies}). The sensor's version is a label, too.
 * Stateless.
 */
final class Families {
    private static final String PLACE = "place";

    private Families() {}

    /** All that the snapshot has; places of rankings that nobody holds are left out. */
    static MetricSnapshots of(MetricSnapshot snapshot) {
        MetricSnapshots.Builder all = MetricSnapshots.builder();
        Set<Metric> ranked = new HashSet<>();
        for (Ranking ranking : Metrics.RANKINGS) {
            ranked.addAll(ranking.numbers());
            GaugeSnapshot family = family(ranking, snapshot);
            if (!family.getDataPoints().isEmpty()) {
                all.metricSnapshot(family);
            }
        }
        for (int i = 0; i < snapshot.size(); i++) {
            Metric metric = snapshot.metric(i);
            if (metric.equals(SensorMetrics.VERSION)) {
                all.metricSnapshot(version(metric, snapshot.text(i)));
            } else if (metric.type() != ValueType.STRING
                    && !ranked.contains(metric)
                    && metric.group() != MetricGroup.JOBS) {
                GaugeName name = GaugeName.of(metric.name(), metric.unit());
                all.metricSnapshot(builder(name, metric.description())
                        .dataPoint(point(name, snapshot.value(i), Labels.EMPTY))
                        .build());
            }
        }
        JobFamilies.of(snapshot).forEach(all::metricSnapshot);
        return all.build();
    }

    /** A text is the label of a number that is always 1. */
    private static GaugeSnapshot version(Metric metric, String text) {
        GaugeName name = GaugeName.of(metric.name(), "");
        return builder(name, metric.description())
                .dataPoint(point(name, 1, Labels.of("version", withoutControls(LabelText.of(text)))))
                .build();
    }

    private static GaugeSnapshot family(Ranking ranking, MetricSnapshot snapshot) {
        GaugeName name = GaugeName.of(ranking.name(), ranking.unit());
        GaugeSnapshot.Builder family = builder(name, ranking.description());
        for (int i = 0; i < snapshot.size(); i++) {
            int place = ranking.names().indexOf(snapshot.metric(i));
            if (place >= 0 && !snapshot.text(i).equals(MetricSnapshot.NO_TEXT)) {
                Labels labels = Labels.of(
                        PLACE,
                        String.valueOf(place + 1),
                        ranking.label(),
                        withoutControls(LabelText.of(snapshot.text(i))));
                snapshot.value(ranking.numbers().get(place))
                        .ifPresent(value -> family.dataPoint(point(name, value, labels)));
            }
        }
        return family.build();
    }

    static GaugeSnapshot.Builder builder(GaugeName name, String help) {
        GaugeSnapshot.Builder family = GaugeSnapshot.builder().name(name.name()).help(help);
        return name.unit() == null ? family : family.unit(name.unit());
    }

    static GaugeDataPointSnapshot point(GaugeName name, double number, Labels labels) {
        return GaugeDataPointSnapshot.builder()
                .value(name.value(number))
                .labels(labels)
                .build();
    }

    /**
     * Quotes, backslashes and line feeds are escaped where the page is written. The other controls are allowed, but there
     * are readers that take some of them for the end of a line, and terminals that obey them.
     */
    static String withoutControls(String text) {
        StringBuilder clean = new StringBuilder(text.length());
        text.codePoints()
                .map(c -> c != '\n' && (Character.isISOControl(c) || c == '\u2028' || c == '\u2029') ? ' ' : c)
                .forEach(clean::appendCodePoint);
        return clean.toString();
    }
}
