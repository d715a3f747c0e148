// SPDX-License-Identifier: Apache-2.0
package magnet.cli;

import java.io.IOException;
import java.util.concurrent.Callable;
import magnet.cli.world.ReadOn;
import magnet.cli.world.VersionProvider;
import magnet.cli.world.World;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;

/** {@code magnet version}: as {@code magnet --version}. */
@Command(
        name = "version",
        header = "Say which version this is.",
        description = {"", "Prints the same as \"magnet --version\". \"magnet status\" shows the module's version."},
        footerHeading = "%nExamples:%n",
        footer = {
            "  magnet version",
            "      # the version of the programs",
            "  magnet status",
            "      # the version of the loaded module",
            "",
            ReadOn.LEAD + ReadOn.DOCS + "/operating.md"
        },
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class)
final class VersionCommand implements Callable<Integer> {
    private final World world;

    VersionCommand(World world) {
        this.world = world;
    }

    @Override
    public Integer call() throws IOException {
        for (String line : new VersionProvider().getVersion()) {
            world.out().line(line);
        }
        return ExitCode.OK;
    }
}
