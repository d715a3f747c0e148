// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

/** The largest of values that are not negative, over the trailing window; 0 where there is none. For one thread. */
final class WindowedMax implements Windowed {
    private final long[] slots;
    private int current;

    /** @param slots slots of the window */
    WindowedMax(int slots) {
        this.slots = new long[slots];
    }

    void record(long value) {
        if (value > slots[current]) {
            slots[current] = value;
        }
    }

    /** The largest over all slots, the current one included. */
    long max() {
        long max = 0;
        for (long slot : slots) {
            max = Math.max(max, slot);
        }
        return max;
    }

    @Override
    public void advance() {
        current = (current + 1) % slots.length;
        slots[current] = 0;
    }
}
