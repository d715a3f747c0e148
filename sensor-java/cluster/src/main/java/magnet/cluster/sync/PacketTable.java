// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.sync;

import java.util.Arrays;

/**
 * Where and when packets were seen, of all nodes.
 *
 * <p>Memory: 24 bytes for each record of a packet, in arrays; there are at most as many as the caller says. When there are more,
 * only every second key stays, then every fourth, and so on: the same ones on all nodes, so that both ends of a packet stay
 * or go together. For one thread.
 */
final class PacketTable implements InPlaceSort.Rows {
    private static final int FIRST = 1 << 12;
    private static final int SENT = 1;

    private final int most;
    private long[] keys;
    private long[] times;
    private int[] devices;
    private int[] places;
    private int size;
    private int sampled = 1;

    /** @param most records at most; at least 2 */
    PacketTable(int most) {
        this.most = most;
        int first = Math.min(FIRST, most);
        keys = new long[first];
        times = new long[first];
        devices = new int[first];
        places = new int[first];
    }

    /**
     * A record of a packet.
     *
     * @param node its number
     * @param sent whether the node sent it, or received it
     * @param device the node's network device
     * @param timeNs the node's time
     */
    void add(long key, int node, boolean sent, int device, long timeNs) {
        if (!isTaken(key)) {
            return;
        }
        if (size == keys.length) {
            makeRoom();
            if (!isTaken(key)) {
                return;
            }
        }
        keys[size] = key;
        times[size] = timeNs;
        devices[size] = device;
        places[size] = node << 1 | (sent ? SENT : 0);
        size++;
    }

    private boolean isTaken(long key) {
        return (key & (sampled - 1)) == 0;
    }

    private void makeRoom() {
        if (size < most) {
            int larger = (int) Math.min(most, 2L * size);
            keys = Arrays.copyOf(keys, larger);
            times = Arrays.copyOf(times, larger);
            devices = Arrays.copyOf(devices, larger);
            places = Arrays.copyOf(places, larger);
            return;
        }
        while (size == most && sampled < 1 << 30) {
            sampled *= 2;
            thin();
        }
        if (size == most) {
            // More than that are of one key: no such packet can be told from the others.
            throw new IllegalStateException("so many packets of one key");
        }
    }

    private void thin() {
        int kept = 0;
        for (int row = 0; row < size; row++) {
            if (isTaken(keys[row])) {
                move(row, kept++);
            }
        }
        size = kept;
    }

    private void move(int from, int to) {
        keys[to] = keys[from];
        times[to] = times[from];
        devices[to] = devices[from];
        places[to] = places[from];
    }

    int size() {
        return size;
    }

    /** One of so many keys is here. */
    int sampled() {
        return sampled;
    }

    long key(int row) {
        return keys[row];
    }

    long timeNs(int row) {
        return times[row];
    }

    int device(int row) {
        return devices[row];
    }

    int node(int row) {
        return places[row] >>> 1;
    }

    boolean isSent(int row) {
        return (places[row] & SENT) != 0;
    }

    /** Puts records of a key side by side, in it those of a node, and of these the earliest one first. */
    void sort() {
        InPlaceSort.sort(this, size);
    }

    @Override
    public boolean isLess(int one, int other) {
        if (keys[one] != keys[other]) {
            return keys[one] < keys[other];
        }
        if (node(one) != node(other)) {
            return node(one) < node(other);
        }
        if (times[one] != times[other]) {
            return times[one] < times[other];
        }
        return places[one] > places[other];
    }

    @Override
    public void swap(int one, int other) {
        long key = keys[one];
        long time = times[one];
        int device = devices[one];
        int place = places[one];
        move(other, one);
        keys[other] = key;
        times[other] = time;
        devices[other] = device;
        places[other] = place;
    }
}
