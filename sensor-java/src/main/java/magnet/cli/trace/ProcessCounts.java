// SPDX-License-Identifier: Apache-2.0
package magnet.cli.trace;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/**
 * Events and CPU time of each process. A hash table with open addressing; allocates only to grow. There is room for
 * {@value #PROCESSES_MAX} processes, what further ones do is counted together. Not thread-safe.
 */
public final class ProcessCounts {
    /**
     * What one process did.
     *
     * @param tgid the process
     * @param events in its threads
     * @param ticks that it ran
     * @param switches how often a thread of it was put on a CPU
     * @param losses how often events had been lost at its last one
     * @param owner whose it was then; empty if that was not known
     */
    record Row(int tgid, long events, long ticks, long switches, long losses, String owner) {}

    static final int PROCESSES_MAX = 1 << 16;

    private static final int FIRST_CAPACITY = 1 << 10;
    private static final int HASH = 0x9e37_79b1;

    private int[] tgids = new int[FIRST_CAPACITY];
    private boolean[] used = new boolean[FIRST_CAPACITY];
    private long[] events = new long[FIRST_CAPACITY];
    private long[] ticks = new long[FIRST_CAPACITY];
    private long[] switches = new long[FIRST_CAPACITY];
    private long[] losses = new long[FIRST_CAPACITY];
    private String[] owners = new String[FIRST_CAPACITY];
    private int size;
    private int lastTgid;
    private int lastPlace = -1;
    private long otherEvents;

    /**
     * An event of a process.
     *
     * @param lossesNow how often events were lost so far
     * @param owner whose it is; empty if that is not known
     */
    void addEvent(int tgid, long lossesNow, String owner) {
        int at = place(tgid);
        if (at < 0) {
            otherEvents++;
        } else {
            events[at]++;
            losses[at] = lossesNow;
            owners[at] = owner;
        }
    }

    /** One of its threads ran so long. */
    void addSlice(int tgid, long length) {
        int at = place(tgid);
        if (at >= 0) {
            ticks[at] += length;
            switches[at]++;
        }
    }

    /** Processes that there was room for. */
    int size() {
        return size;
    }

    /** Events of those that there was no room for. */
    long otherEvents() {
        return otherEvents;
    }

    /** Those that did most, by events. */
    List<Row> top(int most) {
        List<Row> rows = new ArrayList<>();
        for (int at = 0; at < used.length; at++) {
            if (used[at]) {
                rows.add(new Row(
                        tgids[at],
                        events[at],
                        ticks[at],
                        switches[at],
                        losses[at],
                        Objects.requireNonNullElse(owners[at], "")));
            }
        }
        rows.sort(Comparator.comparingLong(Row::events).reversed().thenComparingInt(Row::tgid));
        return List.copyOf(rows.subList(0, Math.min(most, rows.size())));
    }

    /** Mostly one process has several events in a row. */
    private int place(int tgid) {
        if (tgid != lastTgid || lastPlace < 0) {
            lastPlace = findOrAdd(tgid);
            lastTgid = tgid;
        }
        return lastPlace;
    }

    private int findOrAdd(int tgid) {
        int at = find(tgid);
        if (used[at]) {
            return at;
        }
        if (size == PROCESSES_MAX) {
            return -1;
        }
        if (2 * (size + 1) > used.length) {
            grow();
            at = find(tgid);
        }
        used[at] = true;
        tgids[at] = tgid;
        size++;
        return at;
    }

    private int find(int tgid) {
        int mask = used.length - 1;
        int at = ((tgid * HASH) >>> 7) & mask;
        while (used[at] && tgids[at] != tgid) {
            at = (at + 1) & mask;
        }
        return at;
    }

    private void grow() {
        int[] oldTgids = tgids;
        boolean[] oldUsed = used;
        long[] oldEvents = events;
        long[] oldTicks = ticks;
        long[] oldSwitches = switches;
        long[] oldLosses = losses;
        String[] oldOwners = owners;
        int capacity = 2 * oldUsed.length;
        tgids = new int[capacity];
        used = new boolean[capacity];
        events = new long[capacity];
        ticks = new long[capacity];
        switches = new long[capacity];
        losses = new long[capacity];
        owners = new String[capacity];
        for (int old = 0; old < oldUsed.length; old++) {
            if (oldUsed[old]) {
                int at = find(oldTgids[old]);
                used[at] = true;
                tgids[at] = oldTgids[old];
                events[at] = oldEvents[old];
                ticks[at] = oldTicks[old];
                switches[at] = oldSwitches[old];
                losses[at] = oldLosses[old];
                owners[at] = oldOwners[old];
            }
        }
    }
}
