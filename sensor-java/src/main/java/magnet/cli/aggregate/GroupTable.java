// SPDX-License-Identifier: Apache-2.0
package magnet.cli.aggregate;

import java.util.Arrays;

/**
 * Numbers the groups of events: each key, which is one number or several, gets the next number from 0 on when it is first
 * seen. A hash table with open addressing, which allocates only to grow. Not thread-safe.
 */
final class GroupTable {
    /** In place of a group: there is no room for another one. */
    static final int NO_ROOM = -1;

    private static final int FIRST_SLOTS = 256;
    private static final long HASH = 0x9e37_79b9_7f4a_7c15L;

    private final int width;
    private final int most;
    /** Of each slot the group in it, plus one; 0 is a slot that is free. */
    private int[] slots = new int[FIRST_SLOTS];

    private long[] keys;
    private int size;

    /**
     * An empty table.
     *
     * @param width numbers of a key
     * @param most groups that there is room for
     */
    GroupTable(int width, int most) {
        this.width = width;
        this.most = most;
        this.keys = new long[FIRST_SLOTS / 2 * width];
    }

    /** The group of a key, a new one if need be; {@link #NO_ROOM} if that is one too many. */
    int groupOf(long[] key) {
        int slot = slot(key);
        if (slots[slot] > 0) {
            return slots[slot] - 1;
        }
        if (size == most) {
            return NO_ROOM;
        }
        if (2 * (size + 1) > slots.length) {
            grow();
            slot = slot(key);
        }
        System.arraycopy(key, 0, keys, size * width, width);
        size++;
        slots[slot] = size;
        return size - 1;
    }

    /** Groups so far. */
    int size() {
        return size;
    }

    /** One of the numbers of a group's key. */
    long key(int group, int part) {
        return keys[group * width + part];
    }

    /** Forgets all groups. */
    void clear() {
        Arrays.fill(slots, 0);
        size = 0;
    }

    private int slot(long[] key) {
        int mask = slots.length - 1;
        int slot = hash(key, 0) & mask;
        while (slots[slot] > 0 && !isAt(slots[slot] - 1, key)) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    private boolean isAt(int group, long[] key) {
        for (int part = 0; part < width; part++) {
            if (keys[group * width + part] != key[part]) {
                return false;
            }
        }
        return true;
    }

    private int hash(long[] numbers, int from) {
        long hash = 0;
        for (int part = 0; part < width; part++) {
            hash = (hash ^ numbers[from + part]) * HASH;
            hash ^= hash >>> Integer.SIZE;
        }
        return (int) hash;
    }

    private void grow() {
        keys = Arrays.copyOf(keys, 2 * keys.length);
        slots = new int[2 * slots.length];
        int mask = slots.length - 1;
        for (int group = 0; group < size; group++) {
            int slot = hash(keys, group * width) & mask;
            while (slots[slot] > 0) {
                slot = (slot + 1) & mask;
            }
            slots[slot] = group + 1;
        }
    }
}
