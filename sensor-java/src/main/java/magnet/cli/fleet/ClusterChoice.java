// SPDX-License-Identifier: Apache-2.0
package magnet.cli.fleet;

import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Which clusters have magnet and which have none, as the admin means it. A cluster is named by its name, or with its grids,
 * {@code all/west/compute}. Immutable.
 *
 * @param expected clusters whose nodes must all have magnet
 * @param without clusters that have no magnet on purpose
 */
public record ClusterChoice(Set<String> expected, Set<String> without) {
    public ClusterChoice {
        expected = Set.copyOf(expected);
        without = Set.copyOf(without);
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

    boolean leavesOut(ClusterName cluster) {
        return names(without, cluster);
    }

    private static boolean names(Set<String> names, ClusterName cluster) {
        return names.contains(cluster.name()) || names.contains(cluster.whole());
    }
}
