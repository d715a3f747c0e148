// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.sync;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import magnet.cluster.recording.RunFile;
import magnet.record.RecordHandler;
import magnet.trace.TraceReader;

/**
 * Reads the traces of a run and puts them on one clock. Memory: that of one trace's reader, 24 bytes for each record of a
 * packet, of which there are at most a million (see {@link PacketTable}), and 16 bytes for each packet that two nodes have, and
 * 16 more while a pair's are sorted. For one run.
 */
public final class RunClocks {
    private static final int MOST_RECORDS = 1 << 20;

    /** Watches the reading. */
    public interface Watcher {
        /**
         * A trace is read now.
         *
         * @param node whose it is
         * @param handler wants all of its records
         * @return what gets them in its place, and hands them on
         */
        RecordHandler reading(String node, RecordHandler handler);

        /** A trace was read; it may have been damaged. */
        void read(String node, TraceReader trace) throws IOException;
    }

    private final RunTraces traces;
    private final Watcher watcher;
    private final PacketTable table = new PacketTable(MOST_RECORDS);
    private final LeftOutCounts leftOut = new LeftOutCounts();
    private final List<NodeTrace> nodes = new ArrayList<>();
    private String run = "";

    private RunClocks(RunTraces traces, Watcher watcher) {
        this.traces = traces;
        this.watcher = watcher;
    }

    /**
     * What came of it.
     *
     * @param clocks those that sync.json has
     * @param remarks what there is to say about them
     * @param violations lines for packets that were received before they were sent, each the worst one of a pair
     */
    public record Result(ClusterClocks clocks, List<String> remarks, List<String> violations) {
        public Result {
            remarks = List.copyOf(remarks);
            violations = List.copyOf(violations);
        }
    }

    /**
     * Reads all traces of a run, finds its clocks, and writes {@code sync.json}.
     *
     * @param folder the run's
     * @param wanted names of the nodes that count; all if there are none
     * @param reference name of the node whose time is everybody's; empty for the one that bounds the others best
     * @throws SyncException if that cannot be
     */
    public static Result sync(Path folder, Collection<String> wanted, String reference, Watcher watcher)
            throws IOException {
        RunTraces traces = RunTraces.in(folder, wanted);
        if (!reference.isEmpty() && !traces.traces().containsKey(reference)) {
            throw new SyncException("--reference " + reference + " is none of the nodes, which are "
                    + String.join(", ", traces.traces().keySet()));
        }
        if (!Files.isWritable(folder)) {
            throw new AccessDeniedException(
                    folder.toString(),
                    null,
                    "permission denied; " + ClusterClocks.FILE + " is written into this folder");
        }
        RunClocks sync = new RunClocks(traces, watcher);
        for (Map.Entry<String, Path> each : traces.traces().entrySet()) {
            sync.read(each.getKey(), each.getValue());
        }
        Result result = sync.solve(reference);
        result.clocks().write(folder);
        return result;
    }

    private void read(String node, Path folder) throws IOException {
        Optional<RunFile> file = traces.runFile(node);
        if (file.isPresent()) {
            checkRun(node, file.get().run().name());
        }
        try (TraceReader trace = TraceReader.open(folder)) {
            TracePackets packets = new TracePackets(nodes.size(), trace.clock(), table, leftOut);
            trace.read(watcher.reading(node, packets));
            watcher.read(node, trace);
            if (packets.packets() == 0) {
                throw new SyncException(folder + " has no packets, so that nothing bounds the clock of " + node
                        + "; record the points net_dev_start_xmit and netif_receive_skb with snap = 60, or leave "
                        + node
                        + " out by --nodes");
            }
            nodes.add(packets.trace(node, file.map(RunFile::progress)));
        }
    }

    private void checkRun(String node, String itsRun) throws SyncException {
        if (run.isEmpty()) {
            run = itsRun;
        } else if (!run.equals(itsRun)) {
            throw new SyncException(traces.folder() + " has traces of two runs: " + node + " is of " + itsRun
                    + ", those before it are of " + run + "; leave some out by --nodes");
        }
    }

    private Result solve(String reference) throws IOException {
        List<PairPackets> packets = new PacketMatching(table, nodes.size(), leftOut).match();
        ClockSolution solution = ClockSolution.of(nodes, packets, number(reference));
        Map<String, NodeClock> clocks = new HashMap<>();
        for (int node = 0; node < nodes.size(); node++) {
            clocks.put(nodes.get(node).name(), solution.clocks().get(node));
        }
        ClusterClocks all = new ClusterClocks(
                run,
                nodes.get(solution.reference()).name(),
                clocks,
                solution.pairs(),
                leftOut.asMap(),
                table.sampled());
        return new Result(all, remarks(solution), new ViolationText(traces, nodes).of(solution.violations()));
    }

    private Optional<Integer> number(String name) {
        for (int node = 0; node < nodes.size(); node++) {
            if (nodes.get(node).name().equals(name)) {
                return Optional.of(node);
            }
        }
        return Optional.empty();
    }

    private List<String> remarks(ClockSolution solution) {
        List<String> remarks = new ArrayList<>();
        if (table.sampled() > 1) {
            remarks.add("one packet in " + table.sampled()
                    + " was looked at, the same ones on all nodes: there were more than " + MOST_RECORDS
                    + " records of packets");
        }
        for (PairBounds pair : solution.bounds()) {
            String names = nodes.get(pair.first()).name() + " and "
                    + nodes.get(pair.second()).name();
            if (pair.contradicts()) {
                remarks.add("packets between " + names
                        + " say that their clocks differ by more than a millionth, although both"
                        + " were disciplined: the packets are believed");
            }
            if (pair.polygon() != null
                    && !Objects.requireNonNull(pair.polygon()).isFeasible()) {
                remarks.add("no clocks agree with all packets between " + names
                        + ": a clock was not even, or packets were taken for others");
            }
        }
        return remarks;
    }
}
