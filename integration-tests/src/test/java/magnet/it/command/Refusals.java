// SPDX-License-Identifier: Apache-2.0
package magnet.it.command;

import static org.assertj.core.api.Assertions.assertThat;

import magnet.it.guest.GuestResult;

/** What a command says when it refuses. */
final class Refusals {
    private Refusals() {}

    /** It ended with this code, and said in one line what is wrong: all of these parts. */
    static void assertOneLine(GuestResult result, int exitCode, String... parts) {
        assertThat(result.exitCode()).as(result.toString()).isEqualTo(exitCode);
        assertThat(result.stderr().lines()).as(result.toString()).hasSize(1);
        assertThat(result.stderr()).startsWith("magnet: ").contains(parts);
    }

    /** The same, and it had printed nothing. */
    static void assertOnlyOneLine(GuestResult result, int exitCode, String... parts) {
        assertOneLine(result, exitCode, parts);
        assertThat(result.stdout()).isEmpty();
    }
}
