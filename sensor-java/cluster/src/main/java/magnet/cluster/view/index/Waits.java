// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.view.index;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How long the thread of each slice of a {@link Lane} could have run before and did not, and what had made it runnable: beside the
 * lane, 8 bytes for each slice before which the trace tells it, and a {@link MaxTree}. Which slices these are say 16 bits for each
 * 16 slices, and a sum. Waits are in ticks. Threads: as the lane.
 */
public final class Waits {
    private static final int LONG_ONE = Integer.MAX_VALUE;
    private static final int SHIFT = 4;
    private static final int MASK = (1 << SHIFT) - 1;
    /** Of a block's word: which of its slices have a wait. */
    private static final int BITS = 0xffff;

    private final Column lengths;
    private final Column causes;
    /** Of each 16 slices: waits before them, above 16 bits. */
    private final Column blocks;

    private final MaxTree longest;
    /** Those that have no room in 31 bits: they take seconds, so they are few. */
    private final Map<Long, Long> longOnes = new HashMap<>();

    private long slices;
    private long before;
    private int bits;

    Waits(PagedFile file) {
        this.lengths = Column.ofInts(file);
        this.causes = Column.ofInts(file);
        this.blocks = Column.ofLongs(file);
        this.longest = new MaxTree(file, this::ofPlace);
    }

    /**
     * That of the next slice.
     *
     * @param ticks negative if the trace does not say
     */
    void add(long ticks, Cause cause) throws IOException {
        if (ticks >= 0) {
            if (ticks >= LONG_ONE) {
                longOnes.put(lengths.size(), ticks);
            }
            bits |= 1 << (slices & MASK);
            lengths.addInt((int) Math.min(ticks, LONG_ONE));
            causes.addInt(cause.word());
            longest.add(ticks);
        }
        slices++;
        if ((slices & MASK) == 0) {
            endBlock();
        }
    }

    void finish() throws IOException {
        if ((slices & MASK) != 0) {
            endBlock();
        }
        lengths.finish();
        causes.finish();
        blocks.finish();
        longest.finish();
    }

    private void endBlock() throws IOException {
        blocks.addLong(before << Short.SIZE | bits);
        before = lengths.size();
        bits = 0;
    }

    /** Where the wait before a slice is; negative if the trace does not say. */
    private long place(long slice) {
        long word = blocks.getLong(slice >>> SHIFT);
        int bit = 1 << (slice & MASK);
        return (word & bit) == 0 ? -1 : (word >>> Short.SIZE) + Long.bitCount(word & (bit - 1));
    }

    /** How many waits there are before slices of lower numbers. */
    private long placesBefore(long slice) {
        if (slice >= slices) {
            return lengths.size();
        }
        long word = blocks.getLong(slice >>> SHIFT);
        return (word >>> Short.SIZE) + Long.bitCount(word & BITS & ((1 << (slice & MASK)) - 1));
    }

    private long ofPlace(long place) {
        int length = lengths.getInt(place);
        return length == LONG_ONE ? longOnes.getOrDefault(place, (long) LONG_ONE) : length;
    }

    /** The slice before which a wait was. */
    private long slice(long place) {
        long low = 0;
        long high = (slices + MASK) >>> SHIFT;
        while (high - low > 1) {
            long middle = (low + high) >>> 1;
            if (blocks.getLong(middle) >>> Short.SIZE <= place) {
                low = middle;
            } else {
                high = middle;
            }
        }
        long word = blocks.getLong(low);
        long left = word & BITS;
        for (long skipped = place - (word >>> Short.SIZE); skipped > 0; skipped--) {
            left &= left - 1;
        }
        return (low << SHIFT) + Long.numberOfTrailingZeros(left);
    }

    /** How long the thread waited for the CPU before a slice; negative if the trace does not say. */
    public long length(long slice) {
        long place = place(slice);
        return place < 0 ? -1 : ofPlace(place);
    }

    /** What had made it runnable. */
    public Cause cause(long slice) {
        long place = place(slice);
        return place < 0 ? Cause.NONE : Cause.ofWord(causes.getInt(place));
    }

    /** The slices of a range before which the waits were longest, the longest first. */
    public List<Long> longest(long fromSlice, long toSlice, int most) {
        return longest.largest(placesBefore(fromSlice), placesBefore(toSlice), most).stream()
                .map(this::slice)
                .toList();
    }
}
