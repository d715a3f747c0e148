// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.wire;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * The end of who gives orders: sends each a few times, since datagrams get lost, and collects the answers. An answer counts if
 * it is signed and is about this order's run, whose number nobody knew before. For one thread.
 */
public final class OrderSender implements AutoCloseable {
    /** When an order is sent, from its begin. */
    public static final List<Duration> TIMES = List.of(
            Duration.ZERO,
            Duration.ofMillis(100),
            Duration.ofMillis(300),
            Duration.ofMillis(700),
            Duration.ofMillis(1500));

    /** When those are asked again whose answers have got lost: so much later than that, and again each time. */
    static final Duration AGAIN = NodeLink.SPREAD.plus(NodeLink.AGAIN).plusMillis(200);

    /** The name of the field that says who answers. */
    public static final String NODE = "node";

    private static final long LONGEST_SLEEP_MILLIS = 100;
    private static final long NANOS_PER_MILLI = 1_000_000;

    /**
     * An order. Its parts are those of {@link Message}.
     *
     * @param text the name of a profile, or empty
     */
    public record Order(Kind kind, Id run, long atNs, long durationNs, String text) {}

    /**
     * Where an order goes to.
     *
     * @param node name of the node; empty for a group
     */
    public record Recipient(String node, InetSocketAddress address) {
        /** All who hear a group. */
        public static Recipient group(InetSocketAddress address) {
            return new Recipient("", address);
        }
    }

    private final ClusterKey key;
    private final Id self;
    private final Counter counter;
    private final LongSupplier monotonicNs;
    private final DatagramChannel channel;
    private final Selector selector;
    private final ByteBuffer datagram = ByteBuffer.allocate(1 << 16);
    private long heard;
    private long refused;

    /**
     * @param self a new number, which no other run of a program has
     * @param device of the group's network; that of the default route if none is named
     * @param hops how many networks a datagram for a group may cross
     */
    public OrderSender(
            ClusterKey key, Id self, Optional<String> device, int hops, LongSupplier wallNs, LongSupplier monotonicNs)
            throws IOException {
        this.key = key;
        this.self = self;
        this.counter = new Counter(wallNs);
        this.monotonicNs = monotonicNs;
        channel = OrderChannel.sending(device, hops);
        selector = Selector.open();
        channel.register(selector, SelectionKey.OP_READ);
    }

    /**
     * Sends an order and waits for answers: until all nodes that are expected have answered and the order was sent as often
     * as it shall be, or the time is over.
     *
     * @param to a group, or nodes
     * @param expected names of nodes; if there is none, all of the time is waited
     * @param longest how long
     * @param isOver whether the user wants no more
     * @return fields of the answers, by the node's name
     */
    public Map<String, Map<String, String>> send(
            Order order, List<Recipient> to, Set<String> expected, Duration longest, BooleanSupplier isOver)
            throws IOException {
        Map<String, Map<String, String>> answers = new TreeMap<>();
        long began = monotonicNs.getAsLong();
        long end = began + longest.toNanos();
        int sent = 0;
        while (!isOver.getAsBoolean()) {
            long now = monotonicNs.getAsLong();
            long next = began + sendingTime(sent).toNanos();
            boolean complete = !expected.isEmpty() && answers.keySet().containsAll(expected);
            if (now - end >= 0 || (complete && sent >= TIMES.size())) {
                break;
            }
            if (now - next >= 0) {
                sendTo(order, to, answers);
                sent++;
                continue;
            }
            selector.select(Math.max(1, Math.min(LONGEST_SLEEP_MILLIS, (Math.min(next, end) - now) / NANOS_PER_MILLI)));
            selector.selectedKeys().clear();
            receive(order, answers);
        }
        return answers;
    }

    /** When an order is sent that was sent so many times, from its begin. */
    private static Duration sendingTime(int sent) {
        return sent < TIMES.size() ? TIMES.get(sent) : AGAIN.multipliedBy(sent - TIMES.size() + 1L);
    }

    /** How many answers have come, those included that came again. */
    long answersHeard() {
        return heard;
    }

    /** Those nodes that have answered are left in peace; answers come in meanwhile. */
    private void sendTo(Order order, List<Recipient> to, Map<String, Map<String, String>> answers) throws IOException {
        Message message =
                new Message(order.kind, self, counter.next(), order.run, order.atNs, order.durationNs, order.text);
        ByteBuffer bytes = DatagramForm.encode(message, key);
        for (Recipient each : to) {
            if (!answers.containsKey(each.node)) {
                send(bytes.duplicate(), each.address);
                receive(order, answers);
            }
        }
    }

    private void send(ByteBuffer bytes, InetSocketAddress to) throws IOException {
        try {
            channel.send(bytes, to);
        } catch (IOException e) {
            throw new IOException(
                    "cannot send to " + to.getHostString() + ":" + to.getPort() + ": " + e.getMessage(), e);
        }
    }

    private void receive(Order order, Map<String, Map<String, String>> answers) throws IOException {
        for (; ; ) {
            datagram.clear();
            SocketAddress from = channel.receive(datagram);
            if (from == null) {
                return;
            }
            datagram.flip();
            try {
                Message ack = DatagramForm.decode(datagram, key);
                Map<String, String> fields = AckText.parse(ack.text());
                String node = fields.get(NODE);
                if (ack.kind() == Kind.ACK && ack.run().equals(order.run) && node != null) {
                    heard++;
                    answers.put(node, fields);
                }
            } catch (RefusedException e) {
                refused++;
            }
        }
    }

    /** How many datagrams have come that no node has signed. */
    public long refused() {
        return refused;
    }

    @Override
    public void close() throws IOException {
        selector.close();
        channel.close();
    }
}
