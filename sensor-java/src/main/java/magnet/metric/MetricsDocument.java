// SPDX-License-Identifier: Apache-2.0
package magnet.metric;

import java.util.stream.Collectors;
import magnet.record.EventType;

/** Writes {@code docs/metrics.md} from the catalogue. Stateless. */
public final class MetricsDocument {
    private MetricsDocument() {}

    /** The whole document, as Markdown. */
    public static String markdown() {
        StringBuilder text = new StringBuilder();
        text.append("<!-- SPDX-License-Identifier: Apache-2.0 -->\n# Metrics\n\n")
                .append("Written from the catalogue in `magnet.metric.Metrics`; a test fails when it is stale")
                .append(" (`mvn -pl sensor-java test -Dtest=MetricsDocumentTest -Dmagnet.docs.write=true`")
                .append(" writes it anew).\n\n")
                .append(Metrics.ALL.size())
                .append(" metrics at the default level, of at most ")
                .append(Metrics.BUDGET)
                .append(". Each is published every 5 s and describes the trailing window of 25 s")
                .append(" (`magnet_sensor_window_length` says how long exactly): a count as a rate per second,")
                .append(" a time in microseconds (us). Percentiles come from histograms with two significant digits;")
                .append(" maxima are exact. A time counts in the window in which it ended.\n\n")
                .append("Slope is both for all of them, so that Ganglia draws each as a gauge. A metric is published")
                .append(" only if its group is on in `/etc/magnet/magnet.conf` and the kernel has every point that it")
                .append(" needs.\n");
        for (MetricGroup group : MetricGroup.values()) {
            appendGroup(text, group);
        }
        return text.toString();
    }

    private static void appendGroup(StringBuilder text, MetricGroup group) {
        text.append("\n## ")
                .append(group.ganglia())
                .append("\n\n")
                .append(group.description())
                .append(".\n\n| name | unit | title | what it says | points |\n| --- | --- | --- | --- | --- |\n");
        for (Metric metric : Metrics.ALL) {
            if (metric.group() == group) {
                text.append("| `")
                        .append(metric.name())
                        .append("` | ")
                        .append(metric.unit())
                        .append(" | ")
                        .append(metric.title())
                        .append(" | ")
                        .append(metric.description())
                        .append(" | ")
                        .append(metric.orderedEvents().stream()
                                .map(EventType::label)
                                .collect(Collectors.joining(", ")))
                        .append(" |\n");
            }
        }
    }
}
