// SPDX-License-Identifier: Apache-2.0
package magnet.publish.supermon;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
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
import magnet.publish.Acceptor;
import magnet.publish.ServerSlot;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers Supermon's clients, all of them on one thread, none of which can hold up the others. A connection from where none
 * is allowed, or one too many, is closed at once; one that does not take its answers for {@value #STUCK_SECONDS} s is closed
 * and counted, and so are those that take least if answers fill a quarter of the memory. Thread-safe.
 */
final class MonServer implements ServerSlot.Server {
    static final int STUCK_SECONDS = 60;

    private static final Logger LOGGER = LoggerFactory.getLogger(MonServer.class);
    /** What may wait for all clients together, and how much of it for one at least and at most: 96 MiB are all there is. */
    private static final int PENDING_OF_ALL = 16 << 20;

    /** Of the memory answers may take one in so many parts. */
    private static final int PART_OF_MEMORY = 4;

    private static final int PENDING_LEAST = 16 << 10;
    private static final int PENDING_MOST = 256 << 10;

    private final Selector selector;
    private final ServerSocketChannel listening;
    private final SupermonSettings settings;
    private final Source source;
    private final long mostPendingOfAll;
    private final LongSupplier nanoClock;
    private final AtomicLong brokenOff = new AtomicLong();
    private final AgentRunner runner;
    private final Acceptor acceptor;
    private final Runnable onFailure;
    private boolean saidRefused;
    private long pending;

    private MonServer(
            Selector selector,
            ServerSocketChannel listening,
            SupermonSettings settings,
            Source source,
            long mostPendingOfAll,
            LongSupplier nanoClock,
            Runnable onFailure)
            throws IOException {
        this.selector = selector;
        this.listening = listening;
        this.settings = settings;
        this.source = source;
        this.mostPendingOfAll = mostPendingOfAll;
        this.nanoClock = nanoClock;
        this.onFailure = onFailure;
        this.acceptor = new Acceptor(selector, listening, LOGGER, "supermon", nanoClock);
        this.runner = new AgentRunner(new Serving(), AgentHealth.unheard());
    }

    /**
     * Begins to answer.
     *
     * @param source of the answers, for this server alone
     * @throws IOException if nobody can listen there now
     */
    static MonServer open(SupermonSettings settings, Source source, LongSupplier nanoClock) throws IOException {
        return open(settings, source, nanoClock, () -> {});
    }

    /**
     * As {@link #open(SupermonSettings, Source, LongSupplier)}.
     *
     * @param onFailure is told, on the server's thread, when nobody is answered any more, {@link #failure} says why
     */
    static MonServer open(SupermonSettings settings, Source source, LongSupplier nanoClock, Runnable onFailure)
            throws IOException {
        return open(settings, source, Runtime.getRuntime().maxMemory() / PART_OF_MEMORY, nanoClock, onFailure);
    }

    /** As {@link #open(SupermonSettings, Source, LongSupplier, Runnable)}, with so many bytes of answers for all clients. */
    static MonServer open(
            SupermonSettings settings, Source source, long mostPendingOfAll, LongSupplier nanoClock, Runnable onFailure)
            throws IOException {
        Selector selector = Selector.open();
        try {
            ServerSocketChannel listening = ServerSocketChannel.open();
            try {
                listening.setOption(StandardSocketOptions.SO_REUSEADDR, true);
                listening.bind(settings.address());
                listening.configureBlocking(false);
                MonServer server =
                        new MonServer(selector, listening, settings, source, mostPendingOfAll, nanoClock, onFailure);
                source.start(selector);
                server.runner.start();
                return server;
            } catch (IOException e) {
                listening.close();
                throw e;
            }
        } catch (IOException e) {
            selector.close();
            throw e;
        }
    }

    /** Where it listens. */
    InetSocketAddress address() {
        return new InetSocketAddress(
                settings.address().getAddress(), listening.socket().getLocalPort());
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

    /** Closes all connections, and gives the port back. */
    @Override
    public void close() {
        runner.close();
    }

    /** What the thread does: whoever opened it sees that it failed, and opens another. */
    private final class Serving implements Agent {
        private long dueNanos;

        @Override
        public String roleName() {
            return "magnet-supermon-server";
        }

        @Override
        public OnFailure onFailure() {
            return OnFailure.END;
        }

        @Override
        public int doWork() throws IOException {
            selector.select(Math.max(1, TimeUnit.NANOSECONDS.toMillis(dueNanos)));
            int ready = selector.selectedKeys().size();
            for (SelectionKey key : selector.selectedKeys()) {
                if (key.attachment() == acceptor) {
                    accept();
                } else if (key.isValid()) {
                    work(key);
                }
            }
            selector.selectedKeys().clear();
            long now = nanoClock.getAsLong();
            dueNanos = Math.min(Source.NOTHING_DUE, Math.min(source.work(now), acceptor.work(now)));
            endStuck();
            return ready;
        }

        @Override
        public void wakeUp() {
            selector.wakeup();
        }

        @Override
        public void onClose() {
            new ArrayList<>(selector.keys()).forEach(key -> end(key, null));
            MonServer.close(selector);
        }

        @Override
        public void onFailed() {
            onFailure.run();
        }
    }

    private void accept() {
        SocketChannel channel = acceptor.accept();
        if (channel == null) {
            return;
        }
        try {
            greet(channel);
        } catch (IOException e) {
            close(channel);
            LOGGER.debug("supermon: a connection failed: {}", e.toString());
        } catch (RuntimeException e) {
            close(channel);
            throw e;
        }
    }

    private void greet(SocketChannel channel) throws IOException {
        InetSocketAddress from = (InetSocketAddress) channel.getRemoteAddress();
        boolean allowed = settings.allow().test(from.getAddress());
        if (!allowed || clients() >= settings.clients()) {
            sayRefused(from, allowed);
            channel.close();
            return;
        }
        channel.configureBlocking(false);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        // One whose machine has gone makes room after some hours.
        channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
        SelectionKey key = channel.register(selector, SelectionKey.OP_READ);
        key.attach(new Client(channel, source, () -> wake(key), this::waits, mostPending(), nanoClock.getAsLong()));
    }

    /** Looks after each answer: those of one turn together may be more than there is memory for. */
    private void waits(long more) {
        pending += more;
        if (more > 0 && pending > mostPendingOfAll) {
            endStuck();
        }
    }

    private int mostPending() {
        return Math.max(PENDING_LEAST, Math.min(PENDING_MOST, PENDING_OF_ALL / settings.clients()));
    }

    /** There is room to write, mostly, so that its turn comes at once. */
    private static void wake(SelectionKey key) {
        if (key.isValid()) {
            key.interestOps(SelectionKey.OP_WRITE);
        }
    }

    private int clients() {
        return withClients().size();
    }

    private List<SelectionKey> withClients() {
        List<SelectionKey> clients = new ArrayList<>();
        for (SelectionKey key : selector.keys()) {
            if (key.isValid() && key.attachment() instanceof Client) {
                clients.add(key);
            }
        }
        return clients;
    }

    private void sayRefused(InetSocketAddress from, boolean allowed) {
        String why = allowed
                ? "there are " + settings.clients() + " connections already: clients in [supermon]"
                : "allow in [supermon] does not have it";
        if (saidRefused) {
            LOGGER.debug("supermon: refused {}: {}", from, why);
        } else {
            saidRefused = true;
            LOGGER.warn("supermon: refused {}: {}; said once", from.getAddress().getHostAddress(), why);
        }
    }

    private void work(SelectionKey key) {
        Connection connection = (Connection) key.attachment();
        try {
            int next = connection.work(nanoClock.getAsLong());
            if (next == Connection.OVER) {
                end(key, null);
            } else if (key.isValid()) {
                key.interestOps(next);
            }
        } catch (IOException e) {
            if (connection instanceof Client client) {
                brokenOff.addAndGet(client.hasAnswers() ? 1 : 0);
            }
            LOGGER.debug("supermon: somebody has gone: {}", e.toString());
            end(key, e);
        } catch (RuntimeException e) {
            LOGGER.error("supermon: a client is given up for a fault of magnetd's own", e);
            brokenOff.addAndGet(connection instanceof Client ? 1 : 0);
            end(key, new IOException(e));
        }
    }

    private void endStuck() {
        List<SelectionKey> clients = withClients();
        clients.removeIf(key -> !client(key).hasAnswers());
        clients.sort(Comparator.comparingLong(key -> client(key).movedNanos()));
        long now = nanoClock.getAsLong();
        for (SelectionKey key : clients) {
            boolean stuck = now - client(key).movedNanos() > TimeUnit.SECONDS.toNanos(STUCK_SECONDS);
            if (!stuck && pending <= mostPendingOfAll) {
                return;
            }
            brokenOff.incrementAndGet();
            end(key, null);
        }
    }

    private static Client client(SelectionKey key) {
        return (Client) key.attachment();
    }

    private static void end(SelectionKey key, @Nullable IOException why) {
        if (key.attachment() instanceof Connection connection) {
            connection.ended(why);
        }
        key.cancel();
        close(key.channel());
    }

    private static void close(AutoCloseable what) {
        try {
            what.close();
        } catch (Exception e) {
            LOGGER.debug("supermon: closing failed", e);
        }
    }
}
