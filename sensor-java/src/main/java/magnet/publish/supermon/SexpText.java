// SPDX-License-Identifier: Apache-2.0
package magnet.publish.supermon;

import java.util.ArrayList;
import java.util.List;

/** Takes s-expressions apart that a {@link SexpReader} has found. Stateless. */
final class SexpText {
    private SexpText() {}

    static boolean isList(String expression) {
        return expression.startsWith("(");
    }

    /** The elements of a list, each an expression; none of an atom. */
    static List<String> elements(String expression) {
        List<String> elements = new ArrayList<>();
        if (!isList(expression)) {
            return elements;
        }
        int at = 1;
        while (expression.charAt(at) != ')') {
            int end = end(expression, at);
            elements.add(expression.substring(at, end));
            at = expression.charAt(end) == ' ' ? end + 1 : end;
        }
        return elements;
    }

    /** What an atom says: without its quotes. */
    static String value(String atom) {
        if (!atom.startsWith("\"")) {
            return atom;
        }
        StringBuilder value = new StringBuilder(atom.length());
        for (int i = 1; i < atom.length() - 1; i++) {
            i += atom.charAt(i) == '\\' ? 1 : 0;
            value.append(atom.charAt(i));
        }
        return value.toString();
    }

    private static int end(String text, int begin) {
        return switch (text.charAt(begin)) {
            case '(' -> endOfList(text, begin);
            case '"' -> endOfQuoted(text, begin);
            default -> endOfBare(text, begin);
        };
    }

    private static int endOfList(String text, int begin) {
        int at = begin + 1;
        while (text.charAt(at) != ')') {
            at = end(text, at);
            at += text.charAt(at) == ' ' ? 1 : 0;
        }
        return at + 1;
    }

    private static int endOfQuoted(String text, int begin) {
        int at = begin + 1;
        while (text.charAt(at) != '"') {
            at += text.charAt(at) == '\\' ? 2 : 1;
        }
        return at + 1;
    }

    private static int endOfBare(String text, int begin) {
        int at = begin;
        while (at < text.length() && " ()".indexOf(text.charAt(at)) < 0) {
            at++;
        }
        return at;
    }
}
