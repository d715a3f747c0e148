// SPDX-License-Identifier: Apache-2.0
package magnet.publish.ganglia;

import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Splits gmond.conf into tokens, as libconfuse's {@code lexer.l} does: three kinds of comment, strings in double quotes
 * with C's escapes, strings in single quotes with almost none, bare words, and {@code ${NAME:-default}} from the
 * environment outside single quotes. For one thread.
 */
final class GmondLexer {
    private static final String WORD_ENDS = " #\"'\t\n\r={}()+,*";

    private final String file;
    private final String text;
    private final int lastBrace;
    private final boolean last;
    private final UnaryOperator<@Nullable String> environment;
    private int position;
    private int line = 1;

    /**
     * @param file name for error messages
     * @param text the whole file
     * @param last whether nothing comes after it, so that a comment need not end
     * @param environment value of an environment variable, or null
     */
    GmondLexer(String file, String text, boolean last, UnaryOperator<@Nullable String> environment) {
        this.file = file;
        this.text = text;
        this.lastBrace = text.lastIndexOf('}');
        this.last = last;
        this.environment = environment;
    }

    /** The next token; {@link GmondToken.Kind#END} at the end, as often as asked. */
    GmondToken next() throws GmondConfigException {
        while (position < text.length()) {
            char c = text.charAt(position);
            switch (c) {
                case '\n' -> {
                    line++;
                    position++;
                }
                case '#' -> skipLine();
                case '{' -> {
                    return symbol(GmondToken.Kind.OPEN_BRACE, 1);
                }
                case '}' -> {
                    return symbol(GmondToken.Kind.CLOSE_BRACE, 1);
                }
                case '(' -> {
                    return symbol(GmondToken.Kind.OPEN_PARENTHESIS, 1);
                }
                case ')' -> {
                    return symbol(GmondToken.Kind.CLOSE_PARENTHESIS, 1);
                }
                case '=' -> {
                    return symbol(GmondToken.Kind.EQUALS, 1);
                }
                case ',' -> {
                    return symbol(GmondToken.Kind.COMMA, 1);
                }
                case '"' -> {
                    return doubleQuoted();
                }
                case '\'' -> {
                    return singleQuoted();
                }
                default -> {
                    if (text.startsWith("//", position)) {
                        skipLine();
                    } else if (text.startsWith("/*", position)) {
                        skipComment();
                    } else if (text.startsWith("+=", position)) {
                        return symbol(GmondToken.Kind.APPEND, 2);
                    } else if (text.startsWith("${", position) && position < lastBrace) {
                        return token(GmondToken.Kind.STRING, variable());
                    } else if (WORD_ENDS.indexOf(c) >= 0) {
                        position++;
                    } else {
                        return word();
                    }
                }
            }
        }
        return token(GmondToken.Kind.END, "end of file");
    }

    private GmondToken token(GmondToken.Kind kind, String value) {
        return new GmondToken(kind, value, line);
    }

    private GmondToken symbol(GmondToken.Kind kind, int length) {
        position += length;
        return token(kind, text.substring(position - length, position));
    }

    private GmondToken word() {
        int start = position;
        while (position < text.length() && WORD_ENDS.indexOf(text.charAt(position)) < 0) {
            position++;
        }
        return token(GmondToken.Kind.STRING, text.substring(start, position));
    }

    private void skipLine() {
        int end = text.indexOf('\n', position);
        position = end < 0 ? text.length() : end;
    }

    private void skipComment() throws GmondConfigException {
        int end = text.indexOf("*/", position + 2);
        if (end < 0 && last) {
            position = text.length();
            return;
        }
        if (end < 0) {
            throw new GmondConfigException(file, line, "comment does not end");
        }
        for (; position < end + 2; position++) {
            if (text.charAt(position) == '\n') {
                line++;
            }
        }
    }

    private GmondToken singleQuoted() throws GmondConfigException {
        StringBuilder value = new StringBuilder();
        int start = line;
        for (position++; position < text.length(); position++) {
            char c = text.charAt(position);
            char following = position + 1 < text.length() ? text.charAt(position + 1) : 0;
            if (c == '\'') {
                position++;
                return token(GmondToken.Kind.STRING, value.toString());
            } else if (c == '\\' && following == '\n') {
                line++;
                position++;
            } else if (c == '\\' && (following == '\\' || following == '\'')) {
                value.append(following);
                position++;
            } else {
                line += c == '\n' ? 1 : 0;
                value.append(c);
            }
        }
        throw new GmondConfigException(file, start, "string does not end");
    }

    private GmondToken doubleQuoted() throws GmondConfigException {
        StringBuilder value = new StringBuilder();
        int start = line;
        position++;
        while (position < text.length()) {
            char c = text.charAt(position);
            if (c == '"') {
                position++;
                return token(GmondToken.Kind.STRING, value.toString());
            } else if (c == '\\' && position + 1 < text.length()) {
                escape(value);
            } else if (text.startsWith("${", position) && text.indexOf('}', position) > 0) {
                value.append(variable());
            } else {
                line += c == '\n' ? 1 : 0;
                value.append(c);
                position++;
            }
        }
        throw new GmondConfigException(file, start, "string does not end");
    }

    private void escape(StringBuilder value) throws GmondConfigException {
        char c = text.charAt(position + 1);
        if (c >= '0' && c <= '9') {
            value.append((char) number(position + 1, 8, 3));
        } else if (c == 'x' && position + 2 < text.length() && Character.digit(text.charAt(position + 2), 16) >= 0) {
            value.append((char) number(position + 2, 16, 2));
        } else {
            position += 2;
            switch (c) {
                case '\n' -> line++;
                case 'n' -> value.append('\n');
                case 'r' -> value.append('\r');
                case 'b' -> value.append('\b');
                case 'f' -> value.append('\f');
                case 'a' -> value.append('\007');
                case 'e' -> value.append('\033');
                case 't' -> value.append('\t');
                case 'v' -> value.append('\013');
                default -> value.append(c);
            }
        }
    }

    private int number(int from, int radix, int digits) throws GmondConfigException {
        int end = from;
        int number = 0;
        while (end < text.length() && end < from + digits && Character.digit(text.charAt(end), radix) >= 0) {
            number = number * radix + Character.digit(text.charAt(end), radix);
            end++;
        }
        if (end == from || number > 0xff) {
            throw new GmondConfigException(file, line, "bad escape sequence in a string");
        }
        position = end;
        return number;
    }

    private String variable() {
        int end = text.indexOf('}', position);
        String inside = text.substring(position + 2, end);
        for (; position <= end; position++) {
            line += text.charAt(position) == '\n' ? 1 : 0;
        }
        int colon = inside.indexOf(":-");
        String value = environment.apply(colon < 0 ? inside : inside.substring(0, colon));
        if (value != null) {
            return value;
        }
        return colon < 0 ? "" : inside.substring(colon + 2);
    }
}
