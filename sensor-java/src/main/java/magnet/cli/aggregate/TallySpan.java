// SPDX-License-Identifier: Apache-2.0
package magnet.cli.aggregate;

import java.time.Instant;

/**
 * The time that something was counted in.
 *
 * @param end when it was over
 * @param nanos how long it was
 */
record TallySpan(Instant end, long nanos) {
    private static final double NANOS_PER_SECOND = 1e9;

    double seconds() {
        return nanos / NANOS_PER_SECOND;
    }
}
