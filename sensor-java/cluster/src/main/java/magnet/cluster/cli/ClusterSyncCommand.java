// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import magnet.cli.trace.TraceProgress;
import magnet.cli.trace.TraceRemarks;
import magnet.cli.world.Counted;
import magnet.cli.world.ReadOn;
import magnet.cli.world.Table;
import magnet.cli.world.VersionProvider;
import magnet.cli.world.World;
import magnet.cluster.sync.ClockPair;
import magnet.cluster.sync.ClusterClocks;
import magnet.cluster.sync.RunClocks;
import magnet.record.RecordHandler;
import magnet.trace.TraceReader;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code magnet cluster sync}: puts the traces of a run on one clock. */
@Command(
        name = "sync",
        header = "Put the traces of a run on one clock.",
        description = {
            "",
            "Finds the packets that two nodes have recorded, the sender and the receiver. Each is a bound on how their"
                    + " clocks stand to each other: nobody receives a packet before it was sent. Writes sync.json into"
                    + " FOLDER, in place of one that is there: how the time of each node becomes the time of one of them, and"
                    + " how far that may be from the truth.",
            "",
            "Prints what packets say of each pair of nodes: HALF WIDTH is how far the truth may be from OFFSET, which is"
                    + " by how much the second node's clock was ahead in the middle of the trace. RATE is by how much its"
                    + " rate differs, at least and at most. The other nodes' clocks rest on the pairs with * as TREE.",
            "",
            "In the end the command holds all of these packets against the clocks. If one was received before it was sent,"
                    + " the command names it, and the exit code is 1. The command needs neither root nor the key."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  magnet cluster sync /tmp/run",
            "      # of a run that magnet cluster collect has fetched",
            "  magnet cluster sync /tmp/run --reference n1 --json",
            "      # by the clock of n1; prints what is in sync.json",
            "",
            ReadOn.LEAD + ReadOn.DOCS + "/cluster.md"
        },
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false)
public final class ClusterSyncCommand implements Callable<Integer> {
    private static final double NANOS_PER_MICRO = 1_000;
    private static final double MILLION = 1e6;
    private static final String NOTHING = "-";

    @Parameters(paramLabel = "FOLDER", description = "The run: it has a folder with a trace for each node.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private Path folder;

    @Option(
            names = "--nodes",
            split = ",",
            paramLabel = "NODE",
            description = "Put only these nodes on one clock; several as a,b. Default: all that FOLDER has traces of.")
    private List<String> nodes = List.of();

    @Option(
            names = "--reference",
            paramLabel = "NODE",
            description =
                    "The node whose time is everybody's. Default: the one from which all others are bounded best.")
    private String reference = "";

    @Option(names = "--json", description = "Print one JSON object: what is in sync.json.")
    private boolean json;

    private final World world;
    private int exitCode = ExitCode.OK;

    ClusterSyncCommand(World world) {
        this.world = world;
    }

    @Override
    public Integer call() throws IOException {
        RunClocks.Result result = RunClocks.sync(folder, nodes, reference, new Reading());
        ClusterClocks clocks = result.clocks();
        if (json) {
            world.out().line(clocks.json());
        } else {
            print(clocks);
        }
        world.out().flush();
        for (String remark : result.remarks()) {
            world.tell(remark);
        }
        for (String violation : result.violations()) {
            world.tell(violation);
        }
        world.tell(summary(clocks));
        return clocks.violations() > 0 ? ExitCode.SOFTWARE : exitCode;
    }

    /** Shows how far it is, and says what is damaged. */
    private final class Reading implements RunClocks.Watcher {
        private @Nullable TraceProgress progress;

        @Override
        public RecordHandler reading(String node, RecordHandler handler) {
            TraceProgress shown = new TraceProgress(world, "of " + node + " read", handler);
            progress = shown;
            return shown;
        }

        @Override
        public void read(String node, TraceReader trace) throws IOException {
            TraceProgress shown = progress;
            if (shown != null) {
                shown.clear();
            }
            exitCode = Math.max(exitCode, new TraceRemarks(world, ClusterClocks.FILE).tell(trace, null));
        }
    }

    private void print(ClusterClocks clocks) throws IOException {
        Table table = new Table(
                "NODES", ">PACKETS", ">BACK", ">HALF WIDTH us", ">OFFSET us", ">RATE ppm", "TREE", ">VIOLATIONS");
        for (ClockPair pair : clocks.pairs()) {
            table.row(
                    pair.first() + " " + pair.second(),
                    pair.matchedForth(),
                    pair.matchedBack(),
                    pair.bounded() ? micros(pair.halfWidthNs()) : NOTHING,
                    pair.bounded() ? micros((pair.offsetFromNs() + pair.offsetToNs()) / 2.0) : NOTHING,
                    pair.bounded() ? ppm(pair.slopeMin()) + " to " + ppm(pair.slopeMax()) : NOTHING,
                    pair.tree() ? "*" : "",
                    pair.violations());
        }
        table.print(world.out(), world.columns());
    }

    private String summary(ClusterClocks clocks) {
        double widest = clocks.nodes().values().stream()
                .flatMap(clock -> clock.halfWidthsNs().stream())
                .mapToDouble(Double::doubleValue)
                .max()
                .orElse(0);
        return Counted.of(clocks.nodes().size(), "node") + " on the clock of " + clocks.reference() + ", within "
                + micros(widest) + " us, by " + Counted.of(clocks.matched(), "packet") + "; "
                + violations(clocks.violations())
                + "; the clocks are in " + folder.resolve(ClusterClocks.FILE);
    }

    private static String violations(long count) {
        return count == 0
                ? "none was received before it was sent"
                : Counted.were(count, "packet") + " received before being sent";
    }

    private static String micros(double nanos) {
        return String.format(Locale.ROOT, "%.3f", nanos / NANOS_PER_MICRO);
    }

    private static String ppm(double slope) {
        return String.format(Locale.ROOT, "%.3f", (slope - 1) * MILLION);
    }
}
