// SPDX-License-Identifier: Apache-2.0
package magnet.publish.supermon;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import magnet.publish.server.Conversation;
import magnet.publish.server.Ports;
import magnet.publish.server.Reception;
import magnet.publish.server.UserConnections;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The socket at which programs of this node hand in values of their own, {@link HandedIn}. Any user may; who it is the
 * kernel says. Of connections each has {@value #CONNECTIONS_OF_USER}, and all together {@value #CONNECTIONS}. For the server's
 * thread.
 */
final class MonHole implements Reception {
    static final int CONNECTIONS = 64;
    static final int CONNECTIONS_OF_USER = UserConnections.MOST;

    private static final Logger LOGGER = LoggerFactory.getLogger(MonHole.class);
    private static final String FOR_ALL = "rw-rw-rw-";
    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Path path;
    private final HandedIn values;
    private final UserConnections users = new UserConnections();
    private boolean listening;
    private boolean saidClosed;
    private boolean tried;
    private long triedNanos;

    /** @param path where the socket shall be */
    MonHole(Path path, HandedIn values) {
        this.path = path;
        this.values = values;
    }

    /** Opens it, unless it is open or was tried less than a second ago; says once why it cannot. */
    void open(Ports ports, long nowNanos) {
        if (listening || (tried && nowNanos - triedNanos < RETRY_NANOS)) {
            return;
        }
        tried = true;
        triedNanos = nowNanos;
        try {
            ports.listen(path, FOR_ALL, this);
            listening = true;
        } catch (IOException e) {
            if (!saidClosed) {
                saidClosed = true;
                LOGGER.warn(
                        "supermon: cannot open the MonHole at {}: {}; it is tried again, all else goes on",
                        path,
                        e.getMessage());
            }
        }
    }

    @Override
    public Optional<String> refusal(SocketChannel channel, int connections) throws IOException {
        UserPrincipal user = UserConnections.user(channel);
        if (connections >= CONNECTIONS) {
            return Optional.of("the MonHole has " + CONNECTIONS + " connections already");
        }
        return users.hasRoom(user)
                ? Optional.empty()
                : Optional.of("user " + user.getName() + " has " + CONNECTIONS_OF_USER
                        + " connections to the MonHole already");
    }

    @Override
    public Conversation welcome(SocketChannel channel) throws IOException {
        UserPrincipal user = UserConnections.user(channel);
        return new MonHoleConversation(user.getName(), values, users.add(user));
    }
}
