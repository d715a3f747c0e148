// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import static magnet.summary.SummaryFixture.value;
import static magnet.summary.SummaryFixture.values;
import static org.assertj.core.api.Assertions.assertThat;

import magnet.metric.MetricSnapshot;
import magnet.metric.SchedulerMetrics;
import magnet.metric.SensorMetrics;
import magnet.record.EventType;
import magnet.record.Payload;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SchedulerSummaryTest {
    private static final int IDLE = 0;
    private static final long SLEEPS = 1;
    private static final long RUNNABLE = 0;

    private final SummaryFixture fixture = new SummaryFixture();
    private RecordStream records;

    @BeforeEach
    void setUp() {
        records = fixture.records;
    }

    @Test
    void shouldMeasureTheWaitWhenAThreadWakesAndEnters() {
        records.wakeup(1, 1_000, 9, 5);
        records.switchTo(0, 8_000, IDLE, RUNNABLE, 5);
        assertThat(values(fixture.closeAfter(5), SchedulerMetrics.RUN_QUEUE_WAIT))
                .containsOnly(7.0);
    }

    @Test
    void shouldMeasureFromTheFirstWakeupWhenThereAreTwo() {
        records.wakeup(1, 1_000, 9, 5);
        records.wakeup(1, 6_000, 9, 5);
        records.switchTo(0, 8_000, IDLE, RUNNABLE, 5);
        assertThat(values(fixture.closeAfter(5), SchedulerMetrics.RUN_QUEUE_WAIT))
                .containsOnly(7.0);
    }

    @Test
    void shouldMeasureFromLeavingWhenAThreadIsPreempted() {
        records.switchTo(0, 0, IDLE, RUNNABLE, 5);
        records.switchTo(0, 1_000, 5, Payload.SCHED_PREEMPTED | SLEEPS, 6);
        records.switchTo(1, 4_000, IDLE, RUNNABLE, 5);
        assertThat(values(fixture.closeAfter(5), SchedulerMetrics.RUN_QUEUE_WAIT))
                .containsOnly(3.0);
    }

    @Test
    void shouldMeasureNoWaitWhenAThreadSleptWithoutAWakeup() {
        records.switchTo(0, 0, IDLE, RUNNABLE, 5);
        records.switchTo(0, 1_000, 5, SLEEPS, IDLE);
        records.switchTo(0, 9_000, IDLE, RUNNABLE, 5);
        assertThat(values(fixture.closeAfter(5), SchedulerMetrics.RUN_QUEUE_WAIT))
                .containsOnly(0.0);
    }

    @Test
    void shouldIgnoreTheWakeupWhenTheThreadStillRuns() {
        records.switchTo(0, 0, IDLE, RUNNABLE, 5);
        records.wakeup(1, 500, 9, 5);
        records.switchTo(0, 1_000, 5, SLEEPS, IDLE);
        records.wakeup(1, 50_000, 9, 5);
        records.switchTo(0, 52_000, IDLE, RUNNABLE, 5);
        assertThat(values(fixture.closeAfter(5), SchedulerMetrics.RUN_QUEUE_WAIT))
                .containsOnly(2.0);
    }

    @Test
    void shouldMeasureSlicesAndIdleGapsApartWhenACpuAlternates() {
        records.switchTo(0, 0, IDLE, RUNNABLE, 5);
        records.switchTo(0, 2_000_000, 5, SLEEPS, IDLE);
        records.switchTo(0, 100_000_000, IDLE, RUNNABLE, 5);
        records.switchTo(0, 103_000_000, 5, SLEEPS, IDLE);
        MetricSnapshot snapshot = fixture.closeAfter(5);
        assertThat(values(snapshot, SchedulerMetrics.TIME_SLICE).get(2)).isEqualTo(3_000.0);
        assertThat(values(snapshot, SchedulerMetrics.TIME_SLICE).get(0)).isBetween(1_980.0, 2_020.0);
        assertThat(value(snapshot, SchedulerMetrics.IDLE_GAP.max())).isEqualTo(98_000.0);
        assertThat(value(snapshot, SchedulerMetrics.CONTEXT_SWITCHES)).isEqualTo(4 / 5.0);
    }

    @Test
    void shouldMeasureNothingWhenASliceBeganBeforeTheSensor() {
        records.switchTo(0, 5_000_000, 5, SLEEPS, IDLE);
        MetricSnapshot snapshot = fixture.closeAfter(5);
        assertThat(values(snapshot, SchedulerMetrics.TIME_SLICE)).containsOnly(0.0);
        assertThat(value(snapshot, SchedulerMetrics.CONTEXT_SWITCHES)).isEqualTo(0.2);
    }

    @Test
    void shouldDropItsSliceAndAllWaitsWhenACpuLost() {
        records.switchTo(0, 0, IDLE, RUNNABLE, 5);
        records.switchTo(1, 0, IDLE, RUNNABLE, 6);
        records.wakeup(0, 100, 5, 7);
        records.lost(0, 1_000, 50);
        records.switchTo(0, 900_000, 5, SLEEPS, 7);
        records.switchTo(1, 1_000, 6, SLEEPS, IDLE);
        MetricSnapshot snapshot = fixture.closeAfter(5);
        assertThat(values(snapshot, SchedulerMetrics.TIME_SLICE)).containsOnly(1.0);
        assertThat(values(snapshot, SchedulerMetrics.RUN_QUEUE_WAIT)).containsOnly(0.0);
        assertThat(fixture.summary.discards().lost()).isEqualTo(2);
        assertThat(value(snapshot, SensorMetrics.DISCARDED)).isEqualTo(2 / 5.0);
    }

    @Test
    void shouldMeasureAgainWhenTheLossIsOver() {
        records.wakeup(0, 100, 5, 7);
        records.lost(0, 1_000, 50);
        records.wakeup(0, 2_000, 5, 7);
        records.switchTo(0, 6_000, IDLE, RUNNABLE, 7);
        records.switchTo(0, 9_000, 7, SLEEPS, IDLE);
        MetricSnapshot snapshot = fixture.closeAfter(5);
        assertThat(values(snapshot, SchedulerMetrics.RUN_QUEUE_WAIT)).containsOnly(4.0);
        assertThat(values(snapshot, SchedulerMetrics.TIME_SLICE)).containsOnly(3.0);
    }

    @Test
    void shouldDiscardTheSliceWhenAnotherThreadLeavesThanEntered() {
        records.switchTo(0, 0, IDLE, RUNNABLE, 5);
        records.switchTo(0, 1_000, 6, SLEEPS, IDLE);
        assertThat(values(fixture.closeAfter(5), SchedulerMetrics.TIME_SLICE)).containsOnly(0.0);
        assertThat(fixture.summary.discards().unpaired()).isOne();
    }

    @Test
    void shouldEndTheSliceWhenAnExitingThreadLeaves() {
        records.switchTo(0, 0, IDLE, RUNNABLE, 5);
        records.exit(0, 4_000, 5, true);
        records.switchTo(0, 6_000, 5, 0x80, IDLE);
        assertThat(values(fixture.closeAfter(5), SchedulerMetrics.TIME_SLICE)).containsOnly(6.0);
    }

    @Test
    void shouldClampAndCountWhenTheWakeupIsLaterThanTheEntry() {
        records.wakeup(1, 9_000, 9, 5);
        records.switchTo(0, 8_000, IDLE, RUNNABLE, 5);
        assertThat(values(fixture.closeAfter(5), SchedulerMetrics.RUN_QUEUE_WAIT))
                .containsOnly(0.0);
        assertThat(fixture.summary.discards().clamped()).isOne();
    }

    @Test
    void shouldGrowWhenACpuComesThatWasNotThere() {
        records.switchTo(63, 0, IDLE, RUNNABLE, 5);
        records.switchTo(63, 1_000, 5, SLEEPS, IDLE);
        assertThat(values(fixture.closeAfter(5), SchedulerMetrics.TIME_SLICE)).containsOnly(1.0);
    }

    @Test
    void shouldForgetTheWaitWhenTheWindowHasMovedOn() {
        records.wakeup(1, 1_000, 9, 5);
        records.switchTo(0, 8_000, IDLE, RUNNABLE, 5);
        for (int slot = 0; slot < SummaryFixture.SLOTS; slot++) {
            assertThat(values(fixture.closeAfter(5), SchedulerMetrics.RUN_QUEUE_WAIT))
                    .containsOnly(7.0);
        }
        assertThat(values(fixture.closeAfter(5), SchedulerMetrics.RUN_QUEUE_WAIT))
                .containsOnly(0.0);
    }

    @Test
    void shouldCountPreemptionsMigrationsAndBucketsWhenThreadsCompete() {
        SummaryFixture other = new SummaryFixture();
        other.records.switchTo(0, 0, 0, 0, 5);
        other.records.wakeup(0, 1_000, 5, 6);
        other.records.switchTo(0, 6_000, 5, 0, 6);
        other.records.event(EventType.SCHED_MIGRATE_TASK, 0, 7_000);
        MetricSnapshot snapshot = other.closeAfter(1);
        assertThat(value(snapshot, SchedulerMetrics.PREEMPTIONS)).isEqualTo(1);
        assertThat(value(snapshot, SchedulerMetrics.MIGRATIONS)).isEqualTo(1);
        assertThat(value(
                        snapshot,
                        SchedulerMetrics.RUN_QUEUE_WAIT_BUCKETS.metrics().get(1)))
                .as("4 to 16 us")
                .isEqualTo(1);
    }
}
