// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.cli;

import java.util.ArrayList;
import java.util.List;
import magnet.cluster.config.ClusterConfig;
import picocli.CommandLine.Option;

/** {@code --nodes}: to whom an order goes, one by one, and who has to answer. */
final class NodesOption {
    @Option(
            names = "--nodes",
            split = ",",
            paramLabel = "NODE",
            description =
                    "Give the order to these nodes only, one datagram for each; several as a,b. Default: to all that"
                            + " hear the group, and those of nodes in [cluster] have to answer.")
    private List<String> nodes = new ArrayList<>();

    /** Names of those that have to answer. */
    List<String> expected(ClusterConfig config) {
        return nodes.isEmpty() ? config.nodes() : nodes;
    }

    /** Whether each node gets a datagram of its own. */
    boolean isUnicast(ClusterConfig config) {
        return !nodes.isEmpty() || config.unicast();
    }
}
