// SPDX-License-Identifier: Apache-2.0
package magnet.publish.server;

import java.io.IOException;

/** What a {@link SelectorServer} speaks, and what is done on its thread beside that. For one server. */
public interface Protocol {
    /** A short name, for log lines and the thread's name. For any thread. */
    String name();

    /**
     * Begins to listen. Called once, before the server's thread begins.
     *
     * @throws IOException if nobody can listen there now
     */
    void start(Ports ports) throws IOException;

    /**
     * Does what is due, after each turn of the server.
     *
     * @return nanoseconds until something will be due
     */
    long work(long nowNanos);

    /** Gives back what it holds, before the connections are closed. Does not throw. */
    default void stop() {}
}
