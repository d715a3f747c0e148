// SPDX-License-Identifier: Apache-2.0
package magnet.cli;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import magnet.cli.world.ReadOn;
import magnet.cli.world.VersionProvider;
import magnet.cli.world.World;
import magnet.config.NearestName;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code magnet help}: of all commands, of one, or about what several have in common. */
@Command(
        name = "help",
        header = "Explain a command or a topic.",
        description = {
            "",
            "\"magnet help COMMAND\" prints the same as \"magnet COMMAND --help\". Topics: rules (which events are"
                    + " logged), values (how to write times and sizes), losses (why events are lost, and what helps),"
                    + " rights (who may do what)."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  magnet help read",
            "      # the options of magnet read",
            "  magnet help rules",
            "      # the language of --filter",
            "",
            ReadOn.LEAD + ReadOn.DOCS + "/commands.md"
        },
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false)
final class HelpCommand implements Callable<Integer> {
    @Parameters(arity = "0..1", paramLabel = "TOPIC", description = "A command or a topic. Default: list all commands.")
    private @Nullable String topic;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    private final World world;

    HelpCommand(World world) {
        this.world = world;
    }

    @Override
    public Integer call() throws IOException {
        CommandLine magnet = spec.parent().commandLine();
        world.out().line(text(magnet).stripTrailing());
        return ExitCode.OK;
    }

    private String text(CommandLine magnet) {
        String asked = topic;
        if (asked == null) {
            return magnet.getUsageMessage();
        }
        CommandLine command = magnet.getSubcommands().get(asked);
        if (command != null) {
            ReadOn.setCommand(asked);
            return command.getUsageMessage();
        }
        return HelpTopic.of(asked).map(HelpTopic::text).orElseThrow(() -> unknown(magnet, asked));
    }

    private ParameterException unknown(CommandLine magnet, String asked) {
        List<String> known = new ArrayList<>(magnet.getSubcommands().keySet());
        known.addAll(HelpTopic.names());
        String near = NearestName.near(asked, known)
                .map(each -> "; did you mean " + each + "?")
                .orElse("; topics are the commands, and " + String.join(", ", HelpTopic.names()));
        return new ParameterException(spec.commandLine(), "unknown topic '" + asked + "'" + near);
    }
}
