// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Counts nanoseconds by the buckets of an {@link Histogram} of two significant digits, up to an hour, but in fewer steps:
 * what is counted for each event is one cell. Allocates only where a time differs much from all before, and after {@link #reserve} nothing. For one thread.
 *
 * <pre>
 *   bucket 0: 0..255, each its own cell    bucket 1: 256..511, a cell for two    bucket 2: 512..1023, for four ...
 * </pre>
 */
final class TimeCounts {
    static final long LONGEST_NANOS = TimeUnit.HOURS.toNanos(1);

    private static final int DIGITS = 2;
    /** A bucket has so many cells, and the first one twice as many. */
    private static final int HALF_BITS = 7;

    private static final int HALF = 1 << HALF_BITS;
    private static final long FIRST_MASK = 2 * HALF - 1;
    private static final int LEADING_ZEROS_OF_FIRST = Long.numberOfLeadingZeros(FIRST_MASK);

    /** Different times of a window, as a rule. */
    private static final int FEW = 64;

    /** So many cells are there as soon as one of them is needed. */
    private static final int BLOCK_BITS = 6;

    private static final int BLOCK = 1 << BLOCK_BITS;
    private static final int CELLS = (cell(LONGEST_NANOS) | BLOCK - 1) + 1;

    /** Null where nothing was ever counted: times of one kind are alike, and lie in few of these. */
    private final int[] @Nullable [] blocks = new int[CELLS >> BLOCK_BITS][];
    /** In which of them something is counted. */
    private final boolean[] used = new boolean[CELLS >> BLOCK_BITS];

    /** Makes room for all times at once, so that nothing is allocated later. */
    TimeCounts reserve() {
        for (int block = 0; block < blocks.length; block++) {
            blocks[block] = new int[BLOCK];
        }
        return this;
    }

    /** @param nanos not negative, and at most an hour */
    void record(long nanos) {
        int cell = cell(nanos);
        int[] cells = blocks[cell >> BLOCK_BITS];
        if (cells == null) {
            cells = new int[BLOCK];
            blocks[cell >> BLOCK_BITS] = cells;
        }
        cells[cell & BLOCK - 1]++;
        used[cell >> BLOCK_BITS] = true;
    }

    /** How many were counted. */
    long total() {
        long total = 0;
        for (int cell = counted(0); cell < CELLS; cell = counted(cell + 1)) {
            total += in(cell);
        }
        return total;
    }

    /** What is counted now in all of these, for {@link #histogram}: times, each with a number behind it. */
    static long[] counted(TimeCounts[] all) {
        long[] counted = new long[2 * FEW];
        int size = 0;
        for (TimeCounts each : all) {
            for (int cell = each.counted(0); cell < CELLS; cell = each.counted(cell + 1)) {
                if (size == counted.length) {
                    counted = Arrays.copyOf(counted, 2 * size);
                }
                counted[size++] = least(cell);
                counted[size++] = each.in(cell);
            }
        }
        return Arrays.copyOf(counted, size);
    }

    /** The histogram of what was counted. */
    static Histogram histogram(long[] counted) {
        Histogram histogram = new Histogram(1, LONGEST_NANOS, DIGITS);
        for (int i = 0; i < counted.length; i += 2) {
            histogram.recordValueWithCount(counted[i], counted[i + 1]);
        }
        return histogram;
    }

    /**
     * Adds how many were below the first of these ends, from there to the next, and so on, and behind the last.
     *
     * @param counts one more than ends
     * @param ends ascending nanoseconds, each a power of two microseconds: there a cell begins, so the counts are exact
     */
    void addTo(long[] counts, long[] ends) {
        int bucket = 0;
        for (int cell = counted(0); cell < CELLS; cell = counted(cell + 1)) {
            while (bucket < ends.length && cell >= cell(ends[bucket])) {
                bucket++;
            }
            counts[bucket] += in(cell);
        }
    }

    /** Forgets all. */
    void reset() {
        for (int block = 0; block < blocks.length; block++) {
            int[] cells = blocks[block];
            if (used[block] && cells != null) {
                Arrays.fill(cells, 0);
                used[block] = false;
            }
        }
    }

    private int in(int cell) {
        int[] cells = blocks[cell >> BLOCK_BITS];
        return cells == null ? 0 : cells[cell & BLOCK - 1];
    }

    /** The first cell from this one on in which something was counted; their number if there is none. */
    private int counted(int from) {
        int cell = from;
        while (cell < CELLS) {
            if (!used[cell >> BLOCK_BITS]) {
                cell = ((cell >> BLOCK_BITS) + 1) << BLOCK_BITS;
            } else if (in(cell) == 0) {
                cell++;
            } else {
                return cell;
            }
        }
        return CELLS;
    }

    private static int cell(long nanos) {
        int bucket = LEADING_ZEROS_OF_FIRST - Long.numberOfLeadingZeros(nanos | FIRST_MASK);
        return (bucket << HALF_BITS) + (int) (nanos >>> bucket);
    }

    /** The least value that a cell is for. */
    private static long least(int cell) {
        int bucket = Math.max(0, (cell >> HALF_BITS) - 1);
        return (long) (cell - (bucket << HALF_BITS)) << bucket;
    }
}
