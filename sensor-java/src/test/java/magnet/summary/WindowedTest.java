// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import magnet.metric.Metric;
import magnet.metric.MetricSnapshot;
import magnet.metric.SchedulerMetrics;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WindowedTest {

    @Test
    void shouldForgetTheOldestSlotWhenAdvanced() {
        WindowedCount count = new WindowedCount(3);
        WindowedMax max = new WindowedMax(3);
        long[] values = {7, 5, 3, 1};
        long[] sums = {7, 12, 15, 9};
        long[] maxima = {7, 7, 7, 5};
        for (int i = 0; i < values.length; i++) {
            count.add(values[i]);
            max.record(values[i]);
            assertThat(count.sum()).isEqualTo(sums[i]);
            assertThat(max.max()).isEqualTo(maxima[i]);
            count.advance();
            max.advance();
        }
    }

    @Test
    void shouldMeasureExactlyWhenSlotsDiffer() {
        WindowClock clock = new WindowClock(3, 100);
        assertThat(clock.close(150)).isEqualTo(50);
        clock.advance(150);
        assertThat(clock.close(1_150)).isEqualTo(1_050);
        clock.advance(1_150);
        assertThat(clock.close(2_250)).isEqualTo(2_150);
        clock.advance(2_250);
        assertThat(clock.close(3_250)).isEqualTo(3_100);
    }

    @Test
    void shouldGiveZeroWhenNothingWasRecorded() {
        assertThat(put(new WindowedDistribution(5, TimerScale.ofKhz(1_000_000))))
                .containsOnly(0.0);
    }

    @Test
    void shouldGiveTheExactMaximumWhenPercentilesAreRounded() {
        WindowedDistribution distribution = new WindowedDistribution(5, TimerScale.ofKhz(1_000_000));
        distribution.record(1_234_567);
        assertThat(put(distribution)).containsExactly(1_234.567, 1_234.567, 1_234.567, 1_234.567);
    }

    @Test
    void shouldCountAnHourInPercentilesWhenATimeIsLonger() {
        WindowedDistribution distribution = new WindowedDistribution(5, TimerScale.ofKhz(1_000_000));
        distribution.record(4L * 3_600 * 1_000_000_000);
        List<Double> values = put(distribution);
        assertThat(values.get(0)).isBetween(3.6e9 * 0.99, 3.6e9 * 1.01);
        assertThat(values.get(3)).isEqualTo(4 * 3.6e9);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void shouldAgreeWithSortedValuesWhenWindowMoves(long seed) {
        Random random = new Random(seed);
        WindowedDistribution distribution = new WindowedDistribution(5, TimerScale.ofKhz(1_000_000));
        Deque<List<Long>> slots = new ArrayDeque<>();
        for (int slot = 0; slot < 20; slot++) {
            List<Long> values = new ArrayList<>();
            for (int i = random.nextInt(300); i >= 0; i--) {
                long value = (long) Math.exp(random.nextDouble() * 25);
                values.add(value);
                distribution.record(value);
            }
            slots.addLast(values);
            if (slots.size() > 5) {
                slots.removeFirst();
            }
            assertAgrees(put(distribution), slots.stream().flatMap(List::stream).toList(), seed);
            assertThat(distribution.count())
                    .isEqualTo(slots.stream().mapToLong(List::size).sum());
            distribution.advance();
        }
    }

    static void assertAgrees(List<Double> published, List<Long> nanos, long seed) {
        List<Long> sorted = new ArrayList<>(nanos);
        Collections.sort(sorted);
        double[] quantiles = {50, 95, 99};
        for (int i = 0; i < quantiles.length; i++) {
            int rank = Math.max(1, (int) Math.ceil(quantiles[i] / 100 * sorted.size()));
            double expected = sorted.get(rank - 1) / 1_000.0;
            assertThat(published.get(i))
                    .as("p%s, seed %s", quantiles[i], seed)
                    .isBetween(expected * 0.99, expected * 1.01);
        }
        assertThat(published.get(3)).as("max, seed %s", seed).isEqualTo(sorted.get(sorted.size() - 1) / 1_000.0);
    }

    private static List<Double> put(WindowedDistribution distribution) {
        List<Metric> metrics = SchedulerMetrics.RUN_QUEUE_WAIT.metrics();
        MetricSnapshot.Builder builder = MetricSnapshot.of(Instant.EPOCH, 25, metrics);
        distribution.put(SchedulerMetrics.RUN_QUEUE_WAIT, builder);
        return SummaryFixture.values(builder.build(), SchedulerMetrics.RUN_QUEUE_WAIT);
    }
}
