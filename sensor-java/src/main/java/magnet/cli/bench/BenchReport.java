// SPDX-License-Identifier: Apache-2.0
package magnet.cli.bench;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import magnet.bench.Plan;
import magnet.bench.Report;
import magnet.bench.Report.Row;
import magnet.bench.Spread;
import magnet.bench.Way;
import magnet.cli.module.PointsCommand;
import magnet.cli.world.Folding;
import magnet.cli.world.Output;
import magnet.cli.world.Table;
import magnet.json.Json;
import magnet.os.CheapCall;

/** Prints what {@code magnet bench} measured, as the paper's Table 2 with columns of its own. */
public final class BenchReport {
    private static final String NOISY = "too noisy";

    private final Plan plan;
    private final Report report;

    BenchReport(Plan plan, Report report) {
        this.plan = plan;
        this.report = report;
    }

    /** @param columns how wide lines may be */
    void print(Output out, int columns) throws Output.ClosedException {
        Table table = new Table("PAPER", ">PAPER NS", "HERE", "PLACE", ">COST NS", ">MIDDLE HALF", ">EVENTS");
        for (Row row : report.rows()) {
            String paper = row.way().inPaper();
            String nanos = paper(row.way());
            row.measured()
                    .ifPresentOrElse(
                            here -> table.row(
                                    paper,
                                    nanos,
                                    PointsCommand.mechanism(here.point()),
                                    here.place(),
                                    cost(here.nanos()),
                                    isNoisy(here.nanos()) ? "-" : middleHalf(here.nanos()),
                                    here.events()),
                            () -> table.row(paper, nanos, "-", "-", "-", "-", "-"));
        }
        table.print(out, columns);
        out.line();
        printWhy(out, columns);
        if (report.rows().stream().flatMap(row -> row.measured().stream()).anyMatch(here -> isNoisy(here.nanos()))) {
            out.line(Folding.of(
                    NOISY + ": calls took as long with the point off, in a quarter of the rounds or more; try again"
                            + " on an idle machine, or with more --rounds",
                    columns,
                    2));
        }
        for (Map.Entry<CheapCall, Spread> bare : report.bare().entrySet()) {
            String line = "with no point on, %s() costs %s ns, middle half %s; %d rounds of %d calls"
                    .formatted(
                            bare.getKey(),
                            number(bare.getValue().median()),
                            middleHalf(bare.getValue()),
                            plan.rounds(),
                            plan.calls());
            out.line(Folding.of(line, columns, 2));
        }
    }

    private void printWhy(Output out, int columns) throws Output.ClosedException {
        for (Row row : report.rows()) {
            if (row.measured().isEmpty()) {
                String name = row.way().inPaper().equals("-")
                        ? "tracepoint"
                        : row.way().inPaper();
                out.line(Folding.of(name + ": " + row.why(), columns, 2));
            }
        }
    }

    /** The same as one JSON object. */
    String json() {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("rounds", plan.rounds());
        object.put("calls", plan.calls());
        object.put("ways", report.rows().stream().map(BenchReport::asMap).toList());
        Map<String, Object> bare = new LinkedHashMap<>();
        report.bare().forEach((call, nanos) -> bare.put(call.toString(), spread(nanos)));
        object.put("without_points", bare);
        return Json.of(object);
    }

    private static Map<String, Object> asMap(Row row) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("way", row.way().name().toLowerCase(Locale.ROOT));
        map.put("paper", row.way().inPaper());
        row.way()
                .paperNanos()
                .ifPresentOrElse(nanos -> map.put("paper_ns", nanos), () -> map.put("paper_ns", Double.NaN));
        row.measured()
                .ifPresentOrElse(
                        here -> {
                            map.put("here", PointsCommand.mechanism(here.point()));
                            map.put("place", here.place());
                            map.put("too_noisy", isNoisy(here.nanos()));
                            map.put("cost_ns", isNoisy(here.nanos()) ? Double.NaN : spread(here.nanos()));
                            map.put("events", here.events());
                        },
                        () -> map.put("missing", row.why()));
        return map;
    }

    private static Map<String, Object> spread(Spread nanos) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("lower", nanos.lower());
        map.put("median", nanos.median());
        map.put("upper", nanos.upper());
        return map;
    }

    /** Whether rounds differ by more than an event costs, so that their median says nothing. */
    private static boolean isNoisy(Spread nanos) {
        return nanos.lower() <= 0;
    }

    private static String paper(Way way) {
        OptionalInt nanos = way.paperNanos();
        return nanos.isPresent() ? "~" + nanos.getAsInt() : "-";
    }

    private static String cost(Spread nanos) {
        return isNoisy(nanos) ? NOISY : number(nanos.median());
    }

    private static String middleHalf(Spread spread) {
        return number(spread.lower()) + " to " + number(spread.upper());
    }

    private static String number(double nanos) {
        return String.format(Locale.ROOT, "%.1f", nanos);
    }
}
