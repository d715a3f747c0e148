// SPDX-License-Identifier: Apache-2.0
package magnet.cli.fleet;

import java.util.List;

/**
 * What gmetad has of all nodes. Immutable.
 *
 * @param nodes in gmetad's order
 * @param clusters likewise
 * @param sums grids of which it has no nodes
 */
record GangliaReport(List<NodeReport> nodes, List<Cluster> clusters, List<Sums> sums) {
    /**
     * A cluster.
     *
     * @param name its name, with its grids
     * @param hosts how many it has
     */
    record Cluster(ClusterName name, int hosts) {}

    /**
     * A grid of which this gmetad has sums only.
     *
     * @param grid its name
     * @param authority where its own front end is
     */
    record Sums(String grid, String authority) {}

    GangliaReport {
        nodes = List.copyOf(nodes);
        clusters = List.copyOf(clusters);
        sums = List.copyOf(sums);
    }
}
