// SPDX-License-Identifier: Apache-2.0
package magnet.unit;

/** How far two texts are apart. Stateless. */
public final class EditDistance {
    private EditDistance() {}

    /**
     * Insertions, deletions, replacements and swaps of neighbours from one to the other, where nothing that was swapped is
     * changed again: the optimal string alignment distance.
     */
    public static int of(String from, String to) {
        int[] beforePrevious = new int[to.length() + 1];
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
                if (areSwapped(from, i, to, j)) {
                    current[j] = Math.min(current[j], beforePrevious[j - 2] + 1);
                }
            }
            int[] free = beforePrevious;
            beforePrevious = previous;
            previous = current;
            current = free;
        }
        return previous[to.length()];
    }

    private static boolean areSwapped(String from, int i, String to, int j) {
        return i > 1 && j > 1 && from.charAt(i - 1) == to.charAt(j - 2) && from.charAt(i - 2) == to.charAt(j - 1);
    }
}
