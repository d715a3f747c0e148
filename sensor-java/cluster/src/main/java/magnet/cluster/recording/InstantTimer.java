// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.recording;

import magnet.control.ModuleInfo;

/**
 * What the timer of records is at an instant of the wall clock: on the straight line through two moments at which the module
 * told both. They lie around the instant or close to it, so that nominal frequency and corrections of the wall clock do not
 * matter. Stateless.
 */
final class InstantTimer {
    /** Moments that are closer do not tell a rate. */
    private static final long APART_NS = 1_000_000;

    private static final double NANOS_PER_MILLI = 1e6;

    private InstantTimer() {}

    /**
     * The timer at an instant.
     *
     * @param instantNs nanoseconds since 1970
     */
    static long at(long instantNs, ModuleInfo earlier, ModuleInfo later) {
        long apart = later.realtimeNs() - earlier.realtimeNs();
        double ticksPerNs = apart < APART_NS || earlier.epoch() != later.epoch()
                ? later.ticksPerMilli() / NANOS_PER_MILLI
                : (double) (later.timer() - earlier.timer()) / apart;
        return later.timer() + Math.round((instantNs - later.realtimeNs()) * ticksPerNs);
    }
}
