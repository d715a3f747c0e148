// SPDX-License-Identifier: Apache-2.0
package magnet.cli;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import magnet.control.MagnetControl;
import magnet.control.PointFunction;
import magnet.control.PointInfo;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;

/** {@code magnet points}: the event database. */
@Command(
        name = "points",
        header = "List the points: where in the kernel events can be taken.",
        description = {
            "",
            "STATE is off (costs nothing), on with the number of subscriptions, or missing, when this kernel has none"
                    + " of its functions. FUNCTIONS are those that were found in this kernel; of what was not found,"
                    + " all names that were tried."
        },
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class)
final class PointsCommand implements Callable<Integer> {
    private final World world;

    PointsCommand(World world) {
        this.world = world;
    }

    @Override
    public Integer call() throws IOException {
        List<PointInfo> points;
        try (MagnetControl control = world.control().open()) {
            points = control.points();
        }
        Table table = new Table("ID", "NAME", "SUBSYSTEM", "MECHANISM", "STATE", "FUNCTIONS");
        for (PointInfo point : points) {
            table.row(
                    "0x%03x".formatted(point.event()),
                    point.name(),
                    point.subsystem(),
                    point.mechanism(),
                    state(point),
                    point.functions().stream().map(PointsCommand::function).collect(Collectors.joining(" ")));
        }
        table.print(world.out());
        return ExitCode.OK;
    }

    private static String state(PointInfo point) {
        if (!point.isAvailable()) {
            return "missing";
        }
        String partly = point.isComplete() ? "" : ", partly missing";
        return (point.subscriptions() == 0 ? "off" : "on (" + point.subscriptions() + ")") + partly;
    }

    private static String function(PointFunction function) {
        String family = function.family().isEmpty() ? "" : function.family() + ":";
        return function.state() == PointFunction.State.UNRESOLVED
                ? family + "none-of(" + String.join("|", function.tried()) + ")"
                : family + function.name();
    }
}
