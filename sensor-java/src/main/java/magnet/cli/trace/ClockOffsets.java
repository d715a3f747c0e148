// SPDX-License-Identifier: Apache-2.0
package magnet.cli.trace;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import magnet.trace.TraceClock;

/**
 * Knows how the clocks of a run's nodes stand to each other, if a package brings it that aligns them: its jar names the class in
 * {@code META-INF/services}, see {@link java.util.ServiceLoader}. Stateless.
 */
public interface ClockOffsets {
    /** The clocks of one run. Immutable. */
    interface Aligned {
        /**
         * A node's time in that of all nodes; empty if nothing is known of this trace of the node.
         *
         * @param clock of the trace
         * @param nodeNs by that clock, nanoseconds since 1970
         */
        OptionalLong together(String node, TraceClock clock, long nodeNs);
    }

    /**
     * Those of a run; empty if nobody has aligned them.
     *
     * @param run has a folder with a trace for each node
     * @throws IOException if somebody has, and it cannot be understood
     */
    Optional<Aligned> read(Path run) throws IOException;
}
