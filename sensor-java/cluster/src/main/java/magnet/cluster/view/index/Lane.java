// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.view.index;

import java.io.IOException;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.function.LongPredicate;

/**
 * Who had what at which time: slices one behind the other, each up to the begin of the next. Times are ticks of the node's timer
 * since the begin of its trace.
 *
 * <p>Shape: of each slice its begin ({@link Times}) and a word (32 bits: {@link Subject} in the low 24, then {@link SliceEnd} in
 * four, then whether the trace lacks its begin or its end); of each 16th slice the sums of busy and of idle time before it; and a
 * {@link MaxTree} of the longest ones. So 10 bytes a slice, and every answer is exact: nothing is rounded to a tile or a level.
 *
 * <p>Threads: one builds; once the file is mapped, any may ask.
 */
public final class Lane {
    private static final int SUM_SHIFT = 4;
    private static final long SUM_MASK = (1 << SUM_SHIFT) - 1;
    private static final int END_SHIFT = Subject.BITS;
    private static final int END_MASK = 0xf;
    private static final int OPEN = 1 << 28;

    private final Times begins;
    private final Column words;
    private final Column busySums;
    private final Column idleSums;
    private final MaxTree busiest;
    private final MaxTree idlest;
    private long end;
    private long busyTicks;
    private long idleTicks;
    private long busySlices;

    /** Whether idle time and the longest slices are of interest. */
    private final boolean searched;

    private Lane(PagedFile file, boolean searched) {
        this.searched = searched;
        this.begins = new Times(file);
        this.words = Column.ofInts(file);
        this.busySums = Column.ofLongs(file);
        this.idleSums = Column.ofLongs(file);
        this.busiest = new MaxTree(file, new Lengths(Subject::isBusy));
        this.idlest = new MaxTree(file, new Lengths(subject -> subject == Subject.IDLE));
    }

    /** Takes slices in their order. For one thread. */
    static final class Builder {
        private static final long MOST = Integer.MAX_VALUE;

        private final Lane lane;
        private boolean any;
        private long begin;
        private int word;

        /** One of a lane that is searched for what is longest. */
        Builder(PagedFile file) {
            this(file, true);
        }

        /** @param searched false if nobody will ask who was busiest, how long it was idle, or what was longest */
        Builder(PagedFile file, boolean searched) {
            this.lane = new Lane(file, searched);
        }

        /** The index that the slice will have that is begun next. */
        long next() {
            return lane.words.size() + (any ? 1 : 0);
        }

        /** When the last slice began; 0 if there is none. */
        long begin() {
            return begin;
        }

        /**
         * Begins a slice, and ends the one before. What the slice is may be said until the next one begins.
         *
         * @param at not before the last one; if it is, it begins with that
         */
        void begin(long at, int subject) throws IOException {
            long from = any ? Math.max(at, begin) : Math.max(at, 0);
            if (any) {
                put(from);
            }
            any = true;
            begin = from;
            word = subject;
        }

        /** Says more of the slice that was begun last. */
        void describe(int subject, SliceEnd ends, boolean open) {
            word = subject | ends.number() << END_SHIFT | (open ? OPEN : 0);
        }

        /** There are no more slices: the last one ends. */
        Lane finish(long at) throws IOException {
            lane.end = Math.max(at, begin);
            if (any) {
                put(lane.end);
            }
            lane.begins.finish();
            lane.words.finish();
            lane.busySums.finish();
            lane.idleSums.finish();
            lane.busiest.finish();
            lane.idlest.finish();
            return lane;
        }

        private void put(long until) throws IOException {
            long index = lane.words.size();
            if (index == MOST) {
                throw new IOException("a CPU has more than " + MOST + " slices; look at a part of the trace");
            }
            if ((index & SUM_MASK) == 0) {
                lane.busySums.addLong(lane.busyTicks);
                if (lane.searched) {
                    lane.idleSums.addLong(lane.idleTicks);
                }
            }
            lane.begins.add(begin);
            lane.words.addInt(word);
            int subject = word & Subject.LAST;
            long length = until - begin;
            if (lane.searched) {
                lane.busiest.add(Subject.isBusy(subject) ? length : MaxTree.NONE);
                lane.idlest.add(subject == Subject.IDLE ? length : MaxTree.NONE);
            }
            if (Subject.isBusy(subject)) {
                lane.busyTicks += length;
                lane.busySlices++;
            } else if (subject == Subject.IDLE) {
                lane.idleTicks += length;
            }
        }
    }

    /** Gets slices, in their order. */
    @FunctionalInterface
    public interface Visitor {
        /**
         * One of them, as long as the time asked about has it.
         *
         * @param from not before that time's begin
         * @param to not behind its end
         */
        void onSlice(long slice, long from, long to);
    }

    /** Slices that there are, those of nobody too. */
    public long size() {
        return words.size();
    }

    /** Slices that somebody had. */
    public long busySlices() {
        return busySlices;
    }

    /** When a slice begins. */
    public long begin(long slice) {
        return begins.get(slice);
    }

    /** When a slice ends. */
    public long end(long slice) {
        return slice + 1 < words.size() ? begins.get(slice + 1) : end;
    }

    /** Whose a slice is. */
    public int subject(long slice) {
        return words.getInt(slice) & Subject.LAST;
    }

    /** Why a slice ended. */
    public SliceEnd why(long slice) {
        return SliceEnd.ofNumber(words.getInt(slice) >>> END_SHIFT & END_MASK);
    }

    /** Whether the trace lacks its begin or its end: it is at the edge of the trace or of a loss. */
    public boolean isOpen(long slice) {
        return (words.getInt(slice) & OPEN) != 0;
    }

    /** The slice that there is at a time: of those that begin together the last one; -1 before the first. */
    public long at(long time) {
        return before(-1, words.size(), index -> begins.get(index) <= time);
    }

    /** The last index of a range for which something holds that holds up to some index; the range's begin if for none. */
    private static long before(long from, long to, LongPredicate holds) {
        long low = from;
        long high = to;
        while (high - low > 1) {
            long middle = (low + high) >>> 1;
            if (holds.test(middle)) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** The slice at a time not before that of another one: near ones are found fast. */
    private long atFrom(long slice, long time) {
        long low = slice;
        long step = 1;
        while (low + step < words.size() && begins.get(low + step) <= time) {
            low += step;
            step <<= 1;
        }
        return before(low, Math.min(low + step, words.size()), index -> begins.get(index) <= time);
    }

    /** Ticks of a time that somebody had. */
    public long busy(long from, long to) {
        if (from >= to) {
            return 0;
        }
        Sums sums = new Sums();
        sums.at(from, at(from));
        long before = sums.busy;
        sums.at(to, at(to));
        return sums.busy - before;
    }

    /** Ticks of a time that are known to be idle. */
    public long idle(long from, long to) {
        if (from >= to) {
            return 0;
        }
        Sums sums = new Sums();
        sums.at(from, at(from));
        long before = sums.idle;
        sums.at(to, at(to));
        return sums.idle - before;
    }

    /** Reads the slices of a block of {@value Times#BLOCK} at once. For one question. */
    private final class Block {
        private final int[] scratch = new int[Times.BLOCK];
        private final long[] from = new long[Times.BLOCK + 1];
        private final int[] word = new int[Times.BLOCK];
        private long read = -1;

        void read(long number) {
            if (number == read) {
                return;
            }
            read = number;
            long first = number << SUM_SHIFT;
            begins.getBlock(number, scratch, from);
            words.getInts(first, Times.BLOCK, word);
            int count = (int) Math.min(Times.BLOCK, words.size() - first);
            from[count] = first + count < words.size() ? begins.get(first + count) : end;
        }
    }

    /** What lies before a time. For one question. */
    private final class Sums {
        private final Block block = new Block();
        private long busy;
        private long idle;

        /** @param slice that there is at the time; -1 before the first one */
        void at(long time, long slice) {
            busy = 0;
            idle = 0;
            if (slice < 0) {
                return;
            }
            long number = slice >>> SUM_SHIFT;
            block.read(number);
            busy = busySums.getLong(number);
            idle = searched ? idleSums.getLong(number) : 0;
            int last = (int) (slice & SUM_MASK);
            for (int i = 0; i <= last; i++) {
                long length = (i < last ? block.from[i + 1] : Math.min(time, block.from[i + 1])) - block.from[i];
                int subject = block.word[i] & Subject.LAST;
                if (Subject.isBusy(subject)) {
                    busy += length;
                } else if (subject == Subject.IDLE) {
                    idle += length;
                }
            }
        }
    }

    /** Lengths of slices of a kind, which a {@link MaxTree} looks among. */
    private final class Lengths implements MaxTree.Numbers {
        private final IntPredicate kind;

        Lengths(IntPredicate kind) {
            this.kind = kind;
        }

        @Override
        public long at(long slice) {
            return kind.test(subject(slice)) ? end(slice) - begin(slice) : MaxTree.NONE;
        }

        @Override
        public long largest(long from, long to) {
            Block block = new Block();
            long best = MaxTree.NONE;
            long most = -1;
            for (long slice = from; slice < to; slice++) {
                block.read(slice >>> SUM_SHIFT);
                int place = (int) (slice & SUM_MASK);
                long length = block.from[place + 1] - block.from[place];
                if (length > most && kind.test(block.word[place] & Subject.LAST)) {
                    best = slice;
                    most = length;
                }
            }
            return best;
        }
    }

    /** The busy slice that has most of a time, the first of equal ones; -1 if none has any of it. */
    public long busiest(long from, long to) {
        return from >= to || size() == 0 ? MaxTree.NONE : busiest(from, to, at(from), at(to - 1));
    }

    private long busiest(long from, long to, long first, long last) {
        if (last < 0) {
            return MaxTree.NONE;
        }
        long best = MaxTree.NONE;
        long most = 0;
        long within = busiest.largest(Math.max(first + 1, 0), last);
        for (long each : new long[] {first, within, last}) {
            if (each >= 0 && Subject.isBusy(subject(each))) {
                long length = Math.min(to, end(each)) - Math.max(from, begin(each));
                if (length > most || (length == most && length > 0 && each < best)) {
                    best = each;
                    most = length;
                }
            }
        }
        return best;
    }

    /** The longest slices of somebody, the longest first: those that lie within a time as a whole. */
    public List<Long> longestBusy(long from, long to, int most) {
        return busiest.largest(firstFrom(from), lastUntil(to), most);
    }

    /** The longest gaps of a time in which nobody ran, the longest first: those that lie within it as a whole. */
    public List<Long> longestIdle(long from, long to, int most) {
        return idlest.largest(firstFrom(from), lastUntil(to), most);
    }

    /** The first slice that does not begin before a time. */
    public long firstFrom(long time) {
        return before(-1, words.size(), index -> begins.get(index) < time) + 1;
    }

    /** The index behind the last slice that has ended by a time. */
    long lastUntil(long time) {
        long ended = before(-1, words.size(), index -> end(index) <= time) + 1;
        return Math.max(0, ended);
    }

    /** Hands over all slices that have some of a time. */
    public void forEach(long from, long to, Visitor visitor) {
        if (from >= to) {
            return;
        }
        Block block = new Block();
        for (long slice = Math.max(0, at(from)); slice < size(); slice++) {
            block.read(slice >>> SUM_SHIFT);
            int place = (int) (slice & SUM_MASK);
            long begin = block.from[place];
            long ends = block.from[place + 1];
            if (begin >= to) {
                return;
            }
            if (ends > from || (begin == ends && begin >= from)) {
                visitor.onSlice(slice, Math.max(from, begin), Math.min(to, ends));
            }
        }
    }

    /** Gets what pixels show, from left to right. */
    @FunctionalInterface
    public interface Pixels {
        /**
         * One of them.
         *
         * @param busy ticks of it that somebody had
         * @param idle ticks of it that are known to be idle
         * @param busiest the slice that has most of it, or -1
         */
        void onPixel(int pixel, long busy, long idle, long busiest);
    }

    /**
     * What each pixel of a line shows.
     *
     * @param edges times, not falling: a pixel is what lies between one and the next
     */
    public void pixels(long[] edges, Pixels pixels) {
        pixels(edges, true, pixels);
    }

    /** The same, without looking which slice has most of a pixel. */
    public void shares(long[] edges, Pixels pixels) {
        pixels(edges, false, pixels);
    }

    private void pixels(long[] edges, boolean withBusiest, Pixels pixels) {
        long slice = at(edges[0]);
        Sums sums = new Sums();
        sums.at(edges[0], slice);
        long busy = sums.busy;
        long idle = sums.idle;
        for (int pixel = 0; pixel + 1 < edges.length; pixel++) {
            long from = edges[pixel];
            long to = edges[pixel + 1];
            long next = slice < 0 ? at(to) : atFrom(slice, to);
            sums.at(to, next);
            long best = !withBusiest || sums.busy == busy
                    ? MaxTree.NONE
                    : busiest(from, to, slice, next >= 0 && begin(next) == to ? at(to - 1) : next);
            pixels.onPixel(pixel, sums.busy - busy, sums.idle - idle, best);
            slice = next;
            busy = sums.busy;
            idle = sums.idle;
        }
    }
}
