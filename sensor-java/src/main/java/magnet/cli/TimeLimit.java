// SPDX-License-Identifier: Apache-2.0
package magnet.cli;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.TypeConversionException;

/**
 * How long something goes on at most: {@code 10} or {@code 0.5}, which are seconds, {@code 90s}, {@code 5m}, {@code 1h},
 * {@code 1d}.
 *
 * @param seconds above 0
 */
record TimeLimit(double seconds) {
    /** What an option of this type wants. */
    static final String WANTED = "a time above 0 such as 90s, 5m or 1h, or seconds such as 10 or 0.5";

    private static final Pattern FORM = Pattern.compile("(\\d{1,9}(?:\\.\\d{1,9})?)([smhd]?)");

    static TimeLimit parse(String text) {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            throw new TypeConversionException("not " + WANTED);
        }
        long unit = switch (matcher.group(2)) {
            case "m" -> 60;
            case "h" -> 3_600;
            case "d" -> 86_400;
            default -> 1;
        };
        double seconds = Double.parseDouble(matcher.group(1)) * unit;
        if (seconds == 0) {
            throw new TypeConversionException("not " + WANTED);
        }
        return new TimeLimit(seconds);
    }
}
