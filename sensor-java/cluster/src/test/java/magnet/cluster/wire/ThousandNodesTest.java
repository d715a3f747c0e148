// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import magnet.agent.AgentHealth;
import magnet.agent.AgentRunner;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Real sockets on the loopback address: as many nodes as a large cluster has, each with its own. */
final class ThousandNodesTest {
    private static final int NODES = 1_000;
    private static final long SECOND = 1_000_000_000;

    private final ClusterKey key = new ClusterKey(new byte[32]);
    private final List<AgentRunner> runners = new ArrayList<>();
    private final List<OrderSender.Recipient> nodes = new ArrayList<>();
    private final Set<String> names = new HashSet<>();
    private final AtomicLong heard = new AtomicLong();
    private final AtomicLong wall = new AtomicLong(1_700_000_000L * SECOND);
    private final AgentHealth health = AgentHealth.unheard();

    @AfterEach
    void end() {
        runners.forEach(AgentRunner::end);
        runners.forEach(AgentRunner::awaitEnd);
    }

    private void start(int number) throws IOException {
        for (int i = 0; i < number; i++) {
            String name = "n" + i;
            NodeLink link = new NodeLink(
                    new NodeLink.Place(
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                            Optional.empty(),
                            Duration.ofMillis(500)),
                    new ClusterKey(new byte[32]),
                    new ReplayWindow(Duration.ofSeconds(60), wall::get),
                    counters -> {},
                    order -> {
                        heard.incrementAndGet();
                        return Map.of("node", name);
                    },
                    new Id(i, 1),
                    wall::get,
                    System::nanoTime,
                    new Random(i));
            nodes.add(new OrderSender.Recipient(
                    name, new InetSocketAddress(InetAddress.getLoopbackAddress(), link.port())));
            names.add(name);
            runners.add(AgentRunner.start(link, health));
        }
    }

    private OrderSender sender(Id self) throws IOException {
        return new OrderSender(key, self, Optional.empty(), 1, wall::get, System::nanoTime);
    }

    private static OrderSender.Order order(Id run) {
        return new OrderSender.Order(Kind.START, run, 0, SECOND, "default");
    }

    @Test
    void shouldAnswerAThousandTimes() throws IOException {
        start(NODES);
        try (OrderSender sender = sender(new Id(1, 2))) {
            Map<String, Map<String, String>> answers =
                    sender.send(order(new Id(7, 7)), nodes, names, Duration.ofMinutes(2), () -> false);

            assertThat(answers.keySet()).isEqualTo(names);
            assertThat(sender.answersHeard()).isEqualTo(NODES);
        }
        assertThat(heard.get()).isBetween((long) NODES, (long) NODES * OrderSender.TIMES.size());
        assertThat(health.failures()).isZero();
    }

    @Test
    void shouldNotMissAnybodyWhoIsSilent() throws IOException {
        start(3);
        runners.get(1).close();
        try (OrderSender sender = sender(new Id(1, 2))) {
            Map<String, Map<String, String>> answers =
                    sender.send(order(new Id(7, 7)), nodes, names, Duration.ofSeconds(4), () -> false);

            assertThat(answers.keySet()).containsExactly("n0", "n2");
        }
    }

    @Test
    void shouldAnswerEachOrderOnce() throws IOException {
        start(1);
        try (OrderSender sender = sender(new Id(1, 2))) {
            sender.send(order(new Id(7, 7)), nodes, names, Duration.ofMinutes(1), () -> false);
            sender.send(order(new Id(8, 8)), nodes, names, Duration.ofMinutes(1), () -> false);

            assertThat(sender.answersHeard()).isEqualTo(2);
        }
    }
}
