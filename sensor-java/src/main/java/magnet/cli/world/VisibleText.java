// SPDX-License-Identifier: Apache-2.0
package magnet.cli.world;

import java.nio.charset.StandardCharsets;

/** Text that somebody else chose, made fit to be shown: each character takes one column and no terminal obeys it. Stateless. */
public final class VisibleText {
    private static final int FIRST_PRINTABLE = 0x20;
    private static final int LAST_PRINTABLE = 0x7e;
    private static final int LAST_LATIN_1 = 0xff;

    private VisibleText() {}

    /** Printable ASCII as it is but for the backslash; of all else the bytes, as {@code \x1b}. */
    public static String of(String text) {
        StringBuilder visible = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\\') {
                visible.append("\\\\");
            } else if (c >= FIRST_PRINTABLE && c <= LAST_PRINTABLE) {
                visible.append(c);
            } else if (c <= LAST_LATIN_1) {
                // Names of processes and files come byte by byte.
                visible.append("\\x%02x".formatted((int) c));
            } else {
                for (byte each : String.valueOf(c).getBytes(StandardCharsets.UTF_16BE)) {
                    visible.append("\\x%02x".formatted(each));
                }
            }
        }
        return visible.toString();
    }
}
