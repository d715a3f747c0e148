// SPDX-License-Identifier: Apache-2.0
package magnet.config;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import magnet.unit.EditDistance;

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
        return EditDistance.of(from, to);
    }
}
