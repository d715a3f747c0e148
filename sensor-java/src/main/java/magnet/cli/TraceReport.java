// SPDX-License-Identifier: Apache-2.0
package magnet.cli;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import magnet.metric.DropReason;
import magnet.metric.Metric;
import magnet.metric.MetricGroup;
import magnet.metric.MetricSnapshot;
import magnet.metric.Metrics;
import magnet.metric.ProcessMetrics;
import magnet.record.EventType;
import magnet.service.TraceHandlers;
import magnet.summary.DiscardCounts;
import magnet.summary.EventSummary;
import magnet.trace.TraceReader;
import org.jspecify.annotations.Nullable;

/** Prints what was made of a saved trace: tables with a title each, and nothing that the trace does not have. */
final class TraceReport {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double PERCENT = 100;
    private static final int IDLE = 0;
    private static final Pattern STATISTIC = Pattern.compile("(.*)_(p50|p95|p99|max)");
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern(
                    "uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);
    private static final List<String> STATISTICS = List.of("p50", "p95", "p99", "max");
    /** Processes have a table of their own, and percentiles stand for the buckets of a graph. */
    private static final Pattern OF_GRAPHS = Pattern.compile("magnet_top_.*|.*_slowest_\\d_.*|.*_bucket\\d_.*");

    /** What a trace can tell of: not the sensor, nor what would have to be asked of the running machine. */
    static final List<Metric> METRICS = Metrics.ALL.stream()
            .filter(metric -> metric.group() != MetricGroup.SENSOR
                    && !metric.equals(ProcessMetrics.ALIVE)
                    && !OF_GRAPHS.matcher(metric.name()).matches())
            .toList();

    private final Output out;
    private final TraceReader trace;
    private final TraceTotals totals;
    private final EventSummary summary;
    private final @Nullable TraceHandlers handlers;
    private final long nanos;

    /** @param handlers own ones; null if there are none */
    TraceReport(
            Output out, TraceReader trace, TraceTotals totals, EventSummary summary, @Nullable TraceHandlers handlers) {
        this.out = out;
        this.trace = trace;
        this.totals = totals;
        this.summary = summary;
        this.handlers = handlers;
        this.nanos =
                Math.round(totals.ticks() * NANOS_PER_SECOND / trace.clock().ticksPerSecond());
    }

    /**
     * Prints all of it.
     *
     * @param name the trace's
     * @param processes most processes to print
     */
    void print(String name, int processes) throws Output.ClosedException {
        printHead(name);
        if (summary.events() == 0) {
            return;
        }
        printEvents();
        printCpus();
        printProcesses(processes);
        printMetrics();
        printHandlers();
    }

    private void printHead(String name) throws Output.ClosedException {
        out.line("trace      " + name + (trace.host().isEmpty() ? "" : " of " + VisibleText.of(trace.host()))
                + ", layout " + trace.layout().name().toLowerCase(Locale.ROOT) + ", " + trace.cpus() + " CPUs");
        if (summary.events() > 0) {
            out.line("time       " + time(totals.firstTimer()) + " to " + time(totals.firstTimer() + totals.ticks())
                    + ", " + decimal(nanos / NANOS_PER_SECOND, 3) + " s");
        }
        out.line("events     " + summary.events() + ", lost " + summary.lost());
        DiscardCounts discards = summary.discards();
        long unmeasured = discards.lost() + discards.evicted() + discards.unpaired();
        if (unmeasured > 0) {
            out.line("unmeasured " + unmeasured + " times: " + discards.lost() + " because of losses, "
                    + discards.unpaired() + " without a beginning that fits, " + discards.evicted()
                    + " for want of room");
        }
    }

    private void printEvents() throws Output.ClosedException {
        Table table = new Table("EVENT", ">COUNT", ">PER SECOND", ">SHARE");
        SortedMap<Integer, Long> byId = summary.eventsById();
        byId.entrySet().stream()
                .sorted(Map.Entry.<Integer, Long>comparingByValue().reversed())
                .forEach(event -> table.row(
                        VisibleText.of(trace.eventName(event.getKey())),
                        event.getValue(),
                        rate(event.getValue()),
                        share(event.getValue())));
        print(table);
    }

    private void printCpus() throws Output.ClosedException {
        Table table = new Table("CPU", ">EVENTS", ">SHARE", ">LOST", ">REFUSED");
        SortedMap<Integer, Long> byCpu = summary.eventsByCpu();
        int end = Math.max(totals.cpuEnd(), byCpu.isEmpty() ? 0 : byCpu.lastKey() + 1);
        for (int cpu = 0; cpu < end; cpu++) {
            long events = byCpu.getOrDefault(cpu, 0L);
            if (events + totals.lost(cpu) + totals.refused(cpu) > 0) {
                table.row(cpu, events, share(events), totals.lost(cpu), totals.refused(cpu));
            }
        }
        print(table);
    }

    /** How long a process ran is known only from context switches. */
    private void printProcesses(int most) throws Output.ClosedException {
        boolean switches = summary.eventsById().containsKey(EventType.SCHED_SWITCH.id());
        Table table = switches
                ? new Table("PROCESS", ">EVENTS", ">SHARE", ">CPU TIME ms", ">SLICES")
                : new Table("PROCESS", ">EVENTS", ">SHARE");
        for (ProcessCounts.Row row : totals.processes().top(most)) {
            String name = process(row.tgid());
            if (switches) {
                double millis = row.ticks() / (double) trace.clock().ticksPerMilli();
                table.row(name, row.events(), share(row.events()), decimal(millis, 3), row.switches());
            } else {
                table.row(name, row.events(), share(row.events()));
            }
        }
        print(table);
        int others = totals.processes().size() - most;
        if (others > 0) {
            out.line("and " + others + " processes with fewer events");
        }
        if (totals.processes().otherEvents() > 0) {
            out.line("and " + totals.processes().otherEvents() + " events of processes that there was no room for");
        }
    }

    private String process(int tgid) {
        String name = tgid == IDLE ? "idle" : trace.processNames().getOrDefault(tgid, "");
        return tgid + (name.isEmpty() ? "" : " (" + VisibleText.of(name) + ")");
    }

    private void printHandlers() throws Output.ClosedException {
        List<TraceHandlers.Value> values =
                handlers == null ? List.of() : handlers.close(nanos, instant(totals.firstTimer() + totals.ticks()));
        if (values.isEmpty()) {
            return;
        }
        Table table = new Table("OWN HANDLER", ">VALUE", "UNIT");
        values.forEach(each -> table.row(
                each.metric().name(), decimal(each.value(), 3), each.metric().unit()));
        print(table);
    }

    private void printMetrics() throws Output.ClosedException {
        Set<EventType> occurred = EnumSet.noneOf(EventType.class);
        for (int id : summary.eventsById().keySet()) {
            EventType type = EventType.ofId(id);
            if (type != null) {
                occurred.add(type);
            }
        }
        List<Metric> known = trace.dropReasons().isEmpty() ? DropReason.withoutAny(METRICS) : METRICS;
        List<Metric> metrics = known.stream()
                .filter(metric -> metric.isComputableFrom(occurred))
                .toList();
        MetricSnapshot snapshot =
                summary.closeWindow(nanos, instant(totals.firstTimer() + totals.ticks()), metrics, others -> {});
        Map<String, String[]> latencies = new LinkedHashMap<>();
        Table others = new Table("OTHER", ">VALUE", "UNIT");
        boolean anyOther = false;
        for (Metric metric : metrics) {
            Matcher statistic = STATISTIC.matcher(metric.name());
            String value = decimal(snapshot.value(metric).orElse(0), 3);
            if (metric.unit().equals("us") && statistic.matches()) {
                latencies
                        .computeIfAbsent(shortName(statistic.group(1)), stem -> new String[] {"", "", "", ""})[
                        STATISTICS.indexOf(statistic.group(2))] = value;
            } else {
                others.row(shortName(metric.name()), value, metric.unit());
                anyOther = true;
            }
        }
        if (!latencies.isEmpty()) {
            Table table = new Table("TIME us", ">P50", ">P95", ">P99", ">MAX");
            latencies.forEach((stem, values) -> table.row(stem, values[0], values[1], values[2], values[3]));
            print(table);
        }
        if (anyOther) {
            print(others);
        }
    }

    private static String shortName(String metric) {
        return metric.startsWith("magnet_") ? metric.substring("magnet_".length()) : metric;
    }

    private void print(Table table) throws Output.ClosedException {
        out.line();
        table.print(out);
    }

    private Instant instant(long timer) {
        return Instant.EPOCH.plusNanos(trace.clock().realtimeNs(timer));
    }

    private String time(long timer) {
        return TIME.format(instant(timer));
    }

    private String rate(long count) {
        return nanos == 0 ? "-" : decimal(count * NANOS_PER_SECOND / nanos, 1);
    }

    private String share(long count) {
        return decimal(PERCENT * count / summary.events(), 1) + "%";
    }

    private static String decimal(double value, int digits) {
        return String.format(Locale.ROOT, "%." + digits + "f", value);
    }
}
