// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.sync;

/**
 * What bounds the second node's time as a function of the first's, of the packets of a pair: no line may pass above the points of
 * {@code above}, nor below those of {@code below}. x is the first node's time, y the second's. Immutable.
 *
 * <p>Stamps are whole nanoseconds, rounded down. A packet was received before the next nanosecond began, so that one
 * nanosecond is added to each reception.
 *
 * @param above of packets from the first node: sent at x, received at y
 * @param below of packets to the first node: received at x, sent at y
 */
record PairHulls(Hull above, Hull below) {
    /** What stamps are rounded to. */
    static final long GRAIN_NS = 1;

    /** Time: sorting the packets. Memory: 16 bytes for each packet of a direction, meanwhile. */
    static PairHulls of(PairPackets packets) {
        return new PairHulls(above(packets.forth()), below(packets.back()));
    }

    /** Whether there are packets both ways. */
    boolean areBoth() {
        return above.size() > 0 && below.size() > 0;
    }

    private static Hull above(PairPackets.Way way) {
        long[] xs = new long[way.size()];
        long[] ys = new long[way.size()];
        for (int packet = 0; packet < xs.length; packet++) {
            xs[packet] = way.sentNs(packet);
            ys[packet] = way.receivedNs(packet) + GRAIN_NS;
        }
        return Hull.lower(xs, ys);
    }

    private static Hull below(PairPackets.Way way) {
        long[] xs = new long[way.size()];
        long[] ys = new long[way.size()];
        for (int packet = 0; packet < xs.length; packet++) {
            xs[packet] = way.receivedNs(packet) + GRAIN_NS;
            ys[packet] = way.sentNs(packet);
        }
        return Hull.upper(xs, ys);
    }
}
