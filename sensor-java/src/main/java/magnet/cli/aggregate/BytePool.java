// SPDX-License-Identifier: Apache-2.0
package magnet.cli.aggregate;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Numbers texts and addresses, so that they can be part of a key: equal bytes get the same number. Allocates only to grow.
 * Not thread-safe.
 */
final class BytePool {
    /** In place of a number: there is no room for further bytes. */
    static final long NO_ROOM = -1;

    /** Most texts and addresses. */
    static final int MOST = 1 << 16;
    /** Most bytes of all of them. */
    static final int MOST_BYTES = 8 << 20;

    private static final int FIRST_SLOTS = 256;
    private static final int FIRST_BYTES = 4_096;
    private static final int HASH = 31;
    private static final int SPREAD = 0x9e37_79b1;

    private int[] slots = new int[FIRST_SLOTS];
    private int[] ends = new int[FIRST_SLOTS / 2];
    private int[] hashes = new int[FIRST_SLOTS / 2];
    private byte[] bytes = new byte[FIRST_BYTES];
    private int size;
    private long refused;

    /** The number of bytes that a buffer has. */
    long numberOf(ByteBuffer buffer, int from, int length) {
        int hash = hash(buffer, from, length);
        int slot = hash & (slots.length - 1);
        while (slots[slot] > 0) {
            if (isAt(slots[slot] - 1, hash, buffer, from, length)) {
                return slots[slot] - 1L;
            }
            slot = (slot + 1) & (slots.length - 1);
        }
        if (size == MOST || begin(size) + length > MOST_BYTES) {
            refused++;
            return NO_ROOM;
        }
        return add(hash, buffer, from, length);
    }

    /** How often there was no room, ever. */
    long refused() {
        return refused;
    }

    /** A copy of the bytes of a number. */
    byte[] bytes(long number) {
        return Arrays.copyOfRange(bytes, begin((int) number), ends[(int) number]);
    }

    /** Forgets them all. */
    void clear() {
        Arrays.fill(slots, 0);
        size = 0;
    }

    private int begin(int number) {
        return number == 0 ? 0 : ends[number - 1];
    }

    private long add(int hash, ByteBuffer buffer, int from, int length) {
        if (2 * (size + 1) > slots.length) {
            growSlots();
        }
        int begin = begin(size);
        if (begin + length > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, begin + length));
        }
        buffer.get(from, bytes, begin, length);
        ends[size] = begin + length;
        hashes[size] = hash;
        slots[freeSlot(hash)] = size + 1;
        size++;
        return size - 1L;
    }

    private int freeSlot(int hash) {
        int slot = hash & (slots.length - 1);
        while (slots[slot] > 0) {
            slot = (slot + 1) & (slots.length - 1);
        }
        return slot;
    }

    private void growSlots() {
        slots = new int[2 * slots.length];
        ends = Arrays.copyOf(ends, slots.length / 2);
        hashes = Arrays.copyOf(hashes, slots.length / 2);
        for (int number = 0; number < size; number++) {
            slots[freeSlot(hashes[number])] = number + 1;
        }
    }

    private boolean isAt(int number, int hash, ByteBuffer buffer, int from, int length) {
        int begin = begin(number);
        if (hashes[number] != hash || ends[number] - begin != length) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            if (bytes[begin + i] != buffer.get(from + i)) {
                return false;
            }
        }
        return true;
    }

    private static int hash(ByteBuffer buffer, int from, int length) {
        int hash = length;
        for (int i = 0; i < length; i++) {
            hash = hash * HASH + buffer.get(from + i);
        }
        hash *= SPREAD;
        return hash ^ (hash >>> Short.SIZE);
    }
}
