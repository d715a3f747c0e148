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

            Written from the catalogue in `magnet.metric.Metrics`; a test fails when it is stale (`mvn -pl sensor-java \
            test -Dtest=MetricsDocumentTest -Dmagnet.docs.write=true` writes it anew).

            Each metric is published every 5 s and describes the trailing window of 25 s (`magnet_sensor_window_length` \
            says how long exactly): a count as a rate per second, a time in microseconds (us). Percentiles come from \
            histograms with two significant digits; maxima are exact. A time counts in the window in which it ended. The \
            buckets of a time are rates that add up to the rate of all, for a stacked graph: eight, each of which begins and ends \
            at a power of two, the end at four times the begin. A graph bears no more than eight, and with ends that only \
            double they would reach 64 times as far as the first one; so it is 4,096 times, from microseconds to \
            many milliseconds. Titles round the bounds, names and descriptions do not.

            Slope is both for all numbers, so that Ganglia draws each as a gauge; texts (units `name` and `version`) have slope \
            zero, and cost gmetad no file. A metric is published only if its level and group are on in `/etc/magnet/magnet.conf` and the kernel has every \
            point that it needs. Those under gmond's own names, at the end, are published at each level where `replace` \
            names them, and nowhere else: [ganglia.md](ganglia.md#in-place-of-gmonds-own-metrics).

            ## Levels

            `level` in `magnet.conf` says how much is published; a rule (`raise-when`) can raise it for a while. Each level \
            has all that the one before it has. What no metric of the level needs is not hooked in the kernel.

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

            - **How long minor page faults take.** They are many and short: what would measure them would cost as much as \
            they do. A dynamic point that returns has latencies: [control.md](control.md#dynamic-points).
            - **How long data of TCP waits for the program.** What a program is given is bytes, not packets; so the receive \
            journey of TCP ends at the connection.
            - **Hard interrupts by device.** Events carry the number of the line, and machines have different lines; \
            `/proc/interrupts` names them.
            - **Drops by reason of a module, or of a saved trace, that does not name the reasons.** The numbers are the \
            running kernel's. Modules and traces of before `DROP_REASON_GET` ([control.md](control.md#generic-netlink-family-magnet)) \
            do not; these metrics are then left out.
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
                + " but what comes in, faults and kills";
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
