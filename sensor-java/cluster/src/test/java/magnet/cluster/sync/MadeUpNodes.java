// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.sync;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import magnet.trace.TraceClock;

/** Nodes with clocks that are known; packets go between some of them, with delays that differ from way to way. */
final class MadeUpNodes {
    static final long BEGIN = 1_795_808_355_123_456_789L;
    private static final TraceClock CLOCK = new TraceClock("TSC", 2_596_134_000L, 1_795_000_000L, 0);

    private final Random random;
    private final double[] slopes;
    private final long[] offsets;
    private final long lengthNs;
    final PacketTable table = new PacketTable(1 << 20);
    final LeftOutCounts leftOut = new LeftOutCounts();

    MadeUpNodes(long seed, int nodes) {
        random = new Random(seed);
        slopes = new double[nodes];
        offsets = new long[nodes];
        for (int node = 0; node < nodes; node++) {
            slopes[node] = 1 + (random.nextDouble() - 0.5) * 1e-4;
            offsets[node] = (long) ((random.nextDouble() - 0.5) * 2e9);
        }
        lengthNs = 10_000_000_000L;
    }

    /** What a node's clock says at a true time since the beginning. */
    long stamp(int node, double trueNs) {
        return BEGIN + offsets[node] + (long) Math.floor(trueNs * slopes[node]);
    }

    /** Packets both ways between two nodes, with a least delay of its own for each way. */
    void talk(int one, int other, int packets) {
        send(one, other, packets, 20_000 + 400_000 * random.nextDouble());
        send(other, one, packets, 20_000 + 400_000 * random.nextDouble());
    }

    void send(int from, int to, int packets, double leastDelay) {
        for (int packet = 0; packet < packets; packet++) {
            double sent = lengthNs * random.nextDouble();
            double delay = leastDelay - 50_000 * Math.log(1 - random.nextDouble());
            send(random.nextLong(), from, to, sent, delay);
        }
    }

    void send(long key, int from, int to, double sent, double delay) {
        table.add(key, from, true, 2, stamp(from, sent));
        table.add(key, to, false, 2, stamp(to, sent + delay));
    }

    List<NodeTrace> nodes() {
        List<NodeTrace> nodes = new ArrayList<>();
        for (int node = 0; node < slopes.length; node++) {
            nodes.add(new NodeTrace(
                    "n" + (node + 1), CLOCK, stamp(node, 0), stamp(node, (double) lengthNs), Optional.empty()));
        }
        return nodes;
    }

    ClockSolution solve(Optional<Integer> reference) throws SyncException {
        return ClockSolution.of(nodes(), new PacketMatching(table, slopes.length, leftOut).match(), reference);
    }

    /** Whether what was found of each node is no further from the truth than it says. */
    boolean isTrue(ClockSolution found) {
        boolean isTrue = true;
        for (int node = 0; node < slopes.length; node++) {
            NodeClock clock = found.clocks().get(node);
            for (double at = -0.1; at <= 1.1; at += 0.05) {
                double trueNs = at * lengthNs;
                long nodeNs = stamp(node, trueNs);
                double error = Math.abs(clock.toReferenceNs(nodeNs) - stamp(found.reference(), trueNs));
                isTrue &= error <= clock.halfWidthNs(nodeNs) + 3;
            }
        }
        return isTrue;
    }
}
