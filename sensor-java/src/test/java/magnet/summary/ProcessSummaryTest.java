// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import static magnet.summary.SummaryFixture.value;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import magnet.metric.MetricSnapshot;
import magnet.metric.Metrics;
import magnet.metric.ProcessMetrics;
import org.junit.jupiter.api.Test;

/** Timers are nanoseconds of CLOCK_MONOTONIC here, as those of the count are. */
class ProcessSummaryTest {
    private final SummaryFixture fixture = new SummaryFixture();
    private final RecordStream records = fixture.records;

    @Test
    void shouldKeepUpTheCountWhenProcessesComeAndGo() {
        fixture.machine.counted = new Machine.Processes(1_000, 2_000, 80);
        records.fork(0, 500, 10, 11, 11);
        assertThat(alive()).isEqualTo(80);
        records.fork(0, 900, 10, 12, 12);
        records.fork(0, 2_500, 10, 13, 13);
        records.fork(0, 2_600, 10, 14, 14);
        records.fork(0, 2_700, 10, 15, 10);
        records.exit(0, 2_800, 13, true);
        records.exit(0, 2_900, 15, false);
        MetricSnapshot snapshot = fixture.closeAfter(1);
        assertThat(value(snapshot, ProcessMetrics.ALIVE))
                .as("what was before the count is in it")
                .isEqualTo(81);
        assertThat(value(snapshot, ProcessMetrics.THREADS)).isEqualTo(0.5);
        assertThat(fixture.machine.counts).isEqualTo(1);
    }

    @Test
    void shouldCountAnewWhenSomethingHappenedMeanwhileOrWasLost() {
        fixture.machine.counted = new Machine.Processes(1_000, 2_000, 80);
        assertThat(alive()).isEqualTo(80);
        records.exit(0, 1_500, 9, true);
        fixture.machine.counted = new Machine.Processes(3_000, 4_000, 79);
        assertThat(alive()).isEqualTo(79);
        records.lost(0, 5_000, 1);
        fixture.machine.counted = new Machine.Processes(6_000, 7_000, 75);
        assertThat(alive()).isEqualTo(75);
        assertThat(alive()).isEqualTo(75);
        assertThat(fixture.machine.counts).isEqualTo(3);
    }

    /** A walk over /proc takes long: whoever reads the records ends the window and has no part in it. */
    @Test
    void shouldCountOnlyWhereTheSnapshotIsBuiltWhenEventsWereLost() {
        fixture.machine.counted = new Machine.Processes(1_000, 2_000, 80);
        records.lost(0, 500, 1);
        MetricSnapshot.Builder window = fixture.summary.endWindow(1_000_000_000, Instant.EPOCH, Metrics.ALL);
        assertThat(fixture.machine.counts).isZero();
        records.fork(0, 900, 10, 12, 12);
        records.fork(0, 2_500, 10, 13, 13);
        assertThat(value(window.build(), ProcessMetrics.ALIVE)).isEqualTo(80);
        records.fork(0, 2_600, 10, 14, 14);
        assertThat(value(
                        fixture.summary.closeWindow(2_000_000_000, Instant.EPOCH, Metrics.ALL, others -> {}),
                        ProcessMetrics.ALIVE))
                .as("with what happened while it was counted")
                .isEqualTo(82);
        assertThat(fixture.machine.counts).isEqualTo(1);
    }

    /** Whoever counts is held up for longer than a window lasts: the next one has ended, too. */
    @Test
    void shouldGiveTheCountToEachWindowThatEndedBeforeItWasMade() {
        fixture.machine.counted = new Machine.Processes(2_500_000_000L, 2_600_000_000L, 80);
        MetricSnapshot.Builder first = fixture.summary.endWindow(1_000_000_000, Instant.EPOCH, Metrics.ALL);
        records.fork(0, 1_500_000_000, 10, 12, 12);
        MetricSnapshot.Builder second = fixture.summary.endWindow(2_000_000_000, Instant.EPOCH, Metrics.ALL);
        records.fork(0, 2_700_000_000L, 10, 13, 13);
        assertThat(value(first.build(), ProcessMetrics.ALIVE)).isEqualTo(80);
        assertThat(value(second.build(), ProcessMetrics.ALIVE)).isEqualTo(80);
        MetricSnapshot.Builder third = fixture.summary.endWindow(3_000_000_000L, Instant.EPOCH, Metrics.ALL);
        assertThat(value(third.build(), ProcessMetrics.ALIVE)).isEqualTo(81);

        records.lost(0, 3_100_000_000L, 1);
        fixture.machine.counted = new Machine.Processes(5_500_000_000L, 5_600_000_000L, 70);
        MetricSnapshot.Builder fourth = fixture.summary.endWindow(4_000_000_000L, Instant.EPOCH, Metrics.ALL);
        MetricSnapshot.Builder fifth = fixture.summary.endWindow(5_000_000_000L, Instant.EPOCH, Metrics.ALL);
        assertThat(value(fourth.build(), ProcessMetrics.ALIVE)).isEqualTo(70);
        assertThat(value(fifth.build(), ProcessMetrics.ALIVE)).isEqualTo(70);
        assertThat(fixture.machine.counts).isEqualTo(2);
    }

    @Test
    void shouldCountAnewWhenMoreHappenedThanIsRemembered() {
        fixture.machine.counted = new Machine.Processes(1_000, 2_000, 80);
        MetricSnapshot.Builder window = fixture.summary.endWindow(1_000_000_000, Instant.EPOCH, Metrics.ALL);
        for (int i = 0; i < 2_000; i++) {
            records.fork(0, 3_000 + i, 10, 20 + i, 20 + i);
        }
        window.build();
        fixture.machine.counted = new Machine.Processes(8_000, 9_000, 2_080);
        MetricSnapshot next = fixture.summary.closeWindow(2_000_000_000, Instant.EPOCH, Metrics.ALL, others -> {});
        assertThat(value(next, ProcessMetrics.ALIVE)).isEqualTo(2_080);
        assertThat(fixture.machine.counts).isEqualTo(2);
    }

    private double alive() {
        return value(fixture.closeAfter(1), ProcessMetrics.ALIVE);
    }
}
