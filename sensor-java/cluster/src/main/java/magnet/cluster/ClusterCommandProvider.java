// SPDX-License-Identifier: Apache-2.0
package magnet.cluster;

import java.util.List;
import magnet.cli.CommandProvider;
import magnet.cli.world.World;
import magnet.cluster.cli.ClusterCommand;
import magnet.cluster.node.NodeDaemon;
import picocli.CommandLine;

/** Brings {@code magnet cluster}, and the manual page of {@code magnet-node}. */
public final class ClusterCommandProvider implements CommandProvider {
    @Override
    public String name() {
        return "cluster";
    }

    @Override
    public CommandLine commandLine(World world) {
        return ClusterCommand.commandLine(world);
    }

    @Override
    public String packageName() {
        return "magnet-cluster";
    }

    @Override
    public List<CommandLine> programs() {
        return List.of(NodeDaemon.commandLine());
    }
}
