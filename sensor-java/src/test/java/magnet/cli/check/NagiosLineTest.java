// SPDX-License-Identifier: Apache-2.0
package magnet.cli.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class NagiosLineTest {
    @Test
    void shouldHaveTheExitCodesOfTheGuidelines() {
        assertThat(NagiosLine.Status.values())
                .extracting(status -> new NagiosLine(status, "x", List.of()).exitCode())
                .containsExactly(0, 1, 2, 3);
        assertThat(NagiosLine.unknown("x").exitCode()).isEqualTo(3);
    }

    @Test
    void shouldBeOneLineWithOneBar() {
        NagiosLine line = new NagiosLine(
                NagiosLine.Status.WARNING,
                "one\ntwo | three\033",
                List.of(NagiosLine.Figure.of("a", 1), NagiosLine.Figure.warningUnlessZero("b", 2)));

        assertThat(line).hasToString("MAGNET WARNING: one\\x0atwo / three\\x1b | a=1;;;0 b=2;0;;0");
        assertThat(NagiosLine.unknown("because")).hasToString("MAGNET UNKNOWN: because");
    }

    @Test
    void shouldBeShort() {
        assertThat(NagiosLine.unknown("x".repeat(10_000)).toString())
                .hasSize("MAGNET UNKNOWN: ".length() + 400)
                .endsWith("...");
    }
}
