// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

/** A sum over the trailing window. For one thread. */
public final class WindowedCount implements Windowed {
    /** All slots; what the current one has is in a field of its own, which is one step closer. */
    private final long[] slots;

    private int index;
    private long current;

    /** @param slots slots of the window */
    public WindowedCount(int slots) {
        this.slots = new long[slots];
    }

    public void increment() {
        current++;
    }

    public void add(long amount) {
        current += amount;
    }

    /** The sum over all slots, the current one included. */
    public long sum() {
        long sum = current;
        for (long slot : slots) {
            sum += slot;
        }
        return sum;
    }

    /** Slots that are not 0, the current one included. */
    int slotsWithAny() {
        int any = current == 0 ? 0 : 1;
        for (long slot : slots) {
            any += slot == 0 ? 0 : 1;
        }
        return any;
    }

    @Override
    public void advance() {
        slots[index] = current;
        index = (index + 1) % slots.length;
        slots[index] = 0;
        current = 0;
    }
}
