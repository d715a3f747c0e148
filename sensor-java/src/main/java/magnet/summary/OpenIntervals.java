// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import java.util.Arrays;

/**
 * Intervals that have begun and not ended, by a key of two numbers. For one thread; allocates only when it is made.
 *
 * <p>The table is bounded: sets of {@value #WAYS} places each, of which the first ones are taken. When all places of a set are taken, the interval whose
 * last event is oldest gives way, and is counted. A place takes 41 bytes.
 *
 * <p>A place is found by {@link #find} or {@link #open}, and valid until the next call of either, {@link #close} or
 * {@link #closeAll}.
 */
public final class OpenIntervals {
    /** What {@link #find} gives when there is none. */
    public static final int NONE = -1;

    private static final int WAYS = 8;
    private static final long MIX_1 = 0x9e3779b97f4a7c15L;
    private static final long MIX_2 = 0xbf58476d1ce4e5b9L;

    private final int setMask;
    private final long[] firstKeys;
    private final long[] secondKeys;
    private final long[] begins;
    private final long[] lasts;
    private final long[] notes;
    private final byte[] stages;
    private int size;
    private long evicted;
    private int watched;
    private long evictedWatched;

    /** @param capacity places; rounded up to a power of two, at least {@value #WAYS} */
    public OpenIntervals(int capacity) {
        int sets = Integer.highestOneBit(Math.max(capacity, WAYS) * 2 - 1) / WAYS;
        this.setMask = sets - 1;
        this.firstKeys = new long[sets * WAYS];
        this.secondKeys = new long[sets * WAYS];
        this.begins = new long[sets * WAYS];
        this.lasts = new long[sets * WAYS];
        this.notes = new long[sets * WAYS];
        this.stages = new byte[sets * WAYS];
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
            firstKeys[place] = firstKeys[last];
            secondKeys[place] = secondKeys[last];
            begins[place] = begins[last];
            lasts[place] = lasts[last];
            notes[place] = notes[last];
            stages[place] = stages[last];
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
        for (int place = from; place < stages.length; place++) {
            if (stages[place] != 0) {
                return place;
            }
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
