// SPDX-License-Identifier: Apache-2.0
package magnet.job;

import java.util.Arrays;
import java.util.function.IntConsumer;

/**
 * Gives each of a bounded number of keys a small number, its slot, for as long as the key is in. Slots that are free are
 * given again, the one that was freed last first.
 *
 * <p>An open-addressing table that begins small and doubles. It allocates only then. For one thread.
 */
final class Slots {
    /** The slot of a key that is not in. */
    static final int NONE = -1;

    private static final int FIRST = 1 << 10;

    private final int most;
    private final IntConsumer columns;
    private int[] table = new int[2 * FIRST];
    private long[] keys = new long[FIRST];
    private int[] free = new int[FIRST];
    private int freed;
    private int used;
    private int size;

    /**
     * None are taken.
     *
     * @param most keys that there is room for
     * @param columns makes room for what belongs to so many slots; called at once, and each time that the table grows
     */
    Slots(int most, IntConsumer columns) {
        this.most = most;
        this.columns = columns;
        Arrays.fill(table, NONE);
        columns.accept(FIRST);
    }

    int size() {
        return size;
    }

    boolean isFull() {
        return size == most;
    }

    /** All slots that were ever taken are below this number. */
    int end() {
        return used;
    }

    /** The key of a slot that is taken. */
    long key(int slot) {
        return keys[slot];
    }

    int find(long key) {
        int mask = table.length - 1;
        for (int at = home(key, mask); ; at = (at + 1) & mask) {
            int slot = table[at];
            if (slot == NONE || keys[slot] == key) {
                return slot;
            }
        }
    }

    /** The slot of a key that was not in; {@link #NONE} if there is no room. */
    int add(long key) {
        if (size == most) {
            return NONE;
        }
        if (freed == 0 && used == keys.length) {
            grow();
        }
        int slot = freed > 0 ? free[--freed] : used++;
        keys[slot] = key;
        size++;
        enter(slot);
        return slot;
    }

    private void enter(int slot) {
        int mask = table.length - 1;
        int at = home(keys[slot], mask);
        while (table[at] != NONE) {
            at = (at + 1) & mask;
        }
        table[at] = slot;
    }

    /** Moves those behind it that would not be found across the gap. */
    void remove(int removed) {
        int mask = table.length - 1;
        int gap = home(keys[removed], mask);
        while (table[gap] != removed) {
            gap = (gap + 1) & mask;
        }
        for (int at = (gap + 1) & mask; table[at] != NONE; at = (at + 1) & mask) {
            int home = home(keys[table[at]], mask);
            if (((at - home) & mask) >= ((at - gap) & mask)) {
                table[gap] = table[at];
                gap = at;
            }
        }
        table[gap] = NONE;
        free[freed++] = removed;
        size--;
    }

    private void grow() {
        keys = Arrays.copyOf(keys, 2 * keys.length);
        free = Arrays.copyOf(free, keys.length);
        columns.accept(keys.length);
        table = new int[2 * keys.length];
        Arrays.fill(table, NONE);
        for (int slot = 0; slot < used; slot++) {
            enter(slot);
        }
    }

    private static int home(long key, int mask) {
        long mixed = key * 0x9e3779b97f4a7c15L;
        return (int) (mixed >>> 32) & mask;
    }
}
