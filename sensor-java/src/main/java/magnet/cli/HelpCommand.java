// SPDX-License-Identifier: Apache-2.0
package magnet.cli;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import magnet.cli.world.ReadOn;
import magnet.cli.world.VersionProvider;
import magnet.cli.world.World;
import magnet.config.NearestName;
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
            "\"magnet help COMMAND\" prints the same as \"magnet COMMAND --help\"; so does \"magnet help record start\" for a"
                    + " command below a command. Topics: rules (which events are"
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
    @Parameters(arity = "0..*", paramLabel = "TOPIC", description = "A command or a topic. Default: list all commands.")
    private List<String> topics = new ArrayList<>();

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

    private int columns() {
        return Math.min(world.columns(), HelpTopic.WIDEST);
    }

    private String text(CommandLine magnet) {
        if (topics.size() == 1) {
            Optional<HelpTopic> topic = HelpTopic.of(topics.get(0));
            if (topic.isPresent()) {
                return topic.get().text(columns());
            }
        }
        CommandLine command = magnet;
        for (String name : topics) {
            command = below(magnet, command, name);
        }
        if (command != magnet) {
            ReadOn.setCommand(String.join("-", topics));
        }
        return command.getUsageMessage();
    }

    private CommandLine below(CommandLine magnet, CommandLine command, String name) {
        CommandLine below = command.getSubcommands().get(name);
        if (below != null) {
            return below;
        }
        if (command == magnet) {
            throw unknown(magnet, name);
        }
        String named = command.getCommandSpec().qualifiedName();
        Set<String> commands = command.getSubcommands().keySet();
        String known = commands.isEmpty() ? "" : "; its commands are " + String.join(", ", commands);
        throw new ParameterException(spec.commandLine(), named + " has no command '" + name + "'" + known);
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
