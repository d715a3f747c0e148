// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import static magnet.record.EventType.DEV_QUEUE_XMIT;
import static magnet.record.EventType.INET_SENDMSG;
import static magnet.record.EventType.IP_QUEUE_XMIT;
import static magnet.record.EventType.TCP_SENDMSG;
import static magnet.summary.RecordStream.TCP;
import static magnet.summary.SummaryFixture.value;
import static org.assertj.core.api.Assertions.assertThat;

import magnet.metric.Hop;
import magnet.metric.MetricSnapshot;
import org.junit.jupiter.api.Test;

class TcpSendJourneyTest {
    private final SummaryFixture fixture = new SummaryFixture();
    private final RecordStream records = fixture.records;

    @Test
    void shouldMeasureEveryHopWhenTheFirstSegmentLeavesAtOnce() {
        calls(0, 5, 7);
        records.packet(IP_QUEUE_XMIT, 0, 3_000, 5, 7, 10);
        records.packet(DEV_QUEUE_XMIT, 0, 6_000, 5, 7, 10);
        records.packet(IP_QUEUE_XMIT, 0, 90_000, 5, 7, 10);
        records.packet(DEV_QUEUE_XMIT, 0, 99_000, 5, 7, 10);
        MetricSnapshot snapshot = fixture.closeAfter(1);
        assertMax(snapshot, Hop.TCP_SEND_SOCKET_TO_TCP, 1);
        assertMax(snapshot, Hop.TCP_SEND_TCP_TO_IP, 2);
        assertMax(snapshot, Hop.TCP_SEND_IP_TO_DEVICE, 3);
        assertMax(snapshot, Hop.TCP_SEND_SOCKET_TO_DEVICE, 6);
        assertMax(snapshot, Hop.SOCKET_TO_DEVICE, 0);
    }

    @Test
    void shouldMeasureOnlyTheCallWhenTheSegmentLeavesInAnotherContext() {
        calls(0, 5, 7);
        records.packet(IP_QUEUE_XMIT, 0, 3_000, 0, 7, 10);
        records.packet(DEV_QUEUE_XMIT, 0, 6_000, 0, 7, 10);
        MetricSnapshot snapshot = fixture.closeAfter(1);
        assertMax(snapshot, Hop.TCP_SEND_SOCKET_TO_TCP, 1);
        assertMax(snapshot, Hop.TCP_SEND_TCP_TO_IP, 0);
        assertMax(snapshot, Hop.TCP_SEND_SOCKET_TO_DEVICE, 0);
    }

    /** What Nagle's algorithm held back left with an acknowledgement; then the thread closes the socket. */
    @Test
    void shouldNotTakeTheThreadsNextSegmentForThatOfItsData() {
        calls(0, 5, 7);
        records.packet(IP_QUEUE_XMIT, 0, 3_000, 0, 7, 10);
        records.packet(DEV_QUEUE_XMIT, 0, 6_000, 0, 7, 10);
        records.packet(IP_QUEUE_XMIT, 0, 2_000_000, 5, 7, 10);
        records.packet(DEV_QUEUE_XMIT, 0, 2_001_000, 5, 7, 10);
        MetricSnapshot snapshot = fixture.closeAfter(1);
        assertMax(snapshot, Hop.TCP_SEND_SOCKET_TO_TCP, 1);
        assertMax(snapshot, Hop.TCP_SEND_TCP_TO_IP, 0);
        assertMax(snapshot, Hop.TCP_SEND_IP_TO_DEVICE, 0);
        assertMax(snapshot, Hop.TCP_SEND_SOCKET_TO_DEVICE, 0);
    }

    @Test
    void shouldKeepSocketsOfAThreadApart() {
        calls(0, 5, 7);
        calls(2_000, 5, 8);
        records.packet(IP_QUEUE_XMIT, 0, 8_000, 5, 8, 10);
        records.packet(IP_QUEUE_XMIT, 0, 20_000, 5, 7, 10);
        MetricSnapshot snapshot = fixture.closeAfter(1);
        assertMax(snapshot, Hop.TCP_SEND_TCP_TO_IP, 19);
    }

    @Test
    void shouldForgetTheJourneysOfAThreadThatEnds() {
        calls(0, 5, 7);
        calls(0, 6, 8);
        records.exit(0, 2_000, 5, false);
        records.packet(IP_QUEUE_XMIT, 0, 90_000, 5, 7, 10);
        records.packet(IP_QUEUE_XMIT, 0, 4_000, 6, 8, 10);
        MetricSnapshot snapshot = fixture.closeAfter(1);
        assertMax(snapshot, Hop.TCP_SEND_TCP_TO_IP, 3);
    }

    /** Takes 1 us from the socket to TCP. */
    private void calls(long timer, int tid, long cookie) {
        records.sock(INET_SENDMSG, 0, timer, tid, cookie, 10, TCP);
        records.sock(TCP_SENDMSG, 0, timer + 1_000, tid, cookie, 10, TCP);
    }

    private static void assertMax(MetricSnapshot snapshot, Hop hop, double micros) {
        assertThat(value(snapshot, hop.metrics().max())).as(hop.name()).isEqualTo(micros);
    }
}
