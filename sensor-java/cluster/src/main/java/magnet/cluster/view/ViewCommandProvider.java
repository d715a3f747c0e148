// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.view;

import magnet.cli.CommandProvider;
import magnet.cli.world.World;
import picocli.CommandLine;

/** Brings {@code magnet view}. */
public final class ViewCommandProvider implements CommandProvider {
    @Override
    public String name() {
        return "view";
    }

    @Override
    public CommandLine commandLine(World world) {
        return new CommandLine(new ViewCommand(world));
    }

    @Override
    public String packageName() {
        return "magnet-cluster";
    }
}
