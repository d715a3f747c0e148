// SPDX-License-Identifier: Apache-2.0
package magnet.record;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Records in an order, {@value #CAPACITY} at most, that stay where they were read to: one buffer for each CPU. Of each there
 * is its place, a number that has all in it that decides who wants the record:
 *
 * <pre>
 *   63          48 47          32 31                           0
 *  +--------------+--------------+------------------------------+
 *  |   event id   |     CPU      |   offset in that CPU's buffer |
 *  +--------------+--------------+------------------------------+
 * </pre>
 *
 * <p>Not thread-safe. Allocates when a CPU or another buffer is first seen.
 */
public final class RecordBatch {
    /** Most records. */
    public static final int CAPACITY = 512;

    private static final int EVENT_SHIFT = 48;
    private static final int CPU_SHIFT = 32;
    private static final int CPU_MASK = 0xffff;
    /** No offset has it. */
    private static final long GAP = 1L << (Integer.SIZE - 1);

    private final RecordLayout layout;
    private final long[] places = new long[CAPACITY];
    private RecordFlyweight[] records = {};
    private int size;
    private long newestTimer;

    /** An empty batch of records in this layout. */
    public RecordBatch(RecordLayout layout) {
        this.layout = layout;
    }

    /** The place of a record. */
    public static long place(int event, int cpu, int offset) {
        return (long) event << EVENT_SHIFT | (long) cpu << CPU_SHIFT | offset;
    }

    /** The place of a record with this {@link RecordFlyweight#head()}. */
    public static long place(long head, int offset) {
        return (head & (-1L << CPU_SHIFT)) | offset;
    }

    /** The same, with the mark that bytes before the record were none: for whoever fills a batch, not for one. */
    public static long afterGap(long place) {
        return place | GAP;
    }

    /** Whether a place has that mark. */
    public static boolean isAfterGap(long place) {
        return (place & GAP) != 0;
    }

    /** A place without that mark. */
    public static long withoutGap(long place) {
        return place & ~GAP;
    }

    /** The event of the record at a place. */
    public static int event(long place) {
        return (int) (place >>> EVENT_SHIFT);
    }

    /** The CPU that the record at a place is of. */
    public static int cpu(long place) {
        return (int) (place >>> CPU_SHIFT) & CPU_MASK;
    }

    /** Where in its CPU's buffer the record at a place begins. */
    public static int offset(long place) {
        return (int) (place & ~GAP);
    }

    /** Where this CPU's records are looked for, of this batch too. */
    public void lookAt(int cpu, ByteBuffer buffer) {
        if (cpu >= records.length) {
            int before = records.length;
            records = Arrays.copyOf(records, Math.max(cpu + 1, 2 * before));
            for (int i = before; i < records.length; i++) {
                records[i] = new RecordFlyweight(layout);
            }
        }
        records[cpu].wrap(buffer, 0);
    }

    /** Forgets all records. */
    public void clear() {
        size = 0;
    }

    /** Whether there is room for none. */
    public boolean isFull() {
        return size == CAPACITY;
    }

    /** Adds the record at a place. */
    public void add(long place) {
        places[size++] = place;
    }

    /** For how many more there is room. */
    public int room() {
        return CAPACITY - size;
    }

    /** Adds the records at so many places from an index on; there must be room. */
    public void add(long[] from, int index, int count) {
        System.arraycopy(from, index, places, size, count);
        size += count;
    }

    /** Says how far in time the records reach. */
    public void reaches(long timer) {
        newestTimer = timer;
    }

    /** Timer of the youngest record that was ever added. */
    public long newestTimer() {
        return newestTimer;
    }

    /** How many records there are. */
    public int size() {
        return size;
    }

    /** The place of one of them, from 0 on. */
    public long place(int index) {
        return places[index];
    }

    /** The record at a place; valid until the next call for the same CPU. */
    public RecordFlyweight at(long place) {
        return records[cpu(place)].moveTo((int) place);
    }
}
