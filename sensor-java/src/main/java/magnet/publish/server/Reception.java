// SPDX-License-Identifier: Apache-2.0
package magnet.publish.server;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.Optional;

/** Decides on who has come to a place where a server listens. For the server's thread. */
public interface Reception {
    /**
     * Why whoever has come is not answered; empty if it is.
     *
     * @param connections there are of this reception already
     * @throws IOException if it has gone meanwhile
     */
    Optional<String> refusal(SocketChannel channel, int connections) throws IOException;

    /**
     * Why one more is too many: {@code clients} of a section of magnet.conf; empty if it is not.
     *
     * @param connections there are already
     * @param most there may be
     */
    static Optional<String> tooMany(int connections, int most, String section) {
        return connections < most
                ? Optional.empty()
                : Optional.of("there are " + most + " connections already: clients in [" + section + "]");
    }

    /** What is said to whoever is refused, as far as there is room for it. */
    default byte[] farewell() {
        return new byte[0];
    }

    /**
     * The conversation with it.
     *
     * @throws IOException if it has gone meanwhile
     */
    Conversation welcome(SocketChannel channel) throws IOException;
}
