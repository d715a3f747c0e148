// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import java.util.Arrays;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Events since start, by CPU and by event id. For one thread; allocates when a CPU or a block of ids is first seen.
 */
final class EventCounts {
    private static final int BLOCK_BITS = 8;
    private static final int BLOCK = 1 << BLOCK_BITS;
    private static final int BLOCKS = 0x10000 / BLOCK;

    private final long[][] byEvent = new long[BLOCKS][];
    private long[] byCpu;
    private long total;

    /** @param cpus CPUs to make room for at once */
    EventCounts(int cpus) {
        this.byCpu = new long[cpus];
    }

    void count(int cpu, int event) {
        if (cpu >= byCpu.length) {
            byCpu = Arrays.copyOf(byCpu, Math.max(cpu + 1, byCpu.length * 2));
        }
        byCpu[cpu]++;
        long[] block = byEvent[event >>> BLOCK_BITS];
        if (block == null) {
            block = new long[BLOCK];
            byEvent[event >>> BLOCK_BITS] = block;
        }
        block[event & (BLOCK - 1)]++;
        total++;
    }

    long total() {
        return total;
    }

    /** CPUs that had any, with how many. */
    SortedMap<Integer, Long> byCpu() {
        SortedMap<Integer, Long> counts = new TreeMap<>();
        for (int cpu = 0; cpu < byCpu.length; cpu++) {
            if (byCpu[cpu] > 0) {
                counts.put(cpu, byCpu[cpu]);
            }
        }
        return counts;
    }

    /** Event ids that occurred, with how often. */
    SortedMap<Integer, Long> byEvent() {
        SortedMap<Integer, Long> counts = new TreeMap<>();
        for (int block = 0; block < BLOCKS; block++) {
            for (int i = 0; byEvent[block] != null && i < BLOCK; i++) {
                if (byEvent[block][i] > 0) {
                    counts.put(block << BLOCK_BITS | i, byEvent[block][i]);
                }
            }
        }
        return counts;
    }
}
