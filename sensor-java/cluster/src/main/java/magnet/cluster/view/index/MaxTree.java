// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.view.index;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Finds the largest of numbers in any range of their indices. Each level has, for {@value #WAYS} places of the level below, the
 * index of the largest and the number itself, as far as 31 bits hold it; so it takes 8/15 bytes a number, and a question some
 * hundred looks. The numbers themselves lie elsewhere. Negative ones take no part. Of equal ones the first counts. Threads: as the
 * file that it lies in.
 */
final class MaxTree {
    /** What stands for none. */
    static final long NONE = -1;

    private static final int SHIFT = 4;
    private static final int WAYS = 1 << SHIFT;
    private static final long CAPPED = Integer.MAX_VALUE;
    private static final long INDEX_MASK = 0xffff_ffffL;
    private static final long NOBODY = -1;

    /** The numbers. */
    interface Numbers {
        /** The one at an index. */
        long at(long index);

        /** The index of the largest in a range, or {@link #NONE}. */
        default long largest(long from, long to) {
            long best = NONE;
            long most = -1;
            for (long i = from; i < to; i++) {
                long value = at(i);
                if (value > most) {
                    best = i;
                    most = value;
                }
            }
            return best;
        }
    }

    /** The block that is being filled. */
    private static final class Level {
        /** Of each block: the largest number, capped, above the index. */
        private final Column best;

        private int filled;
        private long bestIndex = NONE;
        private long bestValue = -1;

        Level(PagedFile file) {
            this.best = Column.ofLongs(file);
        }
    }

    /** A range whose largest number is known. */
    private record Part(long from, long to, long best, long value) {}

    private final PagedFile file;
    private final Numbers numbers;
    private final List<Level> levels = new ArrayList<>();
    private long size;

    /**
     * An empty one.
     *
     * @param numbers asked once all are added
     */
    MaxTree(PagedFile file, Numbers numbers) {
        this.file = file;
        this.numbers = numbers;
    }

    /** Adds the number of the next index. */
    void add(long value) throws IOException {
        add(0, value < 0 ? NONE : size, value);
        size++;
    }

    /** There are no more. What does not fill a block is looked at one by one. */
    void finish() throws IOException {
        for (Level each : levels) {
            each.best.finish();
        }
    }

    private void add(int level, long index, long value) throws IOException {
        if (level == levels.size()) {
            levels.add(new Level(file));
        }
        Level block = levels.get(level);
        if (index != NONE && value > block.bestValue) {
            block.bestIndex = index;
            block.bestValue = value;
        }
        if (++block.filled == WAYS) {
            push(level);
        }
    }

    private void push(int level) throws IOException {
        Level block = levels.get(level);
        long index = block.bestIndex;
        long value = block.bestValue;
        block.best.addLong(index == NONE ? NOBODY : Math.min(value, CAPPED) << Integer.SIZE | index);
        block.filled = 0;
        block.bestIndex = NONE;
        block.bestValue = -1;
        add(level + 1, index, value);
    }

    /**
     * The index of the largest number, or {@link #NONE}.
     *
     * @param from first index
     * @param to index after the last
     */
    long largest(long from, long to) {
        long low = Math.max(0, from);
        long high = Math.min(to, size);
        if (high - low <= 2 * WAYS) {
            return low < high ? numbers.largest(low, high) : NONE;
        }
        long lowEnd = (low + WAYS - 1) & -WAYS;
        long highBegin = high & -WAYS;
        long best = larger(NONE, low < lowEnd ? numbers.largest(low, lowEnd) : NONE);
        best = larger(best, highBegin < high ? numbers.largest(highBegin, high) : NONE);
        return larger(best, ofBlocks(lowEnd >>> SHIFT, highBegin >>> SHIFT));
    }

    /** The same of whole blocks. */
    private long ofBlocks(long from, long to) {
        long best = NOBODY;
        long low = from;
        long high = to;
        for (int level = 0; low < high; level++) {
            Column blocks = levels.get(level).best;
            boolean above = high - low > 2 * WAYS && levels.get(level + 1).best.size() > 0;
            long lowEnd = above ? (low + WAYS - 1) & -WAYS : high;
            for (long i = low; i < lowEnd; i++) {
                best = largerBlock(best, blocks.getLong(i));
            }
            long highBegin = above ? high & -WAYS : high;
            for (long i = highBegin; i < high; i++) {
                best = largerBlock(best, blocks.getLong(i));
            }
            low = lowEnd >>> SHIFT;
            high = highBegin >>> SHIFT;
        }
        return best == NOBODY ? NONE : best & INDEX_MASK;
    }

    private long largerBlock(long one, long other) {
        if (one == NOBODY || other == NOBODY) {
            return one == NOBODY ? other : one;
        }
        long first = one >>> Integer.SIZE;
        long second = other >>> Integer.SIZE;
        if (first != second) {
            return first > second ? one : other;
        }
        if (first < CAPPED) {
            return (one & INDEX_MASK) < (other & INDEX_MASK) ? one : other;
        }
        return larger(one & INDEX_MASK, other & INDEX_MASK) == (one & INDEX_MASK) ? one : other;
    }

    /**
     * The indices of the largest numbers, the largest first.
     *
     * @param most at most so many
     */
    List<Long> largest(long from, long to, int most) {
        List<Long> found = new ArrayList<>();
        PriorityQueue<Part> parts = new PriorityQueue<>(
                Comparator.comparingLong(Part::value).reversed().thenComparingLong(Part::best));
        offer(parts, from, to);
        while (found.size() < most && !parts.isEmpty()) {
            Part part = parts.remove();
            found.add(part.best);
            offer(parts, part.from, part.best);
            offer(parts, part.best + 1, part.to);
        }
        return found;
    }

    private void offer(PriorityQueue<Part> parts, long from, long to) {
        long best = largest(from, to);
        if (best != NONE) {
            parts.add(new Part(from, to, best, numbers.at(best)));
        }
    }

    /** The first of equal ones: they do not come in their order. */
    private long larger(long one, long other) {
        if (one == NONE || other == NONE) {
            return one == NONE ? other : one;
        }
        long first = numbers.at(one);
        long second = numbers.at(other);
        if (first == second) {
            return Math.min(one, other);
        }
        return first > second ? one : other;
    }
}
