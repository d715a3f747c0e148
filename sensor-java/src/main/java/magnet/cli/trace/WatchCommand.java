// SPDX-License-Identifier: Apache-2.0
package magnet.cli.trace;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import magnet.cli.world.VersionProvider;
import magnet.cli.world.World;
import magnet.control.Flag;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code magnet watch}: urgent events as they come. */
@Command(
        name = "watch",
        header = "Print urgent events as they come.",
        description = {
            "",
            "With points: subscribes to them as urgent, whatever passes the rules of --filter, into a buffer of its"
                    + " own, and prints each event at once. Ends as \"magnet read\" does.",
            "",
            "Without points: listens to what the module tells everybody, and prints a line when a subscription of"
                    + " anybody's has logged urgent events and when a buffer has lost some. The module puts together"
                    + " what comes at the same time."
        },
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false)
public final class WatchCommand implements Callable<Integer> {
    @Option(
            names = {"-p", "--point"},
            paramLabel = "POINT",
            description = "A point to watch; may be given several times.")
    private List<String> points = new ArrayList<>();

    @Mixin
    private EventOptions events = new EventOptions();

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    private final World world;

    public WatchCommand(World world) {
        this.world = world;
    }

    @Override
    public Integer call() throws IOException {
        events.check(spec.commandLine());
        if (!points.isEmpty()) {
            new EventReading(world, events, "watch").run(points, Set.of(Flag.URGENT), null);
            return ExitCode.OK;
        }
        if (events.areOfPoints()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--filter, --sample, --snap, --counters, --tgid, --json and -v need a point, -p POINT");
        }
        new NoticeWatch(world, events.count(), events.seconds()).run();
        return ExitCode.OK;
    }
}
