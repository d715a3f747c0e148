// SPDX-License-Identifier: Apache-2.0
package magnet.publish;

import java.io.IOException;
import magnet.metric.MetricSnapshot;

/**
 * Where snapshots go.
 *
 * <p>All methods but where it is said are called from one thread. {@link #publish} may block for a while; {@link SinkRunner} sees to it that
 * nobody waits for it.
 */
public interface Sink extends AutoCloseable {

    /** A short name for log lines and thread names. */
    String name();

    /** Where snapshots go, for a log line. For any thread. */
    String destinations();

    /** What it could not deliver although {@link #publish} did not fail, since it was made. For any thread. */
    long errors();

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
