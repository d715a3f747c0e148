// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import static magnet.summary.SummaryFixture.value;
import static org.assertj.core.api.Assertions.assertThat;

import magnet.metric.MetricSnapshot;
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

    private double alive() {
        return value(fixture.closeAfter(1), ProcessMetrics.ALIVE);
    }
}
