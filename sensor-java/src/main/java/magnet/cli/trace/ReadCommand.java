// SPDX-License-Identifier: Apache-2.0
package magnet.cli.trace;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import magnet.cli.world.VersionProvider;
import magnet.cli.world.World;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code magnet read}: prints events as they happen. */
@Command(
        name = "read",
        header = "Print events as they happen, of all CPUs in the order of time.",
        description = {
            "",
            "Reads into a buffer of its own, beside the service. Ends when there were enough events, when the time is"
                    + " over, on Ctrl-C, or when nobody reads its output any more; then says what was lost. What it"
                    + " switched on is off again afterwards. With -o it saves a trace instead."
        },
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false)
public final class ReadCommand implements Callable<Integer> {
    @Option(
            names = {"-p", "--point"},
            paramLabel = "POINT",
            description = "A point to read; may be given several times. All points that this kernel has, by default.")
    private List<String> points = new ArrayList<>();

    @Mixin
    private EventOptions events = new EventOptions();

    @Option(
            names = "--raw",
            paramLabel = "FOLDER",
            description = "Also keep the records as they were read, in FOLDER/cpuN.raw.")
    private @Nullable Path rawDirectory;

    @Mixin
    private TraceOptions trace = new TraceOptions();

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    private final World world;

    public ReadCommand(World world) {
        this.world = world;
    }

    @Override
    public Integer call() throws IOException {
        events.check(spec.commandLine());
        trace.check(spec.commandLine(), events);
        if (rawDirectory != null) {
            Files.createDirectories(rawDirectory);
        }
        if (trace.folder() != null) {
            new TraceSaving(world, events, trace).run(points, rawDirectory);
        } else {
            new EventReading(world, events, "read").run(points, Set.of(), rawDirectory);
        }
        return ExitCode.OK;
    }
}
