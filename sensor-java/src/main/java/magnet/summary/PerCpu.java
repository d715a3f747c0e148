// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import java.util.Arrays;

/**
 * One interval for each CPU that may be open, with what it belongs to. Grows when a CPU is added; allocates nothing
 * else. For one thread.
 */
final class PerCpu {
    private boolean[] open;
    private boolean[] seen;
    private long[] keys;
    private long[] begins;
    private int cpus;

    /** @param cpus CPUs to make room for at once */
    PerCpu(int cpus) {
        this.open = new boolean[cpus];
        this.seen = new boolean[cpus];
        this.keys = new long[cpus];
        this.begins = new long[cpus];
    }

    /** No CPU has an interval from this number on. */
    int length() {
        return open.length;
    }

    /** CPUs that have had an interval. */
    int cpus() {
        return cpus;
    }

    /** Begins an interval, in the place of one that may be open. */
    void begin(int cpu, long key, long timer) {
        if (cpu >= open.length) {
            grow(cpu);
        }
        open[cpu] = true;
        cpus += seen[cpu] ? 0 : 1;
        seen[cpu] = true;
        keys[cpu] = key;
        begins[cpu] = timer;
    }

    boolean isOpen(int cpu) {
        return cpu < open.length && open[cpu];
    }

    /** What the interval of this CPU belongs to; only while it is open. */
    long key(int cpu) {
        return keys[cpu];
    }

    /** When the interval of this CPU began; only while it is open. */
    long begin(int cpu) {
        return begins[cpu];
    }

    /** Moves the begin of this CPU's open interval, which shortens it by so many ticks. */
    void shorten(int cpu, long ticks) {
        begins[cpu] += ticks;
    }

    /** Forgets the interval of this CPU. */
    void close(int cpu) {
        if (cpu < open.length) {
            open[cpu] = false;
        }
    }

    private void grow(int cpu) {
        int length = Math.max(cpu + 1, open.length * 2);
        open = Arrays.copyOf(open, length);
        seen = Arrays.copyOf(seen, length);
        keys = Arrays.copyOf(keys, length);
        begins = Arrays.copyOf(begins, length);
    }
}
