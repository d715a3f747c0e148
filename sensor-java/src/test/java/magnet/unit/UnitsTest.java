// SPDX-License-Identifier: Apache-2.0
package magnet.unit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@link ByteSize} and {@link TimeSpan}. */
final class UnitsTest {

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "65536, 65536",
        "64K, 65536",
        "64k, 65536",
        "64 KiB, 65536",
        "64KB, 65536",
        "8M, 8388608",
        "8mib, 8388608",
        "1G, 1073741824",
        "8000000000G, 8589934592000000000"
    })
    void shouldReadSizes(String text, long bytes) {
        assertThat(ByteSize.parse(text).bytes()).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "K", "-1", "1.5M", "4X", "1 K K", "9000000000G", "1234567890123", "1T"})
    void shouldRefuseWhatIsNoSize(String text) {
        assertThatThrownBy(() -> ByteSize.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "10, 10000000000",
        "0.5, 500000000",
        "500us, 500000",
        "1.5ms, 1500000",
        "20 ms, 20000000",
        "90s, 90000000000",
        "5m, 300000000000",
        "1h, 3600000000000",
        "0.5h, 1800000000000",
        "1d, 86400000000000",
        "36500d, 3153600000000000000"
    })
    void shouldReadTimes(String text, long nanos) {
        assertThat(TimeSpan.parse(text).nanos()).isEqualTo(nanos);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "s", "-1s", "1e3", "5min", "5M", ".5", "1.", "36501d", "999999999999d", "1 h 5 m"})
    void shouldRefuseWhatIsNoTime(String text) {
        assertThatThrownBy(() -> TimeSpan.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @MethodSource("magnet.unit.WrittenTimes#times")
    void shouldReadTimesAsAllOthersDo(String text, long micros) {
        assertThat(TimeSpan.parse(text).micros()).isEqualTo(micros);
    }

    @ParameterizedTest
    @MethodSource("magnet.unit.WrittenTimes#noTimes")
    void shouldRefuseWhatAllOthersDo(String text) {
        assertThatThrownBy(() -> TimeSpan.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @CsvSource({"500, 500us", "20000, 20ms", "1000000, 1s", "90000000, 90s", "0, 0s"})
    void shouldWriteWhatItReads(long micros, String text) {
        TimeSpan time = TimeSpan.ofMicros(micros);
        assertThat(time).hasToString(text).isEqualTo(TimeSpan.parse(text));
        assertThat(time.micros()).isEqualTo(micros);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "1", "1023", "1K", "1025", "1536K", "4M", "3G"})
    void shouldWriteASizeAsItMayBeRead(String text) {
        assertThat(ByteSize.parse(text)).hasToString(text);
    }
}
