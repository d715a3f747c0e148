// SPDX-License-Identifier: Apache-2.0
package magnet.cli.module;

import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.TypeConversionException;

/**
 * A storm guard as it is asked for: {@code NAME=RATE[/BURST]}.
 *
 * @param point the point's name
 * @param rate events per second and CPU; 0 lets all through
 * @param burst and so many at once, if it is said
 */
public record GuardOption(String point, long rate, OptionalLong burst) {
    /** What an option of this type wants. */
    public static final String WANTED = "NAME=RATE or NAME=RATE/BURST with whole numbers, rates up to 1000000";

    private static final Pattern FORM = Pattern.compile("([^=]+)=(\\d{1,7})(?:/(\\d{1,7}))?");

    public static GuardOption parse(String text) {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            throw new TypeConversionException("not " + WANTED);
        }
        String burst = matcher.group(3);
        return new GuardOption(
                matcher.group(1),
                Long.parseLong(matcher.group(2)),
                burst == null ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(burst)));
    }
}
