// SPDX-License-Identifier: Apache-2.0
package magnet.publish.server;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import magnet.publish.Outage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Takes connections of one listening channel on a selector's thread. Where that fails, because the process has as many
 * files open as it may, the connection stays in the kernel's queue and the channel ready: it is left alone for
 * {@value #PAUSE_SECONDS} s then, so that nobody spins, and that it fails is said once. For that thread.
 */
final class Acceptor {
    /** How long a channel is left alone that does not give its connection. */
    static final int PAUSE_SECONDS = 1;

    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(PAUSE_SECONDS);

    /** Gives the next connection; null if there is none. */
    @FunctionalInterface
    interface Queue {
        @Nullable
        SocketChannel take() throws IOException;
    }

    private final SelectionKey key;
    private final Queue queue;
    private final LongSupplier nanoClock;
    private final Outage outage;
    private boolean pausing;
    private long againNanos;

    /**
     * Registers the channel, and is attached to its key.
     *
     * @param channel listens, and does not block
     * @param logger where it is said that connections cannot be taken
     * @param what whose connections, for that line
     */
    Acceptor(Selector selector, ServerSocketChannel channel, Logger logger, String what, LongSupplier nanoClock)
            throws IOException {
        this(selector, channel, channel::accept, logger, what, nanoClock);
    }

    Acceptor(
            Selector selector,
            ServerSocketChannel channel,
            Queue queue,
            Logger logger,
            String what,
            LongSupplier nanoClock)
            throws IOException {
        this.queue = queue;
        this.nanoClock = nanoClock;
        this.outage = new Outage(logger, what + ": connections cannot be taken", nanoClock);
        this.key = channel.register(selector, SelectionKey.OP_ACCEPT, this);
    }

    /** The next connection; null if there is none, or it cannot be taken now. */
    @Nullable
    SocketChannel accept() {
        try {
            SocketChannel connection = queue.take();
            outage.worked();
            return connection;
        } catch (IOException e) {
            outage.failed(e.getMessage() == null ? e.toString() : e.getMessage());
            pausing = true;
            againNanos = nanoClock.getAsLong() + PAUSE_NANOS;
            key.interestOps(0);
            return null;
        }
    }

    /**
     * Goes on when it is time. To be called in each turn.
     *
     * @return nanoseconds until it is to be called again, at most
     */
    long work(long nowNanos) {
        if (pausing && nowNanos - againNanos >= 0) {
            pausing = false;
            key.interestOps(SelectionKey.OP_ACCEPT);
        }
        return pausing ? againNanos - nowNanos : Long.MAX_VALUE;
    }
}
