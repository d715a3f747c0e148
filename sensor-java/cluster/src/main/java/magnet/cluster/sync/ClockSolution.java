// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.sync;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Puts the clocks of nodes together: bounds of each pair, a spanning tree, the nodes' lines, and the check of all packets.
 * Immutable.
 *
 * @param reference number of the node whose time is everybody's
 * @param clocks of the nodes, by their numbers
 * @param pairs those that share packets
 * @param bounds what the packets of each pair say
 * @param violations the worst packet of each pair that contradicts the clocks
 */
record ClockSolution(
        int reference,
        List<NodeClock> clocks,
        List<ClockPair> pairs,
        List<PairBounds> bounds,
        List<Violation> violations) {

    ClockSolution {
        clocks = List.copyOf(clocks);
        pairs = List.copyOf(pairs);
        bounds = List.copyOf(bounds);
        violations = List.copyOf(violations);
    }

    /**
     * Finds it. Time: sorting the packets of each pair.
     *
     * @param wanted number of the reference; empty for the node from which all others are bounded best
     * @throws SyncException if packets do not join all nodes
     */
    static ClockSolution of(List<NodeTrace> nodes, List<PairPackets> packets, Optional<Integer> wanted)
            throws SyncException {
        List<PairBounds> bounds = new ArrayList<>();
        for (PairPackets pair : packets) {
            bounds.add(PairBounds.of(pair, nodes.get(pair.first()), nodes.get(pair.second())));
        }
        ClockTree tree = ClockTree.of(nodes.size(), bounds, wanted.orElse(0));
        checkConnected(nodes, tree);
        if (wanted.isEmpty()) {
            tree = ClockTree.of(nodes.size(), bounds, tree.centre());
        }
        List<ReferenceLine> lines = new JointClocks(lines(nodes, tree), tree.root()).move(bounds);
        return checked(
                nodes, bounds, tree, lines.stream().map(ReferenceLine::clock).toList());
    }

    private static void checkConnected(List<NodeTrace> nodes, ClockTree tree) throws SyncException {
        if (tree.order().size() == nodes.size()) {
            return;
        }
        List<String> joined = new ArrayList<>();
        List<String> others = new ArrayList<>();
        for (int node = 0; node < nodes.size(); node++) {
            (tree.order().contains(node) ? joined : others).add(nodes.get(node).name());
        }
        throw new SyncException("no packets go both ways between " + String.join(", ", joined) + " and "
                + String.join(", ", others) + ", so that nothing bounds their clocks; leave nodes out by --nodes, or"
                + " record while they talk to each other, with snap = 60");
    }

    private static List<ReferenceLine> lines(List<NodeTrace> nodes, ClockTree tree) {
        Map<Integer, ReferenceLine> lines = new HashMap<>();
        for (int node : tree.order()) {
            PairBounds edge = tree.edge(node);
            lines.put(
                    node,
                    edge == null
                            ? ReferenceLine.ofReference(nodes.get(node))
                            : ReferenceLine.behind(
                                    Objects.requireNonNull(lines.get(tree.parent(node))),
                                    nodes.get(node),
                                    edge,
                                    edge.second() == node));
        }
        List<ReferenceLine> all = new ArrayList<>();
        for (int node = 0; node < nodes.size(); node++) {
            all.add(Objects.requireNonNull(lines.get(node)));
        }
        return all;
    }

    private static ClockSolution checked(
            List<NodeTrace> nodes, List<PairBounds> bounds, ClockTree tree, List<NodeClock> clocks) {
        List<ClockPair> pairs = new ArrayList<>();
        List<Violation> violations = new ArrayList<>();
        for (PairBounds pair : bounds) {
            NodeClock first = clocks.get(pair.first());
            NodeClock second = clocks.get(pair.second());
            Optional<Violation> violation = CausalityCheck.of(pair.packets(), first, second);
            violation.ifPresent(violations::add);
            boolean inTree = pair.equals(tree.edge(pair.first())) || pair.equals(tree.edge(pair.second()));
            pairs.add(new PairReport(pair, nodes, inTree)
                    .of(first, second, violation.map(Violation::count).orElse(0L)));
        }
        return new ClockSolution(tree.root(), clocks, pairs, bounds, violations);
    }
}
