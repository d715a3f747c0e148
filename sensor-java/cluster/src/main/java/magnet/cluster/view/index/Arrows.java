// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.view.index;

import java.io.IOException;

/**
 * Packets that one node sent and another one received. Times are nanoseconds of the run. They stand in the order in which the
 * first end of each was found.
 *
 * <p>Shape: for each arrow three times and the entries in both nodes' logs, 40 bytes. Threads: as the file.
 */
public final class Arrows {
    private static final int NODE_SHIFT = 40;
    private static final long INDEX_MASK = (1L << NODE_SHIFT) - 1;

    /**
     * One end of a packet's way.
     *
     * @param ns when, in the time of the run
     * @param node number of the node
     * @param entry in that node's {@link PacketLog}
     */
    public record Tip(long ns, int node, long entry) {}

    private final Column begins;
    private final Column sentTimes;
    private final Column receivedTimes;
    private final Column senders;
    private final Column receivers;
    private long longestNs;
    private long early;
    private long ambiguous;

    Arrows(PagedFile file) {
        this.begins = Column.ofLongs(file);
        this.sentTimes = Column.ofLongs(file);
        this.receivedTimes = Column.ofLongs(file);
        this.senders = Column.ofLongs(file);
        this.receivers = Column.ofLongs(file);
    }

    /**
     * Adds one.
     *
     * @param begin not behind either of its tips, and not before that of the arrow added before
     */
    void add(long begin, Tip sent, Tip received) throws IOException {
        begins.addLong(begin);
        sentTimes.addLong(sent.ns);
        receivedTimes.addLong(received.ns);
        senders.addLong((long) sent.node << NODE_SHIFT | sent.entry);
        receivers.addLong((long) received.node << NODE_SHIFT | received.entry);
        longestNs = Math.max(longestNs, Math.max(sent.ns, received.ns) - begin);
        if (received.ns < sent.ns) {
            early++;
        }
    }

    /** A packet that nobody can tell from another one. */
    void addAmbiguous() {
        ambiguous++;
    }

    void finish() throws IOException {
        begins.finish();
        sentTimes.finish();
        receivedTimes.finish();
        senders.finish();
        receivers.finish();
    }

    /** How many there are. */
    public long size() {
        return begins.size();
    }

    /** Those that were received before they were sent: the clocks are not aligned. */
    public long early() {
        return early;
    }

    /** Packets that have no arrow because a node sent two that nobody can tell apart. */
    public long ambiguous() {
        return ambiguous;
    }

    /** Where it was sent. */
    public Tip sent(long arrow) {
        return tip(sentTimes.getLong(arrow), senders.getLong(arrow));
    }

    /** Where it was received. */
    public Tip received(long arrow) {
        return tip(receivedTimes.getLong(arrow), receivers.getLong(arrow));
    }

    private static Tip tip(long ns, long word) {
        return new Tip(ns, (int) (word >>> NODE_SHIFT), word & INDEX_MASK);
    }

    /** Whether an arrow has some of a time, its ends included. */
    public boolean touches(long arrow, long fromNs, long toNs) {
        long sent = sentTimes.getLong(arrow);
        long received = receivedTimes.getLong(arrow);
        return Math.min(sent, received) <= toNs && Math.max(sent, received) >= fromNs;
    }

    /** The first arrow that may have some of a time. */
    public long first(long fromNs) {
        return firstFrom(fromNs - longestNs);
    }

    /** The index behind the last arrow that may have some of a time. */
    public long behind(long toNs) {
        return firstFrom(toNs + 1);
    }

    private long firstFrom(long ns) {
        long low = -1;
        long high = size();
        while (high - low > 1) {
            long middle = (low + high) >>> 1;
            if (begins.getLong(middle) < ns) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return high;
    }
}
