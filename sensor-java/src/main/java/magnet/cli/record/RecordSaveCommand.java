// SPDX-License-Identifier: Apache-2.0
package magnet.cli.record;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import magnet.cli.world.BufferName;
import magnet.cli.world.CountOption;
import magnet.cli.world.DurationOption;
import magnet.cli.world.Interruption;
import magnet.cli.world.ReadOn;
import magnet.cli.world.VersionProvider;
import magnet.cli.world.World;
import magnet.control.MagnetControl;
import magnet.recorder.Recorder;
import magnet.recorder.RecorderSave;
import magnet.recorder.SaveFolder;
import magnet.recorder.SavePause;
import magnet.unit.ByteSize;
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
                    + " event. Each trace gets a folder in FOLDER, named after the recorder and the time. Between two"
                    + " saves it pauses (--pause), so that a burst of urgent events does not displace the trace of the"
                    + " first one. Rules make events urgent: magnet record start box -p POINT --filter 'urgent if len >"
                    + " 60000'. If the recorder or the module goes before -n COUNT traces are saved, the exit code is 1."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  sudo magnet record save box -o /tmp/trace",
            "      # the last seconds; magnet report /tmp/trace summarises them",
            "  sudo magnet record save box -o /var/tmp/traces \\",
            "      --when-urgent --keep-traces 5",
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

    @Mixin
    private final CountOption count = new CountOption("With --when-urgent: end after COUNT traces.");

    @Mixin
    private final DurationOption duration =
            new DurationOption("With --when-urgent: end after this time: 10 (seconds), 0.5, 90s, 5m, 1h.");

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
        if (!whenUrgent && (count.isGiven() || duration.isGiven() || keep.areGiven())) {
            complain("--count, --duration, --keep-traces, --keep-size and --pause go with --when-urgent");
        }
        count.check(spec.commandLine());
        BufferName.check(spec.commandLine(), "NAME", name, Recorder.NAME_MOST);
        SaveReport report = new SaveReport(world, json);
        if (whenUrgent) {
            SaveFolder to = new SaveFolder(folder, name, keep.bounds(spec.commandLine(), minFree), world.wall());
            SavePause pause = new SavePause(world.clock(), keep.pause(spec.commandLine()));
            return new UrgentSaving(world, name, to, pause, report)
                    .run(count.isGiven() ? count.most() : null, duration.seconds());
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
