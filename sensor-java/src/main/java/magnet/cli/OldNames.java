// SPDX-License-Identifier: Apache-2.0
package magnet.cli;

import java.util.List;
import magnet.cli.world.Output;
import magnet.cli.world.World;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.ISetter;
import picocli.CommandLine.Model.OptionSpec;

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
            new Renaming("report", "--processes", "--top"));

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
