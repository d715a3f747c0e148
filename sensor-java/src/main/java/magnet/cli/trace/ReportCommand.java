// SPDX-License-Identifier: Apache-2.0
package magnet.cli.trace;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import magnet.cli.world.Failure;
import magnet.cli.world.Formats;
import magnet.cli.world.Output;
import magnet.cli.world.OwnerPoints;
import magnet.cli.world.ProcessOrJob;
import magnet.cli.world.ReadOn;
import magnet.cli.world.RowsOption;
import magnet.cli.world.SavedOwners;
import magnet.cli.world.VersionProvider;
import magnet.cli.world.World;
import magnet.config.ConfigException;
import magnet.handler.run.TraceHandlers;
import magnet.job.JobNames;
import magnet.record.ClockModel;
import magnet.record.RecordHandler;
import magnet.service.SetupFiles;
import magnet.summary.EventSummary;
import magnet.summary.SavedJobs;
import magnet.summary.SavedMachine;
import magnet.summary.SummarySetup;
import magnet.summary.TimerScale;
import magnet.trace.RuleException;
import magnet.trace.RuleFilter;
import magnet.trace.TraceOwners;
import magnet.trace.TraceReader;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code magnet report}: what a saved trace says. */
@Command(
        name = "report",
        header = "Summarise a saved trace.",
        description = {
            "",
            "Reads a trace of \"magnet read -o\", or all its parts, and prints the number of events by kind, CPU and"
                    + " process, the losses, and how long things took: the same times that the service publishes, over"
                    + " the whole trace. With --config it adds the metrics of own handlers. It needs neither the module"
                    + " nor root. It skips damaged and cut-off parts and says so. If it cannot read a file, it says so,"
                    + " too, and the exit code is 1."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  magnet report /tmp/trace",
            "      # events, losses, processes, and how long things took",
            "  magnet report --by job /tmp/trace",
            "      # of each job in place of each process: events, CPU time, and waits for a CPU",
            "  magnet report --json /tmp/trace | jq .metrics",
            "      # for a program",
            "",
            ReadOn.LEAD + ReadOn.DOCS + "/traces.md, " + ReadOn.DOCS + "/metrics.md"
        },
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false)
public final class ReportCommand implements Callable<Integer> {
    private static final int PROCESSES = 20;

    @Parameters(paramLabel = "FOLDER", description = "The trace.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private Path folder;

    @Option(
            names = "--filter",
            paramLabel = "RULE",
            description = "A rule that decides which events are counted, in the language of \"magnet read --filter\""
                    + " (" + ReadOn.DOCS + "/control.md); several rules apply in their order, to each kind of event.")
    private List<String> filters = List.of();

    @Option(
            names = {"-c", "--config"},
            paramLabel = "FILE",
            description = "Also run the handlers of this magnet.conf ([handler NAME], handler-directory) over the"
                    + " trace (" + ReadOn.DOCS + "/handlers.md). Code from jars runs with your rights.")
    private @Nullable Path config;

    @Option(
            names = "--by",
            paramLabel = "KEY",
            description = "Tell events and CPU time by process, or by job with its waits for a CPU (" + ReadOn.DOCS
                    + "/jobs.md). Default: process.")
    private ProcessOrJob by = ProcessOrJob.PROCESS;

    @Mixin
    private final RowsOption rows =
            new RowsOption("Print the N processes or jobs with the most events. Default: " + PROCESSES + ".");

    @Option(names = "--json", description = "Print one JSON object instead of tables (" + ReadOn.DOCS + "/traces.md).")
    private boolean json;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    private final World world;

    public ReportCommand(World world) {
        this.world = world;
    }

    @Override
    public Integer call() throws IOException {
        rows.check(spec.commandLine());
        try (TraceReader trace = TraceReader.open(folder);
                TraceHandlers handlers = handlers(trace)) {
            EventSummary summary = new EventSummary(setup(trace, JobNames.DEFAULTS), 0);
            summary.use(TraceFigures.METRICS, 0);
            SavedOwners owners = SavedOwners.of(trace, world);
            SavedJobs waits = by == ProcessOrJob.JOB ? waits(trace) : null;
            JobCounts jobs = by == ProcessOrJob.JOB && owners.areTold() ? new JobCounts(owners.owners()) : null;
            TraceTotals totals = new TraceTotals(
                    trace.clock().ticksPerMilli(),
                    trace.sureNames(),
                    owners.areTold() ? owners.owners()::owner : process -> "",
                    jobs,
                    next(summary, handlers, waits));
            RuleFilter filter = filter(trace, totals);
            RecordHandler wanted = owners.before(filter == null ? totals : filter);
            RecordHandler told = waits == null ? wanted : telling(waits).andThen(wanted);
            read(trace, jobs == null ? told : jobs.andThen(told));
            print(
                    new TraceFigures(trace, totals, summary, handlers, waits),
                    jobs == null ? ProcessOrJob.PROCESS : ProcessOrJob.JOB);
            world.out().flush();
            tellOwners(owners);
            int exitCode = new TraceRemarks(world, "the report").tell(trace, filter);
            boolean failed = handlers != null && tellHandlers(handlers);
            return failed ? ExitCode.SOFTWARE : exitCode;
        }
    }

    /** Those of a trace that tells owners. */
    private @Nullable SavedJobs waits(TraceReader trace) throws IOException {
        Optional<TraceOwners> told = trace.owners();
        if (told.isEmpty()) {
            return null;
        }
        SavedJobs waits = new SavedJobs(setup(trace, OwnerPoints.namesInSilence(world)));
        waits.begin(told.get().paths(), told.get().cgroups());
        return waits;
    }

    private static RecordHandler next(
            EventSummary summary, @Nullable TraceHandlers handlers, @Nullable SavedJobs waits) {
        RecordHandler next = handlers == null ? summary : summary.andThen(handlers);
        return waits == null ? next : next.andThen(waits);
    }

    /** What tells owners no rule leaves out. */
    private static RecordHandler telling(SavedJobs waits) {
        return waits::tell;
    }

    private @Nullable RuleFilter filter(TraceReader trace, RecordHandler next) throws RuleException {
        return filters.isEmpty()
                ? null
                : new RuleFilter(
                        trace,
                        Formats.withSystemCalls(trace.words(), trace.machine()),
                        String.join(";", filters),
                        next);
    }

    private void read(TraceReader trace, RecordHandler handler) throws IOException {
        TraceProgress progress = new TraceProgress(world, "read", handler);
        try {
            trace.read(progress);
        } finally {
            progress.clear();
        }
    }

    private void tellOwners(SavedOwners owners) throws IOException {
        if (by == ProcessOrJob.JOB && !owners.areTold()) {
            world.tell(SavedOwners.UNTOLD);
        }
        owners.tellWithoutRoom(world);
    }

    private void print(TraceFigures figures, ProcessOrJob key) throws Output.ClosedException {
        int most = rows.orElse(PROCESSES);
        if (json) {
            world.out().line(TraceJson.of(figures, folder.toString(), key, most));
        } else {
            new TraceReport(world.out(), world.columns(), figures).print(folder.toString(), key, most);
        }
    }

    private @Nullable TraceHandlers handlers(TraceReader trace) throws Failure {
        try {
            return config == null ? null : new TraceHandlers(SetupFiles.handlers(config), trace);
        } catch (ConfigException e) {
            throw new Failure(String.valueOf(e.getMessage()));
        }
    }

    /** Whether any of them failed. */
    private boolean tellHandlers(TraceHandlers handlers) throws IOException {
        List<String> failed = handlers.failed();
        for (String line : failed) {
            world.tell(line + "; its metrics are not in the report");
        }
        for (String line : handlers.missing()) {
            world.tell(line);
        }
        return !failed.isEmpty();
    }

    private static SummarySetup setup(TraceReader trace, JobNames names) {
        long ticksPerMilli = trace.clock().ticksPerMilli();
        return new SummarySetup(
                Math.max(1, trace.cpus()),
                1,
                TimerScale.ofKhz(ticksPerMilli),
                new ClockModel(ticksPerMilli, 0, 0, 0),
                new SavedMachine(trace.dropReasons(), trace.processNames()),
                names);
    }
}
