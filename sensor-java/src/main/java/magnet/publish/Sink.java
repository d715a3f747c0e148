// SPDX-License-Identifier: Apache-2.0
package magnet.publish;

import java.io.IOException;
import magnet.metric.MetricSnapshot;

/**
 * Where snapshots go.
 *
 * <p>All methods are called from one thread. {@link #publish} may block for a while; {@link SinkRunner} sees to it that
 * nobody waits for it.
 */
public interface Sink extends AutoCloseable {

    /** A short name for log lines and thread names. */
    String name();

    /**
     * Sends one snapshot.
     *
     * @throws IOException if none of it could be sent; the runner counts it and waits longer before the next one
     */
    void publish(MetricSnapshot snapshot) throws IOException;

    /** Gives back what the sink holds. Does not throw. */
    @Override
    void close();
}
