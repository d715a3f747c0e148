// SPDX-License-Identifier: Apache-2.0
package magnet.metric;

import java.util.stream.Collectors;
import magnet.record.EventType;

/** Writes {@code docs/metrics.md} from the catalogue. Stateless. */
public final class MetricsDocument {
    private static final String HEAD = """
            <!-- SPDX-License-Identifier: Apache-2.0 -->
            # Metrics

            Written from the catalogue in `magnet.metric.Metrics`; a test fails when it is stale (`mvn -pl sensor-java \
            test -Dtest=MetricsDocumentTest -Dmagnet.docs.write=true` writes it anew).

            Each metric is published every 5 s and describes the trailing window of 25 s (`magnet_sensor_window_length` \
            says how long exactly): a count as a rate per second, a time in microseconds (us). Percentiles come from \
            histograms with two significant digits; maxima are exact. A time counts in the window in which it ended. The \
            buckets of a time are rates that add up to the rate of all, for a stacked graph.

            Slope is both for all numbers, so that Ganglia draws each as a gauge; names (unit `name`) have slope zero. A \
            metric is published only if its level and group are on in `/etc/magnet/magnet.conf` and the kernel has every \
            point that it needs.

            ## Levels

            `level` in `magnet.conf` says how much is published; a rule (`raise-when`) can raise it for a while. Each level \
            has all that the one before it has. What no metric of the level needs is not hooked in the kernel.

            | level | metrics | what it is for | points |
            | --- | --- | --- | --- |
            """;
    private static final String COSTS = """

            What a metric costs goes by how often its points are hit:

            | cost | points |
            | --- | --- |
            """;
    private static final String MISSING = """

            ## What cannot be had

            - **How long page faults take, and which are major.** The kernel's events tell of their begin only. A dynamic \
            point that returns has latencies: [control.md](control.md#dynamic-points).
            - **How long data of TCP waits for the program.** What a program is given is bytes, not packets; so the receive \
            journey of TCP ends at the connection.
            - **Hard interrupts by device.** Events carry the number of the line, and machines have different lines; \
            `/proc/interrupts` names them.
            - **Drops by reason where the service cannot read `control/drop_reasons`.** The numbers are the running \
            kernel's; then all are of reason other.
            - **Names of system calls of other architectures than x86-64, and of 32-bit programs.** They are shown as \
            `call` and their number, and not among the slowest.
            - **Metrics that join events by thread in layout `classic`**, which has no thread ids: \
            """;

    private MetricsDocument() {}

    /** The whole document, as Markdown. */
    public static String markdown() {
        StringBuilder text = new StringBuilder(HEAD);
        for (Level level : Level.values()) {
            text.append("| ")
                    .append(level.key())
                    .append(" | ")
                    .append(Metrics.of(level).size())
                    .append(level == Level.SUMMARY ? ", of at most " + Metrics.BUDGET : "")
                    .append(" | ")
                    .append(level.description())
                    .append(" | ")
                    .append(
                            level == Level.HEARTBEAT
                                    ? points(level)
                                    : Metrics.eventsOf(Metrics.of(level)).size())
                    .append(" |\n");
        }
        text.append(COSTS);
        for (CostClass cost : CostClass.values()) {
            text.append("| ")
                    .append(cost.key())
                    .append(" | ")
                    .append(cost.description())
                    .append(" |\n");
        }
        for (MetricGroup group : MetricGroup.values()) {
            appendGroup(text, group);
        }
        text.append(MISSING).append(byThread()).append(".\n");
        return text.toString();
    }

    private static String points(Level level) {
        return labels(Metrics.eventsOf(Metrics.of(level)));
    }

    private static String labels(Iterable<EventType> events) {
        StringBuilder labels = new StringBuilder();
        for (EventType event : events) {
            labels.append(labels.isEmpty() ? "" : ", ").append(event.label());
        }
        return labels.toString();
    }

    private static String byThread() {
        return "those of "
                + Metrics.ALL.stream()
                        .filter(Metric::byThread)
                        .map(metric -> metric.group().key())
                        .distinct()
                        .map(key -> "group " + key)
                        .collect(Collectors.joining(", "))
                + " but what comes in, faults and kills";
    }

    private static void appendGroup(StringBuilder text, MetricGroup group) {
        text.append("\n## ")
                .append(group.ganglia())
                .append("\n\n")
                .append(group.description())
                .append(".\n\n| name | unit | title | what it says | level | cost | points |\n")
                .append("| --- | --- | --- | --- | --- | --- | --- |\n");
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
                        .append(metric.level().key())
                        .append(" | ")
                        .append(metric.cost().key())
                        .append(" | ")
                        .append(labels(metric.orderedEvents()))
                        .append(" |\n");
            }
        }
    }
}
