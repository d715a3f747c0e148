// SPDX-License-Identifier: Apache-2.0
package magnet.perfetto;

/**
 * Turns timers into nanoseconds at their nominal frequency, so that order and lengths stay as they are; how the clocks of
 * user space went meanwhile is told beside it. For one thread.
 */
final class TraceTime {
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final long ticksPerMilli;
    private long baseTimer;
    private long baseNs;

    /** One that counts from where the timer was 0. */
    TraceTime(long ticksPerMilli) {
        this.ticksPerMilli = ticksPerMilli;
    }

    /** What it was at a timer. */
    void set(long timer, long ns) {
        baseTimer = timer;
        baseNs = Math.max(0, ns);
    }

    /** Nanoseconds at a timer; 0 for what is before all of them. */
    long ns(long timer) {
        return Math.max(0, baseNs + length(timer - baseTimer));
    }

    /** Nanoseconds of so many ticks: in two parts, since ticks times a million are more than fits. */
    private long length(long ticks) {
        return Math.floorDiv(ticks, ticksPerMilli) * NANOS_PER_MILLI
                + Math.floorMod(ticks, ticksPerMilli) * NANOS_PER_MILLI / ticksPerMilli;
    }
}
