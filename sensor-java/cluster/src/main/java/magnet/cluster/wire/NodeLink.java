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
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import magnet.agent.Agent;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The node's end: hears orders, lets somebody carry them out, and answers each order once, some time later: answers of a
 * thousand nodes at the same moment would find no room at who asked. Of the few times that an order is sent one is answered;
 * whoever sends it again after {@link #AGAIN} has missed the answer. {@link #refused} is for any thread.
 */
public final class NodeLink implements Agent {
    /** Answers are spread over so long. */
    public static final Duration SPREAD = Duration.ofMillis(500);

    /** An order that comes again so long after its answer has not been answered, for whoever sends it: the answer got lost. */
    static final Duration AGAIN = Duration.ofMillis(1_600);

    private static final Logger LOGGER = LoggerFactory.getLogger(NodeLink.class);
    private static final int NANOS_PER_MILLI = 1_000_000;
    /** An order is sent a few times within seconds; more orders than these are not under way at once. */
    private static final int ORDERS_MOST = 256;
    /** Datagrams that are read before answers are looked at again. */
    private static final int BATCH = 64;

    /** Carries orders out. */
    @FunctionalInterface
    public interface Listener {
        /**
         * Hears one, each time that it comes. Does not wait.
         *
         * @return the fields of the answer
         */
        Map<String, String> onOrder(Message order);
    }

    /** Keeps what a restart must not forget. */
    @FunctionalInterface
    public interface Memory {
        /** Keeps the last counters of senders. */
        void keep(Map<Id, Long> counters) throws IOException;
    }

    /**
     * What the agent listens to.
     *
     * @param address as in {@link OrderChannel#listening}
     * @param device of the group; all that can if none is named
     * @param spread answers are spread over so long
     */
    public record Place(InetSocketAddress address, Optional<String> device, Duration spread) {}

    private record Answer(long dueNs, SocketAddress to, Message order, Map<String, String> fields) {}

    private record Order(Id run, Kind kind) {}

    private final Place place;
    private final ClusterKey key;
    private final ReplayWindow window;
    private final Memory memory;
    private final Listener listener;
    private final LongSupplier monotonicNs;
    private final RandomGenerator random;
    private final Id self;
    private final Counter counter;
    private final PriorityQueue<Answer> answers = new PriorityQueue<>(Comparator.comparingLong(Answer::dueNs));
    private final Map<Refusal, Long> refused = Collections.synchronizedMap(new EnumMap<>(Refusal.class));
    /** When each order was answered, or will be. */
    private final Map<Order, Long> answered = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Order, Long> eldest) {
            return size() > ORDERS_MOST;
        }
    };

    private final ByteBuffer datagram = ByteBuffer.allocate(1 << 16);
    private final DatagramChannel channel;
    private final Selector selector;

    /**
     * Listens from now on; what comes is heard as soon as the agent runs.
     *
     * @param self what it sends as
     * @param wallNs the wall clock, nanoseconds since 1970
     * @throws IOException if the address cannot be had
     */
    public NodeLink(
            Place place,
            ClusterKey key,
            ReplayWindow window,
            Memory memory,
            Listener listener,
            Id self,
            LongSupplier wallNs,
            LongSupplier monotonicNs,
            RandomGenerator random)
            throws IOException {
        this.place = place;
        this.key = key;
        this.window = window;
        this.memory = memory;
        this.listener = listener;
        this.self = self;
        this.counter = new Counter(wallNs);
        this.monotonicNs = monotonicNs;
        this.random = random;
        channel = OrderChannel.listening(place.address(), place.device());
        selector = Selector.open();
        channel.register(selector, SelectionKey.OP_READ);
    }

    /** The port that it listens to. */
    public int port() throws IOException {
        return ((InetSocketAddress) channel.getLocalAddress()).getPort();
    }

    /** How many datagrams were not listened to, by the reason. For any thread. */
    public long refused(Refusal why) {
        return refused.getOrDefault(why, 0L);
    }

    @Override
    public String roleName() {
        return "magnet-orders";
    }

    @Override
    public int doWork() throws IOException {
        long wait = untilNextAnswer();
        if (wait != 0) {
            selector.select(Math.max(0, wait));
        } else {
            selector.selectNow();
        }
        selector.selectedKeys().clear();
        int heard = 0;
        while (heard < BATCH) {
            datagram.clear();
            SocketAddress from = channel.receive(datagram);
            if (from == null) {
                break;
            }
            heard++;
            hear(from);
        }
        return heard + answer();
    }

    /** Milliseconds; 0 if one is due, -1 if there is none. */
    private long untilNextAnswer() {
        Answer next = answers.peek();
        if (next == null) {
            return -1;
        }
        long nanos = next.dueNs - monotonicNs.getAsLong();
        return nanos <= 0 ? 0 : nanos / NANOS_PER_MILLI + 1;
    }

    private void hear(SocketAddress from) {
        datagram.flip();
        try {
            Message order = DatagramForm.decode(datagram, key);
            if (order.kind() == Kind.ACK) {
                return;
            }
            window.accept(order);
            memory.keep(window.last());
            Map<String, String> fields = listener.onOrder(order);
            answerLater(from, order, fields);
        } catch (RefusedException e) {
            refused.merge(e.refusal(), 1L, Long::sum);
            LOGGER.debug("a datagram from {} is not listened to: {}", from, e.getMessage());
        } catch (IOException e) {
            // Without a memory a restart would listen to the same datagram again.
            LOGGER.error("an order from {} is not carried out: {}", from, e.getMessage());
        }
    }

    private void answerLater(SocketAddress to, Message message, Map<String, String> fields) {
        Order order = new Order(message.run(), message.kind());
        long now = monotonicNs.getAsLong();
        Long before = answered.get(order);
        if (before == null || now - before > AGAIN.toNanos()) {
            long due = now + random.nextLong(place.spread().toNanos() + 1);
            answered.put(order, due);
            answers.add(new Answer(due, to, message, fields));
        }
    }

    private int answer() throws IOException {
        int sent = 0;
        long now = monotonicNs.getAsLong();
        for (Answer next = answers.peek(); next != null && next.dueNs - now <= 0; next = answers.peek()) {
            answers.remove();
            Message ack = new Message(
                    Kind.ACK, self, counter.next(), next.order.run(), next.order.atNs(), 0, AckText.of(next.fields));
            channel.send(DatagramForm.encode(ack, key), next.to);
            sent++;
        }
        return sent;
    }

    @Override
    public void wakeUp() {
        selector.wakeup();
    }

    @Override
    public void onClose() throws IOException {
        selector.close();
        channel.close();
    }
}
