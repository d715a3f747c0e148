// SPDX-License-Identifier: Apache-2.0
package magnet.config;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Finds what somebody probably meant. Stateless. */
public final class NearestName {
    private NearestName() {}

    /** The known name with the smallest edit distance; the first of several. */
    public static String of(String name, List<String> known) {
        return known.stream()
                .min(Comparator.comparingInt(each -> distance(name, each)))
                .orElseThrow();
    }

    /** The same if it is near enough to be meant: a third of the name has to be changed at most, without the dashes of an option. */
    public static Optional<String> near(String name, List<String> known) {
        return known.isEmpty()
                ? Optional.empty()
                : Optional.of(of(name, known)).filter(nearest -> isNear(name, nearest));
    }

    private static boolean isNear(String name, String nearest) {
        int length = name.replaceFirst("^-+", "").length();
        return length > 1 && distance(name, nearest) <= Math.max(1, length / 3);
    }

    /**
     * What to say behind an unknown name: what was probably meant, or else what there is.
     *
     * @param known names; one whose last part, after a point, is the unknown one is meant, too
     */
    public static String hint(String name, List<String> known) {
        return known.stream()
                .filter(each -> each.endsWith("." + name))
                .findFirst()
                .or(() -> near(name, known))
                .map(meant -> "did you mean '" + meant + "'?")
                .orElseGet(() -> "there are " + String.join(", ", known));
    }

    /** Levenshtein's distance: insertions, deletions and replacements from one to the other. */
    static int distance(String from, String to) {
        int[] previous = new int[to.length() + 1];
        int[] current = new int[to.length() + 1];
        for (int j = 0; j <= to.length(); j++) {
            previous[j] = j;
        }
        for (int i = 1; i <= from.length(); i++) {
            current[0] = i;
            for (int j = 1; j <= to.length(); j++) {
                int replace = previous[j - 1] + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                current[j] = Math.min(replace, Math.min(previous[j], current[j - 1]) + 1);
            }
            int[] swap = previous;
            previous = current;
            current = swap;
        }
        return previous[to.length()];
    }
}
