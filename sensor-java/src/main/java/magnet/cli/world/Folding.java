// SPDX-License-Identifier: Apache-2.0
package magnet.cli.world;

/** Breaks lines that are wider than the terminal, at spaces where there are any. Nothing is left out. Stateless. */
public final class Folding {
    /** With no terminal lines are as long as they are: programs read them. */
    public static final int NEVER = Integer.MAX_VALUE;

    /** Less is left of a line for text only where the terminal is as narrow. */
    private static final int LEAST_TEXT = 10;

    private Folding() {}

    /**
     * A text in lines.
     *
     * @param columns of the terminal
     * @param indent spaces in front of the second line and those after it
     */
    public static String of(String text, int columns, int indent) {
        StringBuilder line = new StringBuilder(text);
        fold(line, 0, columns, indent);
        return line.toString();
    }

    /**
     * Folds a line in place.
     *
     * @param line ends with the text; what is before stays as it is
     * @param start where the text begins
     * @param columns of the terminal
     * @param indent spaces in front of the second line and those after it
     */
    public static void fold(StringBuilder line, int start, int columns, int indent) {
        if (columns == NEVER) {
            return;
        }
        int hanging = Math.min(indent, Math.max(0, columns - LEAST_TEXT));
        int begin = start;
        int text = start;
        while (line.length() - begin > columns) {
            int space = line.lastIndexOf(" ", begin + columns);
            boolean atSpace = space > text && space >= begin + hanging;
            int end = begin + columns;
            int next = end;
            if (atSpace) {
                end = endOfText(line, space, text);
                next = nextText(line, space);
            }
            line.replace(end, next, "\n" + " ".repeat(hanging));
            begin = end + 1;
            text = begin + hanging;
        }
    }

    private static int endOfText(StringBuilder line, int space, int begin) {
        int end = space;
        while (end > begin && line.charAt(end - 1) == ' ') {
            end--;
        }
        return end;
    }

    private static int nextText(StringBuilder line, int space) {
        int next = space;
        while (next < line.length() && line.charAt(next) == ' ') {
            next++;
        }
        return next;
    }
}
