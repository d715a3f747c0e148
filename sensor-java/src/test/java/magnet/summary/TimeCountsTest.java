// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class TimeCountsTest {
    @Test
    void shouldGiveThePercentilesOfAHistogramThatWasToldEachTime() {
        for (long seed = 0; seed < 50; seed++) {
            Random random = new Random(seed);
            TimeCounts[] slots = {new TimeCounts(), new TimeCounts(), new TimeCounts()};
            Histogram expected = TimeCounts.histogram(new long[0]);
            for (int i = 0; i < 2_000; i++) {
                long nanos = Math.min(random.nextLong() >>> random.nextInt(22, 64), TimeCounts.LONGEST_NANOS);
                slots[random.nextInt(slots.length)].record(nanos);
                expected.recordValue(nanos);
            }
            Histogram given = TimeCounts.histogram(TimeCounts.counted(slots));
            assertThat(given.getTotalCount()).isEqualTo(2_000);
            assertThat(Arrays.stream(slots).mapToLong(TimeCounts::total).sum()).isEqualTo(2_000);
            for (double percentile = 0; percentile <= 100; percentile += 0.5) {
                assertThat(given.getValueAtPercentile(percentile))
                        .as("p%s, seed %s", percentile, seed)
                        .isEqualTo(expected.getValueAtPercentile(percentile));
            }
        }
    }

    @Test
    void shouldTakeTheEndsOfItsRange() {
        TimeCounts counts = new TimeCounts();
        counts.record(0);
        counts.record(TimeCounts.LONGEST_NANOS);
        Histogram given = TimeCounts.histogram(TimeCounts.counted(new TimeCounts[] {counts}));
        assertThat(given.getMinValue()).isZero();
        assertThat(given.valuesAreEquivalent(given.getMaxValue(), TimeCounts.LONGEST_NANOS))
                .isTrue();
    }

    @Test
    void shouldBeEmptyAfterAReset() {
        TimeCounts counts = new TimeCounts();
        counts.record(5);
        counts.record(1_000_000);
        counts.record(TimeCounts.LONGEST_NANOS);
        counts.reset();
        assertThat(counts.total()).isZero();
        counts.record(7);
        assertThat(counts.total()).isEqualTo(1);
    }
}
