// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.cli;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import magnet.unit.TimeSpan;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * An instant as people write it: {@code +5s} from now on, or {@code 2026-11-27T19:00:00Z}. Immutable.
 *
 * @param fromNowNs nanoseconds from now on, if it is given so
 * @param epochNs nanoseconds since 1970 otherwise
 */
record InstantOption(long fromNowNs, long epochNs) {
    private static final long NANOS_PER_SECOND = 1_000_000_000;
    private static final String WANTED = "+ and a time such as +5s, or an instant such as 2026-11-27T19:00:00Z";

    /** In nanoseconds since 1970. */
    long at(long nowNs) {
        return epochNs == 0 ? nowNs + fromNowNs : epochNs;
    }

    /** Reads one. */
    static final class Converter implements ITypeConverter<InstantOption> {
        @Override
        public InstantOption convert(String text) {
            try {
                if (text.startsWith("+")) {
                    return new InstantOption(TimeSpan.parse(text.substring(1)).nanos(), 0);
                }
                Instant instant = Instant.parse(text);
                return new InstantOption(
                        0,
                        Math.addExact(
                                Math.multiplyExact(instant.getEpochSecond(), NANOS_PER_SECOND), instant.getNano()));
            } catch (IllegalArgumentException | DateTimeParseException | ArithmeticException e) {
                throw new TypeConversionException("wants " + WANTED + ", not '" + text + "'");
            }
        }
    }
}
