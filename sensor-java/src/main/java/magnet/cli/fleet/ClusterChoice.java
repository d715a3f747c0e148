// SPDX-License-Identifier: Apache-2.0
package magnet.cli.fleet;

import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Which nodes are looked at, and which clusters have magnet and which have none, as the admin means it. A cluster is named by its name, or with its grids,
 * {@code all/west/compute}. Immutable.
 *
 * @param expected clusters whose nodes must all have magnet
 * @param without clusters that have no magnet on purpose
 * @param nodes the nodes that are looked at, which must all have magnet; empty for all
 */
public record ClusterChoice(Set<String> expected, Set<String> without, Set<String> nodes) {
    public ClusterChoice {
        expected = Set.copyOf(expected);
        without = Set.copyOf(without);
        nodes = Set.copyOf(nodes);
    }

    /** The same of these nodes alone; of all, if there are none. */
    public ClusterChoice ofNodes(Set<String> others) {
        return new ClusterChoice(expected, without, others);
    }

    /** Names that stand on both sides. */
    public Set<String> contradictions() {
        Set<String> both = new LinkedHashSet<>(expected);
        both.retainAll(without);
        return both;
    }

    boolean expects(ClusterName cluster) {
        return names(expected, cluster);
    }

    /** Whether it names nodes: then others and clusters do not matter. */
    boolean hasNodes() {
        return !nodes.isEmpty();
    }

    /** By which of its names it names a node: the whole one, or that before the first dot; empty if it does not. */
    Optional<String> nameOf(String node) {
        int dot = node.indexOf('.');
        return Stream.of(node, dot < 0 ? node : node.substring(0, dot))
                .filter(nodes::contains)
                .findFirst();
    }

    boolean leavesOut(ClusterName cluster) {
        return names(without, cluster);
    }

    private static boolean names(Set<String> names, ClusterName cluster) {
        return names.contains(cluster.name()) || names.contains(cluster.whole());
    }
}
