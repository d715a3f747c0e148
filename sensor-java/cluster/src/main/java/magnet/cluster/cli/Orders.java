// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.cli;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import magnet.cli.world.Failure;
import magnet.cli.world.World;
import magnet.cluster.config.ClusterConfig;
import magnet.cluster.recording.Machine;
import magnet.cluster.recording.RecordingRole;
import magnet.cluster.wire.ClusterKey;
import magnet.cluster.wire.Id;
import magnet.cluster.wire.Kind;
import magnet.cluster.wire.OrderSender;
import magnet.config.ConfigException;

/** Gives orders for a command, and says who has not answered. For one order. */
final class Orders {
    /** Answers come within half a second. */
    static final Duration ANSWERS = Duration.ofMillis(2_500);

    private final World world;
    private final ClusterConfig config;
    private final NodesOption nodes;
    private final SecureRandom random = new SecureRandom();

    private Orders(World world, ClusterConfig config, NodesOption nodes) {
        this.world = world;
        this.config = config;
        this.nodes = nodes;
    }

    /** What magnet.conf says of the cluster. */
    static ClusterConfig config(World world) throws Failure {
        try {
            return ClusterConfig.read(world.config());
        } catch (ConfigException e) {
            throw new Failure(String.valueOf(e.getMessage()));
        }
    }

    static Orders of(World world, NodesOption nodes) throws Failure {
        return new Orders(world, config(world), nodes);
    }

    /** A new number, of a run or of a question. */
    Id newId() {
        return Id.random(random);
    }

    /**
     * Gives an order.
     *
     * @return answers by node
     */
    Map<String, Map<String, String>> give(Kind kind, Id run, long atNs, long durationNs, String text, Duration longest)
            throws IOException {
        ClusterKey key =
                ClusterKey.read(world.root().resolve(config.key().toString().substring(1)));
        AtomicBoolean over = new AtomicBoolean();
        world.interruption().onInterrupt(() -> over.set(true));
        try (OrderSender sender =
                new OrderSender(key, newId(), config.device(), config.hops(), Machine::wallNow, world.clock()::nanos)) {
            return sender.send(
                    new OrderSender.Order(kind, run, atNs, durationNs, text), to(), expected(), longest, over::get);
        }
    }

    private List<OrderSender.Recipient> to() throws Failure {
        if (!nodes.isUnicast(config)) {
            return List.of(OrderSender.Recipient.group(config.address()));
        }
        if (expected().isEmpty()) {
            throw new Failure(
                    "send = unicast in [cluster], and no nodes are known; name them with --nodes or in nodes");
        }
        List<OrderSender.Recipient> to = new ArrayList<>();
        for (String node : expected()) {
            InetSocketAddress address =
                    new InetSocketAddress(node, config.address().getPort());
            if (address.isUnresolved()) {
                throw new Failure(node + ": no address of this host is known");
            }
            to.add(new OrderSender.Recipient(node, address));
        }
        return to;
    }

    private Set<String> expected() {
        return new LinkedHashSet<>(nodes.expected(config));
    }

    /**
     * Names those that have not answered, and those that have refused.
     *
     * @return whether there are none of either
     */
    boolean complain(Map<String, Map<String, String>> answers) throws IOException {
        Set<String> silent = new TreeSet<>(expected());
        silent.removeAll(answers.keySet());
        if (!silent.isEmpty()) {
            world.tell("no answer from " + String.join(", ", silent)
                    + "; magnet-node does not run there, has another key, or the datagrams do not get through");
        }
        if (answers.isEmpty() && silent.isEmpty()) {
            world.tell("no node has answered; magnet-node runs nowhere, or the datagrams to "
                    + config.address().getHostString() + ":" + config.address().getPort() + " do not get through");
            return false;
        }
        Map<String, List<String>> refusals = answers.entrySet().stream()
                .filter(each -> RecordingRole.REFUSED.equals(each.getValue().get(RecordingRole.STATE)))
                .collect(Collectors.groupingBy(
                        each -> Objects.requireNonNullElse(
                                each.getValue().get(RecordingRole.REASON), "no reason given"),
                        Collectors.mapping(Map.Entry::getKey, Collectors.toList())));
        for (Map.Entry<String, List<String>> each : refusals.entrySet()) {
            world.tell("refused by " + String.join(", ", each.getValue()) + ": " + each.getKey());
        }
        return silent.isEmpty() && refusals.isEmpty();
    }
}
