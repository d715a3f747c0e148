// SPDX-License-Identifier: Apache-2.0
package magnet.cli;

import java.util.List;
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

    /** The package that it comes with: the folder of its pages in what {@link Documents} writes. */
    String packageName();

    /** Programs of their own that come with it, for the manual's section 8. None unless a provider has some. */
    default List<CommandLine> programs() {
        return List.of();
    }
}
