// SPDX-License-Identifier: Apache-2.0
package magnet.cli.world;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class VisibleTextTest {
    @Test
    void shouldLeavePrintableTextAsItIs() {
        assertThat(VisibleText.of("kworker/0:1-events [x] ~")).isEqualTo("kworker/0:1-events [x] ~");
    }

    @Test
    void shouldShowTheBytesOfWhatATerminalWouldObey() {
        assertThat(VisibleText.of("a\033[2J\n\t\u009b31m\u007f\\")).isEqualTo("a\\x1b[2J\\x0a\\x09\\x9b31m\\x7f\\\\");
    }

    @Test
    void shouldShowCharactersThatArePrintable() {
        assertThat(VisibleText.of("\u4e2d\u00e4 \ud83d\ude00")).isEqualTo("\u4e2d\u00e4 \ud83d\ude00");
    }

    /** Names of processes and files come so. */
    @Test
    void shouldShowTheCharacterWhereBytesAreUtf8() {
        assertThat(VisibleText.of("caf\u00c3\u00a9 \u00e4\u00b8\u00ad \u00f0\u009f\u0098\u0080"))
                .isEqualTo("caf\u00e9 \u4e2d \ud83d\ude00");
    }

    @Test
    void shouldShowBytesThatAreNoUtf8() {
        assertThat(VisibleText.of("\u00e4 \u00c3( \u00c0\u00af \u00ff\u00e2\u0082"))
                .isEqualTo("\\xe4 \\xc3( \\xc0\\xaf \\xff\\xe2\\x82");
    }

    /** What turns the direction of a line, breaks it, or has no look of its own; C1 controls also as UTF-8 has them. */
    @Test
    void shouldShowTheBytesOfCharactersThatAreNotPrintable() {
        assertThat(VisibleText.of("\u202e\u2028\u4e2d\u009b\ud800"))
                .isEqualTo("\\xe2\\x80\\xae\\xe2\\x80\\xa8\u4e2d\\xc2\\x9b\\x3f");
        assertThat(VisibleText.of("\u00c2\u009b31m")).isEqualTo("\\xc2\\x9b31m");
    }
}
