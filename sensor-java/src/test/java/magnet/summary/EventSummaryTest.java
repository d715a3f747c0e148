// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import static magnet.record.EventType.BLOCK_RQ_COMPLETE;
import static magnet.record.EventType.BLOCK_RQ_ISSUE;
import static magnet.record.EventType.DEV_QUEUE_XMIT;
import static magnet.record.EventType.INET_SENDMSG;
import static magnet.record.EventType.IP_LOCAL_DELIVER;
import static magnet.record.EventType.IP_QUEUE_XMIT;
import static magnet.record.EventType.IP_SEND_SKB;
import static magnet.record.EventType.IRQ_HANDLER_ENTRY;
import static magnet.record.EventType.IRQ_HANDLER_EXIT;
import static magnet.record.EventType.NETIF_RECEIVE_SKB;
import static magnet.record.EventType.SKB_CONSUME_UDP;
import static magnet.record.EventType.SOFTIRQ_ENTRY;
import static magnet.record.EventType.SOFTIRQ_EXIT;
import static magnet.record.EventType.TCP_RCV;
import static magnet.record.EventType.TCP_SENDMSG;
import static magnet.record.EventType.UDP_ENQUEUE;
import static magnet.record.EventType.UDP_RCV;
import static magnet.summary.RecordStream.TCP;
import static magnet.summary.RecordStream.UDP;
import static magnet.summary.SummaryFixture.value;
import static magnet.summary.SummaryFixture.values;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import magnet.metric.Layer;
import magnet.metric.Metric;
import magnet.metric.MetricBound;
import magnet.metric.MetricGroup;
import magnet.metric.MetricSnapshot;
import magnet.metric.Metrics;
import magnet.metric.NetworkMetrics;
import magnet.metric.ProcessMetrics;
import magnet.metric.SensorMetrics;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class EventSummaryTest {
    private static final long DAY = 86_400_000_000_000L;

    private final SummaryFixture fixture = new SummaryFixture();
    private final RecordStream records = fixture.records;

    @Test
    void shouldGiveZeroEverywhereWhenNothingHappened() {
        MetricSnapshot snapshot = fixture.closeAfter(0);
        assertThat(snapshot.size()).isEqualTo(Metrics.ALL.size());
        for (int i = 0; i < snapshot.size(); i++) {
            assertThat(snapshot.value(i)).as(snapshot.metric(i).name()).isEqualTo(0.0);
        }
    }

    @Test
    void shouldCountWhatCameBeforeTheFirstWindowInNone() {
        packet(Layer.UDP_SEND, 1, 100);
        fixture.summary.begin(0);
        fixture.summary.use(Metrics.ALL, 0);
        assertThat(value(fixture.closeAfter(1), SensorMetrics.EVENTS)).isZero();
        packet(Layer.UDP_SEND, 2, 100);
        assertThat(value(fixture.closeAfter(1), SensorMetrics.EVENTS) * 2).isEqualTo(1);
        assertThat(fixture.summary.events()).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource
    void shouldGiveBackTheExactCountWhenRateIsTimesWindow(Layer layer) {
        for (int i = 0; i < 10_007; i++) {
            packet(layer, i, i % 1_400);
        }
        MetricSnapshot snapshot = fixture.closeAfter(1.234567891);
        double window =
                Double.parseDouble(String.format(java.util.Locale.ROOT, "%.6f", value(snapshot, SensorMetrics.WINDOW)));
        double rate =
                Double.parseDouble(String.format(java.util.Locale.ROOT, "%.6f", value(snapshot, layer.packets())));
        assertThat(rate * window).isCloseTo(10_007, within(0.5));
        long bytes = 0;
        for (int i = 0; i < 10_007; i++) {
            bytes += i % 1_400;
        }
        assertThat(value(snapshot, layer.bytes()) * snapshot.windowSeconds()).isCloseTo((double) bytes, within(1e-3));
        for (Layer other : Layer.values()) {
            if (other != layer) {
                assertThat(value(snapshot, other.packets())).isZero();
            }
        }
    }

    @Test
    void shouldDescribeTheTrailingWindowWhenSlotsMoveOn() {
        double[] lengths = {1, 5, 5, 5, 5, 5, 5};
        double[] windows = {1, 6, 11, 16, 21, 25, 25};
        for (int slot = 0; slot < lengths.length; slot++) {
            for (int i = 0; i < 100 * (slot + 1); i++) {
                records.exec(0, slot, 1);
            }
            MetricSnapshot snapshot = fixture.closeAfter(lengths[slot]);
            int expected = 0;
            for (int back = Math.max(0, slot - 4); back <= slot; back++) {
                expected += 100 * (back + 1);
            }
            assertThat(value(snapshot, SensorMetrics.WINDOW)).isEqualTo(windows[slot]);
            assertThat(value(snapshot, ProcessMetrics.EXECS)).isEqualTo(expected / windows[slot]);
        }
    }

    @Test
    void shouldMeasureInterArrivalOverAllCpusWhenDatagramsComeIn() {
        records.packet(UDP_RCV, 0, 1_000, 1, 0, 10);
        records.packet(UDP_RCV, 1, 3_000, 1, 0, 10);
        records.packet(UDP_RCV, 0, 9_000, 1, 0, 10);
        List<Double> times = values(fixture.closeAfter(5), NetworkMetrics.UDP_INTERARRIVAL);
        assertThat(times.get(0)).isBetween(1.99, 2.01);
        assertThat(times.get(2)).isEqualTo(6.0);
    }

    @Test
    void shouldMeasureNoInterArrivalAcrossBytesThatAreNoRecord() {
        records.packet(UDP_RCV, 0, 1_000, 1, 0, 10);
        fixture.summary.onGap(1);
        records.packet(UDP_RCV, 0, 900_000, 1, 0, 10);
        records.packet(UDP_RCV, 0, 900_500, 1, 0, 10);
        MetricSnapshot snapshot = fixture.closeAfter(5);
        assertThat(values(snapshot, NetworkMetrics.UDP_INTERARRIVAL)).containsOnly(0.5);
        assertThat(value(snapshot, SensorMetrics.LOST)).isZero();
    }

    @Test
    void shouldMeasureNoInterArrivalAcrossWhenEventsWereLost() {
        records.packet(UDP_RCV, 0, 1_000, 1, 0, 10);
        records.lost(1, 2_000, 9);
        records.packet(UDP_RCV, 0, 900_000, 1, 0, 10);
        records.packet(UDP_RCV, 0, 900_500, 1, 0, 10);
        assertThat(values(fixture.closeAfter(5), NetworkMetrics.UDP_INTERARRIVAL))
                .containsOnly(0.5);
    }

    @Test
    void shouldCountProcessesNotThreadsWhenTheyComeAndGo() {
        records.fork(0, 1, 10, 11, 11);
        records.fork(0, 2, 10, 12, 10);
        records.exec(0, 3, 11);
        records.exit(0, 4, 12, false);
        records.exit(0, 5, 11, true);
        MetricSnapshot snapshot = fixture.closeAfter(1);
        assertThat(value(snapshot, ProcessMetrics.FORKS)).isEqualTo(1);
        assertThat(value(snapshot, ProcessMetrics.EXECS)).isEqualTo(1);
        assertThat(value(snapshot, ProcessMetrics.EXITS)).isEqualTo(1);
    }

    @Test
    void shouldCountByCpuAndIdWhenEventsAreKnownOrNot() {
        records.exec(0, 1, 1);
        records.exec(1, 2, 1);
        records.dynamic(1, 3, 0x417);
        records.packet(UDP_ENQUEUE, 70, 4, 1, 5, 10);
        records.clock(0, 5, 5);
        records.lost(0, 6, 40);
        records.storm(1, 7, 2);
        MetricSnapshot snapshot = fixture.closeAfter(2);
        assertThat(fixture.summary.events()).isEqualTo(4);
        assertThat(fixture.summary.eventsByCpu()).isEqualTo(Map.of(0, 1L, 1, 2L, 70, 1L));
        assertThat(fixture.summary.eventsById()).isEqualTo(Map.of(0x121, 2L, 0x417, 1L, 0x061, 1L));
        assertThat(fixture.summary.events(1, 0x417)).isEqualTo(1);
        assertThat(fixture.summary.events(0, 0x417)).isZero();
        assertThat(fixture.summary.events(900, 0x417)).isZero();
        assertThat(fixture.summary.lost()).isEqualTo(42);
        assertThat(fixture.summary.lostByCpu()).isEqualTo(Map.of(0, 40L, 1, 2L));
        assertThat(value(snapshot, SensorMetrics.LOSSY)).isEqualTo(1);
        assertThat(value(snapshot, SensorMetrics.EVENTS)).isEqualTo(2);
        assertThat(value(snapshot, SensorMetrics.LOST)).isEqualTo(21);
    }

    @Test
    void shouldMarkNoWindowForAJumpBeforeTheFirstOne() {
        fixture.summary.onNewEpoch(2);
        fixture.summary.begin(0);
        assertThat(fixture.summary.jumps()).isZero();
        assertThat(value(fixture.closeAfter(1), SensorMetrics.LOSSY)).isZero();
    }

    /** What was open is thrown away, as where events were lost: what is below a bound is not to be believed. */
    @Test
    void shouldMarkTheWindowInWhichTheTimerJumped() {
        fixture.summary.onNewEpoch(2);
        MetricSnapshot marked = fixture.closeAfter(1);
        assertThat(value(marked, SensorMetrics.LOSSY)).isEqualTo(1);
        assertThat(value(marked, SensorMetrics.LOST)).isZero();
        assertThat(fixture.summary.jumps()).isEqualTo(1);
        MetricBound below = new MetricBound(SensorMetrics.LAG, false, 1_000);
        assertThat(below.holds(marked, false)).isFalse();
        for (int slot = 1; slot < SummaryFixture.SLOTS; slot++) {
            assertThat(value(fixture.closeAfter(1), SensorMetrics.LOSSY)).isEqualTo(1);
        }
        MetricSnapshot after = fixture.closeAfter(1);
        assertThat(value(after, SensorMetrics.LOSSY)).isZero();
        assertThat(below.holds(after, false)).isTrue();
    }

    /** A machine that was up for a day wakes up, and its timer begins anew. */
    @Test
    void shouldReckonTheLagByTheNewEpochAlone() {
        records.exec(0, DAY, 1);
        fixture.summary.noteLag(DAY + 9_000);
        assertThat(value(fixture.closeAfter(1), SensorMetrics.LAG)).isEqualTo(9);
        newEpoch();
        fixture.summary.noteLag(Long.MAX_VALUE / 2);
        assertThat(value(fixture.closeAfter(1), SensorMetrics.LAG))
                .as("of the new epoch there is no event")
                .isEqualTo(9);
        records.exec(0, 900, 1);
        fixture.summary.noteLag(2 * DAY);
        assertThat(value(fixture.closeAfter(1), SensorMetrics.LAG))
                .as("when it happened is known when the new epoch's clock is")
                .isEqualTo(9);
        fixture.clockModel.update(1_000, 0, DAY + 1_000, 1);
        records.clock(0, 1_000, DAY + 1_000);
        records.exec(0, 2_000, 1);
        fixture.summary.noteLag(DAY + 2_000 + 77_000);
        assertThat(value(fixture.closeAfter(1), SensorMetrics.LAG)).isEqualTo(77);
    }

    /** Every interval that was open is dropped: its end is of another timer. */
    @Test
    void shouldMeasureNothingAcrossANewEpoch() {
        List<Metric> times = Metrics.ALL.stream()
                .filter(metric -> metric.group() != MetricGroup.SENSOR)
                .filter(metric -> metric.unit().equals("us") || metric.unit().equals("%"))
                .toList();
        assertThat(times).hasSizeGreaterThan(20);
        begins(DAY);
        ends(DAY + 1_000);
        MetricSnapshot within = fixture.closeAfter(1);
        assertThat(times)
                .as("these intervals are measured")
                .filteredOn(each -> value(within, each) > 0)
                .hasSizeGreaterThan(10);
        begins(DAY + 2_000);
        for (int slot = 0; slot < SummaryFixture.SLOTS; slot++) {
            fixture.closeAfter(1);
        }
        newEpoch();
        ends(1_000);
        MetricSnapshot across = fixture.closeAfter(1);
        assertThat(times)
                .allSatisfy(
                        each -> assertThat(value(across, each)).as(each.name()).isZero());
        assertThat(value(across, SensorMetrics.DISCARDED)).isPositive();
        assertThat(fixture.summary.discards().clamped()).isZero();
        begins(2_000);
        ends(3_000);
        MetricSnapshot after = fixture.closeAfter(1);
        assertThat(times)
                .allSatisfy(each -> assertThat(value(after, each))
                        .as(each.name())
                        .isBetween(0.0, each.unit().equals("%") ? 100.0 : 1_000.0));
    }

    private void newEpoch() {
        fixture.summary.onNewEpoch(2);
    }

    private void begins(long timer) {
        records.interrupt(SOFTIRQ_ENTRY, 0, timer, 3);
        records.interrupt(IRQ_HANDLER_ENTRY, 1, timer, 7);
        records.wakeup(0, timer, 5, 6);
        records.switchTo(0, timer, 0, 1, 5);
        records.switchTo(1, timer, 8, 1, 0);
        records.packet(UDP_RCV, 0, timer, 1, 0, 10);
        records.socketSend(0, timer, 5, 77, 100, UDP);
        records.arrives(NETIF_RECEIVE_SKB, 1, timer, 0x77);
        records.sysEnter(0, timer, 5, 1, false);
        records.block(BLOCK_RQ_ISSUE, 0, timer, 99, 0, 512, 0);
        records.reclaimBegin(1, timer, 5);
    }

    private void ends(long timer) {
        records.interrupt(SOFTIRQ_EXIT, 0, timer, 3);
        records.interrupt(IRQ_HANDLER_EXIT, 1, timer, 7);
        records.switchTo(0, timer, 5, 1, 6);
        records.switchTo(1, timer, 0, 1, 8);
        records.packet(UDP_RCV, 1, timer, 1, 0, 10);
        records.udpSend(0, timer, 5, 77, 100);
        records.arrives(IP_LOCAL_DELIVER, 1, timer, 0x77);
        records.arrives(UDP_RCV, 1, timer, 0x77);
        records.sysExit(0, timer, 5, 1, 0);
        records.block(BLOCK_RQ_COMPLETE, 0, timer, 99, 0, 512, 0);
        records.reclaimEnd(1, timer, 5, 32);
    }

    @Test
    void shouldGiveTheLagWhenTimersAreTicksAndTheClockDrifts() {
        SummaryFixture ticks = new SummaryFixture(2_000_000);
        ticks.records.exec(0, 2_000_000, 1);
        ticks.summary.noteLag(1_250_000);
        assertThat(value(ticks.closeAfter(1), SensorMetrics.LAG)).isEqualTo(250.0);
        ticks.clockModel.update(4_000_000, 0, 3_000_000);
        ticks.records.exec(0, 4_200_000, 1);
        ticks.summary.noteLag(3_100_000 + 777_000);
        assertThat(value(ticks.closeAfter(1), SensorMetrics.LAG)).isEqualTo(777.0);
    }

    @Test
    void shouldMarkAnIntervalWithLossesAsLongAsItIsInTheWindow() {
        records.lost(71, 1, 5);
        records.lost(0, 2, 5);
        assertThat(value(fixture.closeAfter(1), SensorMetrics.LOSSY)).isEqualTo(1);
        assertThat(fixture.summary.lostByCpu()).isEqualTo(Map.of(0, 5L, 71, 5L));
        assertThat(value(fixture.closeAfter(1), SensorMetrics.LOSSY)).isEqualTo(1);
        records.lost(0, 3, 1);
        assertThat(value(fixture.closeAfter(1), SensorMetrics.LOSSY)).isEqualTo(2);
        for (int left = 4; left > 0; left--) {
            assertThat(value(fixture.closeAfter(1), SensorMetrics.LOSSY)).isEqualTo(left > 2 ? 2 : 1);
        }
        assertThat(value(fixture.closeAfter(1), SensorMetrics.LOSSY)).isZero();
    }

    @Test
    void shouldGiveTheLongestCycleAndClosingOfTheWindow() {
        fixture.summary.noteCycle(7_500);
        fixture.summary.noteCycle(500);
        fixture.summary.noteAway(8_000);
        fixture.summary.noteAway(3_000);
        fixture.summary.noteClosing(9_000);
        MetricSnapshot snapshot = fixture.closeAfter(1);
        assertThat(value(snapshot, SensorMetrics.CYCLE)).isEqualTo(7.5);
        assertThat(value(snapshot, SensorMetrics.AWAY)).isEqualTo(8);
        assertThat(value(snapshot, SensorMetrics.CLOSING)).isEqualTo(9);
    }

    @ParameterizedTest
    @MethodSource
    void shouldGiveWhatCameInTheWindowWhenItIsCountedSinceStart(Metric ofReading) {
        fixture.summary.noteTotal(ofReading, 10);
        assertThat(value(fixture.closeAfter(1), ofReading)).isEqualTo(10);
        fixture.summary.noteTotal(ofReading, 13);
        MetricSnapshot snapshot = fixture.closeAfter(1);
        assertThat(value(snapshot, ofReading)).isEqualTo(6.5);
        assertThat(SensorMetrics.OF_READING)
                .filteredOn(other -> !other.equals(ofReading))
                .allSatisfy(other -> assertThat(value(snapshot, other)).isZero());
    }

    static List<Metric> shouldGiveWhatCameInTheWindowWhenItIsCountedSinceStart() {
        return SensorMetrics.OF_READING;
    }

    @Test
    void shouldGiveOnlyWhatIsAskedForWhenMetricsAreOff() {
        records.exec(0, 1, 1);
        List<Metric> wanted = List.of(ProcessMetrics.EXECS, SensorMetrics.CPU);
        MetricSnapshot snapshot = fixture.summary.closeWindow(
                1_000_000_000, Instant.EPOCH, wanted, others -> others.put(SensorMetrics.CPU, 3));
        assertThat(snapshot.size()).isEqualTo(2);
        assertThat(value(snapshot, ProcessMetrics.EXECS)).isEqualTo(1);
        assertThat(value(snapshot, SensorMetrics.CPU)).isEqualTo(3);
        assertThat(snapshot.value(ProcessMetrics.FORKS)).isEmpty();
    }

    @Test
    void shouldAllocateNothingWhenRecordsPass() {
        // Long enough for the compiler, which allocates a little on this thread when it exchanges what it compiled.
        for (int round = 0; round < 5; round++) {
            allocatedBy(round);
        }
        // It may be late; what records need they need in each round.
        long least = Long.MAX_VALUE;
        for (int round = 5; round < 20 && least > 0; round++) {
            least = Math.min(least, allocatedBy(round));
        }
        assertThat(least).isZero();
    }

    private long allocatedBy(int round) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        long overhead = threads.getCurrentThreadAllocatedBytes() - before;
        before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 2_000 * round; i < 2_000 * (round + 1); i++) {
            everyKind(i * 1_000_000L);
        }
        return threads.getCurrentThreadAllocatedBytes() - before - overhead;
    }

    private void everyKind(long from) {
        for (int cpu = 0; cpu < 2; cpu++) {
            long timer = from + cpu;
            records.socketSend(cpu, timer, 5, 77, 100, UDP);
            records.udpSend(cpu, timer + 10, 5, 77, 100);
            records.packet(IP_SEND_SKB, cpu, timer + 20, 5, 77, 128);
            records.packet(DEV_QUEUE_XMIT, cpu, timer + 30, 5, 77, 142);
            records.packet(NETIF_RECEIVE_SKB, cpu, timer + 40, 5, 0, 142);
            records.packet(IP_LOCAL_DELIVER, cpu, timer + 50, 5, 0, 128);
            records.packet(UDP_RCV, cpu, timer + 60, 5, 0, 108);
            records.packet(SKB_CONSUME_UDP, cpu, timer + 70, 6, 78, 100);
            records.wakeup(cpu, timer + 80, 5, 6);
            records.switchTo(cpu, timer + 90, 5, 1, 6);
            records.switchTo(cpu, timer + 100, 6, 0, 0);
            records.switchTo(cpu, timer + 110, 0, 0, 5);
            records.interrupt(SOFTIRQ_ENTRY, cpu, timer + 120, 3);
            records.interrupt(IRQ_HANDLER_ENTRY, cpu, timer + 130, 7);
            records.interrupt(IRQ_HANDLER_EXIT, cpu, timer + 140, 7);
            records.interrupt(SOFTIRQ_EXIT, cpu, timer + 150, 3);
            records.fork(cpu, timer + 160, 5, 9, 9);
            records.exec(cpu, timer + 170, 9);
            records.exit(cpu, timer + 180, 9, true);
            everyOtherKind(cpu, timer + 181);
            records.clock(cpu, timer + 190, timer + 190);
            records.lost(cpu, timer + 200, 1);
            records.dynamic(cpu, timer + 210, 0x400);
        }
    }

    private void everyOtherKind(int cpu, long timer) {
        records.sock(INET_SENDMSG, cpu, timer, 5, 79, 10, TCP);
        records.sock(TCP_SENDMSG, cpu, timer, 5, 79, 10, TCP);
        records.packet(IP_QUEUE_XMIT, cpu, timer, 5, 79, 10);
        records.packet(DEV_QUEUE_XMIT, cpu, timer, 5, 79, 10);
        records.packet(TCP_RCV, cpu, timer, 5, 0, 10);
        records.arrives(UDP_ENQUEUE, cpu, timer, 0x77);
        records.drop(cpu, timer, 3);
        records.sysEnter(cpu, timer, 5, 1, false);
        records.sysExit(cpu, timer + 1, 5, 1, -11);
        records.block(BLOCK_RQ_ISSUE, cpu, timer, 99, 0, 512, 0);
        records.block(BLOCK_RQ_COMPLETE, cpu, timer + 1, 99, 0, 512, 0);
        records.fault(cpu, timer, 7);
        records.majorFault(cpu, timer, 5_000);
        records.reclaimBegin(cpu, timer, 5);
        records.reclaimEnd(cpu, timer + 1, 5, 32);
        records.marker(cpu, timer, 4);
    }

    private void packet(Layer layer, long timer, int length) {
        switch (layer) {
            case SOCKET_SEND -> records.socketSend(0, timer, 1, 2, length, UDP);
            case UDP_SEND -> records.udpSend(0, timer, 1, 2, length);
            case TCP_SEND, TCP_SOCKET_RECEIVE -> records.sock(layer.event(), 0, timer, 1, 2, length, TCP);
            default -> records.packet(layer.event(), 0, timer, 1, 2, length);
        }
    }

    @Test
    void shouldMeasureRatesOverTheirOwnWindowWhenSwitchedOnUnderWay() {
        SummaryFixture late = new SummaryFixture();
        late.summary.use(List.of(ProcessMetrics.EXECS), 0);
        for (int second = 1; second <= 3; second++) {
            late.records.exec(0, second, 1);
            late.closeAfter(1);
        }
        EventSummary.Preparation preparation = late.summary.preparation();
        List<Metric> more = List.of(ProcessMetrics.EXECS, NetworkMetrics.TCP_RETRANSMITS);
        CompletableFuture.runAsync(() -> preparation.make(more)).join();
        late.summary.use(more, preparation, 3_000_000_000L);
        late.records.exec(0, 4, 1);
        late.records.retransmit(0, 5, 1);
        late.records.retransmit(0, 6, 1);
        MetricSnapshot snapshot = late.closeAfter(2);
        assertThat(value(snapshot, SensorMetrics.WINDOW)).isEqualTo(5);
        assertThat(value(snapshot, ProcessMetrics.EXECS))
                .as("no gap in what goes on")
                .isEqualTo(4.0 / 5);
        assertThat(value(snapshot, NetworkMetrics.TCP_RETRANSMITS)).isEqualTo(2.0 / 2);
        late.summary.use(List.of(NetworkMetrics.TCP_RETRANSMITS), 5_000_000_000L);
        late.records.exec(0, 7, 1);
        assertThat(value(late.closeAfter(1), ProcessMetrics.EXECS))
                .as("nobody counts it")
                .isZero();
    }
}
