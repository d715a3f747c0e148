// SPDX-License-Identifier: Apache-2.0
package magnet.publish.muse;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import magnet.agent.Agent;
import magnet.agent.AgentHealth;
import magnet.agent.AgentRunner;
import magnet.publish.Acceptor;
import magnet.publish.ServerSlot;
import magnet.publish.UnixListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers MUSE's clients and reads the events of their handlers, all on one thread: what a query tells is the state at
 * that moment, without anything being handed over. While nobody has a handler started it only waits for requests. A client
 * that does not take its reply for {@value #STUCK_SECONDS} s is closed and counted; one that has no handler and asks nothing for
 * {@value #IDLE_SECONDS} s is closed. Thread-safe.
 */
final class MuseServer implements ServerSlot.Server {
    static final int STUCK_SECONDS = 60;
    static final int IDLE_SECONDS = 300;

    private static final Logger LOGGER = LoggerFactory.getLogger(MuseServer.class);
    private static final String FOR_GROUP = "rw-rw----";
    /** A ring of 256 KiB holds 6,500 records of 40 bytes: 320,000 a second on each CPU. */
    private static final long READ_MILLIS = 20;

    private final Selector selector;
    private final List<ServerSocketChannel> listening = new ArrayList<>();
    private final MuseSettings settings;
    private final LiveHandlers live;
    private final Session.Shared shared;
    private final LongSupplier nanoClock;
    private final AtomicLong brokenOff = new AtomicLong();
    private final List<Acceptor> acceptors = new ArrayList<>();
    private final AgentRunner runner;
    private boolean saidRefused;

    private MuseServer(
            Selector selector,
            MuseSettings settings,
            LiveHandlers live,
            Session.Shared shared,
            LongSupplier nanoClock) {
        this.selector = selector;
        this.settings = settings;
        this.live = live;
        this.shared = shared;
        this.nanoClock = nanoClock;
        this.runner = new AgentRunner(new Serving(), AgentHealth.unheard());
    }

    /**
     * Begins to answer.
     *
     * @param live for this server alone
     * @param shared what its sessions share
     * @throws IOException if nobody can listen there now; says where
     */
    static MuseServer open(MuseSettings settings, LiveHandlers live, Session.Shared shared, LongSupplier nanoClock)
            throws IOException {
        MuseServer server = new MuseServer(Selector.open(), settings, live, shared, nanoClock);
        try {
            server.listen();
            server.runner.start();
            return server;
        } catch (IOException e) {
            server.release();
            throw e;
        }
    }

    private void listen() throws IOException {
        if (settings.address().isPresent()) {
            InetSocketAddress address = settings.address().orElseThrow();
            try {
                ServerSocketChannel channel = ServerSocketChannel.open();
                listening.add(channel);
                channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
                channel.bind(address);
                channel.configureBlocking(false);
                acceptors.add(new Acceptor(selector, channel, LOGGER, "muse", nanoClock));
            } catch (IOException e) {
                throw new IOException(MuseSink.describe(address) + ": " + e.getMessage(), e);
            }
        }
        if (settings.socket().isPresent()) {
            Path path = settings.socket().orElseThrow();
            try {
                ServerSocketChannel channel = UnixListener.open(path, FOR_GROUP);
                listening.add(channel);
                acceptors.add(new Acceptor(selector, channel, LOGGER, "muse", nanoClock));
            } catch (IOException e) {
                throw new IOException("muse at " + path + ": " + e.getMessage(), e);
            }
        }
    }

    /** Where it listens on the network. */
    Optional<InetSocketAddress> address() {
        return settings.address()
                .map(address -> new InetSocketAddress(
                        address.getAddress(), listening.get(0).socket().getLocalPort()));
    }

    /** Connections that ended before their replies were taken. */
    @Override
    public long brokenOff() {
        return brokenOff.get();
    }

    /** Why nobody is answered any more; empty as long as somebody is, or if it was closed. */
    @Override
    public Optional<Throwable> failure() {
        return runner.failure();
    }

    /** Closes all connections, ends their handlers, and gives port and socket back. */
    @Override
    public void close() {
        runner.close();
    }

    /** What the thread does: whoever opened it sees that it failed, and opens another. */
    private final class Serving implements Agent {
        @Override
        public String roleName() {
            return "magnet-muse-server";
        }

        @Override
        public OnFailure onFailure() {
            return OnFailure.END;
        }

        @Override
        public int doWork() throws IOException {
            selector.select(waitMillis());
            int ready = selector.selectedKeys().size();
            for (SelectionKey key : selector.selectedKeys()) {
                if (key.attachment() instanceof Acceptor acceptor) {
                    accept(acceptor);
                } else if (key.isValid()) {
                    work(key);
                }
            }
            selector.selectedKeys().clear();
            live.read();
            endStuck();
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
    }

    private long waitMillis() {
        long longest = live.isReading() ? READ_MILLIS : TimeUnit.SECONDS.toMillis(STUCK_SECONDS);
        long now = nanoClock.getAsLong();
        for (Acceptor acceptor : acceptors) {
            longest = Math.min(longest, Math.max(1, TimeUnit.NANOSECONDS.toMillis(acceptor.work(now))));
        }
        return longest;
    }

    /** Points first: what clients have is worth nothing without their connections. */
    private void release() {
        live.close();
        new ArrayList<>(selector.keys()).forEach(this::end);
        listening.forEach(MuseServer::close);
        if (settings.socket().isPresent()
                && listening.size() == (settings.address().isPresent() ? 2 : 1)) {
            try {
                Files.deleteIfExists(settings.socket().orElseThrow());
            } catch (IOException e) {
                LOGGER.debug("muse: the socket is left over", e);
            }
        }
        close(selector);
    }

    private void accept(Acceptor acceptor) {
        SocketChannel channel = acceptor.accept();
        if (channel == null) {
            return;
        }
        try {
            greet(channel);
        } catch (IOException e) {
            close(channel);
            LOGGER.debug("muse: a connection failed: {}", e.toString());
        } catch (RuntimeException e) {
            close(channel);
            throw e;
        }
    }

    private void greet(SocketChannel channel) throws IOException {
        channel.configureBlocking(false);
        if (clients().size() >= settings.clients()) {
            if (!saidRefused) {
                saidRefused = true;
                LOGGER.warn(
                        "muse: refused a client: there are {} connections already: clients in [muse]; said once",
                        settings.clients());
            }
            channel.write(ByteBuffer.wrap(new byte[] {MuseConnection.REFUSED}));
            channel.close();
            return;
        }
        if (channel.supportedOptions().contains(StandardSocketOptions.TCP_NODELAY)) {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        }
        boolean isOfGroup = channel.getLocalAddress() instanceof UnixDomainSocketAddress;
        MuseConnection connection = new MuseConnection(channel, new Session(shared, isOfGroup), nanoClock.getAsLong());
        work(channel.register(selector, SelectionKey.OP_READ, connection));
    }

    private List<SelectionKey> clients() {
        return selector.keys().stream()
                .filter(key -> key.isValid() && key.attachment() instanceof MuseConnection)
                .toList();
    }

    private void work(SelectionKey key) {
        MuseConnection connection = (MuseConnection) key.attachment();
        try {
            int next = connection.work(nanoClock.getAsLong());
            if (next == MuseConnection.OVER) {
                end(key);
            } else {
                key.interestOps(next);
            }
        } catch (IOException e) {
            LOGGER.debug("muse: a client is gone: {}", e.toString());
            brokenOff.addAndGet(connection.hasReply() ? 1 : 0);
            end(key);
        } catch (RuntimeException e) {
            LOGGER.error("muse: a client is given up for a fault of magnetd's own", e);
            brokenOff.incrementAndGet();
            end(key);
        }
    }

    private void endStuck() {
        long now = nanoClock.getAsLong();
        for (SelectionKey key : clients()) {
            MuseConnection connection = (MuseConnection) key.attachment();
            if (connection.hasReply() && now - connection.movedNanos() > TimeUnit.SECONDS.toNanos(STUCK_SECONDS)) {
                brokenOff.incrementAndGet();
                end(key);
            } else if (!connection.isInUse()
                    && now - connection.movedNanos() > TimeUnit.SECONDS.toNanos(IDLE_SECONDS)) {
                end(key);
            }
        }
    }

    private void end(SelectionKey key) {
        if (key.attachment() instanceof MuseConnection connection) {
            close(connection);
        }
        key.cancel();
        close(key.channel());
    }

    private static void close(AutoCloseable what) {
        try {
            what.close();
        } catch (Exception e) {
            LOGGER.debug("muse: closing failed", e);
        }
    }
}
