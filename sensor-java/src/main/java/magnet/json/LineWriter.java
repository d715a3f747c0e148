// SPDX-License-Identifier: Apache-2.0
package magnet.json;

import java.io.Writer;

/**
 * Takes what gson writes into a line. It escapes the control characters that JSON leaves as they are and a terminal would
 * obey. Half a surrogate pair, which no UTF-8 can hold, becomes U+FFFD, as where bytes are decoded. Both are in strings only.
 * Not thread-safe.
 */
final class LineWriter extends Writer {
    private static final int DELETE = 0x7f;
    private static final int LAST_CONTROL = 0x9f;
    private static final int HEX_DIGIT_BITS = 4;
    private static final int HEX_DIGIT = 0xf;
    private static final char REPLACEMENT = '\ufffd';

    private StringBuilder line;

    LineWriter(StringBuilder line) {
        this.line = line;
    }

    /** What is written goes there from now on. */
    void into(StringBuilder another) {
        line = another;
    }

    /** Where what is written goes. */
    StringBuilder line() {
        return line;
    }

    @Override
    public void write(int c) {
        put((char) c);
    }

    @Override
    public void write(String text) {
        write(text, 0, text.length());
    }

    /** gson never parts the two halves of a pair: it needs to escape neither. */
    @Override
    public void write(String text, int start, int length) {
        int end = start + length;
        int plain = start;
        for (int i = start; i < end; i++) {
            char c = text.charAt(i);
            if (c < DELETE) {
                continue;
            }
            if (Character.isHighSurrogate(c) && i + 1 < end && Character.isLowSurrogate(text.charAt(i + 1))) {
                i++;
            } else if (!isPlain(c)) {
                line.append(text, plain, i);
                put(c);
                plain = i + 1;
            }
        }
        line.append(text, plain, end);
    }

    @Override
    public void write(char[] text, int start, int length) {
        write(new String(text, start, length));
    }

    private void put(char c) {
        if (Character.isSurrogate(c)) {
            line.append(REPLACEMENT);
        } else if (isPlain(c)) {
            line.append(c);
        } else {
            line.append("\\u00")
                    .append(Character.forDigit(c >> HEX_DIGIT_BITS, 1 << HEX_DIGIT_BITS))
                    .append(Character.forDigit(c & HEX_DIGIT, 1 << HEX_DIGIT_BITS));
        }
    }

    private static boolean isPlain(char c) {
        return c < DELETE || (c > LAST_CONTROL && !Character.isSurrogate(c));
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
}
