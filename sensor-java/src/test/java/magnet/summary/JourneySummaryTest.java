// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import static magnet.record.EventType.DEV_QUEUE_XMIT;
import static magnet.record.EventType.IP_SEND_SKB;
import static magnet.summary.RecordStream.TCP;
import static magnet.summary.RecordStream.UDP;
import static magnet.summary.SummaryFixture.values;
import static org.assertj.core.api.Assertions.assertThat;

import magnet.metric.Hop;
import magnet.metric.MetricSnapshot;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class JourneySummaryTest {
    private static final int TID = 42;
    private static final long COOKIE = 4711;

    private final SummaryFixture fixture = new SummaryFixture();
    private RecordStream records;

    @BeforeEach
    void setUp() {
        records = fixture.records;
    }

    @Test
    void shouldMeasureEachHopWhenACallGoesThrough() {
        send(TID, COOKIE, 1_000_000, 1_000, 20_000, 300_000);
        assertHops(1.0, 20.0, 300.0, 321.0);
    }

    @Test
    void shouldKeepCallsApartWhenThreadsAndSocketsMix() {
        records.socketSend(0, 100, 1, 7, 10, UDP);
        records.socketSend(1, 110, 2, 7, 10, UDP);
        records.socketSend(0, 120, 1, 8, 10, UDP);
        records.udpSend(1, 1_110, 2, 7, 10);
        records.udpSend(0, 2_120, 1, 8, 10);
        records.udpSend(0, 3_100, 1, 7, 10);
        MetricSnapshot snapshot = fixture.closeAfter(5);
        assertThat(values(snapshot, Hop.SOCKET_TO_UDP.metrics())).satisfies(times -> {
            assertThat(times.get(0)).isBetween(1.99, 2.01);
            assertThat(times.get(3)).isEqualTo(3.0);
        });
    }

    @Test
    void shouldForgetTheFirstCallWhenItFailedHalfWay() {
        records.socketSend(0, 0, TID, COOKIE, 10, UDP);
        records.udpSend(0, 500, TID, COOKIE, 10);
        send(TID, COOKIE, 9_000_000, 1_000, 2_000, 3_000);
        assertThat(values(fixture.closeAfter(5), Hop.UDP_TO_IP.metrics()).get(3))
                .isEqualTo(2.0);
    }

    @Test
    void shouldCountOnceWhenADatagramLeavesInFragments() {
        send(TID, COOKIE, 0, 1_000, 1_000, 1_000);
        records.packet(DEV_QUEUE_XMIT, 0, 900_000, TID, COOKIE, 100);
        records.packet(DEV_QUEUE_XMIT, 0, 990_000, TID, COOKIE, 100);
        assertHops(1.0, 1.0, 1.0, 3.0);
    }

    @Test
    void shouldMeasureWithoutTheSocketWhenTheKernelItselfSends() {
        records.udpSend(0, 1_000, TID, COOKIE, 10);
        records.packet(IP_SEND_SKB, 0, 3_000, TID, COOKIE, 38);
        records.packet(DEV_QUEUE_XMIT, 0, 6_000, TID, COOKIE, 52);
        assertHops(0, 2.0, 3.0, 0);
    }

    @Test
    void shouldStartNothingWhenTheSocketIsNotUdp() {
        records.socketSend(0, 0, TID, COOKIE, 10, TCP);
        records.packet(IP_SEND_SKB, 0, 10, TID, COOKIE, 10);
        records.packet(DEV_QUEUE_XMIT, 0, 20, TID, COOKIE, 10);
        assertHops(0, 0, 0, 0);
        assertThat(fixture.summary.discards()).isEqualTo(new DiscardCounts(0, 0, 0, 0));
    }

    @Test
    void shouldMeasureNothingAcrossWhenAnyCpuLost() {
        records.socketSend(0, 0, TID, COOKIE, 10, UDP);
        records.udpSend(0, 1_000, TID, COOKIE, 10);
        records.lost(1, 1_500, 3);
        records.packet(IP_SEND_SKB, 0, 900_000, TID, COOKIE, 38);
        records.packet(DEV_QUEUE_XMIT, 0, 950_000, TID, COOKIE, 52);
        assertHops(1.0, 0, 0, 0);
        assertThat(fixture.summary.discards().lost()).isOne();
    }

    @Test
    void shouldForgetTheJourneyWhenItsThreadEnds() {
        records.socketSend(0, 0, TID, COOKIE, 10, UDP);
        records.exit(0, 10, TID, true);
        records.udpSend(0, 900_000, TID, COOKIE, 10);
        assertHops(0, 0, 0, 0);
    }

    @Test
    void shouldClampAndCountWhenAHopIsNegative() {
        send(TID, COOKIE, 5_000, -1_000, 2_000, 3_000);
        assertHops(0, 2.0, 3.0, 4.0);
        assertThat(fixture.summary.discards().clamped()).isOne();
    }

    @Test
    void shouldCountEvictionsWhenMoreCallsAreOpenThanFit() {
        for (int i = 0; i < 100_000; i++) {
            records.socketSend(0, i, i + 1, COOKIE, 10, UDP);
        }
        fixture.closeAfter(5);
        assertThat(fixture.summary.discards().evicted()).isEqualTo(100_000 - 4_096);
    }

    private void send(int tid, long cookie, long begin, long toUdp, long toIp, long toDevice) {
        records.socketSend(0, begin, tid, cookie, 10, UDP);
        records.udpSend(0, begin + toUdp, tid, cookie, 10);
        records.packet(IP_SEND_SKB, 0, begin + toUdp + toIp, tid, cookie, 38);
        records.packet(DEV_QUEUE_XMIT, 0, begin + toUdp + toIp + toDevice, tid, cookie, 52);
    }

    private void assertHops(double socketToUdp, double udpToIp, double ipToDevice, double socketToDevice) {
        MetricSnapshot snapshot = fixture.closeAfter(5);
        assertThat(values(snapshot, Hop.SOCKET_TO_UDP.metrics())).containsOnly(socketToUdp);
        assertThat(values(snapshot, Hop.UDP_TO_IP.metrics())).containsOnly(udpToIp);
        assertThat(values(snapshot, Hop.IP_TO_DEVICE.metrics())).containsOnly(ipToDevice);
        assertThat(values(snapshot, Hop.SOCKET_TO_DEVICE.metrics())).containsOnly(socketToDevice);
    }
}
