// SPDX-License-Identifier: Apache-2.0
package magnet.publish.server;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A place where a server listens: who is received there, and its file. For the server's thread. */
final class Listener {
    private static final Logger LOGGER = LoggerFactory.getLogger(SelectorServer.class);

    private final String name;
    private final Acceptor acceptor;
    private final Reception reception;
    private final @Nullable Path file;
    private boolean saidRefused;

    /**
     * One that listens from now on; its key has its acceptor attached.
     *
     * @param name the protocol's
     * @param channel listens, and does not block; closed if this fails
     * @param file the socket's, if it is one
     */
    Listener(
            String name,
            Selector selector,
            ServerSocketChannel channel,
            Reception reception,
            @Nullable Path file,
            LongSupplier nanoClock)
            throws IOException {
        this.name = name;
        this.reception = reception;
        this.file = file;
        this.acceptor = new Acceptor(selector, channel, LOGGER, name, nanoClock);
    }

    /** Whether the key is that of this one's channel. */
    boolean isAt(SelectionKey key) {
        return key.attachment() == acceptor;
    }

    /** Who has come, unless it is refused, or cannot be taken now. */
    @Nullable
    SocketChannel accept() {
        return acceptor.accept();
    }

    Reception reception() {
        return reception;
    }

    /** Goes on after a pause; returns nanoseconds until it is to be called again. */
    long work(long nowNanos) {
        return acceptor.work(nowNanos);
    }

    /** Says why somebody is refused: the first time so that it is seen. */
    void sayRefused(SocketChannel refused, String why) throws IOException {
        String who = refused.getRemoteAddress() instanceof InetSocketAddress from
                ? from.getAddress().getHostAddress()
                : "a client";
        if (saidRefused) {
            LOGGER.debug("{}: refused {}: {}", name, who, why);
        } else {
            saidRefused = true;
            LOGGER.warn("{}: refused {}: {}; said once", name, who, why);
        }
    }

    /** The channel has been closed: its file goes. */
    void closed() {
        if (file != null) {
            try {
                Files.deleteIfExists(file);
            } catch (IOException e) {
                LOGGER.debug("{}: {} is left over", name, file, e);
            }
        }
    }
}
