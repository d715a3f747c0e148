// SPDX-License-Identifier: Apache-2.0
package magnet.unit;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A time as people write it, in options and in files: {@code 500us}, {@code 20ms}, {@code 0.5s}, {@code 90s}, {@code 5m},
 * {@code 1h}, {@code 1d}; a number alone is seconds. At most 36,500 days. Immutable.
 *
 * @param duration how long; not negative
 */
public record TimeSpan(Duration duration) {
    /** What a text has to be, to follow "wants". */
    public static final String WANTED = "a time such as 500us, 20ms, 90s, 5m, 1h or 1d, or seconds such as 10 or 0.5";

    private static final Pattern FORM = Pattern.compile("(\\d{1,12}(?:\\.\\d{1,9})?)\\s*(us|ms|s|m|h|d|)");
    private static final BigDecimal LONGEST =
            new BigDecimal(Duration.ofDays(36_500).toNanos());
    private static final double NANOS_PER_SECOND = 1e9;
    private static final long NANOS_PER_MICRO = 1_000;

    /**
     * A time as it is written.
     *
     * @throws IllegalArgumentException if it is none, or too long
     */
    public static TimeSpan parse(String text) {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("not " + WANTED);
        }
        Duration unit = switch (matcher.group(2)) {
            case "us" -> Duration.ofNanos(NANOS_PER_MICRO);
            case "ms" -> Duration.ofMillis(1);
            case "m" -> Duration.ofMinutes(1);
            case "h" -> Duration.ofHours(1);
            case "d" -> Duration.ofDays(1);
            default -> Duration.ofSeconds(1);
        };
        BigDecimal nanos = new BigDecimal(matcher.group(1)).multiply(BigDecimal.valueOf(unit.toNanos()));
        if (nanos.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("not " + WANTED);
        }
        return new TimeSpan(Duration.ofNanos(nanos.longValue()));
    }

    /** So many microseconds. */
    public static TimeSpan ofMicros(long micros) {
        return new TimeSpan(Duration.ofNanos(Math.multiplyExact(micros, NANOS_PER_MICRO)));
    }

    /** Nanoseconds. */
    public long nanos() {
        return duration.toNanos();
    }

    /** Whole microseconds. */
    public long micros() {
        return nanos() / NANOS_PER_MICRO;
    }

    /** Seconds. */
    public double seconds() {
        return nanos() / NANOS_PER_SECOND;
    }

    /** As it may be written: in s, ms or us, whichever gives a whole number. */
    @Override
    public String toString() {
        long micros = micros();
        if (micros % 1_000_000 == 0) {
            return micros / 1_000_000 + "s";
        }
        return micros % 1_000 == 0 ? micros / 1_000 + "ms" : micros + "us";
    }
}
