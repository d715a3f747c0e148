// SPDX-License-Identifier: Apache-2.0
package magnet.publish.supermon;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import jdk.net.ExtendedSocketOptions;
import magnet.publish.UnixListener;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The socket at which programs of this node hand in values of their own, {@link HandedIn}. Any user may; who it is the
 * kernel says. Of connections each has {@value #CONNECTIONS_OF_USER}, and all together {@value #CONNECTIONS}. For the server's
 * thread.
 */
final class MonHole implements Connection {
    static final int CONNECTIONS = 64;
    static final int CONNECTIONS_OF_USER = 8;

    private static final Logger LOGGER = LoggerFactory.getLogger(MonHole.class);
    private static final String FOR_ALL = "rw-rw-rw-";
    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Path path;
    private final HandedIn values;
    private final Map<String, Integer> users = new HashMap<>();
    private @Nullable Selector selector;
    private @Nullable ServerSocketChannel listening;
    private boolean saidClosed;
    private boolean tried;
    private long triedNanos;

    /** @param path where the socket shall be */
    MonHole(Path path, HandedIn values) {
        this.path = path;
        this.values = values;
    }

    /** Opens it, unless it is open or was tried less than a second ago; says once why it cannot. */
    void open(Selector servers, long nowNanos) {
        selector = servers;
        if (listening != null || (tried && nowNanos - triedNanos < RETRY_NANOS)) {
            return;
        }
        tried = true;
        triedNanos = nowNanos;
        try {
            listening = listen(servers);
            saidClosed = false;
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

    private ServerSocketChannel listen(Selector servers) throws IOException {
        ServerSocketChannel channel = UnixListener.open(path, FOR_ALL);
        try {
            channel.register(servers, SelectionKey.OP_ACCEPT, this);
            return channel;
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    @Override
    public int work(long nowNanos) throws IOException {
        ServerSocketChannel open = listening;
        if (open == null) {
            return OVER;
        }
        SocketChannel channel = open.accept();
        if (channel != null) {
            try {
                greet(channel);
            } catch (IOException | RuntimeException e) {
                channel.close();
                LOGGER.debug("supermon: a connection failed: {}", e.toString());
            }
        }
        return SelectionKey.OP_ACCEPT;
    }

    private void greet(SocketChannel channel) throws IOException {
        String user =
                channel.getOption(ExtendedSocketOptions.SO_PEERCRED).user().getName();
        int connections = users.values().stream().mapToInt(Integer::intValue).sum();
        Selector servers = selector;
        if (servers == null || connections >= CONNECTIONS || users.getOrDefault(user, 0) >= CONNECTIONS_OF_USER) {
            channel.close();
            return;
        }
        channel.configureBlocking(false);
        channel.register(servers, SelectionKey.OP_READ, new MonHoleConnection(channel, user, values, () -> left(user)));
        users.merge(user, 1, Integer::sum);
    }

    private void left(String user) {
        users.computeIfPresent(user, (any, count) -> count == 1 ? null : count - 1);
    }

    @Override
    public void ended(@Nullable IOException why) {
        if (listening != null) {
            listening = null;
            try {
                Files.deleteIfExists(path);
            } catch (IOException e) {
                LOGGER.debug("supermon: {} is left over", path, e);
            }
        }
    }
}
