// SPDX-License-Identifier: Apache-2.0
package magnet.cli.fleet;

import java.util.List;

/**
 * What tells a cluster from all others that gmetad has: two grids may have clusters of one name. Immutable.
 *
 * @param grids names of the grids that it is in, the outermost first; empty where a gmond answers
 * @param name its own name
 */
record ClusterName(List<String> grids, String name) {
    ClusterName {
        grids = List.copyOf(grids);
    }

    /** The grids as people write them. */
    String grid() {
        return String.join("/", grids);
    }

    /** With its grids. */
    String whole() {
        return grids.isEmpty() ? name : grid() + "/" + name;
    }
}
