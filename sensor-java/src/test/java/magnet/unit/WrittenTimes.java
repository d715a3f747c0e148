// SPDX-License-Identifier: Apache-2.0
package magnet.unit;

import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;

/** Times of a second to an hour as they are and are not written, wherever there is one: options, configuration, rules. */
public final class WrittenTimes {
    private WrittenTimes() {}

    /** A text, and how many microseconds it says. */
    public static Stream<Arguments> times() {
        return Stream.of(
                Arguments.of("1", 1_000_000),
                Arguments.of("1.5", 1_500_000),
                Arguments.of("0010", 10_000_000),
                Arguments.of("1000000us", 1_000_000),
                Arguments.of("1234567.9us", 1_234_567),
                Arguments.of("1500ms", 1_500_000),
                Arguments.of("2000.5ms", 2_000_500),
                Arguments.of("90s", 90_000_000),
                Arguments.of("1.000001s", 1_000_001),
                Arguments.of("5m", 300_000_000),
                Arguments.of("0.5m", 30_000_000),
                Arguments.of("0.5h", 1_800_000_000),
                Arguments.of("1h", 3_600_000_000L),
                Arguments.of("0.01d", 864_000_000));
    }

    /** What is none, in one word. */
    public static Stream<String> noTimes() {
        return Stream.of(
                "s",
                "-1s",
                "+1s",
                "1e3",
                "5min",
                "5M",
                "5S",
                ".5",
                "1.",
                "1,5",
                "0x10",
                "1h5m",
                "5mm",
                "36501d",
                "1234567890123us",
                "1.1234567890",
                "999999999999d",
                "ten");
    }
}
