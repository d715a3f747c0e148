// SPDX-License-Identifier: Apache-2.0
package magnet.cli.aggregate;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * How many events each group had and, where a histogram is wanted, how many values in each bucket, with the least and the
 * most. Allocates only to grow. Events of groups that there is no room for are counted together. Not thread-safe.
 */
final class GroupTotals {
    /** Groups of a count. */
    static final int COUNTED_MOST = 1 << 16;
    /** Groups of a histogram: half a kilobyte each. */
    static final int BUCKETED_MOST = 1 << 12;

    private static final int FIRST_GROUPS = 16;

    private final boolean bucketed;
    private final int width;
    private final GroupTable groups;
    private long[] counts = new long[FIRST_GROUPS];
    private long[] least;
    private long[] most;
    private long[] buckets;
    private long events;
    private long others;

    /**
     * None yet.
     *
     * @param width numbers of a group's key
     * @param bucketed whether histograms are wanted
     */
    GroupTotals(int width, boolean bucketed) {
        this.width = width;
        this.bucketed = bucketed;
        this.groups = new GroupTable(width, bucketed ? BUCKETED_MOST : COUNTED_MOST);
        int values = bucketed ? FIRST_GROUPS : 0;
        this.least = new long[values];
        this.most = new long[values];
        this.buckets = new long[values * PowerBuckets.COUNT];
    }

    /**
     * Counts an event.
     *
     * @param value of the field, where histograms are wanted
     * @return whether it is the first of its group
     */
    boolean add(long[] key, long value) {
        events++;
        int before = groups.size();
        int group = groups.groupOf(key);
        if (group == GroupTable.NO_ROOM) {
            others++;
            return false;
        }
        boolean first = group == before;
        if (first && group == counts.length) {
            grow();
        }
        counts[group]++;
        if (bucketed) {
            least[group] = first ? value : Math.min(least[group], value);
            most[group] = first ? value : Math.max(most[group], value);
            buckets[group * PowerBuckets.COUNT + PowerBuckets.of(value)]++;
        }
        return first;
    }

    /** Whether there are histograms. */
    boolean isBucketed() {
        return bucketed;
    }

    /** All events that were counted. */
    long events() {
        return events;
    }

    /** Events of groups that there was no room for. */
    long others() {
        return others;
    }

    /** Groups that there are, those with most events first; of equal ones that with the smaller key. */
    List<Integer> ranked() {
        List<Integer> ranked = new ArrayList<>();
        for (int group = 0; group < groups.size(); group++) {
            ranked.add(group);
        }
        Comparator<Integer> order = (one, other) -> Long.compare(counts[other], counts[one]);
        for (int part = 0; part < width; part++) {
            int at = part;
            order = order.thenComparing((one, other) -> Long.compare(groups.key(one, at), groups.key(other, at)));
        }
        ranked.sort(order);
        return ranked;
    }

    /** The first ones of {@link #ranked()}. */
    List<Integer> ranked(int most) {
        List<Integer> ranked = ranked();
        return ranked.subList(0, Math.min(most, ranked.size()));
    }

    /** How many groups there are. */
    int size() {
        return groups.size();
    }

    /** Events of all groups but these, and of those that there was no room for. */
    long eventsBeside(List<Integer> some) {
        return events - some.stream().mapToLong(this::count).sum();
    }

    long key(int group, int part) {
        return groups.key(group, part);
    }

    long count(int group) {
        return counts[group];
    }

    long least(int group) {
        return least[group];
    }

    long most(int group) {
        return most[group];
    }

    /** Values of a group in a bucket. */
    long inBucket(int group, int bucket) {
        return buckets[group * PowerBuckets.COUNT + bucket];
    }

    /** The first bucket that has any value of a group. */
    int firstBucket(int group) {
        return PowerBuckets.of(least[group]);
    }

    /** The last one. */
    int lastBucket(int group) {
        return PowerBuckets.of(most[group]);
    }

    /** Begins anew. */
    void clear() {
        Arrays.fill(counts, 0);
        Arrays.fill(buckets, 0);
        groups.clear();
        events = 0;
        others = 0;
    }

    private void grow() {
        int length = 2 * counts.length;
        counts = Arrays.copyOf(counts, length);
        if (bucketed) {
            least = Arrays.copyOf(least, length);
            most = Arrays.copyOf(most, length);
            buckets = Arrays.copyOf(buckets, length * PowerBuckets.COUNT);
        }
    }
}
