// SPDX-License-Identifier: Apache-2.0
package magnet.cli.world;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Spec;

/**
 * An option that several commands have, each in its own words: a mixin, which stands among a command's options where the
 * command declares it.
 *
 * @param <T> what its value is
 */
@Command
abstract class SharedOption<T> {
    private final OptionSpec option;

    /**
     * An option.
     *
     * @param names those that it has in all commands
     * @param more those that it has beside them in one
     */
    SharedOption(Class<T> type, String label, String description, List<String> names, String... more) {
        option = OptionSpec.builder(
                        Stream.concat(names.stream(), Arrays.stream(more)).toArray(String[]::new))
                .type(type)
                .paramLabel(label)
                .description(description)
                .build();
    }

    /** picocli calls it with the command that has the mixin. */
    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("unused")
    private void standIn(CommandSpec command) {
        command.addOption(option);
    }

    /** Whether the user gave it. */
    public final boolean isGiven() {
        return given().isPresent();
    }

    /** What the user gave. */
    final Optional<T> given() {
        return Optional.ofNullable(option.getValue());
    }
}
