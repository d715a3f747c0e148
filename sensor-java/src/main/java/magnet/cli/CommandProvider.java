// SPDX-License-Identifier: Apache-2.0
package magnet.cli;

import magnet.cli.world.World;
import picocli.CommandLine;

/**
 * A command that comes with another package than the sensor's, and is there when that is installed: its jar names the class in
 * {@code META-INF/services}, see {@link java.util.ServiceLoader}. Stateless.
 */
public interface CommandProvider {
    /** The word after {@code magnet}. */
    String name();

    /** The command, with those below it. */
    CommandLine commandLine(World world);
}
