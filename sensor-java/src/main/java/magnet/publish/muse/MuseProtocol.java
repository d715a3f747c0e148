// SPDX-License-Identifier: Apache-2.0
package magnet.publish.muse;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import magnet.publish.server.Conversation;
import magnet.publish.server.Ports;
import magnet.publish.server.Protocol;
import magnet.publish.server.Reception;

/**
 * MUSE's protocol, and the events of its clients' handlers, which are read on the server's thread: what a query tells is the
 * state at that moment, without anything being handed over. While nobody has a handler started it only waits for requests.
 * For one server.
 */
final class MuseProtocol implements Protocol, Reception {
    private static final String FOR_GROUP = "rw-rw----";
    /** A ring of 256 KiB holds 6,500 records of 40 bytes: 320,000 a second on each CPU. */
    private static final long READ_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final MuseSettings settings;
    private final LiveHandlers live;
    private final Session.Shared shared;

    /**
     * One that does not listen yet.
     *
     * @param live for this alone
     * @param shared what its sessions share
     */
    MuseProtocol(MuseSettings settings, LiveHandlers live, Session.Shared shared) {
        this.settings = settings;
        this.live = live;
        this.shared = shared;
    }

    @Override
    public String name() {
        return "muse";
    }

    /** The message of what it throws says where nobody can listen. */
    @Override
    public void start(Ports ports) throws IOException {
        if (settings.address().isPresent()) {
            InetSocketAddress address = settings.address().orElseThrow();
            try {
                ports.listen(address, this);
            } catch (IOException e) {
                throw new IOException(MuseSink.describe(address) + ": " + e.getMessage(), e);
            }
        }
        if (settings.socket().isPresent()) {
            Path path = settings.socket().orElseThrow();
            try {
                ports.listen(path, FOR_GROUP, this);
            } catch (IOException e) {
                throw new IOException("muse at " + path + ": " + e.getMessage(), e);
            }
        }
    }

    @Override
    public long work(long nowNanos) {
        live.read();
        return live.isReading() ? READ_NANOS : Long.MAX_VALUE;
    }

    /** Points first: what clients have is worth nothing without their connections. */
    @Override
    public void stop() {
        live.close();
    }

    @Override
    public Optional<String> refusal(SocketChannel channel, int connections) {
        return Reception.tooMany(connections, settings.clients(), name());
    }

    @Override
    public byte[] farewell() {
        return new byte[] {MuseConversation.REFUSED};
    }

    @Override
    public Conversation welcome(SocketChannel channel) throws IOException {
        boolean isOfGroup = channel.getLocalAddress() instanceof UnixDomainSocketAddress;
        return new MuseConversation(new Session(shared, isOfGroup));
    }
}
