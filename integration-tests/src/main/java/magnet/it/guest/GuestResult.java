// SPDX-License-Identifier: Apache-2.0
package magnet.it.guest;

import java.util.List;

/**
 * How a command in the guest, or on the machine beside it, ended. Immutable.
 *
 * @param command the command and its arguments
 * @param exitCode its exit code; 128 and the signal's number if a signal ended it, 127 if there is no such command
 * @param stdout what it wrote to its standard output, as UTF-8
 * @param stderr what it wrote to its standard error, as UTF-8
 */
public record GuestResult(List<String> command, int exitCode, String stdout, String stderr) {
    private static final int MOST_SHOWN = 4000;

    public GuestResult {
        command = List.copyOf(command);
    }

    /**
     * Insists on exit code 0.
     *
     * @return this
     * @throws AssertionError with the command and what it wrote
     */
    public GuestResult orFail() {
        if (exitCode != 0) {
            throw new AssertionError(this);
        }
        return this;
    }

    @Override
    public String toString() {
        return "%s: exit code %d\nstdout: %s\nstderr: %s"
                .formatted(String.join(" ", command), exitCode, end(stdout), end(stderr));
    }

    private static String end(String text) {
        return text.length() <= MOST_SHOWN ? text : "... " + text.substring(text.length() - MOST_SHOWN);
    }
}
