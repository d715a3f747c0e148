// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.cli;

import magnet.cli.CommandProvider;
import magnet.cli.world.World;
import picocli.CommandLine;

/** Brings {@code magnet cluster}. */
public final class ClusterCommandProvider implements CommandProvider {
    @Override
    public String name() {
        return "cluster";
    }

    @Override
    public CommandLine commandLine(World world) {
        return ClusterCommand.commandLine(world);
    }
}
