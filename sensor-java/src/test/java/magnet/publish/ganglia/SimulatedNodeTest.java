// SPDX-License-Identifier: Apache-2.0
package magnet.publish.ganglia;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import magnet.metric.Metric;
import magnet.metric.Metrics;
import magnet.metric.ValueType;
import org.junit.jupiter.api.Test;

class SimulatedNodeTest {
    private static final Metric TEXT = Metrics.ALL.stream()
            .filter(metric -> metric.type() == ValueType.STRING)
            .findFirst()
            .orElseThrow();
    private static final List<Metric> METRICS = List.of(Metrics.DEFAULT.get(0), Metrics.DEFAULT.get(1), TEXT);

    @Test
    void shouldSendWhatItSaysThatItHasSentWhenItPublishes() throws Exception {
        try (FakeGmond gmond = new FakeGmond();
                SimulatedNode node = new SimulatedNode(1_000, gmond.port(), METRICS, 5);
                SimulatedNode other = new SimulatedNode(1, gmond.port(), METRICS, 5)) {
            node.publish(0);
            Map<String, String> first = node.last();
            node.publish(1);
            List<FakeGmond.Packet> packets = gmond.receiveAll();

            assertThat(packets).hasSize(12).allSatisfy(packet -> {
                assertThat(packet.spoof()).isTrue();
                assertThat(packet.host()).isEqualTo("10.0.4.1:node1000");
            });
            assertThat(values(packets.subList(0, 6))).isEqualTo(first);
            assertThat(values(packets.subList(6, 12))).isEqualTo(node.last()).isNotEqualTo(first);
            assertThat(node.values()).isEqualTo(6);
            assertThat(node.metadata()).isEqualTo(6);
            assertThat(node.errors()).isZero();

            other.publish(1);
            assertThat(other.last()).isNotEqualTo(node.last());
            assertThat(other.name()).isEqualTo("node0001");
        }
    }

    private static Map<String, String> values(List<FakeGmond.Packet> packets) {
        return packets.stream()
                .filter(packet -> !packet.isMetadata())
                .collect(Collectors.toMap(FakeGmond.Packet::name, FakeGmond.Packet::value));
    }
}
