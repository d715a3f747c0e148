// SPDX-License-Identifier: Apache-2.0
package magnet.cli.bench;

import java.util.Locale;
import java.util.Map;
import magnet.bench.Plan;
import magnet.bench.Report;
import magnet.bench.Report.Row;
import magnet.bench.Spread;
import magnet.cli.module.PointsCommand;
import magnet.cli.world.Output;
import magnet.cli.world.Table;
import magnet.os.CheapCall;

/** Prints what {@code magnet bench} measured, as the paper's Table 2 with columns of its own. */
public final class BenchReport {
    private final Plan plan;
    private final Report report;

    BenchReport(Plan plan, Report report) {
        this.plan = plan;
        this.report = report;
    }

    void print(Output out) throws Output.ClosedException {
        Table table = new Table("PAPER", ">PAPER NS", "HERE", "PLACE", ">COST NS", ">MIDDLE HALF", ">EVENTS");
        for (Row row : report.rows()) {
            String paper = row.way().inPaper();
            String nanos = row.way().paperNanos();
            row.measured()
                    .ifPresentOrElse(
                            here -> table.row(
                                    paper,
                                    nanos,
                                    PointsCommand.mechanism(here.point()),
                                    here.place(),
                                    number(here.nanos().median()),
                                    middleHalf(here.nanos()),
                                    here.events()),
                            () -> table.row(paper, nanos, "-", "-", "-", "-", "-"));
        }
        table.print(out);
        out.line();
        printWhy(out);
        for (Map.Entry<CheapCall, Spread> bare : report.bare().entrySet()) {
            out.line("with no point on, %s() costs %s ns, middle half %s; %d rounds of %d calls"
                    .formatted(
                            bare.getKey(),
                            number(bare.getValue().median()),
                            middleHalf(bare.getValue()),
                            plan.rounds(),
                            plan.calls()));
        }
    }

    private void printWhy(Output out) throws Output.ClosedException {
        for (Row row : report.rows()) {
            if (row.measured().isEmpty()) {
                String name = row.way().inPaper().equals("-")
                        ? "tracepoint"
                        : row.way().inPaper();
                out.line(name + ": " + row.why());
            }
        }
    }

    private static String middleHalf(Spread spread) {
        return number(spread.lower()) + " to " + number(spread.upper());
    }

    private static String number(double nanos) {
        return String.format(Locale.ROOT, "%.1f", nanos);
    }
}
