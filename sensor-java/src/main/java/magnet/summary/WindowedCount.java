// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

/** A sum over the trailing window. For one thread. */
final class WindowedCount implements Windowed {
    private final long[] slots;
    private int current;

    /** @param slots slots of the window */
    WindowedCount(int slots) {
        this.slots = new long[slots];
    }

    void increment() {
        slots[current]++;
    }

    void add(long amount) {
        slots[current] += amount;
    }

    /** The sum over all slots, the current one included. */
    long sum() {
        long sum = 0;
        for (long slot : slots) {
            sum += slot;
        }
        return sum;
    }

    /** Slots that are not 0, the current one included. */
    int slotsWithAny() {
        int any = 0;
        for (long slot : slots) {
            any += slot == 0 ? 0 : 1;
        }
        return any;
    }

    @Override
    public void advance() {
        current = (current + 1) % slots.length;
        slots[current] = 0;
    }
}
