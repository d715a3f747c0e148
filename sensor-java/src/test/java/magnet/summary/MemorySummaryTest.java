// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import static magnet.record.EventType.MARK_VICTIM;
import static magnet.record.EventType.PAGE_FAULT_KERNEL;
import static magnet.summary.SummaryFixture.value;
import static magnet.summary.SummaryFixture.values;
import static org.assertj.core.api.Assertions.assertThat;

import magnet.metric.MemoryMetrics;
import magnet.metric.MetricSnapshot;
import org.junit.jupiter.api.Test;

class MemorySummaryTest {
    private static final int PROTECTION = 1;
    private static final int WRITE = 2;
    private static final int USER = 4;

    private final SummaryFixture fixture = new SummaryFixture();
    private final RecordStream records = fixture.records;

    @Test
    void shouldTellFaultsApartWhenTheProcessorDoes() {
        records.fault(0, 1, USER);
        records.fault(0, 2, USER | WRITE);
        records.fault(0, 3, USER | WRITE | PROTECTION);
        records.event(PAGE_FAULT_KERNEL, 1, 4);
        MetricSnapshot snapshot = fixture.closeAfter(1);
        assertThat(value(snapshot, MemoryMetrics.USER_FAULTS)).isEqualTo(3);
        assertThat(value(snapshot, MemoryMetrics.WRITE_FAULTS)).isEqualTo(2);
        assertThat(value(snapshot, MemoryMetrics.PROTECTION_FAULTS)).isEqualTo(1);
        assertThat(value(snapshot, MemoryMetrics.KERNEL_FAULTS)).isEqualTo(1);
    }

    @Test
    void shouldMeasureMajorFaultsAsTheKernelDoes() {
        records.majorFault(0, 1, 17_000);
        records.majorFault(1, 2, 5_000_000);
        records.majorFault(0, 3, 20_000);
        MetricSnapshot snapshot = fixture.closeAfter(2);
        assertThat(value(snapshot, MemoryMetrics.MAJOR_FAULTS)).isEqualTo(1.5);
        assertThat(value(snapshot, MemoryMetrics.MAJOR_FAULT_TIME.max())).isEqualTo(5_000);
        assertThat(value(snapshot, MemoryMetrics.MAJOR_FAULT_BUCKETS.metrics().get(1)))
                .as("16 to 64 us")
                .isEqualTo(1);
        assertThat(value(snapshot, MemoryMetrics.MAJOR_FAULT_BUCKETS.metrics().get(5)))
                .as("4096 to 16384 us")
                .isEqualTo(0.5);
    }

    /** One is a day longer than it was; the next begins before what is first heard of after the jump. */
    @Test
    void shouldNotMeasureAMajorFaultWithAJumpOfTheTimerInIt() {
        fixture.summary.onNewEpoch(2);
        records.majorFault(0, 86_400_000_000_000L + 5_000, 86_400_000_000_000L);
        records.majorFault(1, 86_400_000_000_000L + 9_000, 17_000);
        records.majorFault(0, 86_400_000_000_000L + 30_000, 20_000);
        MetricSnapshot snapshot = fixture.closeAfter(1);
        assertThat(value(snapshot, MemoryMetrics.MAJOR_FAULTS)).isEqualTo(3);
        assertThat(value(snapshot, MemoryMetrics.MAJOR_FAULT_TIME.max())).isEqualTo(20);
        assertThat(fixture.summary.discards().unpaired()).isEqualTo(2);
    }

    @Test
    void shouldMeasureEachThreadWhenSeveralReclaim() {
        records.reclaimBegin(0, 0, 5);
        records.reclaimBegin(1, 1_000, 6);
        records.reclaimEnd(1, 31_000, 6, 32);
        records.reclaimEnd(0, 70_000, 5, 10);
        MetricSnapshot snapshot = fixture.closeAfter(1);
        assertThat(value(snapshot, MemoryMetrics.STALLS)).isEqualTo(2);
        assertThat(value(snapshot, MemoryMetrics.RECLAIMED_PAGES)).isEqualTo(42);
        assertThat(value(snapshot, MemoryMetrics.STALL_TIME.max())).isEqualTo(70);
        assertThat(value(snapshot, MemoryMetrics.STALL_BUCKETS.metrics().get(1)))
                .as("16 to 64 us")
                .isEqualTo(1);
        assertThat(value(snapshot, MemoryMetrics.STALL_BUCKETS.metrics().get(2)))
                .as("64 to 256 us")
                .isEqualTo(1);
    }

    @Test
    void shouldCountButNotMeasureWhenTheBeginWasNotSeen() {
        records.reclaimEnd(0, 10, 5, 1);
        records.reclaimBegin(0, 20, 5);
        records.lost(1, 30, 1);
        records.reclaimEnd(0, 900_000, 5, 1);
        MetricSnapshot snapshot = fixture.closeAfter(1);
        assertThat(value(snapshot, MemoryMetrics.STALLS)).isEqualTo(2);
        assertThat(values(snapshot, MemoryMetrics.STALL_TIME)).containsOnly(0.0);
    }

    @Test
    void shouldCountVictimsWhenMemoryIsOut() {
        records.event(MARK_VICTIM, 0, 1);
        assertThat(value(fixture.closeAfter(2), MemoryMetrics.OOM_KILLS)).isEqualTo(0.5);
    }
}
