// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import static magnet.summary.SummaryFixture.value;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Set;
import magnet.metric.GmondMetrics;
import magnet.metric.Metric;
import magnet.metric.MetricSnapshot;
import magnet.metric.Replacement;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DeviceTrafficTest {
    private static final long OWN = 4_026_531_840L;
    private static final long OTHER = 4_026_532_000L;
    private static final int LOOPBACK = 1;
    private static final int ETHERNET = 2;
    private static final List<Metric> METRICS = Replacement.NETWORK.metrics();

    private final SummaryFixture fixture = new SummaryFixture();
    private final RecordStream records = fixture.records;
    private long nowNanos;

    @BeforeEach
    void use() {
        fixture.machine.network = new Machine.NetworkNamespace(OWN, Set.of(LOOPBACK));
        fixture.summary.use(METRICS, 0);
    }

    private MetricSnapshot close(int seconds) {
        nowNanos += seconds * 1_000_000_000L;
        return fixture.summary.closeWindow(nowNanos, Instant.EPOCH, METRICS, snapshot -> {});
    }

    private static List<Double> values(MetricSnapshot snapshot) {
        return List.of(
                value(snapshot, GmondMetrics.BYTES_IN),
                value(snapshot, GmondMetrics.PACKETS_IN),
                value(snapshot, GmondMetrics.BYTES_OUT),
                value(snapshot, GmondMetrics.PACKETS_OUT));
    }

    @Test
    void shouldCountBothDirectionsWhenADeviceCarriesPackets() {
        records.receives(0, 1, OWN, ETHERNET, 1_514).receives(1, 2, OWN, ETHERNET, 60);
        records.sends(0, 3, OWN, ETHERNET, 98, 0).sends(0, 4, OWN, 7, 102, 0).sends(1, 5, OWN, ETHERNET, 100, 0);
        assertThat(values(close(2))).containsExactly(787.0, 1.0, 150.0, 1.5);
    }

    @Test
    void shouldCountOnlyItsOwnNamespaceWhenContainersHaveTheirs() {
        records.receives(0, 1, OTHER, ETHERNET, 1_514).sends(0, 2, OTHER, ETHERNET, 98, 0);
        records.receives(0, 3, OWN, ETHERNET, 100);
        assertThat(values(close(1))).containsExactly(100.0, 1.0, 0.0, 0.0);
    }

    @Test
    void shouldLeaveOutTheLoopbackAndWhatAnotherDeviceCarriesToo() {
        records.receives(0, 1, OWN, LOOPBACK, 100).sends(0, 2, OWN, LOOPBACK, 100, 0);
        assertThat(values(close(1))).containsOnly(0.0);
        fixture.machine.network = new Machine.NetworkNamespace(OWN, Set.of(LOOPBACK, 9, 5));
        close(1);
        records.receives(0, 3, OWN, 5, 100).receives(0, 4, OWN, 9, 100).receives(0, 5, OWN, 6, 50);
        assertThat(value(close(1), GmondMetrics.BYTES_IN)).isEqualTo(50.0 / 3);
    }

    @Test
    void shouldNotCountWhatTheDriverDidNotTake() {
        records.sends(0, 1, OWN, ETHERNET, 100, 16).sends(0, 2, OWN, ETHERNET, 100, 0);
        assertThat(values(close(1))).containsExactly(0.0, 0.0, 100.0, 1.0);
    }

    /** As a VLAN counts itself: the device below it queued the packet, and says that its queue is nearly full. */
    @Test
    void shouldCountWhatTheDriverTookWithAWarning() {
        records.sends(0, 1, OWN, ETHERNET, 100, 2).sends(0, 2, OWN, ETHERNET, 100, 1);
        assertThat(values(close(1))).containsExactly(0.0, 0.0, 100.0, 1.0);
    }
}
