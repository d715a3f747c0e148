// SPDX-License-Identifier: Apache-2.0
package magnet.publish.ganglia;

/**
 * A file name pattern as fnmatch(3) with FNM_PERIOD reads it: {@code *}, {@code ?}, {@code [...]}, and a backslash before
 * what shall mean itself; a leading dot must be matched by a dot. Takes at most the product of both lengths in steps.
 * Immutable.
 */
final class FilePattern {
    private static final int NONE = -1;

    private final String glob;

    FilePattern(String glob) {
        this.glob = glob;
    }

    static boolean isPattern(String path) {
        return path.chars().anyMatch(c -> c == '*' || c == '?' || c == '[');
    }

    /** Whether a name is one of those meant. Where the last {@code *} could have taken one character more, it does. */
    boolean matches(String name) {
        if (name.startsWith(".") && !glob.startsWith(".")) {
            return false;
        }
        int at = 0;
        int in = 0;
        int star = NONE;
        int taken = 0;
        while (in < name.length()) {
            int next = at < glob.length() && glob.charAt(at) != '*' ? matchOne(at, name.charAt(in)) : NONE;
            if (next != NONE) {
                at = next;
                in++;
            } else if (at < glob.length() && glob.charAt(at) == '*') {
                star = ++at;
                taken = in;
            } else if (star != NONE) {
                at = star;
                in = ++taken;
            } else {
                return false;
            }
        }
        while (at < glob.length() && glob.charAt(at) == '*') {
            at++;
        }
        return at == glob.length();
    }

    /** Where the pattern goes on behind what stands for one character there, if it stands for this one. */
    private int matchOne(int at, char character) {
        char c = glob.charAt(at);
        if (c == '?') {
            return at + 1;
        }
        int close = c == '[' ? close(at) : NONE;
        if (close != NONE) {
            return isInSet(at, close, character) ? close + 1 : NONE;
        }
        if (c == '\\' && at + 1 < glob.length()) {
            return glob.charAt(at + 1) == character ? at + 2 : NONE;
        }
        return c == character ? at + 1 : NONE;
    }

    private boolean isNegated(int open) {
        return open + 1 < glob.length() && (glob.charAt(open + 1) == '!' || glob.charAt(open + 1) == '^');
    }

    /** Where the set ends that begins there; NONE if it does not, so that the bracket means itself. */
    private int close(int open) {
        int first = isNegated(open) ? open + 2 : open + 1;
        for (int i = first; i < glob.length(); i++) {
            if (glob.charAt(i) == ']' && i > first) {
                return i;
            }
            i += glob.charAt(i) == '\\' ? 1 : 0;
        }
        return NONE;
    }

    private boolean isInSet(int open, int close, char character) {
        boolean negated = isNegated(open);
        boolean found = false;
        int i = negated ? open + 2 : open + 1;
        while (i < close) {
            i += glob.charAt(i) == '\\' ? 1 : 0;
            char first = glob.charAt(i++);
            char last = first;
            if (i + 1 < close && glob.charAt(i) == '-') {
                i += glob.charAt(i + 1) == '\\' ? 2 : 1;
                last = glob.charAt(i++);
            }
            found |= first <= character && character <= last;
        }
        return found != negated;
    }
}
