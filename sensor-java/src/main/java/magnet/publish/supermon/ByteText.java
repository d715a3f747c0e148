// SPDX-License-Identifier: Apache-2.0
package magnet.publish.supermon;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/**
 * Names that somebody else chose, in any encoding: they are meant to be UTF-8, and each byte that is part of no character is
 * a {@code ?}. Stateless.
 */
final class ByteText {
    private static final int LAST_BYTE = 0xff;
    private static final char NO_TEXT = '?';

    private ByteText() {}

    /** What these bytes say. */
    static String of(byte[] bytes) {
        return of(ByteBuffer.wrap(bytes));
    }

    /** What bytes say that came as a character for each; what has other characters is a text already. */
    static String ofCharacters(String bytes) {
        return bytes.chars().anyMatch(each -> each > LAST_BYTE) ? bytes : of(StandardCharsets.ISO_8859_1.encode(bytes));
    }

    private static String of(ByteBuffer bytes) {
        CharsetDecoder decoder = StandardCharsets.UTF_8
                .newDecoder()
                .onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT);
        // No character of UTF-8 has fewer bytes than chars.
        CharBuffer text = CharBuffer.allocate(bytes.remaining());
        CoderResult result = decoder.decode(bytes, text, true);
        while (result.isError()) {
            // The decoder would put one in place of all bytes of a sequence that breaks off.
            for (int i = 0; i < result.length(); i++) {
                bytes.get();
                text.put(NO_TEXT);
            }
            result = decoder.decode(bytes, text, true);
        }
        return text.flip().toString();
    }
}
