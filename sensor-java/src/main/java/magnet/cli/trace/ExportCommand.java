// SPDX-License-Identifier: Apache-2.0
package magnet.cli.trace;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import magnet.cli.world.Counted;
import magnet.cli.world.Failure;
import magnet.cli.world.Formats;
import magnet.cli.world.NewFile;
import magnet.cli.world.Output;
import magnet.cli.world.ReadOn;
import magnet.cli.world.SavedOwners;
import magnet.cli.world.VersionProvider;
import magnet.cli.world.World;
import magnet.os.FileReason;
import magnet.perfetto.PerfettoTrace;
import magnet.trace.RuleFilter;
import magnet.trace.TraceReader;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code magnet export}: a saved trace for Perfetto. */
@Command(
        name = "export",
        header = "Convert a saved trace to a Perfetto trace.",
        description = {
            "",
            "Reads a trace of \"magnet read -o\", or all its parts, and writes a file for Perfetto's viewer"
                    + " (" + ReadOn.DOCS
                    + "/export.md). It shows which thread ran on each CPU and what it waited for; system calls,"
                    + " interrupts, block requests and waits for memory as slices; packets' journeys as flows; rates as"
                    + " counters; markers; and where events were lost. Processes have their job as a label, else the path"
                    + " of their cgroup (" + ReadOn.DOCS + "/jobs.md). It needs neither the module nor root. It skips"
                    + " damaged and cut-off parts and says so. If it cannot read a file, it says so, too, and the exit"
                    + " code is 1."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  magnet export /tmp/trace -o /tmp/node.perfetto-trace",
            "      # a file for ui.perfetto.dev",
            "  magnet export --filter 'drop if cpu != 0' /tmp/trace -o \\",
            "      /tmp/cpu0.perfetto-trace",
            "      # only what happened on CPU 0",
            "  magnet export --cluster /tmp/run -o /tmp/run.tar",
            "      # all nodes of a run, on one time axis",
            "",
            ReadOn.LEAD + ReadOn.DOCS + "/export.md"
        },
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false)
public final class ExportCommand implements Callable<Integer> {
    private static final String STANDARD_OUTPUT = "-";

    @Parameters(paramLabel = "FOLDER", description = "The trace; with --cluster the run.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private Path folder;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE",
            required = true,
            description = "Write this file, such as node.perfetto-trace. It must not exist yet, or be empty. - is"
                    + " standard output.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private Path output;

    @Option(
            names = "--filter",
            paramLabel = "RULE",
            description = "A rule that decides which events are exported, in the language of \"magnet read --filter\""
                    + " (" + ReadOn.DOCS + "/control.md); several rules apply in their order, to each kind of event.")
    private List<String> filters = List.of();

    @Option(
            names = "--cluster",
            description =
                    "Export the traces of all nodes of a run: FOLDER has a folder with a trace for each. FILE becomes"
                            + " an archive (tar) of these and of what Perfetto has to know to show them on one time axis.")
    private boolean cluster;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    private final World world;
    private @Nullable RuleFilter filter;

    public ExportCommand(World world) {
        this.world = world;
    }

    @Override
    public Integer call() throws IOException {
        boolean toStandardOutput = output.toString().equals(STANDARD_OUTPUT);
        if (toStandardOutput && world.screen().get().isPresent()) {
            throw new ParameterException(
                    spec.commandLine(), "-o - writes bytes that no terminal can show: name a file, or redirect it");
        }
        if (cluster) {
            return exportRun(toStandardOutput);
        }
        try (TraceReader trace = TraceReader.open(folder)) {
            tell(toStandardOutput ? writeStandardOutput(trace) : writeFile(trace));
            return new TraceRemarks(world, "the export").tell(trace, filter);
        }
    }

    private PerfettoTrace writeStandardOutput(TraceReader trace) throws IOException {
        try {
            return write(trace, new Standard(world.out()));
        } catch (UncheckedIOException e) {
            throw Objects.requireNonNull(e.getCause());
        }
    }

    /** A file is there when it is whole, and not otherwise. */
    private PerfettoTrace writeFile(TraceReader trace) throws IOException {
        PerfettoTrace written = null;
        OutputStream out = Channels.newOutputStream(NewFile.open(output));
        try (out) {
            written = write(trace, out);
            return written;
        } catch (UncheckedIOException e) {
            throw incomplete(Objects.requireNonNull(e.getCause()));
        } finally {
            if (written == null && Files.isRegularFile(output)) {
                Files.delete(output);
            }
        }
    }

    private int exportRun(boolean toStandardOutput) throws IOException {
        if (toStandardOutput || (Files.exists(output) && !Files.isRegularFile(output))) {
            throw new ParameterException(
                    spec.commandLine(), "--cluster wants a file that it can go back in, not " + output);
        }
        boolean whole = false;
        TraceRemarks remarks = new TraceRemarks(world, "the export");
        int[] exitCode = new int[1];
        try (FileChannel channel = NewFile.open(output)) {
            new RunExport(world, (trace, out) -> {
                        filter = null;
                        PerfettoTrace written = write(trace, out);
                        world.tell(trace.host() + ": " + summary(written));
                        exitCode[0] = Math.max(exitCode[0], remarks.tell(trace, filter));
                        return written;
                    })
                    .write(folder, channel);
            whole = true;
        } catch (UncheckedIOException e) {
            throw incomplete(Objects.requireNonNull(e.getCause()));
        } finally {
            if (!whole) {
                Files.deleteIfExists(output);
            }
        }
        return exitCode[0];
    }

    private Failure incomplete(IOException reason) {
        return new Failure(output + ": " + FileReason.of(reason) + "; the incomplete export is removed");
    }

    private PerfettoTrace write(TraceReader trace, OutputStream out) throws IOException {
        SavedOwners owners = SavedOwners.of(trace, world);
        PerfettoTrace perfetto = new PerfettoTrace(
                trace, Formats.withSystemCalls(trace.words(), trace.machine()), owners.owners()::owner, out);
        if (!filters.isEmpty()) {
            filter = new RuleFilter(
                    trace,
                    Formats.withSystemCalls(trace.words(), trace.machine()),
                    String.join(";", filters),
                    perfetto);
        }
        TraceProgress progress =
                new TraceProgress(world, "exported", owners.before(filter == null ? perfetto : filter));
        progress.endWhenInterrupted();
        try {
            trace.read(progress);
        } catch (CancellationException e) {
            throw new Failure("interrupted: there is no export");
        } finally {
            progress.clear();
        }
        perfetto.finish();
        owners.tellWithoutRoom(world);
        return perfetto;
    }

    private void tell(PerfettoTrace perfetto) throws IOException {
        world.tell(summary(perfetto));
        if (perfetto.unwritten() > 0) {
            world.tell(perfetto.unwritten() + " slices are not in the export: too many were under way at once");
        }
    }

    private static String summary(PerfettoTrace perfetto) {
        return Counted.of(perfetto.events(), "event") + " exported, " + perfetto.lost() + " lost: "
                + Counted.of(perfetto.switches(), "context switch", "context switches") + ", "
                + Counted.of(perfetto.journeys(), "packet's journey to its end", "packets' journeys to their end");
    }

    /** Standard output as a stream. */
    private static final class Standard extends OutputStream {
        private final Output out;

        Standard(Output out) {
            this.out = out;
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            out.bytes(bytes, offset, length);
        }

        @Override
        public void flush() throws IOException {
            out.flush();
        }
    }
}
