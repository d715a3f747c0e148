// SPDX-License-Identifier: Apache-2.0
package magnet.cli.world;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** {@code --pid PID}: the one process whose events a command wants. */
public final class PidOption extends SharedOption<Integer> {
    /** What it says of a number that no process has. */
    public static final String WANTED = "--pid PID must be at least 1";

    public PidOption(String description) {
        super(Integer.class, "PID", description, List.of("--pid"));
    }

    /** Complains about a number that no process has. */
    public void check(CommandLine command) {
        Optional<Integer> pid = given();
        if (pid.isPresent() && pid.get() < 1) {
            throw new ParameterException(command, WANTED);
        }
    }

    /** The process; empty for all. */
    public OptionalInt process() {
        return given().map(OptionalInt::of).orElseGet(OptionalInt::empty);
    }
}
