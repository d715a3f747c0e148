// SPDX-License-Identifier: Apache-2.0
package magnet.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import org.junit.jupiter.api.Test;

final class ClockModelTest {
    private static final long REALTIME = 1_790_000_000_000_000_000L;
    private static final long MONOTONIC = 123_456_789_000L;
    private static final long TIMER = 987_654_321_000L;
    private static final long TICKS_PER_MILLI = 2_500_000;

    private final ClockModel model = new ClockModel(TICKS_PER_MILLI, TIMER, REALTIME, MONOTONIC);

    @Test
    void shouldReckonByTheNominalFrequencyAtFirst() {
        assertThat(model.realtimeNs(TIMER)).isEqualTo(REALTIME);
        assertThat(model.monotonicNs(TIMER)).isEqualTo(MONOTONIC);
        assertThat(model.realtimeNs(TIMER + 5)).isEqualTo(REALTIME + 2);
        assertThat(model.monotonicNs(TIMER - 2_500_000)).isEqualTo(MONOTONIC - 1_000_000);
        assertThat(model.ticksToNanos(2_500_000_000L)).isEqualTo(1_000_000_000);
        assertThat(model.nanosToTicks(1_000_000_000)).isEqualTo(2_500_000_000L);
    }

    /** A machine that was up for a day wakes up; its timer began anew. */
    @Test
    void shouldBeginAnewWithANewEpoch() {
        model.update(TIMER + 25_002_500_000L, REALTIME + 10_000_000_000L, MONOTONIC + 10_000_000_000L, 0);
        model.update(1_000, REALTIME + 99, MONOTONIC + 77, 1);
        assertThat(model.epoch()).isEqualTo(1);
        assertThat(model.monotonicNs(1_000)).isEqualTo(MONOTONIC + 77);
        assertThat(model.realtimeNs(2_501_000)).isEqualTo(REALTIME + 1_000_099);
        assertThat(model.timerAtMonotonic(MONOTONIC + 1_000_077)).isEqualTo(2_501_000);
        model.update(TIMER + 50_000_000_000L, REALTIME, MONOTONIC, 0);
        assertThat(model.monotonicNs(1_000)).isEqualTo(MONOTONIC + 77);
    }

    @Test
    void shouldMeasureTheFrequencyOncePairsAreFarApart() {
        // 100 ppm faster than nominal.
        model.update(TIMER + 25_002_500_000L, REALTIME + 10_000_000_000L, MONOTONIC + 10_000_000_000L);
        assertThat(model.ticksToNanos(2_500_250_000L)).isEqualTo(1_000_000_000);
        assertThat(model.monotonicNs(TIMER + 25_002_500_000L + 2_500_250_000L)).isEqualTo(MONOTONIC + 11_000_000_000L);
    }

    @Test
    void shouldNotMeasureByPairsThatAreClose() {
        model.update(TIMER + 2_600, REALTIME + 1_000, MONOTONIC + 1_000);
        assertThat(model.ticksToNanos(2_500_000)).isEqualTo(1_000_000);
        assertThat(model.monotonicNs(TIMER + 2_600)).isEqualTo(MONOTONIC + 1_000);
    }

    @Test
    void shouldNotBelieveAFrequencyFarFromTheNominalOne() {
        model.update(TIMER + 25_000_000_000L, REALTIME, MONOTONIC + 20_000_000_000L);
        assertThat(model.ticksToNanos(2_500_000)).isEqualTo(1_000_000);
    }

    @Test
    void shouldFollowAStepOfRealtime() {
        model.update(TIMER + 1, REALTIME + 3_600_000_000_000L, MONOTONIC);
        assertThat(model.realtimeNs(TIMER + 1)).isEqualTo(REALTIME + 3_600_000_000_000L);
    }

    @Test
    void shouldIgnoreAnOlderPair() {
        model.update(TIMER, 0, 0);
        model.update(TIMER - 1, 0, 0);
        assertThat(model.realtimeNs(TIMER)).isEqualTo(REALTIME);
    }

    @Test
    void shouldTakeInClockRecords() {
        RecordWriter writer = new RecordWriter();
        writer.record(EventType.CLOCK, 0, 0, 0, 0, TIMER + 10, REALTIME + 77, MONOTONIC + 4);
        model.update(new RecordFlyweight(RecordLayout.WIDE).wrap(writer.buffer(), 0));
        assertThat(model.realtimeNs(TIMER + 10)).isEqualTo(REALTIME + 77);
        assertThat(model.monotonicNs(TIMER + 10)).isEqualTo(MONOTONIC + 4);
    }

    @Test
    void shouldGoThereAndBack() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int i = 0; i < 1_000; i++) {
            long timer = TIMER + random.nextInt();
            long back = model.timerAtMonotonic(model.monotonicNs(timer));
            assertThat(Math.abs(back - timer)).as("seed=" + seed).isLessThanOrEqualTo(2);
        }
    }

    @Test
    void shouldRefuseAFrequencyOfZero() {
        assertThatThrownBy(() -> new ClockModel(0, 0, 0, 0)).hasMessageContaining("ticksPerMilli=0");
    }

    /** A second ahead of the model at most, and twice as much as the module takes for right since the last pair. */
    @Test
    void shouldSayHowFarTheTimerCanBe() {
        ClockModel clock = new ClockModel(2_000_000, 1_000, 0, 5_000_000_000L);
        assertThat(clock.latestTimer(5_000_000_000L)).isEqualTo(1_000 + 2_000_000_000L);
        assertThat(clock.latestTimer(4_000_000_000L)).isEqualTo(1_000 + 2_000_000_000L);
        assertThat(clock.latestTimer(15_000_000_000L)).isEqualTo(1_000 + 2 * 13_500_000_000L);
    }
}
