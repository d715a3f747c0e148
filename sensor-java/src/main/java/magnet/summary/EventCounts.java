// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import java.util.Arrays;
import java.util.SortedMap;
import java.util.TreeMap;
import magnet.record.EventType;

/**
 * Events since start, by CPU and by event id. For one thread; allocates when a CPU or a block of ids is first seen.
 */
final class EventCounts {
    private static final int BLOCK_BITS = 8;
    private static final int BLOCK = 1 << BLOCK_BITS;
    private static final int BLOCKS = 0x10000 / BLOCK;
    private static final int FIXED = EventType.ID_END;

    /** By CPU, of ids that are fixed. */
    private long[][] fixed;
    /** By CPU and block, of the others. */
    private long[][][] counts;

    private long total;

    /** @param cpus CPUs to make room for at once */
    EventCounts(int cpus) {
        this.fixed = new long[cpus][];
        this.counts = new long[cpus][BLOCKS][];
    }

    void count(int cpu, int event) {
        if (cpu >= fixed.length) {
            grow(cpu);
        }
        total++;
        if (event < FIXED) {
            long[] row = fixed[cpu];
            if (row == null) {
                row = new long[FIXED];
                fixed[cpu] = row;
            }
            row[event]++;
        } else {
            countDynamic(cpu, event);
        }
    }

    private void countDynamic(int cpu, int event) {
        long[] block = counts[cpu][event >>> BLOCK_BITS];
        if (block == null) {
            block = new long[BLOCK];
            counts[cpu][event >>> BLOCK_BITS] = block;
        }
        block[event & (BLOCK - 1)]++;
    }

    long total() {
        return total;
    }

    /** Events of one id on one CPU. */
    long get(int cpu, int event) {
        if (cpu >= fixed.length) {
            return 0;
        }
        if (event < FIXED) {
            return fixed[cpu] == null ? 0 : fixed[cpu][event];
        }
        long[] block = counts[cpu][event >>> BLOCK_BITS];
        return block == null ? 0 : block[event & (BLOCK - 1)];
    }

    /** CPUs that had any, with how many. */
    SortedMap<Integer, Long> byCpu() {
        return sums(true);
    }

    /** Event ids that occurred, with how often. */
    SortedMap<Integer, Long> byEvent() {
        return sums(false);
    }

    private SortedMap<Integer, Long> sums(boolean byCpu) {
        SortedMap<Integer, Long> sums = new TreeMap<>();
        for (int cpu = 0; cpu < counts.length; cpu++) {
            for (int event = 0; event < BLOCKS * BLOCK; event++) {
                long count = get(cpu, event);
                if (count > 0) {
                    sums.merge(byCpu ? cpu : event, count, Long::sum);
                }
            }
        }
        return sums;
    }

    private void grow(int cpu) {
        int before = counts.length;
        counts = Arrays.copyOf(counts, Math.max(cpu + 1, before * 2));
        fixed = Arrays.copyOf(fixed, counts.length);
        for (int added = before; added < counts.length; added++) {
            counts[added] = new long[BLOCKS][];
        }
    }
}
