// SPDX-License-Identifier: Apache-2.0
package magnet.cli.check;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import magnet.cli.world.Complaint;
import magnet.cli.world.VersionProvider;
import magnet.cli.world.VisibleText;
import magnet.cli.world.World;
import magnet.control.BufferInfo;
import magnet.control.MagnetControl;
import magnet.control.ModuleInfo;
import magnet.control.ModuleNotLoadedException;
import magnet.control.PointInfo;
import magnet.json.Json;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Option;

/** {@code magnet check}: what works on this node, what does not, and what to do about it. */
@Command(
        name = "check",
        header = "Say what works on this node, what does not and why, and what to do.",
        description = {
            "",
            "For this user, one line for each thing that is looked at: ok; warning, where the rest works without;"
                    + " failed; skipped, where something else has to be mended first. Below what is not ok stands"
                    + " the remedy.",
            "",
            "To see whether points can be hooked it hooks each of them for a moment, and logs nothing of them but of"
                    + " sched_switch; --passive leaves that out. The way to gmond's channels is looked for, nothing is"
                    + " sent. The kernel's BTF is not looked at: magnet does not need it.",
        },
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:nothing failed; there may be warnings", "1:something failed", "2:the command line is wrong"})
public final class CheckCommand implements Callable<Integer> {
    private static final String NEEDS_MODULE = "needs the module";

    @Option(
            names = {"-c", "--config"},
            paramLabel = "FILE",
            description = "The service's configuration; /etc/magnet/magnet.conf by default, or what is built in.")
    private @Nullable Path config;

    @Option(names = "--passive", description = "Hook nothing.")
    private boolean passive;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    private final World world;
    private final List<Finding> findings = new ArrayList<>();

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
        look("service", () -> List.of(service.running(buffers)));
        print();
        return count(Finding.State.FAILED) == 0 ? ExitCode.OK : ExitCode.SOFTWARE;
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
            findings.add(Finding.ok("netlink", "family magnet answers"));
            look("clock", () -> List.of(checks.clock(info)));
            look("nodes", () -> List.of(machine.nodes()));
            findings.addAll(checks.points(points));
            findings.addAll(checks.losses(buffers));
            if (passive) {
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
        for (Finding finding : findings) {
            world.out()
                    .line(("%-7s  %-" + width + "s  %s")
                            .formatted(finding.state(), finding.check(), VisibleText.of(finding.what())));
            if (!finding.remedy().isEmpty()) {
                world.out().line(" ".repeat(9 + width + 2) + "remedy: " + VisibleText.of(finding.remedy()));
            }
        }
        world.out()
                .line("%d ok, %d warnings, %d failed, %d skipped"
                        .formatted(
                                count(Finding.State.OK),
                                count(Finding.State.WARNING),
                                count(Finding.State.FAILED),
                                count(Finding.State.SKIPPED)));
    }
}
