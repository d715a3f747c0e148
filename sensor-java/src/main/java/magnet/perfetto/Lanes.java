// SPDX-License-Identifier: Apache-2.0
package magnet.perfetto;

import java.util.Arrays;

/**
 * Tracks of one name, for slices that may overlap: each goes to the first track that is free since before it begins, and
 * Perfetto shows all of them as one. Slices come in the order of their ends. For one thread.
 */
final class Lanes {
    /** More at once cannot be told from each other, and are not written. */
    static final int MOST = 256;

    private final PacketWriter packets;
    private final String name;
    private final long parent;
    private final int rank;
    private long[] uuids = new long[1];
    private long[] ends = new long[1];
    private int size;

    Lanes(PacketWriter packets, String name, long parent, int rank) {
        this.packets = packets;
        this.name = name;
        this.parent = parent;
        this.rank = rank;
    }

    /** Writes a slice with the packets' annotations; false if there is no track for it. */
    boolean slice(String title, long beginNs, long endNs) {
        for (int lane = 0; lane < MOST; lane++) {
            if (lane == size) {
                add();
            }
            if (ends[lane] <= beginNs) {
                ends[lane] = Math.max(beginNs, endNs);
                packets.slice(uuids[lane], title, beginNs, ends[lane]);
                return true;
            }
        }
        return false;
    }

    /** Writes an instant with the packets' annotations. */
    void instant(String title, long ns) {
        if (size == 0) {
            add();
        }
        packets.instant(uuids[0], title, ns);
    }

    private void add() {
        if (size == uuids.length) {
            uuids = Arrays.copyOf(uuids, 2 * size);
            ends = Arrays.copyOf(ends, 2 * size);
        }
        uuids[size++] = packets.track(name, parent, rank);
    }
}
