// SPDX-License-Identifier: Apache-2.0
package magnet.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import magnet.record.ClockModel;
import magnet.record.RecordHandler;
import magnet.summary.EventSummary;
import magnet.summary.SummarySetup;
import magnet.summary.TimerScale;
import magnet.trace.RuleFilter;
import magnet.trace.TraceDefects;
import magnet.trace.TraceReader;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code magnet report}: what a saved trace says. */
@Command(
        name = "report",
        header = "Summarise a saved trace.",
        description = {
            "",
            "Reads a trace of \"magnet read -o\" or \"magnet-read -c\", or all parts of one, and prints how many events of"
                    + " which kind there were, on which CPU and in which process, what was lost, and how long things took:"
                    + " the same times that the service publishes, over the whole trace. Needs neither the module nor"
                    + " root. What is damaged or cut off is passed over and told."
        },
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false)
final class ReportCommand implements Callable<Integer> {
    private static final int PROCESSES = 20;

    @Parameters(paramLabel = "FOLDER", description = "The trace.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private Path folder;

    @Option(
            names = "--filter",
            paramLabel = "RULE",
            description = "A rule that decides which events are counted, in the language of \"magnet read --filter\""
                    + " (docs/control.md); several are asked in their order, for each kind of event.")
    private List<String> filters = List.of();

    @Option(
            names = "--top",
            paramLabel = "PROCESSES",
            description = "Print so many processes (default: " + PROCESSES + ").")
    private int processes = PROCESSES;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    private final World world;

    ReportCommand(World world) {
        this.world = world;
    }

    @Override
    public Integer call() throws IOException {
        if (processes < 0) {
            throw new ParameterException(spec.commandLine(), "PROCESSES must be at least 0");
        }
        try (TraceReader trace = TraceReader.open(folder)) {
            EventSummary summary = new EventSummary(setup(trace), 0);
            summary.use(TraceReport.METRICS, 0);
            TraceTotals totals = new TraceTotals(summary);
            RuleFilter filter = filters.isEmpty() ? null : new RuleFilter(trace, String.join(";", filters), totals);
            RecordHandler first = filter == null ? totals : filter;
            trace.read(first);
            new TraceReport(world.out(), trace, totals, summary).print(folder.toString(), processes);
            world.out().flush();
            tellFiltered(filter);
            for (TraceDefects defects : trace.defects()) {
                tell(defects);
            }
        }
        return ExitCode.OK;
    }

    private static SummarySetup setup(TraceReader trace) {
        long ticksPerMilli = trace.clock().ticksPerMilli();
        return new SummarySetup(
                Math.max(1, trace.cpus()),
                1,
                TimerScale.ofKhz(ticksPerMilli),
                new ClockModel(ticksPerMilli, 0, 0, 0),
                new SavedMachine());
    }

    private void tellFiltered(@Nullable RuleFilter filter) throws IOException {
        if (filter == null) {
            return;
        }
        world.tell(filter.dropped() + " events were filtered");
        if (filter.untold() > 0) {
            world.tell("of " + filter.untold() + " events the rules ask for headers of packets that the trace does not"
                    + " have, so that they do not match; save it with --snap 128");
        }
    }

    private void tell(TraceDefects defects) throws IOException {
        if (defects.malformed() > 0) {
            world.tell(
                    defects.malformed() + " malformed records or packets in " + defects.file() + ", the first at byte "
                            + defects.offset() + ": passed over, " + defects.skippedBytes() + " bytes");
        }
        if (defects.missingBytes() > 0) {
            world.tell(defects.file() + " is cut off: its last packet lacks " + defects.missingBytes()
                    + " bytes; what is before was read");
        }
    }
}
