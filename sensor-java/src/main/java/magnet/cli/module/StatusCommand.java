// SPDX-License-Identifier: Apache-2.0
package magnet.cli.module;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import magnet.cli.world.Folding;
import magnet.cli.world.Lockdown;
import magnet.cli.world.Processes;
import magnet.cli.world.ReadOn;
import magnet.cli.world.Table;
import magnet.cli.world.VersionProvider;
import magnet.cli.world.World;
import magnet.control.BufferInfo;
import magnet.control.HitCounts;
import magnet.control.MagnetControl;
import magnet.control.ModuleInfo;
import magnet.control.ModuleNotLoadedException;
import magnet.control.RingCounts;
import magnet.control.SubscriptionInfo;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Option;

/** {@code magnet status}: what the module and the service are doing. */
@Command(
        name = "status",
        header = "Show what the module and the service are doing.",
        description = {
            "",
            "Shows for each subscription the loss equation over all CPUs: HITS = COMMITTED + FILTERED + SAMPLED + FULL"
                    + " + BIG + RECURSION + STORM. Hits that are on their way at this moment may be missing on the"
                    + " right. The probe mechanism itself lost the MISSED hits."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  magnet status",
            "      # what is loaded and running, and what became of all hits",
            "  magnet status --json | jq '.subscriptions[].point'",
            "      # the points that are on",
            "",
            ReadOn.LEAD + ReadOn.DOCS + "/operating.md"
        },
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class)
public final class StatusCommand implements Callable<Integer> {
    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    private final World world;

    public StatusCommand(World world) {
        this.world = world;
    }

    @Override
    public Integer call() throws IOException {
        try (MagnetControl control = world.control().open()) {
            OptionalLong service = new Processes(world.processes()).service();
            if (json) {
                world.out()
                        .line(ModuleJson.status(service, control.info(), control.buffers(), control.subscriptions()));
                return ExitCode.OK;
            }
            String running = service.isPresent() ? "running, process " + service.getAsLong() : "not running";
            world.out().line("service   " + running);
            print(control.info());
            printBuffers(control.buffers());
            printSubscriptions(control.subscriptions());
        } catch (ModuleNotLoadedException e) {
            throw new Lockdown(world.lockdown()).explained(e);
        }
        return ExitCode.OK;
    }

    private void print(ModuleInfo info) throws IOException {
        world.out().line("module    loaded, version " + info.version() + ", ABI " + info.abiVersion());
        world.out().line("layout    " + name(info.layout()));
        print("clock     " + name(info.clock()) + ", " + info.ticksPerMilli() + " kHz"
                + (info.clockUnstable() ? "; the kernel called it unstable: load the module with clock=mono" : ""));
        if (info.ftraceDisabled()) {
            print("ftrace    switched off: points at the entry of functions see nothing"
                    + " (sysctl kernel.ftrace_enabled=1)");
        }
        if (info.kprobesDisabled()) {
            print("kprobes   switched off: points that are kprobes see nothing"
                    + " (echo 1 >/sys/kernel/debug/kprobes/enabled)");
        }
        if (info.dynamicDisabled()) {
            print("dynamic   off: loaded with dynamic=off, no points can be inserted");
        }
    }

    private void print(String line) throws IOException {
        world.out().line(Folding.of(line, world.columns(), "clock     ".length()));
    }

    private void printBuffers(List<BufferInfo> buffers) throws IOException {
        world.out().line();
        if (buffers.isEmpty()) {
            world.out().line("no buffers");
            return;
        }
        Table table = new Table(
                "BUFFER",
                "OWNER",
                ">CPUS",
                ">KIB/CPU",
                ">SUBSCRIPTIONS",
                ">RECORDS",
                ">READ",
                ">UNREAD BYTES",
                ">LOST");
        for (BufferInfo buffer : buffers) {
            List<RingCounts> rings = buffer.rings();
            table.row(
                    buffer.name(),
                    owner(buffer.owner()),
                    rings.size(),
                    buffer.size() / 1024,
                    buffer.subscriptions(),
                    rings.stream().mapToLong(RingCounts::recordsWritten).sum(),
                    rings.stream().mapToLong(RingCounts::recordsRead).sum(),
                    rings.stream()
                            .mapToLong(ring -> Math.max(0, ring.bytesWritten() - ring.bytesRead()))
                            .sum(),
                    buffer.lost());
        }
        table.print(world.out(), world.columns());
    }

    private void printSubscriptions(List<SubscriptionInfo> subscriptions) throws IOException {
        world.out().line();
        if (subscriptions.isEmpty()) {
            world.out().line("no subscriptions");
            return;
        }
        Table table = new Table(
                ">ID",
                "POINT",
                "BUFFER",
                ">HITS",
                ">COMMITTED",
                ">FILTERED",
                ">SAMPLED",
                ">FULL",
                ">BIG",
                ">RECURSION",
                ">STORM",
                ">MISSED");
        for (SubscriptionInfo subscription : subscriptions) {
            HitCounts total = subscription.total();
            table.row(
                    subscription.id(),
                    subscription.point(),
                    subscription.buffer(),
                    total.hits(),
                    total.committed(),
                    total.filtered(),
                    total.sampledOut(),
                    total.droppedFull(),
                    total.droppedBig(),
                    total.droppedRecursion(),
                    total.droppedStorm(),
                    total.missed());
        }
        table.print(world.out(), world.columns());
    }

    private static String owner(OptionalLong owner) {
        return owner.isPresent() ? "port " + owner.getAsLong() : "persistent";
    }

    private static String name(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
