// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TimerScaleTest {

    @ParameterizedTest
    @CsvSource({
        "1000000, 1234567, 1234567",
        "3000000, 3000000, 1000000",
        "2399999, 2399999000, 1000000000",
        "2500000, 1, 0",
        "2500000, 2, 1",
        "2500000, 0, 0"
    })
    void shouldGiveWholeNanosecondsWhenGivenTicks(long khz, long ticks, long nanos) {
        assertThat(TimerScale.ofKhz(khz).toNanos(ticks)).isEqualTo(nanos);
    }

    @Test
    void shouldKeepFractionsWhenGivingMicroseconds() {
        assertThat(TimerScale.ofKhz(2_000_000).toMicros(3)).isEqualTo(0.0015);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, -1, Double.NaN, Double.POSITIVE_INFINITY})
    void shouldRefuseWhenATickHasNoLength(double nanosPerTick) {
        assertThatThrownBy(() -> new TimerScale(nanosPerTick)).isInstanceOf(IllegalArgumentException.class);
    }
}
