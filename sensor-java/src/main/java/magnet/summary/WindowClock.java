// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

/** Measures how long the trailing window is. For one thread. */
public final class WindowClock {
    private final long[] lengths;
    private int current;
    private long beganNanos;

    /**
     * @param slots slots of the window
     * @param nowNanos when the first slot begins
     */
    public WindowClock(int slots, long nowNanos) {
        this.lengths = new long[slots];
        this.beganNanos = nowNanos;
    }

    /** Ends the current slot and gives the length of the window up to now, in nanoseconds. */
    public long close(long nowNanos) {
        lengths[current] = nowNanos - beganNanos;
        long sum = 0;
        for (long length : lengths) {
            sum += length;
        }
        return sum;
    }

    /** Begins the next slot, in the place of the oldest one. */
    public void advance(long nowNanos) {
        current = (current + 1) % lengths.length;
        lengths[current] = 0;
        beganNanos = nowNanos;
    }
}
