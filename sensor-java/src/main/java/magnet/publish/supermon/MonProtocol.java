// SPDX-License-Identifier: Apache-2.0
package magnet.publish.supermon;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.util.Optional;
import magnet.publish.server.Conversation;
import magnet.publish.server.Ports;
import magnet.publish.server.Protocol;
import magnet.publish.server.Reception;

/** Supermon's protocol: whom a source of samples answers. For one server. */
final class MonProtocol implements Protocol, Reception {
    /** What may wait for all clients together, and how much of it for one at least and at most: 96 MiB are all there is. */
    private static final int PENDING_OF_ALL = 16 << 20;

    private static final int PENDING_LEAST = 16 << 10;
    private static final int PENDING_MOST = 256 << 10;

    private final SupermonSettings settings;
    private final Source source;

    /** @param source of the answers, for this alone */
    MonProtocol(SupermonSettings settings, Source source) {
        this.settings = settings;
        this.source = source;
    }

    @Override
    public String name() {
        return "supermon";
    }

    @Override
    public void start(Ports ports) throws IOException {
        ports.listen(settings.address(), this);
        source.start(ports);
    }

    @Override
    public long work(long nowNanos) {
        return source.work(nowNanos);
    }

    @Override
    public Optional<String> refusal(SocketChannel channel, int connections) throws IOException {
        InetSocketAddress from = (InetSocketAddress) channel.getRemoteAddress();
        if (!settings.allow().test(from.getAddress())) {
            return Optional.of("allow in [supermon] does not have it");
        }
        return Reception.tooMany(connections, settings.clients(), name());
    }

    @Override
    public Conversation welcome(SocketChannel channel) {
        int most = Math.max(PENDING_LEAST, Math.min(PENDING_MOST, PENDING_OF_ALL / settings.clients()));
        return new MonConversation(source, most);
    }
}
