// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.node;

import java.io.IOException;
import java.security.SecureRandom;
import java.util.LinkedHashMap;
import java.util.Map;
import magnet.agent.AgentHealth;
import magnet.agent.AgentRunner;
import magnet.cluster.config.ClusterConfig;
import magnet.cluster.recording.Machine;
import magnet.cluster.recording.RecordingRole;
import magnet.cluster.wire.ClusterKey;
import magnet.cluster.wire.Id;
import magnet.cluster.wire.Message;
import magnet.cluster.wire.NodeLink;
import magnet.cluster.wire.Refusal;
import magnet.cluster.wire.ReplayWindow;

/** A node that hears orders, and the roles that carry them out. From {@link #open} to {@link #close}. */
final class ClusterNode implements AutoCloseable {
    private final RecordingRole recordings;
    private final AgentHealth health;
    private final AgentRunner link;

    private ClusterNode(RecordingRole recordings, AgentHealth health, AgentRunner link) {
        this.recordings = recordings;
        this.health = health;
        this.link = link;
    }

    /**
     * Goes on with what a restart has interrupted, and listens.
     *
     * @throws IOException if the key, the counters of senders or the address cannot be had; says what to do
     */
    static ClusterNode open(ClusterConfig config, Machine machine) throws IOException {
        ClusterKey key = ClusterKey.read(config.key());
        CounterFile counters = new CounterFile(config.state());
        ReplayWindow window = new ReplayWindow(config.maxSkew(), machine.wallNs());
        window.remember(counters.read());
        AgentHealth health = new AgentHealth(machine.monotonicNs());
        RecordingRole recordings = new RecordingRole(config, machine, health);
        SecureRandom random = new SecureRandom();
        Orders orders = new Orders(recordings);
        NodeLink link = new NodeLink(
                new NodeLink.Place(config.address(), config.device(), NodeLink.SPREAD),
                key,
                window,
                counters::write,
                orders,
                Id.random(random),
                machine.wallNs(),
                machine.monotonicNs(),
                random);
        orders.link = link;
        recordings.goOn();
        return new ClusterNode(recordings, health, AgentRunner.start(link, health));
    }

    /** What is wrong; empty if nothing is. */
    AgentHealth health() {
        return health;
    }

    @Override
    public void close() {
        link.close();
        recordings.close();
    }

    /** Whose order it is. */
    private static final class Orders implements NodeLink.Listener {
        private final RecordingRole recordings;
        private NodeLink link;

        @SuppressWarnings("NullAway.Init") // set before anybody is heard
        Orders(RecordingRole recordings) {
            this.recordings = recordings;
        }

        @Override
        public Map<String, String> onOrder(Message order) {
            Map<String, String> fields = new LinkedHashMap<>(
                    switch (order.kind()) {
                        case START -> recordings.start(order);
                        case STOP -> recordings.stop(order);
                        case QUERY -> order.text().equals(RecordingRole.RUNS) ? recordings.list() : recordings.status();
                        case ACK -> Map.<String, String>of();
                    });
            if (!order.text().equals(RecordingRole.RUNS)) {
                for (Refusal each : Refusal.values()) {
                    fields.put(each.label(), Long.toString(link.refused(each)));
                }
            }
            return fields;
        }
    }
}
