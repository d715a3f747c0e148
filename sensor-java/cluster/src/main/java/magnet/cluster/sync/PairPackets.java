// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.sync;

/**
 * The packets that two nodes have recorded, both ways. Memory: 16 bytes for each. They are counted first, and then added. For one
 * thread.
 */
final class PairPackets {
    private static final long[] NONE = {};

    private final int first;
    private final int second;
    private final Way forth = new Way();
    private final Way back = new Way();

    /** Packets in one direction: when the sender sent and the receiver received them, each in its own time. */
    static final class Way {
        private int counted;
        private int size;
        private long[] sent = NONE;
        private long[] received = NONE;

        int size() {
            return size;
        }

        long sentNs(int packet) {
            return sent[packet];
        }

        long receivedNs(int packet) {
            return received[packet];
        }

        private void add(long sentNs, long receivedNs) {
            if (sent.length == 0) {
                sent = new long[counted];
                received = new long[counted];
            }
            sent[size] = sentNs;
            received[size] = receivedNs;
            size++;
        }
    }

    /**
     * Without packets.
     *
     * @param first number of a node
     * @param second a higher one
     */
    PairPackets(int first, int second) {
        this.first = first;
        this.second = second;
    }

    int first() {
        return first;
    }

    int second() {
        return second;
    }

    /** From the first node to the second. */
    Way forth() {
        return forth;
    }

    /** From the second node to the first. */
    Way back() {
        return back;
    }

    /** There will be another packet of a sender. */
    void count(int sender) {
        way(sender).counted++;
    }

    /** A packet of a sender, which was counted before. */
    void add(int sender, long sentNs, long receivedNs) {
        way(sender).add(sentNs, receivedNs);
    }

    private Way way(int sender) {
        return sender == first ? forth : back;
    }
}
