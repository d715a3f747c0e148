// SPDX-License-Identifier: Apache-2.0
package magnet.agent;

import java.util.random.RandomGenerator;

/**
 * Waiting time after failures: doubles from {@code firstNanos} to {@code lastNanos}, give or take a quarter, so that a
 * thousand nodes do not all come back at the same instant. For one thread.
 */
public final class Backoff {
    private final long firstNanos;
    private final long lastNanos;
    private final RandomGenerator random;
    private long nextNanos;

    public Backoff(long firstNanos, long lastNanos, RandomGenerator random) {
        this.firstNanos = firstNanos;
        this.lastNanos = lastNanos;
        this.random = random;
        this.nextNanos = firstNanos;
    }

    /** The time to wait after one more failure, in nanoseconds. */
    public long failed() {
        long base = nextNanos;
        nextNanos = Math.min(lastNanos, nextNanos * 2);
        return base - base / 4 + (long) (random.nextDouble() * (base / 2.0));
    }

    /** Starts anew after a success. */
    public void succeeded() {
        nextNanos = firstNanos;
    }
}
