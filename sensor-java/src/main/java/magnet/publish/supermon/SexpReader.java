// SPDX-License-Identifier: Apache-2.0
package magnet.publish.supermon;

import org.jspecify.annotations.Nullable;

/**
 * Finds s-expressions in a stream, byte for byte, wherever it is cut, by the grammar of sfsexp: lists, bare atoms, atoms
 * between double quotes with backslashes, comments from {@code ;} to the end of a line.
 *
 * <p>An expression is handed on as text, a character for a byte, in one form: one blank between two elements and none
 * elsewhere, no comments, and {@code ?} for control characters, so that it never has a line end. For one thread; needs memory
 * for one expression.
 */
final class SexpReader {
    private enum State {
        BETWEEN,
        COMMENT,
        BARE,
        QUOTED,
        ESCAPED
    }

    private static final int DELETE = 0x7f;

    private final int mostBytes;
    private final int mostElements;
    private final int deepest;
    private final StringBuilder text = new StringBuilder();
    private State state = State.BETWEEN;
    private int depth;
    private int elements;
    private boolean apart;

    /** One that is at the beginning of a stream, whose expressions may be of any number of elements. */
    SexpReader(int mostBytes, int deepest) {
        this(mostBytes, mostBytes, deepest);
    }

    /**
     * One that is at the beginning of a stream.
     *
     * @param mostBytes length of an expression, at most
     * @param mostElements atoms and lists of an expression, at most: each needs memory when it is taken apart
     * @param deepest lists in lists, at most
     */
    SexpReader(int mostBytes, int mostElements, int deepest) {
        this.mostBytes = mostBytes;
        this.mostElements = mostElements;
        this.deepest = deepest;
    }

    /**
     * Takes the next byte.
     *
     * @return the expression that is complete now; null if none is
     * @throws MalformedSexpException if this cannot go on; nothing more may be given then
     */
    @Nullable
    String accept(byte next) throws MalformedSexpException {
        char c = (char) (next & 0xff);
        switch (state) {
            case COMMENT -> {
                state = c == '\n' ? State.BETWEEN : state;
                return null;
            }
            case ESCAPED -> {
                put(c);
                state = State.QUOTED;
                return null;
            }
            case QUOTED -> {
                return quoted(c);
            }
            case BARE -> {
                if (!isBlank(c) && c != '(' && c != ')' && c != '"') {
                    put(c);
                    return null;
                }
                String atom = ended();
                String list = between(c);
                return atom == null ? list : atom;
            }
            case BETWEEN -> {
                return between(c);
            }
        }
        return null;
    }

    private @Nullable String quoted(char c) throws MalformedSexpException {
        put(c);
        if (c == '"') {
            return ended();
        }
        state = c == '\\' ? State.ESCAPED : State.QUOTED;
        return null;
    }

    private @Nullable String between(char c) throws MalformedSexpException {
        state = State.BETWEEN;
        if (isBlank(c)) {
            return null;
        }
        switch (c) {
            case ';' -> state = State.COMMENT;
            case '(' -> {
                if (++depth > deepest) {
                    throw new MalformedSexpException("more than " + deepest + " lists in each other");
                }
                begin(c);
                apart = false;
            }
            case ')' -> {
                if (--depth < 0) {
                    throw new MalformedSexpException("a ) without its (");
                }
                put(c);
                return ended();
            }
            default -> {
                begin(c);
                state = c == '"' ? State.QUOTED : State.BARE;
            }
        }
        return null;
    }

    private void begin(char c) throws MalformedSexpException {
        if (++elements > mostElements) {
            throw new MalformedSexpException("more than " + mostElements + " elements in one expression");
        }
        if (apart) {
            put(' ');
        }
        put(c);
    }

    private void put(char c) throws MalformedSexpException {
        if (text.length() >= mostBytes) {
            throw new MalformedSexpException("more than " + mostBytes + " bytes in one expression");
        }
        text.append(c < ' ' || c == DELETE ? '?' : c);
    }

    /** An element has ended, and with it the expression, if it is in no list. */
    private @Nullable String ended() {
        state = State.BETWEEN;
        apart = depth > 0;
        if (depth > 0) {
            return null;
        }
        String expression = text.toString();
        text.setLength(0);
        elements = 0;
        return expression;
    }

    private static boolean isBlank(char c) {
        return c == ' ' || c == '\t' || c == '\r' || c == '\n';
    }
}
