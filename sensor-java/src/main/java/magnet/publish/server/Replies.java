// SPDX-License-Identifier: Apache-2.0
package magnet.publish.server;

import java.nio.ByteBuffer;

/** Where a conversation's answers go: they are sent in this order, as the client takes them. For the server's thread. */
public interface Replies {
    /**
     * One more. That a client has gone meanwhile is no fault: the answer is forgotten then.
     *
     * @param answer not changed before {@link #mayTake} says that another may be asked for
     */
    void add(ByteBuffer answer);

    /** An answer is being made: nothing more is taken until it is added. */
    void expect();

    /** That was all: when everything is sent the connection is over. */
    void end();

    /** Whether the client may be asked what else it wants. */
    boolean mayTake();
}
