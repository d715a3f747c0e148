// SPDX-License-Identifier: Apache-2.0
package magnet.cli;

import magnet.cli.world.World;

/** The command's whole way, with its exit code and its messages. */
public final class MagnetRun {
    private MagnetRun() {}

    public static int run(World world, String... arguments) {
        return MagnetCommand.run(world, arguments);
    }
}
