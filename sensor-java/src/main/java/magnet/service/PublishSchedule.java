// SPDX-License-Identifier: Apache-2.0
package magnet.service;

/**
 * When to publish: soon after the start, so that every metric is known at once, then on a fixed grid. What was missed
 * while the machine stood still is not made up for. For one thread.
 */
final class PublishSchedule {
    private static final long FIRST_NANOS = 500_000_000;
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final long intervalNanos;
    private long gridNanos;
    private long nextNanos;

    PublishSchedule(long startNanos, long intervalNanos) {
        this.intervalNanos = intervalNanos;
        this.gridNanos = startNanos + intervalNanos;
        this.nextNanos = startNanos + Math.min(FIRST_NANOS, intervalNanos);
    }

    /** Whether it is time; then the next time is planned. */
    boolean take(long nowNanos) {
        if (nowNanos - nextNanos < 0) {
            return false;
        }
        while (nowNanos - gridNanos >= 0) {
            gridNanos += intervalNanos;
        }
        nextNanos = gridNanos;
        return true;
    }

    /** Milliseconds until it is time, rounded up. */
    int waitMillis(long nowNanos) {
        return (int) Math.max(0, (nextNanos - nowNanos + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI);
    }
}
