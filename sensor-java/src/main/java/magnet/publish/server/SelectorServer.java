// SPDX-License-Identifier: Apache-2.0
package magnet.publish.server;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import magnet.agent.Agent;
import magnet.agent.AgentHealth;
import magnet.agent.AgentRunner;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers the clients of one protocol, all of them on one thread. None holds up the others by what it does not send or take;
 * but what its requests make the protocol do is done on this thread, and the others wait for it. Who is refused is
 * closed at once; a client that does not take its answers for {@value #STUCK_SECONDS} s is closed and counted, and so are
 * those that take least if answers fill a quarter of the memory; one that says nothing for {@value #IDLE_SECONDS} s is closed
 * where the protocol does not want it kept. Thread-safe.
 */
public final class SelectorServer implements ServerSlot.Server {
    public static final int STUCK_SECONDS = 60;
    static final int IDLE_SECONDS = 300;

    /** As the conductor's: what a client asks for may be asked of the module in turn. */
    static final Duration LONGEST_TURN = Duration.ofMinutes(5);

    private static final Logger LOGGER = LoggerFactory.getLogger(SelectorServer.class);
    private static final long LONGEST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** Of the memory answers may take one in so many parts. */
    private static final int PART_OF_MEMORY = 4;

    private final Protocol protocol;
    private final Selector selector;
    private final long mostPending;
    private final LongSupplier nanoClock;
    private final Runnable onFailure;
    private final AgentHealth health;
    private final AgentRunner runner;
    private final List<Listener> listeners = new ArrayList<>();
    private final AtomicLong brokenOff = new AtomicLong();
    private volatile @Nullable InetSocketAddress network;
    private long pending;

    private SelectorServer(
            Protocol protocol,
            Selector selector,
            long mostPending,
            LongSupplier nanoClock,
            AgentHealth health,
            Runnable onFailure) {
        this.protocol = protocol;
        this.selector = selector;
        this.mostPending = mostPending;
        this.nanoClock = nanoClock;
        this.health = health;
        this.onFailure = onFailure;
        this.runner = new AgentRunner(new Serving(), health);
    }

    /**
     * Begins to answer.
     *
     * @param protocol for this server alone
     * @param health hears of the thread, which must be alive until this is closed
     * @throws IOException if nobody can listen there now
     */
    public static SelectorServer open(Protocol protocol, LongSupplier nanoClock, AgentHealth health)
            throws IOException {
        return open(protocol, nanoClock, health, () -> {});
    }

    /**
     * As {@link #open(Protocol, LongSupplier, AgentHealth)}.
     *
     * @param onFailure is told, on the server's thread, when nobody is answered any more; {@link #failure} says why
     */
    public static SelectorServer open(Protocol protocol, LongSupplier nanoClock, AgentHealth health, Runnable onFailure)
            throws IOException {
        return open(protocol, Runtime.getRuntime().maxMemory() / PART_OF_MEMORY, nanoClock, health, onFailure);
    }

    /**
     * As {@link #open(Protocol, LongSupplier, AgentHealth, Runnable)}.
     *
     * @param mostPending bytes of answers that may wait, for all clients
     */
    public static SelectorServer open(
            Protocol protocol, long mostPending, LongSupplier nanoClock, AgentHealth health, Runnable onFailure)
            throws IOException {
        SelectorServer server =
                new SelectorServer(protocol, Selector.open(), mostPending, nanoClock, health, onFailure);
        try {
            protocol.start(server.new OwnPorts());
        } catch (IOException | RuntimeException e) {
            server.release();
            throw e;
        }
        server.runner.start();
        return server;
    }

    /**
     * Where it listens on a network: the first such place.
     *
     * @throws IllegalStateException if it does nowhere
     */
    public InetSocketAddress address() {
        return network().orElseThrow(() -> new IllegalStateException(protocol.name() + " is on no network"));
    }

    /** Where it listens on a network; empty if it does nowhere, or has ended. */
    public Optional<InetSocketAddress> network() {
        return Optional.ofNullable(network);
    }

    /** Connections that ended before their answers were taken. */
    @Override
    public long brokenOff() {
        return brokenOff.get();
    }

    /** Why nobody is answered any more, and nobody listens; empty as long as somebody does, or if it was closed. */
    @Override
    public Optional<Throwable> failure() {
        return runner.failure();
    }

    /** Closes all connections, and gives back where it listened; the register does not miss one that has failed any more. */
    @Override
    public void close() {
        runner.close();
        if (runner.failure().isPresent()) {
            health.forget(runner);
        }
    }

    /** What the thread does: whoever opened it sees that it failed, and opens another. */
    private final class Serving implements Agent {
        private long dueNanos;

        @Override
        public String roleName() {
            return "magnet-" + protocol.name() + "-server";
        }

        @Override
        public OnFailure onFailure() {
            return OnFailure.END;
        }

        @Override
        public Optional<Duration> longestTurn() {
            return Optional.of(LONGEST_TURN);
        }

        @Override
        public int doWork() throws IOException {
            selector.select(Math.max(1, TimeUnit.NANOSECONDS.toMillis(dueNanos)));
            int ready = selector.selectedKeys().size();
            for (SelectionKey key : selector.selectedKeys()) {
                if (key.attachment() instanceof Acceptor) {
                    listeners.stream().filter(each -> each.isAt(key)).forEach(SelectorServer.this::accept);
                } else if (key.isValid()) {
                    work(key);
                }
            }
            selector.selectedKeys().clear();
            long now = nanoClock.getAsLong();
            dueNanos = Math.min(LONGEST_WAIT_NANOS, protocol.work(now));
            for (Listener listener : listeners) {
                dueNanos = Math.min(dueNanos, listener.work(now));
            }
            endStuck();
            endIdle();
            return ready;
        }

        @Override
        public void wakeUp() {
            selector.wakeup();
        }

        @Override
        public void onClose() {
            release();
        }

        @Override
        public void onFailed() {
            onFailure.run();
        }
    }

    private void release() {
        try {
            protocol.stop();
        } finally {
            network = null;
            new ArrayList<>(selector.keys()).forEach(key -> end(key, null));
            listeners.forEach(Listener::closed);
            close(selector);
        }
    }

    /** What the protocol has of this. */
    private final class OwnPorts implements Ports {
        @Override
        public void listen(InetSocketAddress address, Reception reception) throws IOException {
            ServerSocketChannel channel = ServerSocketChannel.open();
            try {
                channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
                channel.bind(address);
                channel.configureBlocking(false);
                listen(channel, reception, null);
            } catch (IOException | RuntimeException e) {
                channel.close();
                throw e;
            }
            if (network == null) {
                network = new InetSocketAddress(
                        address.getAddress(), channel.socket().getLocalPort());
            }
        }

        @Override
        public void listen(Path path, String permissions, Reception reception) throws IOException {
            ServerSocketChannel channel = UnixListener.open(path, permissions);
            try {
                listen(channel, reception, path);
            } catch (IOException | RuntimeException e) {
                channel.close();
                throw e;
            }
        }

        private void listen(ServerSocketChannel channel, Reception reception, @Nullable Path file) throws IOException {
            listeners.add(new Listener(protocol.name(), selector, channel, reception, file, nanoClock));
        }

        @Override
        public void watch(SocketChannel channel, int operations, Connection connection) throws IOException {
            channel.register(selector, operations, connection);
        }

        @Override
        public void drop(SocketChannel channel) {
            SelectionKey key = channel.keyFor(selector);
            if (key != null) {
                key.cancel();
            }
            close(channel);
        }

        @Override
        public int clients() {
            return withClients().size();
        }
    }

    /** A client's connection, and where it came in. */
    private record Guest(ClientConnection connection, Reception reception) {}

    private void accept(Listener listener) {
        SocketChannel channel = listener.accept();
        if (channel == null) {
            return;
        }
        try {
            greet(listener, channel);
        } catch (IOException e) {
            close(channel);
            LOGGER.debug("{}: a connection failed: {}", protocol.name(), e.toString());
        } catch (RuntimeException e) {
            close(channel);
            throw e;
        }
    }

    private void greet(Listener listener, SocketChannel channel) throws IOException {
        channel.configureBlocking(false);
        Reception reception = listener.reception();
        Optional<String> refusal = reception.refusal(channel, guests(reception));
        if (refusal.isPresent()) {
            listener.sayRefused(channel, refusal.orElseThrow());
            channel.write(ByteBuffer.wrap(reception.farewell()));
            channel.close();
            return;
        }
        if (channel.supportedOptions().contains(StandardSocketOptions.TCP_NODELAY)) {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            // One whose machine has gone makes room after some hours.
            channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
        }
        ClientConnection connection =
                new ClientConnection(channel, reception.welcome(channel), this::waits, nanoClock.getAsLong());
        SelectionKey key = channel.register(selector, SelectionKey.OP_READ, new Guest(connection, reception));
        connection.onWake(() -> wake(key));
        work(key);
    }

    private int guests(Reception reception) {
        return (int) withClients().stream()
                .filter(key -> ((Guest) key.attachment()).reception() == reception)
                .count();
    }

    /** Looks after each answer: those of one turn together may be more than there is memory for. */
    private void waits(long more) {
        pending += more;
        if (more > 0 && pending > mostPending) {
            endStuck();
        }
    }

    /** There is room to write, mostly, so that its turn comes at once. */
    private static void wake(SelectionKey key) {
        if (key.isValid()) {
            key.interestOps(SelectionKey.OP_WRITE);
        }
    }

    private List<SelectionKey> withClients() {
        List<SelectionKey> clients = new ArrayList<>();
        for (SelectionKey key : selector.keys()) {
            if (key.isValid() && key.attachment() instanceof Guest) {
                clients.add(key);
            }
        }
        return clients;
    }

    private void work(SelectionKey key) {
        Connection connection = connection(key);
        try {
            int next = connection.work(nanoClock.getAsLong());
            if (next == Connection.OVER) {
                end(key, null);
            } else if (key.isValid()) {
                key.interestOps(next);
            }
        } catch (IOException e) {
            if (connection instanceof ClientConnection client) {
                brokenOff.addAndGet(client.hasAnswers() ? 1 : 0);
            }
            LOGGER.debug("{}: somebody has gone: {}", protocol.name(), e.toString());
            end(key, e);
        } catch (RuntimeException e) {
            LOGGER.error("{}: a client is given up for a fault of magnetd's own", protocol.name(), e);
            brokenOff.addAndGet(connection instanceof ClientConnection ? 1 : 0);
            end(key, new IOException(e));
        }
    }

    /** Who has not moved for longest goes first where answers are too much for the memory. */
    private void endStuck() {
        List<SelectionKey> clients = withClients();
        clients.removeIf(key -> !client(key).hasAnswers());
        clients.sort(Comparator.comparingLong(key -> client(key).movedNanos()));
        long now = nanoClock.getAsLong();
        for (SelectionKey key : clients) {
            boolean stuck = now - client(key).movedNanos() > TimeUnit.SECONDS.toNanos(STUCK_SECONDS);
            if (!stuck && pending <= mostPending) {
                return;
            }
            brokenOff.incrementAndGet();
            end(key, null);
        }
    }

    private void endIdle() {
        long now = nanoClock.getAsLong();
        for (SelectionKey key : withClients()) {
            ClientConnection client = client(key);
            if (!client.isInUse() && now - client.movedNanos() > TimeUnit.SECONDS.toNanos(IDLE_SECONDS)) {
                end(key, null);
            }
        }
    }

    private static ClientConnection client(SelectionKey key) {
        return ((Guest) key.attachment()).connection();
    }

    private static Connection connection(SelectionKey key) {
        return key.attachment() instanceof Guest guest ? guest.connection() : (Connection) key.attachment();
    }

    /** Whatever one connection does at its end, the others come to theirs. */
    private void end(SelectionKey key, @Nullable IOException why) {
        try {
            if (!(key.attachment() instanceof Acceptor)) {
                connection(key).ended(why);
            }
        } catch (RuntimeException e) {
            LOGGER.error("{}: a client's end is a fault of magnetd's own", protocol.name(), e);
        } finally {
            key.cancel();
            close(key.channel());
        }
    }

    private static void close(AutoCloseable what) {
        try {
            what.close();
        } catch (Exception e) {
            LOGGER.debug("closing failed", e);
        }
    }
}
