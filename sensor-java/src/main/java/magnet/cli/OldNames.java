// SPDX-License-Identifier: Apache-2.0
package magnet.cli;

import java.util.List;
import magnet.cli.world.Output;
import magnet.cli.world.World;
import picocli.CommandLine.IExecutionStrategy;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.ISetter;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.RunLast;

/** The options' names of the release before: they work, no help shows them, and a line says the new name. Stateless. */
final class OldNames {
    /**
     * A name that has changed.
     *
     * @param command whose option it is
     * @param before the name of before
     * @param now the option's name
     */
    record Renaming(String command, String before, String now) {}

    static final List<Renaming> ALL = List.of(
            new Renaming("read", "--tgid", "--pid"),
            new Renaming("watch", "--tgid", "--pid"),
            new Renaming("top", "--processes", "--top"),
            new Renaming("report", "--processes", "--top"),
            new Renaming("top", "--iterations", "--count"),
            new Renaming("top", "--buffer", "--buffer-size"),
            new Renaming("adapt", "--buffer", "--buffer-size"),
            new Renaming("buffers", "--size", "--buffer-size"),
            new Renaming("dump", "--snaplen", "--snap"),
            new Renaming("dump", "--write", "--output"),
            new Renaming("filters", "--delete", "--remove"),
            new Renaming("filters", "--delete-correlation", "--remove-correlation"),
            new Renaming("filters", "-s", "--subscription"),
            new Renaming("supermon", "--deadline", "--timeout"));

    private OldNames() {}

    /** Lets a command take its old names. */
    static void addTo(CommandSpec command, World world) {
        for (Renaming each : ALL) {
            if (each.command().equals(command.name())) {
                OptionSpec now = command.findOption(each.now());
                command.addOption(OptionSpec.builder(each.before())
                        .hidden(true)
                        .arity(now.arity().toString())
                        .type(now.type())
                        .paramLabel(now.paramLabel())
                        .description("The old name of " + each.now() + ".")
                        .setter(new Forwarding(each, now, world))
                        .build());
            }
        }
    }

    /** Refuses an option that is given by both of its names: one would replace the other, and nobody would be told. */
    static IExecutionStrategy refusingBoth() {
        return new OnlyOne(new RunLast());
    }

    private record OnlyOne(IExecutionStrategy next) implements IExecutionStrategy {
        @Override
        public int execute(ParseResult parsed) {
            for (ParseResult each = parsed; each != null; each = each.subcommand()) {
                check(each);
            }
            return next.execute(parsed);
        }

        private static void check(ParseResult parsed) {
            CommandSpec command = parsed.commandSpec();
            for (Renaming each : ALL) {
                if (each.command().equals(command.name())
                        && parsed.hasMatchedOption(each.before())
                        && parsed.hasMatchedOption(each.now())) {
                    throw new ParameterException(
                            command.commandLine(),
                            each.now() + " is given twice, once by its old name " + each.before());
                }
            }
        }
    }

    /** Gives the value to the option that has the new name. */
    private record Forwarding(Renaming renaming, OptionSpec option, World world) implements ISetter {
        @Override
        public <T> T set(T value) throws Exception {
            if (value != null) {
                tell();
                option.setter().set(value);
            }
            return value;
        }

        private void tell() {
            try {
                world.tell(renaming.before() + " is called " + renaming.now()
                        + " now; the next release does not take the old name");
            } catch (Output.ClosedException e) {
                // Nobody can be told; the option works all the same.
            }
        }
    }
}
