// SPDX-License-Identifier: Apache-2.0
package magnet.publish.supermon;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Reads s-expressions by the grammar of sfsexp's states: lists, bare atoms, atoms in double quotes with backslashes. Gives
 * atoms as strings and lists as lists. Code of the tests' own, not of the writer's.
 */
final class SexpParser {
    private final String text;
    private int at;

    private SexpParser(String text) {
        this.text = text;
    }

    /** All expressions of a text, one after the other. */
    static List<Object> parse(String text) {
        SexpParser parser = new SexpParser(text);
        Deque<List<Object>> open = new ArrayDeque<>();
        open.push(new ArrayList<>());
        while (parser.at < text.length()) {
            char next = text.charAt(parser.at);
            if (Character.isWhitespace(next)) {
                parser.at++;
            } else if (next == '(') {
                parser.at++;
                open.push(new ArrayList<>());
            } else if (next == ')') {
                parser.at++;
                List<Object> list = open.pop();
                if (open.isEmpty()) {
                    throw new IllegalArgumentException("one ) too many at " + parser.at + " of " + text);
                }
                open.peek().add(list);
            } else {
                open.peek().add(next == '"' ? parser.quoted() : parser.bare());
            }
        }
        if (open.size() != 1) {
            throw new IllegalArgumentException((open.size() - 1) + " lists are open at the end of " + text);
        }
        return open.pop();
    }

    /** The only expression of a text, a list. */
    @SuppressWarnings("unchecked")
    static List<Object> list(String text) {
        List<Object> all = parse(text);
        if (all.size() != 1) {
            throw new IllegalArgumentException(all.size() + " expressions: " + text);
        }
        return (List<Object>) all.get(0);
    }

    private String bare() {
        int from = at;
        while (at < text.length() && "() \t\r\n\"".indexOf(text.charAt(at)) < 0) {
            at++;
        }
        return text.substring(from, at);
    }

    private String quoted() {
        StringBuilder atom = new StringBuilder();
        for (at++; text.charAt(at) != '"'; at++) {
            if (text.charAt(at) == '\\') {
                at++;
            }
            atom.append(text.charAt(at));
        }
        at++;
        return atom.toString();
    }
}
