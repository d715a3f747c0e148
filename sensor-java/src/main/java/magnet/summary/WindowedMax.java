// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

/** The largest of values that are not negative, over the trailing window; 0 where there is none. For one thread. */
public final class WindowedMax implements Windowed {
    /** All slots; what the current one has is in a field of its own, which is one step closer. */
    private final long[] slots;

    private int index;
    private long current;

    /** @param slots slots of the window */
    public WindowedMax(int slots) {
        this.slots = new long[slots];
    }

    public void record(long value) {
        if (value > current) {
            current = value;
        }
    }

    /** The largest over all slots, the current one included. */
    public long max() {
        long max = current;
        for (long slot : slots) {
            max = Math.max(max, slot);
        }
        return max;
    }

    @Override
    public void advance() {
        slots[index] = current;
        index = (index + 1) % slots.length;
        slots[index] = 0;
        current = 0;
    }
}
