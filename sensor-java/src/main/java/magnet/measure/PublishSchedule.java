// SPDX-License-Identifier: Apache-2.0
package magnet.measure;

/**
 * When to publish: soon after the start, so that every metric is known at once, then on a fixed grid. What was missed
 * while the machine stood still is not made up for. For one thread.
 */
public final class PublishSchedule {
    private static final long FIRST_NANOS = 500_000_000;
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final long intervalNanos;
    private long gridNanos;
    private long nextNanos;

    /**
     * @param startNanos when the first window began
     * @param intervalNanos from one publication to the next
     */
    public PublishSchedule(long startNanos, long intervalNanos) {
        this.intervalNanos = intervalNanos;
        this.gridNanos = startNanos + intervalNanos;
        this.nextNanos = startNanos + Math.min(FIRST_NANOS, intervalNanos);
    }

    /** Whether it is time; then the next time is planned. */
    public boolean take(long nowNanos) {
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
    public int waitMillis(long nowNanos) {
        return (int) Math.max(0, (nextNanos - nowNanos + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI);
    }
}
