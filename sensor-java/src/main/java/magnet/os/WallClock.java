// SPDX-License-Identifier: Apache-2.0
package magnet.os;

/**
 * CLOCK_REALTIME, for what is to happen on several machines at one instant: see clock_nanosleep(2). A sleep until an instant
 * ends there also if the clock is set meanwhile. Stateless; the slack of timers is the calling thread's.
 */
public final class WallClock {
    private static final int CLOCK_REALTIME = 0;
    private static final int TIMER_ABSTIME = 1;
    private static final int PR_SET_TIMERSLACK = 29;
    private static final int TIMESPEC_SIZE = 16;
    private static final int NANOSECONDS_OFFSET = 8;
    private static final long NANOS_PER_SECOND = 1_000_000_000;

    private WallClock() {}

    /** Lets the sleeps of this thread end as exactly as the kernel can: a nanosecond late, not 50 microseconds. */
    public static void sleepExactly() {
        Libc.require();
        // Refused to threads with a real-time policy, which have none.
        int unused = Libc.prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
    }

    /**
     * Sleeps until an instant; not at all if it is over. A signal may end it before.
     *
     * @param untilNs nanoseconds since 1970
     */
    public static void sleepUntil(long untilNs) {
        NativeBuffer until = NativeBuffer.allocate(TIMESPEC_SIZE);
        until.bytes().putLong(0, Math.floorDiv(untilNs, NANOS_PER_SECOND));
        until.bytes().putLong(NANOSECONDS_OFFSET, Math.floorMod(untilNs, NANOS_PER_SECOND));
        int unused = Libc.clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, until.address(0, TIMESPEC_SIZE), 0);
    }
}
