// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import static magnet.record.EventType.BLOCK_RQ_COMPLETE;
import static magnet.record.EventType.BLOCK_RQ_ISSUE;
import static magnet.summary.SummaryFixture.value;
import static magnet.summary.SummaryFixture.values;
import static org.assertj.core.api.Assertions.assertThat;

import magnet.metric.BlockMetrics;
import magnet.metric.MetricSnapshot;
import org.junit.jupiter.api.Test;

class BlockSummaryTest {
    private static final int READ = 0;
    private static final int WRITE = 1;
    private static final int FLUSH = 2;

    private final SummaryFixture fixture = new SummaryFixture();
    private final RecordStream records = fixture.records;

    @Test
    void shouldMeasureReadsAndWritesApartWhenTheyOverlap() {
        issue(1_000, 1, READ, 4_096);
        issue(2_000, 2, WRITE, 8_192);
        issue(3_000, 3, FLUSH, 0);
        complete(11_000, 1, READ, 4_096, 0);
        complete(22_000, 2, WRITE, 8_192, 0);
        complete(23_000, 3, FLUSH, 0, 0);
        MetricSnapshot snapshot = fixture.closeAfter(2);
        assertThat(value(snapshot, BlockMetrics.READS)).isEqualTo(0.5);
        assertThat(value(snapshot, BlockMetrics.WRITES)).isEqualTo(0.5);
        assertThat(value(snapshot, BlockMetrics.OTHERS)).isEqualTo(0.5);
        assertThat(value(snapshot, BlockMetrics.READ_BYTES)).isEqualTo(2_048);
        assertThat(value(snapshot, BlockMetrics.WRITE_BYTES)).isEqualTo(4_096);
        assertThat(values(snapshot, BlockMetrics.READ_TIME)).containsOnly(10.0);
        assertThat(values(snapshot, BlockMetrics.WRITE_TIME)).containsOnly(20.0);
        assertThat(value(snapshot, BlockMetrics.DEPTH_MAX)).isEqualTo(3);
        assertThat(value(snapshot, BlockMetrics.DEPTH)).isEqualTo(50_000 / 2e9);
        assertThat(value(snapshot, BlockMetrics.BUCKETS.metrics().get(0)))
                .as("below 16 us")
                .isEqualTo(0.5);
        assertThat(value(snapshot, BlockMetrics.BUCKETS.metrics().get(1)))
                .as("below 64 us")
                .isEqualTo(1);
    }

    @Test
    void shouldEndWithTheLastByteWhenARequestComesBackInParts() {
        issue(0, 1, READ, 12_288);
        complete(5_000, 1, READ, 4_096, 0);
        complete(6_000, 1, READ, 4_096, 0);
        complete(90_000, 1, READ, 4_096, 0);
        MetricSnapshot snapshot = fixture.closeAfter(1);
        assertThat(value(snapshot, BlockMetrics.READS)).isEqualTo(1);
        assertThat(value(snapshot, BlockMetrics.READ_BYTES)).isEqualTo(12_288);
        assertThat(value(snapshot, BlockMetrics.READ_TIME.max())).isEqualTo(90);
    }

    @Test
    void shouldCountAnErrorOnceWhenARequestFailsHalfWay() {
        issue(0, 1, WRITE, 8_192);
        complete(5_000, 1, WRITE, 4_096, 0);
        complete(7_000, 1, WRITE, 4_096, 5);
        MetricSnapshot snapshot = fixture.closeAfter(1);
        assertThat(value(snapshot, BlockMetrics.ERRORS)).isEqualTo(1);
        assertThat(value(snapshot, BlockMetrics.WRITES)).isEqualTo(1);
        assertThat(value(snapshot, BlockMetrics.WRITE_BYTES)).isEqualTo(4_096);
        assertThat(value(snapshot, BlockMetrics.WRITE_TIME.max())).isEqualTo(7);
    }

    @Test
    void shouldMeasureFromTheLastIssueWhenTheDeviceCouldNotTakeItAtFirst() {
        issue(0, 1, READ, 512);
        issue(40_000, 1, READ, 512);
        complete(41_000, 1, READ, 512, 0);
        MetricSnapshot snapshot = fixture.closeAfter(1);
        assertThat(value(snapshot, BlockMetrics.READ_TIME.max())).isEqualTo(1);
        assertThat(value(snapshot, BlockMetrics.DEPTH_MAX)).isEqualTo(1);
    }

    @Test
    void shouldCountButNotMeasureWhenTheIssueWasNotSeen() {
        complete(1_000, 1, READ, 512, 0);
        issue(2_000, 2, READ, 512);
        records.lost(1, 3_000, 1);
        complete(900_000, 2, READ, 512, 0);
        MetricSnapshot snapshot = fixture.closeAfter(1);
        assertThat(value(snapshot, BlockMetrics.READS)).isEqualTo(2);
        assertThat(values(snapshot, BlockMetrics.READ_TIME)).containsOnly(0.0);
        assertThat(fixture.summary.discards().lost()).isEqualTo(1);
    }

    /** As the kernel tells of an fsync, and of a write between two flushes. */
    @Test
    void shouldCountAWriteOnceWhenItIsEndedAgainAfterItsFlushes() {
        issue(0, 1, FLUSH, 0);
        complete(1_000, 1, FLUSH, 0, 0);
        complete(1_100, 2, WRITE, 0, 0);
        issue(2_000, 1, FLUSH, 0);
        complete(3_000, 1, FLUSH, 0, 0);
        issue(3_100, 2, WRITE, 4_096);
        complete(4_000, 2, WRITE, 4_096, 5);
        complete(4_100, 2, WRITE, 0, 5);
        MetricSnapshot snapshot = fixture.closeAfter(1);
        assertThat(value(snapshot, BlockMetrics.WRITES)).isEqualTo(1);
        assertThat(value(snapshot, BlockMetrics.OTHERS)).isEqualTo(2);
        assertThat(value(snapshot, BlockMetrics.ERRORS)).isEqualTo(1);
    }

    @Test
    void shouldCountFlushesWhenTheirIssueWasNotSeen() {
        complete(1_000, 1, FLUSH, 0, 0);
        assertThat(value(fixture.closeAfter(1), BlockMetrics.OTHERS)).isEqualTo(1);
    }

    @Test
    void shouldStillHaveThemWhenRequestsOutliveAWindow() {
        issue(0, 1, READ, 512);
        issue(1, 2, READ, 512);
        for (int slot = 0; slot < SummaryFixture.SLOTS + 2; slot++) {
            assertThat(value(fixture.closeAfter(1), BlockMetrics.DEPTH_MAX)).isEqualTo(2);
        }
    }

    private void issue(long timer, long request, int operation, int bytes) {
        records.block(BLOCK_RQ_ISSUE, 0, timer, request, operation, bytes, 0);
    }

    private void complete(long timer, long request, int operation, int bytes, int error) {
        records.block(BLOCK_RQ_COMPLETE, 1, timer, request, operation, bytes, error);
    }
}
