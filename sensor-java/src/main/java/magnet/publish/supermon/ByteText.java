// SPDX-License-Identifier: Apache-2.0
package magnet.publish.supermon;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/** Names that somebody else chose, in any encoding: they are meant to be UTF-8, and each byte that is not is a {@code ?}. Stateless. */
final class ByteText {
    private static final int LAST_BYTE = 0xff;

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
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPLACE)
                    .onUnmappableCharacter(CodingErrorAction.REPLACE)
                    .replaceWith("?")
                    .decode(bytes)
                    .toString();
        } catch (CharacterCodingException e) {
            throw new IllegalStateException("what is no text is replaced", e);
        }
    }
}
