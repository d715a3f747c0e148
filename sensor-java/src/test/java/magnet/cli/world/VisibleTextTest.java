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
    void shouldShowOneColumnForEachCharacter() {
        assertThat(VisibleText.of("\u00e4\u202e\u4e2d"))
                .isEqualTo("\\xe4\\x20\\x2e\\x4e\\x2d")
                .isASCII();
    }
}
