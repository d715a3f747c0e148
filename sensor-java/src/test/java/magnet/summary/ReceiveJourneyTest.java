// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import static magnet.record.EventType.IP_LOCAL_DELIVER;
import static magnet.record.EventType.NETIF_RECEIVE_SKB;
import static magnet.record.EventType.SKB_CONSUME_UDP;
import static magnet.record.EventType.TCP_RCV;
import static magnet.record.EventType.TCP_RCV_ESTABLISHED;
import static magnet.record.EventType.UDP_ENQUEUE;
import static magnet.record.EventType.UDP_RCV;
import static magnet.summary.SummaryFixture.value;
import static org.assertj.core.api.Assertions.assertThat;

import magnet.metric.Hop;
import magnet.metric.JourneyMetrics;
import magnet.metric.MetricSnapshot;
import magnet.record.EventType;
import org.junit.jupiter.api.Test;

class ReceiveJourneyTest {
    private final SummaryFixture fixture = new SummaryFixture();
    private final RecordStream records = fixture.records;

    @Test
    void shouldMeasureEveryHopWhenADatagramAndASegmentComeInTogether() {
        comes(NETIF_RECEIVE_SKB, 0, 1);
        comes(NETIF_RECEIVE_SKB, 100, 2);
        comes(IP_LOCAL_DELIVER, 1_000, 1);
        comes(IP_LOCAL_DELIVER, 5_100, 2);
        comes(UDP_RCV, 3_000, 1);
        comes(TCP_RCV, 11_100, 2);
        comes(UDP_ENQUEUE, 6_000, 1);
        comes(TCP_RCV_ESTABLISHED, 18_100, 2);
        comes(SKB_CONSUME_UDP, 66_000, 1);
        MetricSnapshot snapshot = fixture.closeAfter(1);
        assertMax(snapshot, Hop.UDP_RECEIVE_DEVICE_TO_IP, 1);
        assertMax(snapshot, Hop.UDP_RECEIVE_IP_TO_UDP, 2);
        assertMax(snapshot, Hop.UDP_RECEIVE_UDP_TO_QUEUE, 3);
        assertMax(snapshot, Hop.UDP_RECEIVE_QUEUE_TO_PROGRAM, 60);
        assertMax(snapshot, Hop.UDP_RECEIVE_DEVICE_TO_PROGRAM, 66);
        assertMax(snapshot, Hop.TCP_RECEIVE_DEVICE_TO_IP, 5);
        assertMax(snapshot, Hop.TCP_RECEIVE_IP_TO_TCP, 6);
        assertMax(snapshot, Hop.TCP_RECEIVE_TCP_TO_CONNECTION, 7);
        assertMax(snapshot, Hop.TCP_RECEIVE_DEVICE_TO_CONNECTION, 18);
        assertThat(value(snapshot, JourneyMetrics.UDP_RECEIVE_BUCKETS.metrics().get(3)))
                .as("64 to 256 us")
                .isEqualTo(1);
    }

    @Test
    void shouldMeasureNothingWhenTheBufferIsUsedAgain() {
        comes(NETIF_RECEIVE_SKB, 0, 1);
        comes(IP_LOCAL_DELIVER, 1_000, 1);
        comes(NETIF_RECEIVE_SKB, 900_000, 1);
        comes(UDP_RCV, 901_000, 1);
        comes(UDP_ENQUEUE, 902_000, 1);
        comes(SKB_CONSUME_UDP, 903_000, 1);
        MetricSnapshot snapshot = fixture.closeAfter(1);
        assertMax(snapshot, Hop.UDP_RECEIVE_IP_TO_UDP, 0);
        assertMax(snapshot, Hop.UDP_RECEIVE_DEVICE_TO_PROGRAM, 0);
    }

    @Test
    void shouldMeasureNothingAcrossWhenEventsWereLost() {
        comes(NETIF_RECEIVE_SKB, 0, 1);
        records.lost(1, 10, 1);
        comes(IP_LOCAL_DELIVER, 1_000, 1);
        comes(UDP_RCV, 2_000, 1);
        MetricSnapshot snapshot = fixture.closeAfter(1);
        assertMax(snapshot, Hop.UDP_RECEIVE_IP_TO_UDP, 0);
        assertThat(fixture.summary.discards().lost()).isEqualTo(1);
    }

    /** A program that fetches nothing: its datagrams would have had a time, and a long one. */
    @Test
    void shouldCountDatagramsThatGiveWayWhileTheyWaitForTheirProgram() {
        int datagrams = 40_000;
        for (int packet = 1; packet <= datagrams; packet++) {
            long timer = packet * 10_000L;
            comes(NETIF_RECEIVE_SKB, timer, packet);
            comes(IP_LOCAL_DELIVER, timer + 1_000, packet);
            comes(UDP_RCV, timer + 2_000, packet);
            comes(UDP_ENQUEUE, timer + 3_000, packet);
        }
        fixture.closeAfter(1);
        assertThat(fixture.summary.discards().evicted()).isBetween(datagrams - 8_192L, datagrams - 1_000L);
    }

    private void comes(EventType type, long timer, long packet) {
        records.arrives(type, 0, timer, packet);
    }

    private static void assertMax(MetricSnapshot snapshot, Hop hop, double micros) {
        assertThat(value(snapshot, hop.metrics().max())).as(hop.name()).isEqualTo(micros);
    }
}
