// SPDX-License-Identifier: Apache-2.0
package magnet.magnetfs;

import java.util.Arrays;
import java.util.List;

/**
 * Which of several streams has the oldest record: a tournament whose losers are kept, so that the way of the next record
 * to the top is one comparison for each level, and none of them a branch that a processor would have to guess.
 *
 * <pre>
 *            tree[0]            the winner of all
 *            tree[1]            loser of the final
 *        tree[2]   tree[3]      losers of the round before
 *        0     1   2     3      streams
 * </pre>
 *
 * <p>A stream plays with one number: its record's timer, counted from the oldest one at {@link #begin}, and its index in the
 * lowest bits; so the first one of several that are equally old wins. With 128 streams 55 bits are left for the time,
 * which is months of a TSC; what is farther away counts as that far. Allocates only to grow. Not thread-safe.
 */
final class MergeTree {
    /** Above every player, and small enough that the difference of two of them is a number of 64 bits, too. */
    private static final long NONE = Long.MAX_VALUE / 2;

    private CpuStream[] streams = new CpuStream[8];
    private long[] tree = new long[8];
    private long[] players = new long[8];
    /** Of each stream's record behind the one that plays: known before it is its turn. */
    private long[] following = new long[8];

    private int size;
    private int indexBits;
    private long base;
    private long farthest;

    /** Takes these streams' records from now on. */
    void begin(List<CpuStream> all) {
        size = Math.max(2, Integer.highestOneBit(2 * all.size() - 1));
        indexBits = Integer.numberOfTrailingZeros(size);
        if (size > streams.length) {
            streams = new CpuStream[size];
            tree = new long[size];
            players = new long[size];
            following = new long[size];
        }
        farthest = NONE >> indexBits;
        base = Long.MAX_VALUE;
        for (int i = 0; i < all.size(); i++) {
            streams[i] = all.get(i);
            base = streams[i].hasRecord() ? Math.min(base, streams[i].headTimer()) : base;
        }
        Arrays.fill(players, 0, size, NONE);
        for (int i = 0; i < all.size(); i++) {
            players[i] = streams[i].hasRecord() ? player(i, streams[i].headTimer()) : NONE;
            following[i] = following(i);
        }
        tree[0] = play(1);
    }

    /** Whether no stream has a record any more. */
    boolean isEmpty() {
        return tree[0] == NONE;
    }

    /** The stream with the oldest record. */
    CpuStream first() {
        return streams[index()];
    }

    /** That stream went on to its next record, or has none any more. */
    void replaceFirst() {
        int index = index();
        long winner = following[index];
        for (int node = (size + index) >>> 1; node > 0; node >>>= 1) {
            long other = tree[node];
            // Which of them is less is never to be guessed: Math.min may be compiled to a branch.
            long less = winner - other;
            less &= less >> (Long.SIZE - 1);
            tree[node] = winner - less;
            winner = other + less;
        }
        tree[0] = winner;
        following[index] = following(index);
    }

    /** Whether so old a record of the first stream comes before all of the others' that are known. */
    boolean precedesOthers(long timer) {
        int index = index();
        long second = NONE;
        for (int node = (size + index) >>> 1; node > 0; node >>>= 1) {
            second = Math.min(second, tree[node]);
        }
        return player(index, timer) < second;
    }

    /** The first stream went on by several records. */
    void replaceFirstAfterRun() {
        int index = index();
        CpuStream stream = streams[index];
        following[index] = stream.hasRecord() ? player(index, stream.headTimer()) : NONE;
        replaceFirst();
    }

    private int index() {
        return (int) tree[0] & (size - 1);
    }

    private long player(int index, long timer) {
        long since = Math.max(-farthest, Math.min(farthest - 1, timer - base));
        return since << indexBits | index;
    }

    private long following(int index) {
        CpuStream stream = streams[index];
        return stream.hasFollowing() ? player(index, stream.followingTimer()) : NONE;
    }

    /** Plays all rounds below a node; gives the winner. */
    private long play(int node) {
        if (node >= size) {
            return players[node - size];
        }
        long left = play(2 * node);
        long right = play(2 * node + 1);
        tree[node] = Math.max(left, right);
        return Math.min(left, right);
    }
}
