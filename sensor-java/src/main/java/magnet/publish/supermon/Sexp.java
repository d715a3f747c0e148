// SPDX-License-Identifier: Apache-2.0
package magnet.publish.supermon;

import java.util.regex.Pattern;

/**
 * Writes s-expressions that sfsexp, LISP's READ and line-wise readers understand. An atom is bare where all of them take it
 * bare, else between double quotes, in which only {@code "} and {@code \} are escaped. What is no printable character
 * becomes {@code ?}: a line end in a string would end a line-wise reader's answer. For one thread.
 */
final class Sexp {
    private static final Pattern BARE = Pattern.compile("[A-Za-z0-9_./:-]+");
    private static final int DELETE = 0x7f;
    private static final int FIRST_BEYOND_CONTROLS = 0xa0;

    private final StringBuilder text = new StringBuilder();
    private boolean apart;

    /** Begins a list. */
    Sexp open() {
        separate();
        text.append('(');
        apart = false;
        return this;
    }

    /** Ends the innermost list. */
    Sexp close() {
        text.append(')');
        apart = true;
        return this;
    }

    /** Writes an atom. */
    Sexp atom(String atom) {
        separate();
        if (BARE.matcher(atom).matches()) {
            text.append(atom);
        } else {
            quote(atom);
        }
        apart = true;
        return this;
    }

    /** Writes what is an expression already. */
    Sexp expression(String expression) {
        separate();
        text.append(expression);
        apart = true;
        return this;
    }

    /** Writes a mask as clients write it. */
    Sexp hex(long bits) {
        return atom("0x" + Long.toHexString(bits));
    }

    @Override
    public String toString() {
        return text.toString();
    }

    private void separate() {
        if (apart) {
            text.append(' ');
        }
    }

    private void quote(String atom) {
        text.append('"');
        atom.codePoints().forEach(each -> {
            if (each == '"' || each == '\\') {
                text.append('\\');
            }
            text.appendCodePoint(isPrintable(each) ? each : '?');
        });
        text.append('"');
    }

    private static boolean isPrintable(int codePoint) {
        boolean control = codePoint < ' ' || (codePoint >= DELETE && codePoint < FIRST_BEYOND_CONTROLS);
        return !control && Character.isDefined(codePoint) && Character.getType(codePoint) != Character.SURROGATE;
    }
}
