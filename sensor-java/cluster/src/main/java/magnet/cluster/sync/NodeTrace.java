// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.sync;

import java.util.Optional;
import magnet.trace.TraceClock;

/**
 * What is known of a node's trace beside its packets. Immutable.
 *
 * @param name the node's
 * @param clock its trace's
 * @param fromNs when its first record was, in its own time
 * @param toNs when its last record was; later
 * @param wall how fast its disciplined clock was; empty if nobody disciplined it, or nobody says so
 */
record NodeTrace(String name, TraceClock clock, long fromNs, long toNs, Optional<WallRate> wall) {
    NodeTrace {
        if (toNs <= fromNs) {
            throw new IllegalArgumentException(name + ": fromNs=" + fromNs + " toNs=" + toNs);
        }
    }
}
