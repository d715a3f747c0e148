// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import java.util.Arrays;
import magnet.metric.TopOrder;

/**
 * A sum for each process and {@link TopOrder} over the trailing window. For one thread; allocates only when it is made
 * and asked.
 *
 * <p>It holds {@value #CAPACITY} processes in sets of {@value #WAYS}. When a set is full the process that has the least CPU
 * time in the window gives way, and is counted: what it had is missing. A place takes 4 + 24 bytes for each slot.
 */
final class ProcessTable implements Windowed {
    private static final int WAYS = 8;
    private static final int CAPACITY = 4_096;
    private static final int SETS = CAPACITY / WAYS;
    private static final int FREE = 0;
    private static final int MIX = 0x9e3779b1;
    private static final int ORDERS = TopOrder.values().length;

    private final int[] processes = new int[CAPACITY];
    /** By slot, then by place and order. */
    private final long[][] sums;

    private int current;
    private long evicted;

    ProcessTable(int slots) {
        this.sums = new long[slots][CAPACITY * ORDERS];
    }

    /** Adds to a process's sum. */
    void add(TopOrder order, int process, long amount) {
        addAt(place(process), order, amount);
    }

    /** Adds to the sum of the process at a {@link #place}. */
    void addAt(int place, TopOrder order, long amount) {
        sums[current][place * ORDERS + order.column()] += amount;
    }

    /** The sum of a process over all slots. */
    long sum(TopOrder order, int process) {
        int place = find(process);
        return place < 0 ? 0 : sumAt(place, order);
    }

    /** The processes with the largest sums, that of the largest first; fewer where there are no more that have any. */
    int[] top(TopOrder order, int most) {
        int[] top = new int[most];
        long[] values = new long[most];
        int count = 0;
        for (int place = 0; place < CAPACITY; place++) {
            long value = processes[place] == FREE ? 0 : sumAt(place, order);
            if (value > 0 && (count < most || value > values[count - 1])) {
                int at = count < most ? count++ : most - 1;
                while (at > 0 && values[at - 1] < value) {
                    values[at] = values[at - 1];
                    top[at] = top[at - 1];
                    at--;
                }
                values[at] = value;
                top[at] = processes[place];
            }
        }
        return Arrays.copyOf(top, count);
    }

    /** Processes that had to give way since the last call. */
    long takeEvicted() {
        long taken = evicted;
        evicted = 0;
        return taken;
    }

    /** Those that have nothing in the window any more are forgotten. */
    @Override
    public void advance() {
        current = (current + 1) % sums.length;
        Arrays.fill(sums[current], 0);
        for (int place = 0; place < CAPACITY; place++) {
            if (processes[place] != FREE && isEmpty(place)) {
                processes[place] = FREE;
            }
        }
    }

    private boolean isEmpty(int place) {
        for (TopOrder order : TopOrder.values()) {
            if (sumAt(place, order) != 0) {
                return false;
            }
        }
        return true;
    }

    private long sumAt(int place, TopOrder order) {
        long sum = 0;
        for (long[] slot : sums) {
            sum += slot[place * ORDERS + order.column()];
        }
        return sum;
    }

    private static int set(int process) {
        return ((process * MIX) >>> 16) % SETS * WAYS;
    }

    private int find(int process) {
        int from = set(process);
        for (int place = from; place < from + WAYS; place++) {
            if (processes[place] == process) {
                return place;
            }
        }
        return -1;
    }

    /** The place of a process, which is made if it has none; valid until the next call. */
    int place(int process) {
        int found = find(process);
        if (found >= 0) {
            return found;
        }
        int from = set(process);
        int least = from;
        for (int place = from; place < from + WAYS; place++) {
            if (processes[place] == FREE) {
                processes[place] = process;
                return place;
            }
            if (sumAt(place, TopOrder.CPU) < sumAt(least, TopOrder.CPU)) {
                least = place;
            }
        }
        evicted++;
        for (long[] slot : sums) {
            Arrays.fill(slot, least * ORDERS, (least + 1) * ORDERS, 0);
        }
        processes[least] = process;
        return least;
    }
}
