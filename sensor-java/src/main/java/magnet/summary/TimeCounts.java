// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Counts nanoseconds by the buckets of an {@link Histogram} of two significant digits, up to an hour, but in fewer steps:
 * what is counted for each event is one cell. For one thread.
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

    private final int[] cells = new int[cell(LONGEST_NANOS) + 1];
    private boolean any;

    /** @param nanos not negative, and at most an hour */
    void record(long nanos) {
        cells[cell(nanos)]++;
        any = true;
    }

    /** How many were counted. */
    long total() {
        long total = 0;
        for (int i = 0; any && i < cells.length; i++) {
            total += cells[i];
        }
        return total;
    }

    /** An empty histogram for {@link #addTo}. */
    static Histogram histogram() {
        return new Histogram(1, LONGEST_NANOS, DIGITS);
    }

    /** Adds all to a histogram. */
    void addTo(Histogram histogram) {
        for (int i = 0; any && i < cells.length; i++) {
            if (cells[i] > 0) {
                histogram.recordValueWithCount(least(i), cells[i]);
            }
        }
    }

    /**
     * Adds how many were below the first of these ends, from there to the next, and so on, and behind the last.
     *
     * @param counts one more than ends
     * @param ends ascending nanoseconds, each a power of two microseconds: there a cell begins, so the counts are exact
     */
    void addTo(long[] counts, long[] ends) {
        int cell = 0;
        for (int i = 0; any && i < counts.length; i++) {
            int end = i < ends.length ? cell(ends[i]) : cells.length;
            for (; cell < end; cell++) {
                counts[i] += cells[cell];
            }
        }
    }

    /** Forgets all. */
    void reset() {
        if (any) {
            Arrays.fill(cells, 0);
            any = false;
        }
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
