// SPDX-License-Identifier: Apache-2.0
package magnet.publish.server;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Something at a channel of the server's thread, which works on it when the channel is ready. For that thread. */
public interface Connection {
    /** What {@link #work} returns when the connection is over. */
    int OVER = -1;

    /**
     * Does what can be done now, without waiting.
     *
     * @param nowNanos of the server's clock
     * @return the operations of the channel to wait for, or {@link #OVER}
     * @throws IOException if the connection has failed, and so is over
     */
    int work(long nowNanos) throws IOException;

    /**
     * The channel is about to be closed.
     *
     * @param why what has failed; null if nothing has
     */
    void ended(@Nullable IOException why);
}
