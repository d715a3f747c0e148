// SPDX-License-Identifier: Apache-2.0
package magnet.cli.world;

import java.util.List;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** {@code --top N}: how many rows of a table a command shows, those that have most. */
public final class RowsOption extends SharedOption<Integer> {
    private final int most;

    public RowsOption(String description) {
        this(description, Integer.MAX_VALUE);
    }

    /** One with a largest number. */
    public RowsOption(String description, int most) {
        super(Integer.class, "N", description, List.of("--top"));
        this.most = most;
    }

    /** Complains about none and fewer, and about too many. */
    public void check(CommandLine command) {
        Optional<Integer> rows = given();
        if (rows.isPresent() && (rows.get() < 1 || rows.get() > most)) {
            throw new ParameterException(
                    command, "--top N must be at least 1" + (most == Integer.MAX_VALUE ? "" : ", at most " + most));
        }
    }

    /** So many, or as many as this where the user gives none. */
    public int orElse(int usual) {
        return given().orElse(usual);
    }
}
