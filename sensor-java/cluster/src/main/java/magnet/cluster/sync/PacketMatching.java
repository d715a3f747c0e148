// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.sync;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds the packets that two nodes have recorded.
 *
 * <p>Records of one key are of one packet, which may pass several devices of a node: bridges, containers, bonds. The node whose
 * first record says that it was sent is where it comes from. On all others the first record says that it was received; each of
 * these and the sender make a pair, by the first record of both. That holds also if a node sent it on. A node that has
 * two records of one key and one device in one direction has had two packets with it, or two nodes are where it comes from: then
 * nobody can tell the packets apart, and they are left out.
 *
 * <p>Time: sorting n records. Memory beside the table: 16 bytes for each matched packet. For one table.
 */
final class PacketMatching {
    private final PacketTable table;
    private final int nodes;
    private final LeftOutCounts leftOut;
    private final @Nullable PairPackets[] pairs;
    private int origin;

    /** @param nodes how many there are */
    PacketMatching(PacketTable table, int nodes, LeftOutCounts leftOut) {
        this.table = table;
        this.nodes = nodes;
        this.leftOut = leftOut;
        this.pairs = new PairPackets[nodes * nodes];
    }

    /** All pairs of nodes with a packet that both have recorded, those of lower numbers first. */
    List<PairPackets> match() {
        table.sort();
        walk(false);
        walk(true);
        List<PairPackets> found = new ArrayList<>();
        for (PairPackets pair : pairs) {
            if (pair != null) {
                found.add(pair);
            }
        }
        return found;
    }

    /** Once to count, so that arrays need not grow, and once to keep. */
    private void walk(boolean keeps) {
        for (int from = 0; from < table.size(); ) {
            int to = from + 1;
            while (to < table.size() && table.key(to) == table.key(from)) {
                to++;
            }
            if (findOrigin(from, to)) {
                matchKey(from, to, keeps);
            } else if (!keeps) {
                leaveOut(from, to);
            }
            from = to;
        }
    }

    /** Finds the first record where the packet comes from, or -1 if no node has it; returns false if there are several packets. */
    private boolean findOrigin(int from, int to) {
        origin = -1;
        for (int row = from; row < to; row++) {
            if (isFirstOfNode(from, row) && table.isSent(row)) {
                if (origin >= 0) {
                    return false;
                }
                origin = row;
            }
            for (int before = row - 1; before >= from && table.node(before) == table.node(row); before--) {
                if (table.device(before) == table.device(row) && table.isSent(before) == table.isSent(row)) {
                    return false;
                }
            }
        }
        return true;
    }

    private boolean isFirstOfNode(int from, int row) {
        return row == from || table.node(row) != table.node(row - 1);
    }

    private void matchKey(int from, int to, boolean keeps) {
        boolean received = false;
        for (int row = from; row < to; row++) {
            if (!isFirstOfNode(from, row) || row == origin) {
                continue;
            }
            if (origin < 0) {
                leaveOut(LeftOut.NOT_SENT, keeps);
            } else if (keeps) {
                pair(origin, row).add(table.node(origin), table.timeNs(origin), table.timeNs(row));
            } else {
                pair(origin, row).count(table.node(origin));
            }
            received = true;
        }
        if (!received) {
            leaveOut(LeftOut.NOT_RECEIVED, keeps);
        }
    }

    private void leaveOut(LeftOut why, boolean keeps) {
        if (!keeps) {
            leftOut.add(why);
        }
    }

    private void leaveOut(int from, int to) {
        leftOut.add(LeftOut.DUPLICATE, to - from);
    }

    private PairPackets pair(int one, int other) {
        int low = Math.min(table.node(one), table.node(other));
        int high = Math.max(table.node(one), table.node(other));
        PairPackets there = pairs[low * nodes + high];
        if (there == null) {
            there = new PairPackets(low, high);
            pairs[low * nodes + high] = there;
        }
        return there;
    }
}
