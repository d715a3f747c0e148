// SPDX-License-Identifier: Apache-2.0
package magnet.cli;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.TypeConversionException;

/**
 * A time of people: {@code 90s}, {@code 15m}, {@code 2h}, {@code 1d}.
 *
 * @param duration how long
 */
record Period(Duration duration) {
    /** What an option of this type wants. */
    static final String WANTED = "a time such as 90s, 15m, 2h or 1d";

    private static final Pattern FORM = Pattern.compile("([1-9]\\d{0,6})([smhd])");

    static Period parse(String text) {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            throw new TypeConversionException("not " + WANTED);
        }
        long count = Long.parseLong(matcher.group(1));
        return new Period(
                switch (matcher.group(2)) {
                    case "m" -> Duration.ofMinutes(count);
                    case "h" -> Duration.ofHours(count);
                    case "d" -> Duration.ofDays(count);
                    default -> Duration.ofSeconds(count);
                });
    }
}
