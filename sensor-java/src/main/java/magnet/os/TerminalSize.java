// SPDX-License-Identifier: Apache-2.0
package magnet.os;

/**
 * What fits on a terminal.
 *
 * @param columns characters in a line, at least 1
 * @param rows lines, at least 1
 */
public record TerminalSize(int columns, int rows) {
    /** What terminals have that do not tell: those of old. */
    public static final TerminalSize USUAL = new TerminalSize(80, 24);
}
