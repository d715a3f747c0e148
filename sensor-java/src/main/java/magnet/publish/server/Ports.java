// SPDX-License-Identifier: Apache-2.0
package magnet.publish.server;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/** What a protocol has of its server. For the server's thread, and for {@link Protocol#start}. */
public interface Ports {
    /**
     * Listens there until the server ends.
     *
     * @throws IOException if nobody can now
     */
    void listen(InetSocketAddress address, Reception reception) throws IOException;

    /**
     * Listens at a socket that is a file, as {@link UnixListener#open} does; the file goes when the server ends.
     *
     * @throws IOException if nobody can now
     */
    void listen(Path path, String permissions, Reception reception) throws IOException;

    /**
     * Works on a connection that the protocol has made itself.
     *
     * @param operations that the channel, which does not block, shall be ready for
     * @throws IOException if the channel is closed
     */
    void watch(SocketChannel channel, int operations, Connection connection) throws IOException;

    /** Closes such a connection's channel; nobody is told. */
    void drop(SocketChannel channel);

    /** How many clients there are, of all receptions. */
    int clients();
}
