// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import static magnet.record.EventType.IRQ_HANDLER_ENTRY;
import static magnet.record.EventType.IRQ_HANDLER_EXIT;
import static magnet.record.EventType.SOFTIRQ_ENTRY;
import static magnet.record.EventType.SOFTIRQ_EXIT;
import static magnet.summary.SummaryFixture.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import magnet.metric.InterruptMetrics;
import magnet.metric.MetricSnapshot;
import magnet.metric.SoftInterrupt;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class InterruptSummaryTest {
    private final SummaryFixture fixture = new SummaryFixture();
    private RecordStream records;

    @BeforeEach
    void setUp() {
        records = fixture.records;
    }

    @Test
    void shouldGiveTheShareOfAllCpusWhenHandlersRan() {
        hard(0, 7, 1_000_000, 3_000_000);
        hard(1, 8, 1_000_000, 2_000_000);
        MetricSnapshot snapshot = fixture.closeAfter(5);
        assertThat(value(snapshot, InterruptMetrics.HARD_TIME)).isCloseTo(100 * 0.003 / (5 * 2), within(1e-12));
        assertThat(value(snapshot, InterruptMetrics.HARD_HANDLER.max())).isEqualTo(2_000.0);
        assertThat(value(snapshot, InterruptMetrics.SOFT_TIME)).isZero();
    }

    /** By a timer that jumped, and nobody could tell. */
    @Test
    void shouldNeverSayMoreThanAllTheTime() {
        hard(0, 7, 1_000_000, 86_420_000_000_000L);
        records.interrupt(SOFTIRQ_ENTRY, 1, 1_000_000, 3);
        records.interrupt(SOFTIRQ_EXIT, 1, 86_420_000_000_000L, 3);
        MetricSnapshot snapshot = fixture.closeAfter(5);
        assertThat(value(snapshot, InterruptMetrics.HARD_TIME)).isEqualTo(100);
        assertThat(value(snapshot, InterruptMetrics.SOFT_TIME)).isEqualTo(100);
        assertThat(value(snapshot, SoftInterrupt.NET_RX.time())).isEqualTo(100);
    }

    @Test
    void shouldGiveTheShareOfAllCpusWhenOneMoreCameOnline() {
        hard(0, 7, 1_000_000, 3_000_000);
        hard(1, 7, 1_000_000, 3_000_000);
        hard(5, 8, 1_000_000, 3_000_000);
        assertThat(value(fixture.closeAfter(5), InterruptMetrics.HARD_TIME))
                .isCloseTo(100 * 0.006 / (5 * 3), within(1e-12));
    }

    @Test
    void shouldSubtractTheHardInterruptWhenItBreaksIntoASoftOne() {
        records.interrupt(SOFTIRQ_ENTRY, 0, 1_000, 3);
        hard(0, 7, 2_000, 5_000);
        hard(0, 7, 6_000, 6_500);
        records.interrupt(SOFTIRQ_EXIT, 0, 11_000, 3);
        MetricSnapshot snapshot = fixture.closeAfter(5);
        assertThat(value(snapshot, InterruptMetrics.SOFT_HANDLER.max())).isEqualTo(6.5);
        assertThat(value(snapshot, InterruptMetrics.HARD_HANDLER.max())).isEqualTo(3.0);
        assertThat(value(snapshot, InterruptMetrics.SOFT_TIME)).isCloseTo(100 * 6.5e-6 / 10, within(1e-12));
        assertThat(value(snapshot, InterruptMetrics.HARD_TIME)).isCloseTo(100 * 3.5e-6 / 10, within(1e-12));
    }

    @Test
    void shouldNotSubtractWhenTheHardInterruptIsOnAnotherCpu() {
        records.interrupt(SOFTIRQ_ENTRY, 0, 1_000, 3);
        hard(1, 7, 2_000, 5_000);
        records.interrupt(SOFTIRQ_EXIT, 0, 11_000, 3);
        assertThat(value(fixture.closeAfter(5), InterruptMetrics.SOFT_HANDLER.max()))
                .isEqualTo(10.0);
    }

    @Test
    void shouldIgnoreTheExitWhenItsEntryWasBeforeTheSensor() {
        records.interrupt(IRQ_HANDLER_EXIT, 0, 5_000, 7);
        records.interrupt(SOFTIRQ_EXIT, 0, 6_000, 3);
        MetricSnapshot snapshot = fixture.closeAfter(5);
        assertThat(value(snapshot, InterruptMetrics.HARD_HANDLER.max())).isZero();
        assertThat(value(snapshot, InterruptMetrics.SOFT_HANDLER.max())).isZero();
        assertThat(fixture.summary.discards()).isEqualTo(new DiscardCounts(0, 0, 0, 0));
    }

    @Test
    void shouldDropOpenHandlersOfThatCpuWhenItLost() {
        records.interrupt(SOFTIRQ_ENTRY, 0, 0, 3);
        records.interrupt(IRQ_HANDLER_ENTRY, 0, 100, 7);
        records.interrupt(IRQ_HANDLER_ENTRY, 1, 100, 8);
        records.lost(0, 200, 2);
        records.interrupt(IRQ_HANDLER_EXIT, 0, 900_000, 7);
        records.interrupt(SOFTIRQ_EXIT, 0, 950_000, 3);
        records.interrupt(IRQ_HANDLER_EXIT, 1, 1_100, 8);
        MetricSnapshot snapshot = fixture.closeAfter(5);
        assertThat(value(snapshot, InterruptMetrics.HARD_HANDLER.max())).isEqualTo(1.0);
        assertThat(value(snapshot, InterruptMetrics.SOFT_HANDLER.max())).isZero();
        assertThat(fixture.summary.discards().lost()).isEqualTo(2);
    }

    @Test
    void shouldDiscardWhenEntryAndExitDoNotBelongTogether() {
        records.interrupt(IRQ_HANDLER_ENTRY, 0, 0, 7);
        records.interrupt(IRQ_HANDLER_EXIT, 0, 1_000, 8);
        records.interrupt(SOFTIRQ_ENTRY, 0, 2_000, 3);
        records.interrupt(SOFTIRQ_ENTRY, 0, 3_000, 4);
        records.interrupt(SOFTIRQ_EXIT, 0, 3_500, 4);
        MetricSnapshot snapshot = fixture.closeAfter(5);
        assertThat(value(snapshot, InterruptMetrics.HARD_HANDLER.max())).isZero();
        assertThat(value(snapshot, InterruptMetrics.SOFT_HANDLER.max())).isEqualTo(0.5);
        assertThat(fixture.summary.discards().unpaired()).isEqualTo(2);
    }

    private void hard(int cpu, int irq, long entry, long exit) {
        records.interrupt(IRQ_HANDLER_ENTRY, cpu, entry, irq);
        records.interrupt(IRQ_HANDLER_EXIT, cpu, exit, irq);
    }

    @Test
    void shouldTellKindsApartWhenSoftInterruptsRun() {
        int netRx = SoftInterrupt.NET_RX.vector();
        fixture.records.interrupt(SOFTIRQ_ENTRY, 0, 0, netRx);
        fixture.records.interrupt(SOFTIRQ_EXIT, 0, 30_000, netRx);
        fixture.records.interrupt(SOFTIRQ_ENTRY, 0, 40_000, SoftInterrupt.RCU.vector());
        fixture.records.interrupt(SOFTIRQ_EXIT, 0, 42_000, SoftInterrupt.RCU.vector());
        MetricSnapshot snapshot = fixture.closeAfter(1);
        assertThat(value(snapshot, SoftInterrupt.NET_RX.rate())).isEqualTo(1);
        assertThat(value(snapshot, SoftInterrupt.NET_RX.max())).isEqualTo(30);
        assertThat(value(snapshot, SoftInterrupt.NET_RX.time())).isEqualTo(100 * 30e-6 / 2);
        assertThat(value(snapshot, SoftInterrupt.RCU.max())).isEqualTo(2);
        assertThat(value(snapshot, SoftInterrupt.TIMER.rate())).isZero();
        assertThat(value(snapshot, InterruptMetrics.SOFT_RATE)).isEqualTo(2);
        assertThat(value(snapshot, InterruptMetrics.SOFT_BUCKETS.metrics().get(1)))
                .as("1 to 4 us")
                .isEqualTo(1);
        assertThat(value(snapshot, InterruptMetrics.SOFT_BUCKETS.metrics().get(3)))
                .as("16 to 64 us")
                .isEqualTo(1);
    }
}
