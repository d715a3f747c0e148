// SPDX-License-Identifier: Apache-2.0
package magnet.cli.record;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import magnet.cli.world.Interruption;
import magnet.cli.world.ReadOn;
import magnet.cli.world.VersionProvider;
import magnet.cli.world.World;
import magnet.control.MagnetControl;
import magnet.recorder.RecorderSave;
import magnet.recorder.SaveFolder;
import magnet.unit.ByteSize;
import magnet.unit.TimeSpan;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code magnet record save}: saves what a flight recorder holds, now or at each urgent event. */
@Command(
        name = "save",
        header = "Save what a flight recorder holds as a trace; it goes on.",
        description = {
            "",
            "The kernel takes all events at once, and the recorder goes on, empty: the next trace begins where this"
                    + " one ends. \"magnet report\", \"magnet export\", \"magnet count --trace\" and babeltrace2 read the"
                    + " trace. The trace says how many older records had been overwritten.",
            "",
            "With --when-urgent the command waits, and saves a trace each time the recorder has logged an urgent"
                    + " event. Each trace gets a folder in FOLDER, named after the recorder and the time. Rules make"
                    + " events urgent: magnet record start box -p POINT --filter 'urgent if len > 60000'."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  sudo magnet record save box -o /tmp/trace",
            "      # the last seconds; magnet report /tmp/trace summarises them",
            "  sudo magnet record save box -o /var/tmp/traces --when-urgent --keep-traces 5",
            "      # a trace for each urgent event, of which the newest five stay",
            "",
            ReadOn.LEAD + ReadOn.DOCS + "/traces.md, " + ReadOn.DOCS + "/operating.md"
        },
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false)
public final class RecordSaveCommand implements Callable<Integer> {
    @Parameters(paramLabel = "NAME", description = "The flight recorder.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private String name;

    @Option(
            names = {"-o", "--output"},
            required = true,
            paramLabel = "FOLDER",
            description =
                    "Write the trace to FOLDER, which must be empty or new. With --when-urgent make a folder in it for"
                            + " each trace.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private Path folder;

    @Option(
            names = "--min-free",
            paramLabel = "SIZE",
            description = "Leave this much of the file system free, or save nothing. With --when-urgent older traces"
                    + " are removed for it. Default with --when-urgent: 1G.")
    private @Nullable ByteSize minFree;

    @Option(names = "--when-urgent", description = "Wait, and save a trace at each urgent event.")
    private boolean whenUrgent;

    @Option(
            names = {"-n", "--count"},
            paramLabel = "COUNT",
            description = "With --when-urgent: end after COUNT traces.")
    private @Nullable Long count;

    @Option(
            names = {"-d", "--duration"},
            paramLabel = "TIME",
            description = "With --when-urgent: end after this time: 10 (seconds), 0.5, 90s, 5m, 1h.")
    private @Nullable TimeSpan duration;

    @Mixin
    private SaveBounds keep = new SaveBounds();

    @Option(names = "--json", description = "Print one JSON object per line, for each trace.")
    private boolean json;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    private final World world;

    RecordSaveCommand(World world) {
        this.world = world;
    }

    @Override
    public Integer call() throws IOException {
        if (!whenUrgent && (count != null || duration != null || keep.areGiven())) {
            complain("--count, --duration, --keep-traces and --keep-size go with --when-urgent");
        }
        if (count != null && count < 1) {
            complain("--count COUNT must be at least 1");
        }
        SaveReport report = new SaveReport(world, json);
        if (whenUrgent) {
            SaveFolder to = new SaveFolder(folder, name, keep.bounds(spec.commandLine(), minFree), world.wall());
            new UrgentSaving(world, name, to, report)
                    .run(
                            count == null ? Long.MAX_VALUE : count,
                            duration == null ? Double.POSITIVE_INFINITY : duration.seconds());
            return ExitCode.OK;
        }
        try (MagnetControl control = world.control().open()) {
            RecorderSave save = new RecorderSave(control, RecordCommand.machine(world));
            // What the recorder has given away cannot be had once more: whoever interrupts waits for the trace.
            world.interruption()
                    .onInterrupt(new Interruption.Ending(
                            () -> {}, save::written, () -> "the trace in " + folder + " is not complete"));
            report.tell(save.save(name, folder, minFree == null ? 0 : minFree.bytes()));
        }
        return ExitCode.OK;
    }

    private void complain(String what) {
        throw new ParameterException(spec.commandLine(), what);
    }
}
