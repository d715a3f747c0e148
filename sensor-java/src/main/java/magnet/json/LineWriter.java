// SPDX-License-Identifier: Apache-2.0
package magnet.json;

import java.io.Writer;

/**
 * Takes what gson writes into a line, and escapes the control characters that JSON leaves as they are and a terminal would
 * obey: they are in strings only. Not thread-safe.
 */
final class LineWriter extends Writer {
    private static final int DELETE = 0x7f;
    private static final int LAST_CONTROL = 0x9f;
    private static final int HEX_DIGIT_BITS = 4;
    private static final int HEX_DIGIT = 0xf;

    private StringBuilder line;

    LineWriter(StringBuilder line) {
        this.line = line;
    }

    /** What is written goes there from now on. */
    void into(StringBuilder another) {
        line = another;
    }

    @Override
    public void write(int c) {
        put(c);
    }

    @Override
    public void write(String text) {
        write(text, 0, text.length());
    }

    @Override
    public void write(String text, int start, int length) {
        if (length == text.length() && start == 0 && !hasControl(text)) {
            line.append(text);
            return;
        }
        for (int i = start; i < start + length; i++) {
            put(text.charAt(i));
        }
    }

    @Override
    public void write(char[] text, int start, int length) {
        for (int i = start; i < start + length; i++) {
            put(text[i]);
        }
    }

    private void put(int c) {
        if (isControl(c)) {
            line.append("\\u00")
                    .append(Character.forDigit(c >> HEX_DIGIT_BITS, 1 << HEX_DIGIT_BITS))
                    .append(Character.forDigit(c & HEX_DIGIT, 1 << HEX_DIGIT_BITS));
        } else {
            line.append((char) c);
        }
    }

    private static boolean hasControl(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (isControl(text.charAt(i))) {
                return true;
            }
        }
        return false;
    }

    private static boolean isControl(int c) {
        return c >= DELETE && c <= LAST_CONTROL;
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
}
