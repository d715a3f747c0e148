// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.sync;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import magnet.json.Json;

/**
 * How the clocks of a run's nodes stand to each other: what {@code magnet cluster sync} has found, and what is in {@code
 * sync.json} beside the traces. Immutable.
 *
 * <p>A node's time is that of its trace: nanoseconds since 1970 as {@link NodeClock#clock} of the node reckons them from the
 * timer of a record. {@link NodeClock#toReferenceNs} gives the time of the reference node, and {@link NodeClock#halfWidthNs} how
 * far that may be from the truth.
 *
 * @param run name of the run; empty if nobody has said it
 * @param reference the node whose time is everybody's
 * @param nodes by name, in its order; the reference's own line is 0 everywhere
 * @param pairs all pairs of nodes that share packets
 * @param leftOut packets that were not used, by the reason; see docs/cluster.md
 * @param sampled one of so many packets was looked at; 1 = all were
 */
public record ClusterClocks(
        String run,
        String reference,
        Map<String, NodeClock> nodes,
        List<ClockPair> pairs,
        Map<String, Long> leftOut,
        int sampled) {
    /** The file in the folder of a run. */
    public static final String FILE = "sync.json";

    public ClusterClocks {
        nodes = Collections.unmodifiableMap(new TreeMap<>(nodes));
        pairs = List.copyOf(pairs);
        leftOut = Collections.unmodifiableMap(new TreeMap<>(leftOut));
        if (!nodes.containsKey(reference)) {
            throw new IllegalArgumentException("reference=" + reference + " nodes=" + nodes.keySet());
        }
    }

    /** What is in the file, in one line. */
    public String json() {
        return Json.of(ClockJson.of(this));
    }

    /** Whether the folder of a run has one. */
    public static boolean isIn(Path run) {
        return Files.exists(run.resolve(FILE));
    }

    /**
     * Reads that of a run.
     *
     * @param run the folder that {@code magnet cluster collect} has made
     * @throws IOException if it cannot be read, is none, or is of a version that is not known
     */
    public static ClusterClocks read(Path run) throws IOException {
        return ClockJson.read(run.resolve(FILE));
    }

    /** Writes it; who reads it meanwhile has the old one or the new one. */
    void write(Path folder) throws IOException {
        ClockJson.write(folder.resolve(FILE), this);
    }

    /** The clock of a node; empty if nothing is known of it. */
    public Optional<NodeClock> of(String node) {
        return Optional.ofNullable(nodes.get(node));
    }

    /**
     * How far the difference of two nodes' clocks may be from the truth: that is what an instant on one node and an instant on
     * the other may be apart more or less than it seems.
     *
     * @param nodeNs an instant in the first node's time
     * @return infinite if nothing is known of one of them
     */
    public double halfWidthNs(String one, String other, long nodeNs) {
        NodeClock first = nodes.get(one);
        NodeClock second = nodes.get(other);
        if (first == null || second == null) {
            return Double.POSITIVE_INFINITY;
        }
        double byReference =
                first.halfWidthNs(nodeNs) + second.halfWidthNs(second.fromReferenceNs(first.toReferenceNs(nodeNs)));
        return pairs.stream()
                .filter(pair -> pair.bounded() && pair.isOf(one, other))
                .mapToDouble(ClockPair::alignedWithinNs)
                .reduce(one.equals(other) ? 0 : byReference, Math::min);
    }

    /** Packets that both ends have recorded. */
    public long matched() {
        return pairs.stream()
                .mapToLong(pair -> pair.matchedForth() + pair.matchedBack())
                .sum();
    }

    /** Packets that were received before they were sent. */
    public long violations() {
        return pairs.stream().mapToLong(ClockPair::violations).sum();
    }
}
