// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import static magnet.summary.SummaryFixture.text;
import static magnet.summary.SummaryFixture.value;
import static magnet.summary.SummaryFixture.values;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import magnet.metric.MetricSnapshot;
import magnet.metric.Metrics;
import magnet.metric.SystemCallMetrics;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SystemCallSummaryTest {
    private static final int READ = 0;
    private static final int WRITE = 1;
    private static final int POLL = 7;

    private final SummaryFixture fixture = new SummaryFixture();
    private final RecordStream records = fixture.records;

    /** The names are asked for when the handler is made. */
    @BeforeEach
    void nameCalls() {
        fixture.machine.systemCalls.put(READ, "read");
        fixture.machine.systemCalls.put(WRITE, "write");
        fixture.machine.systemCalls.put(POLL, "poll");
        fixture.summary.use(List.of(), 0);
        fixture.summary.use(Metrics.ALL, 0);
    }

    @Test
    void shouldMeasureEachThreadWhenCallsOverlap() {
        records.sysEnter(0, 1_000, 5, READ, false);
        records.sysEnter(1, 2_000, 6, WRITE, false);
        records.sysExit(0, 4_000, 6, WRITE, 10);
        records.sysExit(1, 11_000, 5, READ, -11);
        MetricSnapshot snapshot = fixture.closeAfter(1);
        assertThat(value(snapshot, SystemCallMetrics.RATE)).isEqualTo(2);
        assertThat(value(snapshot, SystemCallMetrics.ERRORS)).isEqualTo(1);
        assertThat(value(snapshot, SystemCallMetrics.TIME.max())).isEqualTo(10);
        assertSlowest(snapshot, 0, "read", 10);
        assertSlowest(snapshot, 1, "write", 2);
        assertSlowest(snapshot, 2, "-", 0);
        assertThat(value(snapshot, SystemCallMetrics.BUCKETS.metrics().get(1)))
                .as("1 to 4 us")
                .isEqualTo(1);
        assertThat(value(snapshot, SystemCallMetrics.BUCKETS.metrics().get(2)))
                .as("4 to 16 us")
                .isEqualTo(1);
    }

    @Test
    void shouldCountButNotMeasureWhenACallIsMeantToWait() {
        call(5, POLL, 0, 900_000_000, 0);
        MetricSnapshot snapshot = fixture.closeAfter(1);
        assertThat(value(snapshot, SystemCallMetrics.RATE)).isEqualTo(1);
        assertThat(values(snapshot, SystemCallMetrics.TIME)).containsOnly(0.0);
        assertSlowest(snapshot, 0, "-", 0);
    }

    @Test
    void shouldTellErrorsFromAddressesAndRestoredRegistersWhenCallsReturn() {
        call(5, READ, 0, 10, -4_095);
        call(5, READ, 20, 30, -4_096);
        call(5, READ, 40, 50, 0x7fff_ffff_f000L);
        records.sysEnter(0, 60, 5, 15, false);
        records.sysExit(0, 70, 5, -1, -4);
        assertThat(value(fixture.closeAfter(1), SystemCallMetrics.ERRORS)).isEqualTo(1);
    }

    @Test
    void shouldRankByTheLongestOfTheWindowWhenTimeGoesOn() {
        call(5, WRITE, 0, 50_000, 0);
        fixture.closeAfter(1);
        call(5, READ, 60_000, 70_000, 0);
        call(5, 300, 80_000, 85_000, 0);
        MetricSnapshot snapshot = fixture.closeAfter(1);
        assertSlowest(snapshot, 0, "write", 50);
        assertSlowest(snapshot, 1, "read", 10);
        assertSlowest(snapshot, 2, "call 300", 5);
        for (int slot = 0; slot < SummaryFixture.SLOTS - 1; slot++) {
            snapshot = fixture.closeAfter(1);
        }
        assertSlowest(snapshot, 0, "read", 10);
    }

    @Test
    void shouldNotNameTheCallWhenA32BitProgramMakesIt() {
        records.sysEnter(0, 0, 5, READ, true);
        records.sysExit(0, 7_000, 5, READ, 0);
        MetricSnapshot snapshot = fixture.closeAfter(1);
        assertThat(value(snapshot, SystemCallMetrics.TIME.max())).isEqualTo(7);
        assertSlowest(snapshot, 0, "-", 0);
    }

    @Test
    void shouldMeasureNothingAcrossWhenEventsWereLostOrTheThreadEnded() {
        records.sysEnter(0, 0, 5, READ, false);
        records.lost(1, 10, 1);
        records.sysExit(0, 900, 5, READ, 0);
        records.sysEnter(0, 1_000, 6, READ, false);
        records.exit(0, 1_010, 6, true);
        records.sysExit(0, 9_000, 6, READ, 0);
        MetricSnapshot snapshot = fixture.closeAfter(1);
        assertThat(value(snapshot, SystemCallMetrics.RATE)).isEqualTo(2);
        assertThat(values(snapshot, SystemCallMetrics.TIME)).containsOnly(0.0);
    }

    private void call(int tid, int number, long from, long to, long returned) {
        records.sysEnter(0, from, tid, number, false);
        records.sysExit(0, to, tid, number, returned);
    }

    private static void assertSlowest(MetricSnapshot snapshot, int place, String name, double micros) {
        assertThat(text(snapshot, SystemCallMetrics.SLOWEST_NAMES.get(place))).isEqualTo(name);
        assertThat(value(snapshot, SystemCallMetrics.SLOWEST_TIMES.get(place))).isEqualTo(micros);
    }
}
