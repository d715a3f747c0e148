// SPDX-License-Identifier: Apache-2.0
package magnet.publish.server;

import java.io.IOException;
import java.nio.ByteBuffer;

/** What one client says and is told, in a protocol. For the server's thread. */
public interface Conversation {
    /** Bytes that may have come and not be taken yet: the longest request. */
    int inputBytes();

    /** Bytes of answers after which nothing more is taken until some of them are sent; one answer may go beyond it. */
    int mostPending();

    /** It begins. */
    default void begin(Replies answers) {}

    /**
     * Takes what is whole of what came, as long as {@link Replies#mayTake}.
     *
     * @param came what came and was not taken yet; what is left is there again, with what follows
     * @return whether it took anything
     * @throws IOException if that is nothing that may be said: the connection ends
     */
    boolean take(ByteBuffer came, Replies answers) throws IOException;

    /** Whether the client may be silent for as long as it likes. */
    default boolean isInUse() {
        return true;
    }

    /** The connection is over. Once. */
    default void ended() {}
}
