// SPDX-License-Identifier: Apache-2.0
package magnet.publish.supermon;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import magnet.publish.server.Ports;

/** Where the answers to clients come from: this node, or others that are asked in turn. For the server's thread. */
interface Source {
    /** What {@link #work} returns when nothing is due. */
    long NOTHING_DUE = TimeUnit.SECONDS.toNanos(1);

    /**
     * Makes a sample.
     *
     * @param mask the categories that are wanted
     * @param to takes it with its end, at once or later, but once; shall not change it
     */
    void sample(long mask, Consumer<byte[]> to);

    /**
     * Makes a description.
     *
     * @param mask the categories that are wanted
     * @param to takes it with its end, at once or later, but once; shall not change it
     */
    void describe(long mask, Consumer<byte[]> to);

    /** A client wants that whoever could not be reached is tried again. */
    void reconnect();

    /**
     * Begins. Called once, before the server's thread does.
     *
     * @param ports the server's
     */
    void start(Ports ports);

    /**
     * Does what is due. Called after each turn of the server.
     *
     * @return nanoseconds until something will be due, at most {@link #NOTHING_DUE}
     */
    long work(long nowNanos);
}
