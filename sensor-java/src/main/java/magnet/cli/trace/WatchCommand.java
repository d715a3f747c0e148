// SPDX-License-Identifier: Apache-2.0
package magnet.cli.trace;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import magnet.cli.world.PointChoice;
import magnet.cli.world.ReadOn;
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
            "With points: logs every event that passes the rules of --filter as urgent, into a buffer of its own, and"
                    + " prints it at once. Ends as \"magnet read\" does.",
            "",
            "Without points: listens to the module's notices. Prints a line when anybody's subscription has logged"
                    + " urgent events, and when a buffer has lost events. The module puts notices of the same moment"
                    + " together."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  magnet watch",
            "      # everybody's urgent events and losses, as they come",
            "  sudo magnet watch -p kfree_skb --filter 'drop if reason != NO_SOCKET'",
            "      # packets for which there was no socket, at once",
            "",
            ReadOn.LEAD + ReadOn.DOCS + "/control.md, " + ReadOn.DOCS + "/record-format.md"
        },
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false)
public final class WatchCommand implements Callable<Integer> {
    @Option(
            names = {"-p", "--point"},
            split = ",",
            paramLabel = "POINT",
            description = "A point to watch; several as a,b, or in several -p.")
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
        PointChoice.check(spec.commandLine(), "-p", points);
        if (!points.isEmpty()) {
            events.resolveRules(world);
            new EventReading(world, events, "watch").run(points, Set.of(Flag.URGENT), null);
            return ExitCode.OK;
        }
        if (events.areOfPoints()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--filter, --not-self, --sample, --snap, --counters, --pid, --buffer-size, --raw and -v need a"
                            + " point, -p POINT");
        }
        new NoticeWatch(world, events).run();
        return ExitCode.OK;
    }
}
