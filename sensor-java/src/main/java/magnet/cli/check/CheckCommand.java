// SPDX-License-Identifier: Apache-2.0
package magnet.cli.check;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import magnet.cli.fleet.ClusterChoice;
import magnet.cli.fleet.GmetadAddress;
import magnet.cli.world.Complaint;
import magnet.cli.world.Counted;
import magnet.cli.world.Failure;
import magnet.cli.world.Folding;
import magnet.cli.world.ReadOn;
import magnet.cli.world.RowsOption;
import magnet.cli.world.VersionProvider;
import magnet.cli.world.VisibleText;
import magnet.cli.world.World;
import magnet.control.BufferInfo;
import magnet.control.MagnetControl;
import magnet.control.ModuleInfo;
import magnet.control.ModuleNotLoadedException;
import magnet.control.PointInfo;
import magnet.json.Json;
import magnet.os.FileReason;
import magnet.unit.TimeSpan;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code magnet check}: what works on this node, what does not, and what to do about it. */
@Command(
        name = "check",
        header = "Say what works on this node, what does not and why, and what to do.",
        description = {
            "",
            "Prints one line for each thing that it checks, with the rights of the user who runs it. A line says ok,"
                    + " warning (something is missing that the rest works without), failed, or skipped (something else"
                    + " has to be fixed first). A remedy follows below each line that is not ok.",
            "",
            "With --fleet it asks gmetad about all nodes; run it on gmetad's host. It prints one line for each node"
                    + " that needs attention, and below them the number of nodes, their versions and their losses. A"
                    + " node has failed if gmetad takes it for down (silent for 4 times its TMAX), or if magnetd"
                    + " publishes nothing there. A node has a warning if it lost events in the window of its newest"
                    + " values, if points failed, or if most nodes have another version. A cluster in which no node has"
                    + " magnet is a warning, unless --without names it; it has failed if --expect names it, or if no"
                    + " other cluster has magnet. The command asks no node itself.",
            "",
            "With --nagios it prints one line, as Nagios plugins do. The exit code is 0 (OK), 1 (WARNING: there are"
                    + " warnings), 2 (CRITICAL: something failed) or 3 (UNKNOWN: nothing could be found out). It hooks"
                    + " nothing then, and leaves out the checks about the user who runs it: nodes, capabilities,"
                    + " debugfs. It also leaves out whether the module knows the jobs that run now.",
            "",
            "To see whether points can be hooked, the command hooks each one for a moment; it logs only the events of"
                    + " sched_switch. --passive leaves this check out. The command looks for a route to gmond's"
                    + " channels and sends nothing. It does not look at the kernel's BTF, because magnet does not need"
                    + " it.",
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  magnet check",
            "      # what works for you on this node, and what to do about the rest",
            "  magnet check --fleet --nodes /etc/magnet/stage.txt",
            "      # the nodes on which magnet is installed so far",
            "  magnet check --fleet --nagios --gmetad head:8651",
            "      # all nodes of a cluster, as a Nagios plugin",
            "",
            ReadOn.LEAD + ReadOn.DOCS + "/operating.md, " + ReadOn.DOCS + "/security.md"
        },
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:nothing failed; there may be warnings",
            "1:something failed, or gmetad could not be asked",
            "2:the command line is wrong",
            "0 to 3:with --nagios, as above; 3 also if the command line is wrong"
        })
public final class CheckCommand implements Callable<Integer> {
    private static final String NEEDS_MODULE = "needs the module";
    /** Of a finding's state, with what is between it and the check. */
    private static final int STATE_WIDTH = 9;

    @Option(
            names = {"-c", "--config"},
            paramLabel = "FILE",
            description = "Check this configuration of the service. Default: /etc/magnet/magnet.conf, or the built-in"
                    + " one if that is missing.")
    private @Nullable Path config;

    @Option(names = "--passive", description = "Hook nothing.")
    private boolean passive;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Option(names = "--nagios", description = "Print one line and exit, as Nagios plugins do.")
    private boolean nagios;

    @Option(names = "--fleet", description = "Ask gmetad about all nodes.")
    private boolean fleet;

    @Option(
            names = "--gmetad",
            paramLabel = "HOST[:PORT]",
            description =
                    "With --fleet: ask the gmetad at this host and port (xml_port of its gmetad.conf), or a gmond at"
                            + " its tcp_accept_channel. Default: 127.0.0.1:8651.")
    private @Nullable GmetadAddress gmetad;

    @Option(
            names = {"-t", "--timeout"},
            paramLabel = "TIME",
            description = "With --fleet: wait this long for gmetad's whole answer. Default: 30s.")
    private @Nullable TimeSpan timeout;

    @Mixin
    private final RowsOption top =
            new RowsOption("With --fleet: show at most N nodes that need attention, the worst first. Default: all.");

    @Option(
            names = "--expect",
            paramLabel = "CLUSTER",
            split = ",",
            description = "With --fleet: all nodes of this cluster must have magnet; several as a,b, or in several"
                    + " --expect. The check fails if gmetad has nothing of magnet there, or does not know the cluster.")
    private List<String> expected = new ArrayList<>();

    @Option(
            names = "--without",
            paramLabel = "CLUSTER",
            split = ",",
            description =
                    "With --fleet: this cluster has no magnet on purpose; several as a,b, or in several --without."
                            + " Without this option such a cluster is a warning.")
    private List<String> without = new ArrayList<>();

    @Option(
            names = "--nodes",
            paramLabel = "FILE",
            description = "With --fleet: look only at the nodes in FILE, one a line. All of them must have magnet; the"
                    + " check fails if gmetad does not know one. A name may be short, without its domain.")
    private @Nullable Path nodes;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    private final World world;
    private final List<Finding> findings = new ArrayList<>();
    private long lost;

    public CheckCommand(World world) {
        this.world = world;
    }

    /** Something to look at, which cannot always be seen. */
    @FunctionalInterface
    private interface Look {
        List<Finding> findings() throws IOException;
    }

    @Override
    public Integer call() throws IOException {
        check(!(nagios && json), "--nagios and --json exclude each other");
        check(
                fleet
                        || (gmetad == null
                                && timeout == null
                                && !top.isGiven()
                                && expected.isEmpty()
                                && without.isEmpty()
                                && nodes == null),
                "--gmetad, --timeout, --top, --expect, --without and --nodes need --fleet");
        check(
                nodes == null || (expected.isEmpty() && without.isEmpty()),
                "--nodes looks at no cluster as a whole: --expect and --without do not go with it");
        check(!fleet || (config == null && !passive), "--fleet looks at no configuration and hooks nothing");
        top.check(spec.commandLine());
        ClusterChoice clusters = new ClusterChoice(new HashSet<>(expected), new HashSet<>(without), Set.of());
        check(
                clusters.contradictions().isEmpty(),
                "cluster " + String.join(", ", clusters.contradictions()) + " stands in --expect and in --without");
        if (fleet) {
            return fleet(clusters);
        }
        lookAtAll();
        if (nagios) {
            return NodeLine.of(findings, lost).printed(world);
        }
        print();
        return count(Finding.State.FAILED) == 0 ? ExitCode.OK : ExitCode.SOFTWARE;
    }

    private int fleet(ClusterChoice clusters) throws IOException {
        Set<String> named;
        try {
            named = namedNodes();
        } catch (Failure e) {
            if (!nagios) {
                throw e;
            }
            NagiosLine line = NagiosLine.unknown(String.valueOf(e.getMessage()));
            world.out().line(line.toString());
            return line.exitCode();
        }
        return new FleetCheck(world, gmetad, timeout, top.orElse(Integer.MAX_VALUE), clusters.ofNodes(named))
                .run(nagios, json);
    }

    /** One a line; what stands behind a hash sign is for people. */
    private Set<String> namedNodes() throws Failure {
        if (nodes == null) {
            return Set.of();
        }
        Set<String> named = new HashSet<>();
        try {
            for (String line : Files.readAllLines(nodes)) {
                String name = line.replaceFirst("#.*", "").strip();
                if (!name.isEmpty()) {
                    named.add(name);
                }
            }
        } catch (IOException e) {
            throw new Failure(nodes + " cannot be read: " + FileReason.of(e));
        }
        if (named.isEmpty()) {
            throw new Failure(nodes + " names no node");
        }
        return named;
    }

    private void check(boolean good, String otherwise) {
        if (!good) {
            throw new ParameterException(spec.commandLine(), otherwise);
        }
    }

    private void lookAtAll() {
        MachineChecks machine = new MachineChecks(world);
        ServiceChecks service = new ServiceChecks(world, Optional.ofNullable(config));
        Finding java = machine.java();
        findings.add(java);
        List<BufferInfo> buffers = new ArrayList<>();
        ModuleInfo loaded = null;
        if (java.state() == Finding.State.OK) {
            loaded = module(machine, buffers);
        } else {
            findings.add(Finding.skipped("module", "whether it is loaded: see java"));
            skipped();
        }
        machine(machine, loaded);
        findings.addAll(service.configuration());
        Optional.ofNullable(loaded).map(service::dynamic).ifPresent(findings::add);
        look("rights", () -> List.of(service.rights(machine.ownCapabilities())));
        service.setup()
                .ifPresent(setup -> look(
                        "memory", () -> List.of(machine.memory(setup.magnet().bufferBytes()))));
        if (loaded != null) {
            service.recorder(buffers).ifPresent(findings::add);
        }
        look("service", () -> List.of(service.running(buffers)));
    }

    private void machine(MachineChecks machine, @Nullable ModuleInfo loaded) {
        look("lockdown", () -> List.of(machine.lockdown(loaded != null)));
        look("capabilities", () -> List.of(machine.capabilities()));
        look("debugfs", () -> List.of(machine.debugfs(loaded != null)));
        look("ftrace", () -> List.of(machine.ftrace(loaded)));
        look("kprobes", () -> List.of(machine.kprobes(loaded)));
    }

    /** What the module says of itself if it answers, beside what can be asked of it then. */
    private @Nullable ModuleInfo module(MachineChecks machine, List<BufferInfo> buffers) {
        ModuleChecks checks = new ModuleChecks(world);
        try (MagnetControl control = world.control().open()) {
            ModuleInfo info = control.info();
            findings.add(checks.version(info));
            List<PointInfo> points = control.points();
            buffers.addAll(control.buffers());
            lost = buffers.stream().mapToLong(BufferInfo::lost).sum();
            findings.add(Finding.ok("netlink", "family magnet answers"));
            look("clock", () -> List.of(checks.clock(info)));
            look("nodes", () -> List.of(machine.nodes()));
            if (!nagios) {
                look("jobs", checks::jobs);
            }
            findings.addAll(checks.points(points));
            findings.addAll(checks.losses(buffers));
            if (passive || nagios) {
                findings.add(Finding.skipped("hooks", "--passive: nothing was hooked"));
            } else {
                look("hooks", () -> hooks(machine, checks, control, points));
            }
            return info;
        } catch (ModuleNotLoadedException e) {
            without(checks, e, true);
        } catch (IOException e) {
            without(checks, e, false);
        }
        return null;
    }

    private static List<Finding> hooks(
            MachineChecks machine, ModuleChecks checks, MagnetControl control, List<PointInfo> points)
            throws IOException {
        return machine.capabilities().state() == Finding.State.OK
                ? checks.hooks(control, points)
                : List.of(Finding.skipped("hooks", "whether points can be hooked: see capabilities"));
    }

    private void without(ModuleChecks checks, IOException e, boolean notLoaded) {
        look("module", () -> List.of(checks.silent(e, notLoaded)));
        skipped();
    }

    private void skipped() {
        for (String check : List.of("netlink", "clock", "nodes", "points", "losses", "hooks")) {
            findings.add(Finding.skipped(check, NEEDS_MODULE));
        }
    }

    /** What cannot be seen is a finding, too. */
    private void look(String check, Look look) {
        try {
            findings.addAll(look.findings());
        } catch (IOException e) {
            findings.add(Finding.warning(check, "cannot be looked at: " + Complaint.about(e), "run it as root"));
        }
    }

    private long count(Finding.State state) {
        return findings.stream().filter(finding -> finding.state() == state).count();
    }

    private void print() throws IOException {
        if (json) {
            Map<String, Object> all = new LinkedHashMap<>();
            all.put("failed", count(Finding.State.FAILED));
            all.put("warnings", count(Finding.State.WARNING));
            all.put("findings", findings.stream().map(Finding::asMap).toList());
            world.out().line(Json.of(all));
            return;
        }
        int width =
                findings.stream().mapToInt(each -> each.check().length()).max().orElse(0);
        int indent = STATE_WIDTH + width + 2;
        int columns = world.columns();
        for (Finding finding : findings) {
            String line = ("%-7s  %-" + width + "s  %s")
                    .formatted(finding.state(), finding.check(), VisibleText.of(finding.what()));
            world.out().line(Folding.of(line, columns, indent));
            if (!finding.remedy().isEmpty()) {
                String remedy = " ".repeat(indent) + "remedy: " + VisibleText.of(finding.remedy());
                world.out().line(Folding.of(remedy, columns, indent));
            }
        }
        world.out()
                .line("%d ok, %s, %d failed, %d skipped"
                        .formatted(
                                count(Finding.State.OK),
                                Counted.of(count(Finding.State.WARNING), "warning"),
                                count(Finding.State.FAILED),
                                count(Finding.State.SKIPPED)));
    }
}
