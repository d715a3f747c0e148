// SPDX-License-Identifier: Apache-2.0
package magnet.cli.module;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import magnet.cli.world.PointChoice;
import magnet.cli.world.ReadOn;
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
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code magnet points}: the event database. */
@Command(
        name = "points",
        header = "List the points where magnet can take events in the kernel; change some.",
        description = {
            "",
            "STATE is off (costs nothing), on or disabled (with the number of subscriptions), or missing (this kernel"
                    + " has none of the point's functions). A storm guard adds guard RATE/BURST. FUNCTIONS lists the"
                    + " functions that the module found in this kernel. If it did not find one, the column lists all"
                    + " names that it tried. If a kprobe is on, MECHANISM says how the kernel hooked it: ftrace,"
                    + " breakpoint or jump."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  magnet points",
            "      # all points: which are on, and which this kernel does not have",
            "  sudo magnet points --insert 'p:vfs_read len=$$arg3:u32'",
            "      # a point of your own: how much each read asks for",
            "  sudo magnet points --storm-guard udp_sendmsg=10000/1000",
            "      # at most 10,000 of its events per second and CPU",
            "",
            ReadOn.LEAD + ReadOn.DOCS + "/control.md, " + ReadOn.DOCS + "/record-format.md"
        },
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class)
public final class PointsCommand implements Callable<Integer> {
    private final World world;

    @Option(
            names = "--insert",
            paramLabel = "DEFINITION",
            description = "Insert a point, such as 'p:vfs_read len=$$arg3:u32' or 'r:vfs_read $$retval:s64'" + " ("
                    + ReadOn.DOCS + "/control.md). It stays until it is removed.")
    private List<String> insert = List.of();

    @Option(
            names = "--remove",
            split = ",",
            paramLabel = "NAME",
            description = "Remove an inserted point; several as a,b.")
    private List<String> remove = List.of();

    @Option(
            names = "--disable",
            split = ",",
            paramLabel = "NAME",
            description = "Unhook a point for all its subscriptions until it is enabled again; several as a,b.")
    private List<String> disable = List.of();

    @Option(
            names = "--enable",
            split = ",",
            paramLabel = "NAME",
            description = "Let the subscriptions of a disabled point hook it again; several as a,b.")
    private List<String> enable = List.of();

    @Option(
            names = "--storm-guard",
            paramLabel = "NAME=RATE[/BURST]",
            description = "Let through at most RATE events of a point per second and CPU, and BURST at once; 0 lets all"
                    + " through. The module counts the events that it refuses and reports them in a record.")
    private List<GuardOption> guards = List.of();

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    public PointsCommand(World world) {
        this.world = world;
    }

    @Override
    public Integer call() throws IOException {
        check();
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

    private void check() {
        PointChoice.check(spec.commandLine(), "--remove", remove);
        PointChoice.check(spec.commandLine(), "--disable", disable);
        PointChoice.check(spec.commandLine(), "--enable", enable);
        for (String name : enable) {
            if (disable.contains(name)) {
                throw new ParameterException(
                        spec.commandLine(), "point " + name + " stands in --enable and in --disable");
            }
        }
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
        table.print(world.out(), world.columns());
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
