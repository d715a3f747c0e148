// SPDX-License-Identifier: Apache-2.0
package magnet.cli;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.Callable;
import magnet.cli.world.ReadOn;
import magnet.cli.world.VersionProvider;
import magnet.cli.world.World;
import magnet.json.Json;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Option;

/** {@code magnet version}: as {@code magnet --version}. */
@Command(
        name = "version",
        header = "Say which version this is.",
        description = {"", "Prints the same as \"magnet --version\". \"magnet status\" shows the module's version."},
        footerHeading = "%nExamples:%n",
        footer = {
            "  magnet version",
            "      # the version of the programs",
            "  magnet version --json | jq -r .version",
            "      # the same for a program",
            "  magnet status",
            "      # the version of the loaded module",
            "",
            ReadOn.LEAD + ReadOn.DOCS + "/operating.md"
        },
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class)
final class VersionCommand implements Callable<Integer> {
    private static final String PROGRAM = "magnet ";

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    private final World world;

    VersionCommand(World world) {
        this.world = world;
    }

    @Override
    public Integer call() throws IOException {
        String version = new VersionProvider().getVersion()[0];
        world.out().line(json ? Json.of(Map.of("version", version.substring(PROGRAM.length()))) : version);
        return ExitCode.OK;
    }
}
