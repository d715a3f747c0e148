// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import java.util.Arrays;

/**
 * Intervals that have begun and not ended, by a key of two numbers. For one thread.
 *
 * <p>The table has sets of {@value #WAYS} places each, of which the first ones are taken. It begins small. When all places of a set
 * are taken, it doubles, and allocates only then. It is bounded: where it may not grow any more, the interval of the set whose
 * last event is oldest gives way, and is counted. A place takes 41 bytes.
 *
 * <p>A place is found by {@link #find} or {@link #open}, and valid until the next call of either, {@link #close} or
 * {@link #closeAll}.
 */
public final class OpenIntervals {
    /** What {@link #find} gives when there is none. */
    public static final int NONE = -1;

    private static final int WAYS = 8;
    /** Places that there are at first. */
    private static final int FIRST = 512;

    private static final long MIX_1 = 0x9e3779b97f4a7c15L;
    private static final long MIX_2 = 0xbf58476d1ce4e5b9L;

    private final int capacity;
    private int setMask;
    private long[] firstKeys;
    private long[] secondKeys;
    private long[] begins;
    private long[] lasts;
    private long[] notes;
    private byte[] stages;
    private int size;
    private long evicted;
    private int watched;
    private long evictedWatched;

    /** @param capacity places that it may grow to; rounded up to a power of two, at least {@value #WAYS} */
    public OpenIntervals(int capacity) {
        this.capacity = Integer.highestOneBit(Math.max(capacity, WAYS) * 2 - 1);
        int places = Math.min(this.capacity, FIRST);
        this.setMask = places / WAYS - 1;
        this.firstKeys = new long[places];
        this.secondKeys = new long[places];
        this.begins = new long[places];
        this.lasts = new long[places];
        this.notes = new long[places];
        this.stages = new byte[places];
    }

    /** The place of an open interval, or {@link #NONE}. */
    public int find(long firstKey, long secondKey) {
        int from = set(firstKey, secondKey);
        for (int place = from; place < from + WAYS && stages[place] != 0; place++) {
            if (firstKeys[place] == firstKey && secondKeys[place] == secondKey) {
                return place;
            }
        }
        return NONE;
    }

    /**
     * Begins an interval; one that is open under this key is forgotten. Its note is that of whoever had the place before.
     *
     * @param timer when it begins
     * @param stage any number but 0
     * @return its place
     */
    public int open(long firstKey, long secondKey, long timer, int stage) {
        int place = find(firstKey, secondKey);
        if (place == NONE) {
            while (isFull(set(firstKey, secondKey)) && stages.length < capacity) {
                grow();
            }
            place = free(set(firstKey, secondKey));
        }
        firstKeys[place] = firstKey;
        secondKeys[place] = secondKey;
        begins[place] = timer;
        lasts[place] = timer;
        stages[place] = (byte) stage;
        return place;
    }

    /** Takes note of an event on the way. */
    public void step(int place, long timer, int stage) {
        lasts[place] = timer;
        stages[place] = (byte) stage;
    }

    /** Forgets an interval; the last one of its set moves to its place. */
    public void close(int place) {
        int last = place;
        while (last % WAYS < WAYS - 1 && stages[last + 1] != 0) {
            last++;
        }
        if (last != place) {
            copy(last, place, stages[last]);
        }
        stages[last] = 0;
        size--;
    }

    /** Forgets all open intervals; gives how many there were. */
    public int closeAll() {
        int closed = size;
        if (closed > 0) {
            Arrays.fill(stages, (byte) 0);
            size = 0;
        }
        return closed;
    }

    /** Forgets all of which this was noted. Walks the whole table: for what is rare. */
    void closeNoted(long note) {
        if (size == 0) {
            return;
        }
        for (int place = stages.length - 1; place >= 0; place--) {
            if (stages[place] != 0 && notes[place] == note) {
                close(place);
            }
        }
    }

    /** When it began. */
    public long begin(int place) {
        return begins[place];
    }

    /** From now on it began then. */
    void rebegin(int place, long timer) {
        begins[place] = timer;
    }

    /** The first open interval from this place on, or {@link #NONE}: walks the table, for what is rare. */
    int next(int from) {
        int place = size == 0 ? stages.length : from;
        while (place < stages.length) {
            if (stages[place] != 0) {
                return place;
            }
            // Behind this one the set has none.
            place = (place | WAYS - 1) + 1;
        }
        return NONE;
    }

    /** When its last event was. */
    public long last(int place) {
        return lasts[place];
    }

    /** What was noted of it; any number before. */
    public long note(int place) {
        return notes[place];
    }

    public void note(int place, long note) {
        notes[place] = note;
    }

    public int stage(int place) {
        return stages[place];
    }

    int size() {
        return size;
    }

    int capacity() {
        return capacity;
    }

    /** Places that there are now. */
    int places() {
        return stages.length;
    }

    /** Intervals that had to give way since the last call. */
    public long takeEvicted() {
        long taken = evicted;
        evicted = 0;
        return taken;
    }

    /** Counts apart those that are at a stage when they have to give way. */
    void watch(int stage) {
        watched = stage;
    }

    /** Of those that had to give way since the last call, the ones at the stage that is watched. */
    long takeEvictedWatched() {
        long taken = evictedWatched;
        evictedWatched = 0;
        return taken;
    }

    private int set(long firstKey, long secondKey) {
        long hash = (firstKey * MIX_1 + secondKey) * MIX_2;
        return ((int) (hash >>> 32) & setMask) * WAYS;
    }

    /** The last place of a set is taken last. */
    private boolean isFull(int from) {
        return stages[from + WAYS - 1] != 0;
    }

    /** Each set becomes two, and what was in it is in one of these: so there is room for all. */
    private void grow() {
        int before = stages.length;
        firstKeys = Arrays.copyOf(firstKeys, 2 * before);
        secondKeys = Arrays.copyOf(secondKeys, 2 * before);
        begins = Arrays.copyOf(begins, 2 * before);
        lasts = Arrays.copyOf(lasts, 2 * before);
        notes = Arrays.copyOf(notes, 2 * before);
        stages = Arrays.copyOf(stages, 2 * before);
        setMask = 2 * before / WAYS - 1;
        for (int from = 0; from < before; from += WAYS) {
            split(from, from + before);
        }
    }

    private void split(int from, int other) {
        int stay = from;
        int go = other;
        for (int place = from; place < from + WAYS && stages[place] != 0; place++) {
            int to = set(firstKeys[place], secondKeys[place]) == from ? stay++ : go++;
            int stage = stages[place];
            stages[place] = 0;
            copy(place, to, stage);
        }
    }

    private void copy(int place, int to, int stage) {
        firstKeys[to] = firstKeys[place];
        secondKeys[to] = secondKeys[place];
        begins[to] = begins[place];
        lasts[to] = lasts[place];
        notes[to] = notes[place];
        stages[to] = (byte) stage;
    }

    private int free(int from) {
        int oldest = from;
        for (int place = from; place < from + WAYS; place++) {
            if (stages[place] == 0) {
                size++;
                return place;
            }
            if (lasts[place] - lasts[oldest] < 0) {
                oldest = place;
            }
        }
        evicted++;
        evictedWatched += stages[oldest] == watched ? 1 : 0;
        return oldest;
    }
}
