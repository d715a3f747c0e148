// SPDX-License-Identifier: Apache-2.0
package magnet.cli.module;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import magnet.cli.world.Table;
import magnet.cli.world.VersionProvider;
import magnet.cli.world.World;
import magnet.control.Flag;
import magnet.control.MagnetControl;
import magnet.control.Mechanism;
import magnet.control.PointFunction;
import magnet.control.PointInfo;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Option;

/** {@code magnet points}: the event database. */
@Command(
        name = "points",
        header = "List the points: where in the kernel events can be taken; change some.",
        description = {
            "",
            "STATE is off (costs nothing), on or disabled with the number of subscriptions, or missing, when this"
                    + " kernel has none of its functions; guard RATE/BURST where there is a storm guard. FUNCTIONS are those that were found in this kernel; of what was not found,"
                    + " all names that were tried. Of a kprobe that is on, MECHANISM says what the kernel made of it:"
                    + " ftrace, breakpoint or jump."
        },
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class)
public final class PointsCommand implements Callable<Integer> {
    private final World world;

    @Option(
            names = "--insert",
            paramLabel = "DEFINITION",
            description = "Insert a point, such as 'p:vfs_read len=$$arg3:u32' or 'r:vfs_read $$retval:s64'"
                    + " (docs/control.md). It stays until it is removed.")
    private List<String> insert = List.of();

    @Option(names = "--remove", paramLabel = "NAME", description = "Remove a point that was inserted.")
    private List<String> remove = List.of();

    @Option(
            names = "--disable",
            paramLabel = "NAME",
            description = "Unhook a point, for all of its subscriptions, until it is enabled again.")
    private List<String> disable = List.of();

    @Option(names = "--enable", paramLabel = "NAME", description = "Let its subscriptions hook a point again.")
    private List<String> enable = List.of();

    @Option(
            names = "--storm-guard",
            paramLabel = "NAME=RATE[/BURST]",
            description = "Let through at most so many events of a point per second and CPU, and BURST at once; 0 lets"
                    + " all through. What is refused is counted, and told in a record.")
    private List<GuardOption> guards = List.of();

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    public PointsCommand(World world) {
        this.world = world;
    }

    @Override
    public Integer call() throws IOException {
        List<PointInfo> points = new ArrayList<>();
        try (MagnetControl control = world.control().open()) {
            for (String name : remove) {
                control.removePoint(name);
            }
            for (String definition : insert) {
                points.add(control.insertPoint(definition, Set.of(Flag.PERSISTENT)));
            }
            for (String name : disable) {
                points.add(control.enablePoint(name, false));
            }
            for (String name : enable) {
                points.add(control.enablePoint(name, true));
            }
            for (GuardOption guard : guards) {
                points.add(control.guardPoint(guard.point(), guard.rate(), guard.burst()));
            }
            if (points.isEmpty() && remove.isEmpty()) {
                points.addAll(control.points());
            }
        }
        if (json) {
            world.out().line(ModuleJson.points(points));
        } else if (!points.isEmpty()) {
            print(points);
        }
        return ExitCode.OK;
    }

    private void print(List<PointInfo> points) throws IOException {
        Table table = new Table("ID", "NAME", "SUBSYSTEM", "MECHANISM", "STATE", "FUNCTIONS");
        for (PointInfo point : points) {
            table.row(
                    "0x%03x".formatted(point.event()),
                    point.name(),
                    point.subsystem(),
                    mechanism(point),
                    state(point),
                    point.functions().stream().map(PointsCommand::function).collect(Collectors.joining(" ")));
        }
        table.print(world.out());
    }

    /** With what the kernel made of it, where it has a choice. */
    public static String mechanism(PointInfo point) {
        boolean choice = point.mechanism() == Mechanism.KPROBE || point.mechanism() == Mechanism.KRETPROBE;
        return choice && point.isActive()
                ? point.mechanism() + "/" + point.hook()
                : point.mechanism().toString();
    }

    private static String state(PointInfo point) {
        if (!point.isAvailable()) {
            return "missing";
        }
        String partly = point.isComplete() ? "" : ", partly missing";
        String guard = point.stormGuard()
                .map(each -> ", guard " + each.rate() + "/" + each.burst())
                .orElse("");
        return onOrOff(point) + partly + guard;
    }

    private static String onOrOff(PointInfo point) {
        if (!point.enabled()) {
            return "disabled (" + point.subscriptions() + ")";
        }
        return point.subscriptions() == 0 ? "off" : "on (" + point.subscriptions() + ")";
    }

    private static String function(PointFunction function) {
        String family = function.family().isEmpty() ? "" : function.family() + ":";
        return switch (function.state()) {
            case UNRESOLVED -> family + "none-of(" + String.join("|", function.tried()) + ")";
            case WAITING -> family + function.name() + " (waits for its module)";
            case RESOLVED, ACTIVE -> family + function.name();
        };
    }
}
