// SPDX-License-Identifier: Apache-2.0
package magnet.publish.ganglia;

import java.math.BigDecimal;
import java.math.RoundingMode;

/**
 * Makes names, texts and numbers safe for gmond, gmetad and the web frontend. Stateless.
 *
 * <p>One bad string breaks more than itself: gmond does not escape names and texts, gmetad decodes entities and emits
 * them raw, so that its whole XML becomes malformed; a name is a file name there; a number with an exponent aborts
 * gmetad 3.7.2, as does one that is longer than its buffers. All of it was tried out with Debian's 3.7.2.
 */
public final class GangliaText {
    /** Longest name, in characters. */
    public static final int NAME_MAX = 100;

    /** Longest unit, group or title. */
    public static final int SHORT_MAX = 120;

    /** Longest description: gmond cuts an XML line at 1,023 characters, in the middle of a tag. */
    public static final int DESCRIPTION_MAX = 500;

    private static final String NAME_CHARACTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
    private static final String REPORT = "_report";
    private static final double NUMBER_LIMIT = 1e15;

    private GangliaText() {}

    /**
     * A metric's name of {@code [A-Za-z0-9_.-]}, at most {@value #NAME_MAX} characters, not empty and not ending in
     * {@code _report}. Every character that is not allowed becomes {@code _}.
     */
    public static String name(String raw) {
        StringBuilder name = new StringBuilder(raw.length());
        for (int i = 0; i < raw.length() && name.length() < NAME_MAX; i++) {
            char c = raw.charAt(i);
            name.append(NAME_CHARACTERS.indexOf(c) >= 0 ? c : '_');
        }
        while (endsWith(name, REPORT)) {
            name.setLength(name.length() - REPORT.length());
        }
        // A file of this name holds the series, and "." and ".." are folders.
        return name.chars().allMatch(c -> c == '.') ? "_" + name : name.toString();
    }

    /**
     * A text of printable ASCII without {@code & < > " '}, cut to {@code maxLength}. What is not allowed becomes a
     * space.
     */
    public static String text(String raw, int maxLength) {
        StringBuilder text = new StringBuilder(Math.min(raw.length(), maxLength));
        for (int i = 0; i < raw.length() && text.length() < maxLength; i++) {
            char c = raw.charAt(i);
            boolean allowed = c >= ' ' && c <= '~' && "&<>\"'".indexOf(c) < 0;
            text.append(allowed ? c : ' ');
        }
        return text.toString();
    }

    /**
     * A number in fixed notation with a point: no exponent, no grouping, no trailing zeros, no minus zero. What is not
     * finite becomes 0; the magnitude stays below 1e15.
     *
     * @param decimals most digits after the point; rounded half up
     */
    public static String number(double value, int decimals) {
        if (!Double.isFinite(value)) {
            return "0";
        }
        if (Math.abs(value) >= NUMBER_LIMIT) {
            return value < 0 ? "-999999999999999" : "999999999999999";
        }
        BigDecimal rounded = BigDecimal.valueOf(value).setScale(decimals, RoundingMode.HALF_UP);
        if (rounded.signum() == 0) {
            return "0";
        }
        if (rounded.abs().compareTo(BigDecimal.valueOf((long) NUMBER_LIMIT)) >= 0) {
            return rounded.signum() < 0 ? "-999999999999999" : "999999999999999";
        }
        return rounded.stripTrailingZeros().toPlainString();
    }

    private static boolean endsWith(StringBuilder text, String end) {
        return text.length() >= end.length()
                && text.substring(text.length() - end.length()).equals(end);
    }
}
