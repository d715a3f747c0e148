// SPDX-License-Identifier: Apache-2.0
package magnet.cli;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.TypeConversionException;

/**
 * A time as rules have it: {@code 500us}, {@code 20ms}, {@code 1s}; 0 needs no unit.
 *
 * @param micros microseconds
 */
record TimeSpan(long micros) {
    /** What an option of this type wants. */
    static final String WANTED = "a time of at most an hour such as 500us, 20ms or 1s";

    private static final long LONGEST_US = 3_600_000_000L;
    private static final long US_PER_MS = 1_000;
    private static final long US_PER_S = 1_000_000;
    private static final Pattern FORM = Pattern.compile("(\\d{1,10})(us|ms|s)|0");

    static TimeSpan parse(String text) {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            throw new TypeConversionException("not " + WANTED);
        }
        if (matcher.group(1) == null) {
            return new TimeSpan(0);
        }
        long unit = switch (matcher.group(2)) {
            case "ms" -> US_PER_MS;
            case "s" -> US_PER_S;
            default -> 1;
        };
        long micros = Long.parseLong(matcher.group(1)) * unit;
        if (micros > LONGEST_US) {
            throw new TypeConversionException("not " + WANTED);
        }
        return new TimeSpan(micros);
    }

    @Override
    public String toString() {
        if (micros % US_PER_S == 0) {
            return micros / US_PER_S + "s";
        }
        return micros % US_PER_MS == 0 ? micros / US_PER_MS + "ms" : micros + "us";
    }
}
