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
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers Supermon's clients, all of them on one thread, none of which can hold up the others. A connection from where none
 * is allowed, or one too many, is closed at once; one that does not take its answers for {@value #STUCK_SECONDS} s is closed
 * and counted. Thread-safe.
 */
final class MonServer implements AutoCloseable {
    static final int STUCK_SECONDS = 60;

    private static final Logger LOGGER = LoggerFactory.getLogger(MonServer.class);
    /** What may wait for all clients together, and how much of it for one at least and at most: 96 MiB are all there is. */
    private static final int PENDING_OF_ALL = 16 << 20;

    private static final int PENDING_LEAST = 16 << 10;
    private static final int PENDING_MOST = 256 << 10;
    private static final long LOOK_MILLIS = 1_000;
    private static final long CLOSE_MILLIS = 3_000;

    private final Selector selector;
    private final ServerSocketChannel listening;
    private final SupermonSettings settings;
    private final Samples samples;
    private final LongSupplier nanoClock;
    private final AtomicLong brokenOff = new AtomicLong();
    private final Thread thread;
    private volatile boolean closed;
    private boolean saidRefused;

    private MonServer(
            Selector selector,
            ServerSocketChannel listening,
            SupermonSettings settings,
            Samples samples,
            LongSupplier nanoClock) {
        this.selector = selector;
        this.listening = listening;
        this.settings = settings;
        this.samples = samples;
        this.nanoClock = nanoClock;
        this.thread = new Thread(this::run, "magnet-supermon-server");
        this.thread.setDaemon(true);
    }

    /**
     * Begins to answer.
     *
     * @param samples for this server alone
     * @throws IOException if nobody can listen there now
     */
    static MonServer open(SupermonSettings settings, Samples samples, LongSupplier nanoClock) throws IOException {
        Selector selector = Selector.open();
        try {
            ServerSocketChannel listening = ServerSocketChannel.open();
            try {
                listening.setOption(StandardSocketOptions.SO_REUSEADDR, true);
                listening.bind(settings.address());
                listening.configureBlocking(false);
                listening.register(selector, SelectionKey.OP_ACCEPT);
            } catch (IOException e) {
                listening.close();
                throw e;
            }
            MonServer server = new MonServer(selector, listening, settings, samples, nanoClock);
            server.thread.start();
            return server;
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
    long brokenOff() {
        return brokenOff.get();
    }

    /** Closes all connections, and gives the port back. */
    @Override
    public void close() {
        closed = true;
        selector.wakeup();
        try {
            thread.join(CLOSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        try {
            while (!closed) {
                selector.select(LOOK_MILLIS);
                for (SelectionKey key : selector.selectedKeys()) {
                    if (key.isValid() && key.isAcceptable()) {
                        accept();
                    } else if (key.isValid()) {
                        work(key);
                    }
                }
                selector.selectedKeys().clear();
                endStuck();
            }
        } catch (IOException | RuntimeException e) {
            LOGGER.error("supermon: nobody is answered any more: {}", e.toString(), e);
        } finally {
            new ArrayList<>(selector.keys()).forEach(MonServer::end);
            close(selector);
        }
    }

    private void accept() {
        try {
            SocketChannel channel = listening.accept();
            if (channel == null) {
                return;
            }
            try {
                greet(channel);
            } catch (IOException | RuntimeException e) {
                close(channel);
                throw e;
            }
        } catch (IOException e) {
            LOGGER.debug("supermon: a connection failed: {}", e.toString());
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
        channel.register(
                selector, SelectionKey.OP_READ, new Client(channel, samples, mostPending(), nanoClock.getAsLong()));
    }

    private int mostPending() {
        return Math.max(PENDING_LEAST, Math.min(PENDING_MOST, PENDING_OF_ALL / settings.clients()));
    }

    private int clients() {
        return selector.keys().size() - 1;
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
        Client client = client(key);
        try {
            int next = client.work(nanoClock.getAsLong());
            if (next == 0) {
                end(key);
            } else {
                key.interestOps(next);
            }
        } catch (IOException e) {
            brokenOff.addAndGet(client.hasAnswers() ? 1 : 0);
            LOGGER.debug("supermon: a client has gone: {}", e.toString());
            end(key);
        }
    }

    private void endStuck() {
        List<SelectionKey> stuck = new ArrayList<>();
        long now = nanoClock.getAsLong();
        for (SelectionKey key : selector.keys()) {
            if (key.isValid()
                    && key.attachment() != null
                    && client(key).hasAnswers()
                    && now - client(key).movedNanos() > TimeUnit.SECONDS.toNanos(STUCK_SECONDS)) {
                stuck.add(key);
            }
        }
        brokenOff.addAndGet(stuck.size());
        stuck.forEach(MonServer::end);
    }

    private static Client client(SelectionKey key) {
        return (Client) key.attachment();
    }

    private static void end(SelectionKey key) {
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
