// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import static magnet.record.EventType.TCP_RCV;
import static magnet.summary.SummaryFixture.value;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import magnet.metric.DropReason;
import magnet.metric.MetricSnapshot;
import magnet.metric.Metrics;
import magnet.metric.NetworkMetrics;
import org.junit.jupiter.api.Test;

class NetworkSummaryTest {
    private final SummaryFixture fixture = new SummaryFixture();
    private final RecordStream records = fixture.records;

    @Test
    void shouldSortDropsByTheKernelsNamesWhenTheyAreKnown() {
        fixture.machine.reasons.put(2, "NOT_SPECIFIED");
        fixture.machine.reasons.put(3, "NO_SOCKET");
        fixture.machine.reasons.put(5, "TCP_CSUM");
        fixture.machine.reasons.put(6, "SOCKET_RCVBUFF");
        fixture.machine.reasons.put(9, "TCP_OLD_DATA");
        fixture.machine.reasons.put(70, "NEVER_HEARD_OF");
        fixture.summary.use(List.of(), 0);
        fixture.summary.use(Metrics.ALL, 0);
        for (int reason : new int[] {2, 3, 3, 5, 6, 9, 70, 71, 5_000}) {
            records.drop(0, 1, reason);
        }
        MetricSnapshot snapshot = fixture.closeAfter(1);
        assertThat(value(snapshot, NetworkMetrics.DROPS)).isEqualTo(9);
        assertThat(value(snapshot, DropReason.UNSPECIFIED.metric())).isEqualTo(1);
        assertThat(value(snapshot, DropReason.NO_SOCKET.metric())).isEqualTo(2);
        assertThat(value(snapshot, DropReason.CHECKSUM.metric())).isEqualTo(1);
        assertThat(value(snapshot, DropReason.SOCKET_BUFFER.metric())).isEqualTo(1);
        assertThat(value(snapshot, DropReason.TCP.metric())).isEqualTo(1);
        assertThat(value(snapshot, DropReason.OTHER.metric())).isEqualTo(3);
    }

    @Test
    void shouldTellNoReasonWhenReasonsHaveNoNames() {
        records.drop(0, 1, 3);
        MetricSnapshot snapshot = fixture.closeAfter(1);
        assertThat(value(snapshot, NetworkMetrics.DROPS)).isEqualTo(1);
        assertThat(value(snapshot, DropReason.OTHER.metric())).isZero();
    }

    @Test
    void shouldCountRetransmitsAndRefusalsWhenTheyHappen() {
        records.retransmit(0, 1, 1);
        records.retransmit(0, 1, 3);
        records.driver(0, 2, 0);
        records.driver(0, 3, 16);
        records.driver(0, 4, 2);
        MetricSnapshot snapshot = fixture.closeAfter(1);
        assertThat(value(snapshot, NetworkMetrics.TCP_RETRANSMITS)).isEqualTo(4);
        assertThat(value(snapshot, NetworkMetrics.DRIVER_REFUSALS)).isEqualTo(1);
    }

    @Test
    void shouldMeasureArrivalsOfTcpApartWhenBothComeIn() {
        records.packet(TCP_RCV, 0, 1_000, 1, 0, 10);
        records.packet(TCP_RCV, 1, 8_000, 1, 0, 10);
        MetricSnapshot snapshot = fixture.closeAfter(1);
        assertThat(value(snapshot, NetworkMetrics.TCP_INTERARRIVAL.max())).isEqualTo(7);
        assertThat(value(snapshot, NetworkMetrics.UDP_INTERARRIVAL.max())).isZero();
    }
}
