// SPDX-License-Identifier: Apache-2.0
package magnet.perfetto;

import java.nio.charset.StandardCharsets;

/** Names and texts that somebody else chose, as Perfetto wants them: valid UTF-8 that fits in a line. Stateless. */
final class Names {
    private static final char REPLACEMENT = '\ufffd';

    private Names() {}

    /** A name of which each character is a byte. */
    static String ofBytes(String bytes) {
        return of(bytes.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** Bytes that are meant to be UTF-8: what is not, and what steers a terminal, is shown as U+FFFD. */
    static String of(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.UTF_8);
        StringBuilder clean = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            clean.append(Character.isISOControl(c) ? REPLACEMENT : c);
        }
        return clean.toString();
    }
}
