// SPDX-License-Identifier: Apache-2.0
package magnet.publish.ganglia;

import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * A file name pattern as fnmatch(3) with FNM_PERIOD reads it: {@code *}, {@code ?} and {@code [...]}, where a leading
 * dot must be matched by a dot. Immutable.
 */
final class FilePattern {
    private final boolean dotFirst;
    private final Pattern pattern;

    FilePattern(String glob) {
        this.dotFirst = glob.startsWith(".");
        this.pattern = compile(glob);
    }

    static boolean isPattern(String path) {
        return path.chars().anyMatch(c -> c == '*' || c == '?' || c == '[');
    }

    boolean matches(String name) {
        return (dotFirst || !name.startsWith(".")) && pattern.matcher(name).matches();
    }

    private static Pattern compile(String glob) {
        try {
            return Pattern.compile(regex(glob), Pattern.DOTALL);
        } catch (PatternSyntaxException e) {
            // A range like [z-a]: matches nothing in fnmatch but its own text.
            return Pattern.compile(Pattern.quote(glob));
        }
    }

    private static String regex(String glob) {
        StringBuilder regex = new StringBuilder();
        for (int i = 0; i < glob.length(); i++) {
            char c = glob.charAt(i);
            int close = c == '[' ? glob.indexOf(']', i + 2) : -1;
            if (c == '*') {
                regex.append(".*");
            } else if (c == '?') {
                regex.append('.');
            } else if (close > 0) {
                regex.append(set(glob.substring(i + 1, close)));
                i = close;
            } else {
                regex.append(Pattern.quote(String.valueOf(c)));
            }
        }
        return regex.toString();
    }

    private static String set(String inside) {
        boolean negated = inside.length() > 1 && (inside.charAt(0) == '!' || inside.charAt(0) == '^');
        StringBuilder regex = new StringBuilder(negated ? "[^" : "[");
        for (char c : inside.substring(negated ? 1 : 0).toCharArray()) {
            regex.append(c == '-' || Character.isLetterOrDigit(c) ? String.valueOf(c) : "\\" + c);
        }
        return regex.append(']').toString();
    }
}
