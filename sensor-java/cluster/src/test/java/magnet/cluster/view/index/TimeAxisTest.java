// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.view.index;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TimeAxisTest {
    private static final long BEGIN = 1_795_000_000_123_456_789L;

    @ParameterizedTest
    @ValueSource(longs = {1_000_000_000L, 2_400_123_000L, 24_000_000L, 54_000_000L, 3_999_999_000L})
    void shouldFindTheFirstTickOfATime(long frequency) {
        Random random = new Random(frequency);
        TimeAxis axis = new TimeAxis(frequency, BEGIN, BEGIN - 1_000, BEGIN, 12_345.6, 37e-6);
        for (int i = 0; i < 1_000; i++) {
            long ns = random.nextLong(100_000_000_000L);
            long tick = axis.ticks(ns);
            assertThat(axis.ns(tick)).isGreaterThanOrEqualTo(ns);
            assertThat(axis.ns(tick - 1)).isLessThan(ns);
        }
    }

    @Test
    void shouldReckonExactlyForYears() {
        TimeAxis axis = TimeAxis.of(2_400_123_000L, BEGIN, BEGIN);
        long ticks = 123_456_789_012_345_678L;
        assertThat(axis.ns(ticks))
                .isEqualTo(BigInteger.valueOf(ticks)
                        .multiply(BigInteger.valueOf(1_000_000_000))
                        .divide(BigInteger.valueOf(2_400_123_000L))
                        .longValueExact());
    }

    @Test
    void shouldAddAnOffsetThatDrifts() {
        TimeAxis axis = new TimeAxis(1_000_000_000L, BEGIN, BEGIN, BEGIN + 1_000_000_000L, 500, 1e-6);
        assertThat(axis.ns(1_000_000_000L)).isEqualTo(1_000_000_500L);
        assertThat(axis.ns(2_000_000_000L)).isEqualTo(2_000_001_500L);
    }
}
