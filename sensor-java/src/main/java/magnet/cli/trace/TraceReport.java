// SPDX-License-Identifier: Apache-2.0
package magnet.cli.trace;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import magnet.cli.world.Counted;
import magnet.cli.world.Folding;
import magnet.cli.world.Output;
import magnet.cli.world.ProcessOrJob;
import magnet.cli.world.Table;
import magnet.cli.world.VisibleText;
import magnet.handler.run.TraceHandlers;
import magnet.metric.JobColumn;
import magnet.metric.JobTable;
import magnet.metric.Metric;
import magnet.summary.DiscardCounts;
import magnet.trace.Overwritten;

/** Prints what was made of a saved trace: tables with a title each, and nothing that the trace does not have. */
public final class TraceReport {
    private static final double PERCENT = 100;
    private static final String LOW = "*";
    /** In place of a figure that there is not. */
    private static final String NONE = "-";

    private static final List<String> NO_WAITS = List.of(NONE, NONE, NONE, NONE, NONE);
    private static final int CAUSES = 3;
    private static final Pattern STATISTIC = Pattern.compile("(.*)_(p50|p95|p99|max)");
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern(
                    "uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);
    private static final List<String> STATISTICS = List.of("p50", "p95", "p99", "max");

    private final Output out;
    private final int columns;
    private final TraceFigures figures;

    /** @param columns how wide lines may be */
    TraceReport(Output out, int columns, TraceFigures figures) {
        this.out = out;
        this.columns = columns;
        this.figures = figures;
    }

    /**
     * Prints all of it.
     *
     * @param name the trace's
     * @param by what events and CPU time are told of
     * @param rows most processes or jobs to print
     */
    void print(String name, ProcessOrJob by, int rows) throws Output.ClosedException {
        printHead(name);
        if (figures.summary.events() == 0) {
            return;
        }
        printEvents();
        printCpus();
        switch (by) {
            case PROCESS -> printProcesses(rows);
            case JOB -> printJobs(rows);
        }
        printMetrics();
        printHandlers();
    }

    private void printHead(String name) throws Output.ClosedException {
        String host = figures.trace.host();
        line("trace      " + name + (host.isEmpty() ? "" : " of " + VisibleText.of(host)) + ", layout "
                + figures.trace.layout().name().toLowerCase(Locale.ROOT) + ", "
                + Counted.of(figures.trace.cpus(), "CPU"));
        if (figures.summary.events() > 0) {
            line("time       " + time(figures.begin()) + " to " + time(figures.end()) + ", "
                    + decimal(figures.seconds(), 3) + " s");
        }
        line("events     " + figures.summary.events() + ", lost " + figures.summary.lost());
        Optional<Overwritten> overwritten = figures.trace.overwritten();
        if (overwritten.isPresent()) {
            line("recorder   " + VisibleText.of(overwritten.get().recorder()) + ", which had overwritten "
                    + Counted.of(overwritten.get().records(), "older record"));
        }
        DiscardCounts discards = figures.summary.discards();
        long unmeasured = discards.lost() + discards.evicted() + discards.unpaired();
        if (unmeasured > 0) {
            line("unmeasured " + Counted.of(unmeasured, "time") + ": " + discards.lost() + " because of losses, "
                    + discards.unpaired() + " without a beginning that fits, " + discards.evicted()
                    + " for want of room");
        }
    }

    private void printEvents() throws Output.ClosedException {
        Table table = new Table("EVENT", ">COUNT", ">PER SECOND", ">SHARE");
        for (TraceFigures.OfEvent event : figures.events()) {
            table.row(VisibleText.of(event.name()), event.count(), rate(event.count()), share(event.count()));
        }
        print(table);
    }

    private void printCpus() throws Output.ClosedException {
        Table table = new Table("CPU", ">EVENTS", ">SHARE", ">LOST", ">REFUSED");
        for (TraceFigures.OfCpu cpu : figures.cpus()) {
            boolean low = cpu.lost() + cpu.refused() > 0;
            table.row(cpu.number() + (low ? LOW : ""), cpu.events(), share(cpu.events()), cpu.lost(), cpu.refused());
        }
        print(table);
        if (figures.cpus().stream().anyMatch(cpu -> cpu.lost() > 0)) {
            line(LOW + " events were lost there: its figures, and those of all, are too low");
            line("  (a larger --buffer-size of \"magnet read\" loses fewer)");
        }
        if (figures.cpus().stream().anyMatch(cpu -> cpu.refused() > 0)) {
            line(LOW + " a storm guard refused events there: its figures, and those of all, are too low");
        }
    }

    private void printProcesses(int most) throws Output.ClosedException {
        boolean owned = figures.trace.owners().isPresent();
        Table table = owned ? table("PROCESS", "OWNER") : table("PROCESS");
        for (TraceFigures.OfProcess process : figures.processes(most)) {
            String name =
                    process.tgid() + (process.name().isEmpty() ? "" : " (" + VisibleText.of(process.name()) + ")");
            List<Object> cells = cells(name, process.events(), process.millis(), process.slices());
            if (owned) {
                cells.add(process.owner().isEmpty() ? "-" : visible(process.owner()));
            }
            table.row(cells.toArray());
        }
        print(table);
        ProcessCounts processes = figures.totals.processes();
        if (processes.size() > most) {
            line("and " + Counted.of(processes.size() - most, "process", "processes") + " with fewer events");
        }
        if (processes.otherEvents() > 0) {
            line("and " + Counted.of(processes.otherEvents(), "event") + " of processes that there was no room for");
        }
    }

    private void printJobs(int most) throws Output.ClosedException {
        String[] waits = figures.hasWaits()
                ? new String[] {">WAIT %", ">P50 us", ">P99 us", ">MAX us", "WAITED FOR (%)"}
                : new String[0];
        Table table = table("JOB", waits);
        for (TraceFigures.OfJob job : figures.jobs(most)) {
            List<Object> cells = cells(visible(job.job()), job.events(), job.millis(), job.slices());
            if (figures.hasWaits()) {
                cells.addAll(job.waits().map(TraceReport::waits).orElse(NO_WAITS));
            }
            table.row(cells.toArray());
        }
        print(table);
        if (figures.missingWaits() > 0) {
            line("(there was no room for " + Counted.of(figures.missingWaits(), "wait") + " for a CPU)");
        }
        int more = figures.totals.jobs().size() - most;
        if (more > 0) {
            line("and " + Counted.of(more, "job") + " with fewer events");
        }
    }

    /** Of a job: shares, times if it waited at all, and the three that made it wait longest. */
    private static List<String> waits(JobTable.Row job) {
        double max = job.value(JobColumn.WAIT_MAX);
        String causes = job.causes().stream()
                .limit(CAUSES)
                .map(cause -> visible(cause.name()) + " " + decimal(cause.percent(), 1))
                .collect(Collectors.joining(", "));
        return List.of(
                Double.isNaN(job.value(JobColumn.WAIT)) ? NONE : decimal(job.value(JobColumn.WAIT), 1),
                max > 0 ? decimal(job.value(JobColumn.WAIT_P50), 1) : NONE,
                max > 0 ? decimal(job.value(JobColumn.WAIT_P99), 1) : NONE,
                max > 0 ? decimal(max, 1) : NONE,
                causes.isEmpty() ? NONE : causes);
    }

    /** One of events and, if there are context switches, of CPU time. */
    private Table table(String first, String... last) {
        List<String> titles = new ArrayList<>(List.of(first, ">EVENTS", ">SHARE"));
        if (figures.hasSwitches()) {
            titles.addAll(List.of(">CPU TIME ms", ">SLICES"));
        }
        titles.addAll(List.of(last));
        return new Table(titles.toArray(new String[0]));
    }

    private List<Object> cells(String name, long events, double millis, long slices) {
        List<Object> cells = new ArrayList<>(List.of(name, events, share(events)));
        if (figures.hasSwitches()) {
            cells.addAll(List.of(decimal(millis, 3), slices));
        }
        return cells;
    }

    /** Byte by byte, as all texts are shown. */
    private static String visible(String text) {
        return VisibleText.of(new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1));
    }

    private void printHandlers() throws Output.ClosedException {
        List<TraceHandlers.Value> values = figures.handlers();
        if (values.isEmpty()) {
            return;
        }
        Table table = new Table("OWN HANDLER", ">VALUE", "UNIT");
        values.forEach(each -> table.row(
                each.metric().name(), decimal(each.value(), 3), each.metric().unit()));
        print(table);
    }

    private void printMetrics() throws Output.ClosedException {
        Map<String, String[]> latencies = new LinkedHashMap<>();
        Table others = new Table("OTHER", ">VALUE", "UNIT");
        boolean anyOther = false;
        for (Map.Entry<Metric, Double> each : happened(figures.metrics()).entrySet()) {
            Metric metric = each.getKey();
            Matcher statistic = STATISTIC.matcher(metric.name());
            String value = decimal(each.getValue(), 3);
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

    /** Those that are not 0, and of a time that has lasted at all each statistic. */
    private static Map<Metric, Double> happened(Map<Metric, Double> metrics) {
        Set<String> lasted = new HashSet<>();
        metrics.forEach((metric, value) -> {
            if (value != 0) {
                lasted.add(stem(metric));
            }
        });
        Map<Metric, Double> happened = new LinkedHashMap<>(metrics);
        happened.keySet().removeIf(metric -> !lasted.contains(stem(metric)));
        return happened;
    }

    private static String stem(Metric metric) {
        Matcher statistic = STATISTIC.matcher(metric.name());
        return statistic.matches() ? statistic.group(1) + "_" : metric.name();
    }

    private static String shortName(String metric) {
        return metric.startsWith("magnet_") ? metric.substring("magnet_".length()) : metric;
    }

    private void line(String text) throws Output.ClosedException {
        out.line(Folding.of(text, columns, "unmeasured ".length()));
    }

    private void print(Table table) throws Output.ClosedException {
        out.line();
        table.print(out, columns);
    }

    private static String time(Instant instant) {
        return TIME.format(instant);
    }

    private String rate(long count) {
        return figures.seconds() == 0 ? "-" : decimal(count / figures.seconds(), 1);
    }

    private String share(long count) {
        return decimal(PERCENT * count / figures.summary.events(), 1) + "%";
    }

    private static String decimal(double value, int digits) {
        return String.format(Locale.ROOT, "%." + digits + "f", value);
    }
}
