// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import java.util.concurrent.TimeUnit;

/**
 * What a record's timer counts. Immutable.
 *
 * @param nanosPerTick nanoseconds in a tick of the timer
 */
public record TimerScale(double nanosPerTick) {
    private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final double NANOS_PER_MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    public TimerScale {
        if (!(nanosPerTick > 0) || Double.isInfinite(nanosPerTick)) {
            throw new IllegalArgumentException("nanosPerTick=" + nanosPerTick);
        }
    }

    /**
     * The scale of a timer.
     *
     * @param ticksPerMilli ticks in a millisecond: the kernel's MAGNET_A_CLOCK_KHZ, which is 1,000,000 where the timer
     *     counts nanoseconds
     */
    public static TimerScale ofKhz(long ticksPerMilli) {
        return new TimerScale(NANOS_PER_MILLI / ticksPerMilli);
    }

    /** Ticks, not negative, as whole nanoseconds, rounded to the nearest; a fraction of the time that Math.round takes. */
    public long toNanos(long ticks) {
        return (long) (ticks * nanosPerTick + 0.5);
    }

    /** Ticks as microseconds. */
    public double toMicros(long ticks) {
        return ticks * nanosPerTick / 1_000;
    }

    /** Ticks as seconds. */
    public double toSeconds(long ticks) {
        return ticks * nanosPerTick / NANOS_PER_SECOND;
    }
}
