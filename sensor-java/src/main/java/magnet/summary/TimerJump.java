// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

/**
 * Tells which lengths that the kernel measured, and gives where they end, may have a jump of the timer in them: those that
 * begin before the first one that ended after it. For one thread.
 */
public final class TimerJump {
    /** Of the first end after the last jump. */
    private long firstTimer = Long.MIN_VALUE;

    private boolean isAfter;
    private boolean isFirst;

    /** The timer has jumped. */
    public void happened() {
        isAfter = true;
        isFirst = true;
    }

    /**
     * Whether a length may span a jump.
     *
     * @param timer at its end
     * @param ticks of it, which a timer that began anew makes negative
     */
    public boolean isSpanned(long timer, long ticks) {
        if (!isAfter) {
            return false;
        }
        if (isFirst) {
            isFirst = false;
            firstTimer = timer;
        }
        return ticks < 0 || timer - ticks < firstTimer;
    }
}
