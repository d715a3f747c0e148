// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.wire;

import java.util.function.LongSupplier;

/** The counters of a sender: the wall clock, and more than the last one if that stands still or is set back. For one thread. */
final class Counter {
    private final LongSupplier wallNs;
    private long last;

    Counter(LongSupplier wallNs) {
        this.wallNs = wallNs;
    }

    /** The next one. */
    long next() {
        last = Math.max(last + 1, wallNs.getAsLong());
        return last;
    }
}
