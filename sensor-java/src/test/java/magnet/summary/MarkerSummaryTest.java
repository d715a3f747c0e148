// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import static magnet.summary.SummaryFixture.value;
import static org.assertj.core.api.Assertions.assertThat;

import magnet.metric.MetricSnapshot;
import magnet.metric.SensorMetrics;
import magnet.metric.UserMetrics;
import org.junit.jupiter.api.Test;

class MarkerSummaryTest {
    private final SummaryFixture fixture = new SummaryFixture();
    private final RecordStream records = fixture.records;

    @Test
    void shouldMeasureFromOneToTheNextOfTheSameNumberWhenMarkersCome() {
        records.marker(0, 1_000, 4);
        records.marker(0, 2_000, 5);
        records.marker(1, 4_000, 4);
        records.marker(1, 5_000, 0);
        records.marker(1, 900_000, 0);
        MetricSnapshot snapshot = fixture.closeAfter(1);
        assertThat(value(snapshot, UserMetrics.MARKERS)).isEqualTo(5);
        assertThat(value(snapshot, UserMetrics.MARKER_INTERVAL.max())).isEqualTo(3);
    }

    @Test
    void shouldCountNumbersThatGaveWayAsDiscarded() {
        for (int number = 1; number <= 2_000; number++) {
            records.marker(0, number, number);
        }
        assertThat(value(fixture.closeAfter(1), SensorMetrics.DISCARDED)).isBetween(2_000.0 - 1_024, 2_000.0);
    }

    @Test
    void shouldMeasureNothingAcrossWhenEventsWereLost() {
        records.marker(0, 1_000, 4);
        records.lost(1, 2_000, 1);
        records.marker(0, 900_000, 4);
        assertThat(value(fixture.closeAfter(1), UserMetrics.MARKER_INTERVAL.max()))
                .isZero();
    }
}
