// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.view.index;

import java.io.IOException;
import java.util.List;

/**
 * Times of a CPU in which a thread could have run and did not while a packet for it lay in its socket. Each ends where a slice of
 * the thread begins. They may overlap, as several threads may wait for a CPU; they stand in the order of their ends. Times are as
 * in {@link Lane}. Threads: as the lane.
 */
public final class PacketWaits {
    private final Column slices;
    private final Column begins;
    private final Column ends;
    private final Column received;
    private final MaxTree longest;

    private PacketWaits(PagedFile file) {
        this.slices = Column.ofInts(file);
        this.begins = Column.ofLongs(file);
        this.ends = Column.ofLongs(file);
        this.received = Column.ofLongs(file);
        this.longest = new MaxTree(file, index -> end(index) - begin(index));
    }

    /** Takes them as they end, and knows when there are any. For one thread. */
    static final class Builder {
        private final PacketWaits waits;
        private final Lane.Builder union;
        private int waiting;

        Builder(PagedFile file) {
            this.waits = new PacketWaits(file);
            this.union = new Lane.Builder(file, false);
        }

        /** A thread begins to wait so. */
        void enter(long at, int subject) throws IOException {
            if (waiting++ == 0) {
                union.begin(at, subject);
            }
        }

        /** A thread does not wait so any more, or waits for another CPU. */
        void leave(long at) throws IOException {
            if (waiting > 0 && --waiting == 0) {
                union.begin(at, Subject.NOTHING);
            }
        }

        /** Nobody knows any more who waits. */
        void forget(long at) throws IOException {
            if (waiting > 0) {
                waiting = 0;
                union.begin(at, Subject.NOTHING);
            }
        }

        /**
         * A thread has got the CPU that has waited so.
         *
         * @param slice that begins now
         * @param begin when both were true: it could run, and the packet was there
         * @param end now
         * @param packet when the packet came
         */
        void add(long slice, long begin, long end, long packet) throws IOException {
            waits.slices.addInt((int) slice);
            waits.begins.addLong(begin);
            waits.ends.addLong(end);
            waits.received.addLong(packet);
            waits.longest.add(end - begin);
        }

        /** There are no more. */
        PacketWaits finish() throws IOException {
            waits.slices.finish();
            waits.begins.finish();
            waits.ends.finish();
            waits.received.finish();
            waits.longest.finish();
            return waits;
        }

        /** The times in which any thread waited so; whose a slice is says who began. After {@link #finish}. */
        Lane union(long end) throws IOException {
            return union.finish(end);
        }
    }

    /** How many there are. */
    public long size() {
        return slices.size();
    }

    /** The slice of the CPU's threads that one ends with. */
    public long slice(long index) {
        return slices.getInt(index);
    }

    /** When one begins. */
    public long begin(long index) {
        return begins.getLong(index);
    }

    /** When one ends. */
    public long end(long index) {
        return ends.getLong(index);
    }

    /** When the packet came. */
    public long received(long index) {
        return received.getLong(index);
    }

    /** The longest ones that end behind a time's begin and not behind its end, the longest first. */
    public List<Long> longest(long from, long to, int most) {
        return longest.largest(firstEnding(from + 1), firstEnding(to + 1), most);
    }

    /** The one that ends with a slice of the CPU's threads; -1 if there is none. */
    public long ofSlice(long slice) {
        long low = -1;
        long high = size();
        while (high - low > 1) {
            long middle = (low + high) >>> 1;
            if (slices.getInt(middle) < slice) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return high < size() && slices.getInt(high) == slice ? high : -1;
    }

    /** The first one that does not end before a time. */
    long firstEnding(long time) {
        long low = -1;
        long high = size();
        while (high - low > 1) {
            long middle = (low + high) >>> 1;
            if (ends.getLong(middle) < time) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return high;
    }
}
