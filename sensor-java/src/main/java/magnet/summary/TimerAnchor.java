// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

/**
 * Places timers on the monotonic clock: by one instant at which both are known, renewed with each CLOCK record, because
 * the rate is known to a part in a million only. For one thread.
 */
final class TimerAnchor {
    private final TimerScale scale;
    private long timer;
    private long monotonicNanos;

    TimerAnchor(TimerScale scale, long timer, long monotonicNanos) {
        this.scale = scale;
        this.timer = timer;
        this.monotonicNanos = monotonicNanos;
    }

    void renew(long timerNow, long monotonicNanosNow) {
        timer = timerNow;
        monotonicNanos = monotonicNanosNow;
    }

    /** CLOCK_MONOTONIC at that timer, in nanoseconds. */
    long monotonicNanos(long at) {
        return monotonicNanos + scale.toNanos(at - timer);
    }
}
