// SPDX-License-Identifier: Apache-2.0
package magnet.cli.world;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.StandardCharsets;

/** Text that somebody else chose, made fit to be shown: no terminal obeys it. Stateless. */
public final class VisibleText {
    private static final int LAST_BYTE = 0xff;
    private static final int FIRST_BEYOND_ASCII = 0x80;
    /** Longest character of UTF-8, in bytes. */
    private static final int LONGEST = 4;

    private VisibleText() {}

    /**
     * Printable characters as they are but for the backslash, and of all else the bytes of UTF-8, as {@code \\x1b}. Names of
     * processes and files come byte by byte, each a character of the text: bytes that are UTF-8 are shown as the character that
     * they are.
     */
    public static String of(String text) {
        StringBuilder visible = new StringBuilder(text.length());
        if (text.chars().anyMatch(c -> c > LAST_BYTE)) {
            text.codePoints().forEach(character -> append(character, visible));
        } else {
            appendBytes(text.getBytes(StandardCharsets.ISO_8859_1), visible);
        }
        return visible.toString();
    }

    private static void appendBytes(byte[] bytes, StringBuilder visible) {
        int at = 0;
        while (at < bytes.length) {
            int length = lengthOfCharacter(bytes, at);
            if (length == 0) {
                visible.append("\\x%02x".formatted(bytes[at]));
                at++;
            } else {
                append(new String(bytes, at, length, StandardCharsets.UTF_8).codePointAt(0), visible);
                at += length;
            }
        }
    }

    /** How many bytes the next character takes; 0 if they are no UTF-8. */
    private static int lengthOfCharacter(byte[] bytes, int at) {
        int first = Byte.toUnsignedInt(bytes[at]);
        if (first < FIRST_BEYOND_ASCII) {
            return 1;
        }
        // As many as there are ones in front.
        int length = Integer.numberOfLeadingZeros(~(first << (Integer.SIZE - Byte.SIZE)));
        if (length < 2 || length > LONGEST || at + length > bytes.length) {
            return 0;
        }
        CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
        try {
            decoder.decode(ByteBuffer.wrap(bytes, at, length));
            return length;
        } catch (CharacterCodingException e) {
            return 0;
        }
    }

    private static void append(int character, StringBuilder visible) {
        if (character == '\\') {
            visible.append("\\\\");
        } else if (isPrintable(character)) {
            visible.appendCodePoint(character);
        } else {
            for (byte each : Character.toString(character).getBytes(StandardCharsets.UTF_8)) {
                visible.append("\\x%02x".formatted(each));
            }
        }
    }

    /** Formats turn the direction of what follows. */
    private static boolean isPrintable(int character) {
        return switch (Character.getType(character)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> false;
            case Character.SPACE_SEPARATOR -> character == ' ';
            default -> true;
        };
    }
}
