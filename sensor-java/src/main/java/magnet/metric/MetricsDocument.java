// SPDX-License-Identifier: Apache-2.0
package magnet.metric;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import magnet.record.EventType;

/** Writes {@code docs/metrics.md} from the catalogue. Stateless. */
public final class MetricsDocument {
    private static final String HEAD = """
            <!-- SPDX-License-Identifier: Apache-2.0 -->
            # Metrics

            A program writes this page from the catalogue in `magnet.metric.Metrics`, and a test fails when the page is stale. \
            `mvn -pl sensor-java test -Dtest=MetricsDocumentTest -Dmagnet.docs.write=true` writes it anew.

            magnetd publishes each metric every 5 s. A metric describes the trailing window of 25 s; \
            `magnet_sensor_window_length` says how long the window really was.

            - A count is a rate per second.
            - A time is in microseconds (us), and counts in the window in which it ended. Percentiles come from histograms with \
            two significant digits. Maxima are exact.
            - The buckets of a time are rates for a stacked graph. They add up to the rate of all. A graph bears eight at most, \
            so there are eight, and each ends at four times its begin: they reach from microseconds to many milliseconds. All \
            bounds are powers of two. Titles round the bounds; names and descriptions do not.

            All numbers have slope `both`, so that Ganglia draws each as a gauge. Texts have the unit `name` or `version` and slope \
            `zero`, and gmetad keeps no file for them.

            magnetd publishes a metric if `/etc/magnet/magnet.conf` has its level and its group on, and if the kernel has every \
            point that it needs. The metrics at the end have gmond's own names. magnetd publishes them where `replace` names \
            them, at each level: [ganglia.md](ganglia.md#in-place-of-gmonds-own-metrics).

            ## Levels

            `level` in `magnet.conf` says how much magnetd publishes. A rule (`raise-when`) can raise it for a while. Each level \
            has all metrics of the one before it. magnetd hooks only the points that metrics of the level need.

            | level | numbers | texts | purpose | points |
            | --- | --- | --- | --- | --- |
            """;
    private static final String COSTS = """

            The cost of a metric depends on how often its points are hit:

            | cost | points |
            | --- | --- |
            """;
    private static final String MISSING = """

            ## What cannot be had

            - **How long minor page faults take.** There are many and they are short: to measure them would cost as much as \
            they do. A dynamic point that returns has latencies: [control.md](control.md#dynamic-points).
            - **How long data of TCP waits for the program.** TCP gives a program bytes, not packets. So the receive journey of \
            TCP ends at the connection.
            - **Hard interrupts by device.** Events carry the number of the line, and machines have different lines. \
            `/proc/interrupts` names them.
            - **Drops by reason, if the module or the saved trace does not name the reasons.** The numbers belong to the running \
            kernel. Modules and traces from before `DROP_REASON_GET` \
            ([control.md](control.md#generic-netlink-family-magnet)) do not name them. Then magnetd leaves these metrics out.
            - **Names of system calls of other architectures than x86-64, and of 32-bit programs.** magnet shows them as `call` \
            and their number. They are not among the slowest.
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
                    .append(numbers(level))
                    .append(level == Level.SUMMARY ? ", of at most " + Metrics.BUDGET : "")
                    .append(" | ")
                    .append(Metrics.of(level).size() - numbers(level))
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

    private static long numbers(Level level) {
        return Metrics.of(level).stream()
                .filter(metric -> metric.type() != ValueType.STRING)
                .count();
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
                + " except for what comes in, faults and kills";
    }

    private static List<Metric> ofGroup(MetricGroup group) {
        return Stream.concat(Metrics.ALL.stream(), Replacement.all().stream())
                .filter(metric -> metric.group() == group)
                .toList();
    }

    private static void appendGroup(StringBuilder text, MetricGroup group) {
        text.append("\n## ")
                .append(group.isGmonds() ? "gmond's " : "")
                .append(group.ganglia())
                .append("\n\n")
                .append(group.description())
                .append(".\n\n| name | unit | title | what it says | level | cost | points |\n")
                .append("| --- | --- | --- | --- | --- | --- | --- |\n");
        for (Metric metric : ofGroup(group)) {
            text.append("| `")
                    .append(metric.name())
                    .append("` | ")
                    .append(metric.unit())
                    .append(" | ")
                    .append(metric.title())
                    .append(" | ")
                    .append(metric.description())
                    .append(" | ")
                    .append(group.isGmonds() ? "each" : metric.level().key())
                    .append(" | ")
                    .append(metric.cost().key())
                    .append(" | ")
                    .append(labels(metric.orderedEvents()))
                    .append(" |\n");
        }
    }
}
