// SPDX-License-Identifier: Apache-2.0
package magnet.cost;

/**
 * Finds out of a thread's processor time, looked at again and again, when it was busy: a stretch ends when nothing has been
 * added for so long. For one thread.
 */
final class BusyStretches {
    private final long quietNanos;
    private double seen;
    private boolean busy;
    private long beganNanos;
    private long lastNanos;
    private long beforeNanos;
    private int count;
    private long busyNanos;
    private long longestNanos;

    /** @param quietNanos how long a thread does nothing before it is at rest */
    BusyStretches(long quietNanos) {
        this.quietNanos = quietNanos;
    }

    /**
     * Takes note of what it has spent until now.
     *
     * @param cpuSeconds never less than before
     */
    void look(long nowNanos, double cpuSeconds) {
        if (cpuSeconds > seen) {
            if (!busy) {
                busy = true;
                beganNanos = beforeNanos;
            }
            lastNanos = nowNanos;
        } else if (busy && nowNanos - lastNanos >= quietNanos) {
            busy = false;
            count++;
            busyNanos += lastNanos - beganNanos;
            longestNanos = Math.max(longestNanos, lastNanos - beganNanos);
        }
        seen = cpuSeconds;
        beforeNanos = nowNanos;
    }

    /** Stretches that have ended. */
    int count() {
        return count;
    }

    /** Their lengths together, each from the look before its begin to its last one. */
    long busyNanos() {
        return busyNanos;
    }

    /** The length of the longest. */
    long longestNanos() {
        return longestNanos;
    }

    /** Whether it is in one now. */
    boolean busy() {
        return busy;
    }
}
