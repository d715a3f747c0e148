// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.sync;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Moves the lines of nodes until no pair contradicts them. A tree satisfies its own pairs, but the errors of two pairs may add
 * up to more than the packets of a third one allow. Clocks that satisfy all pairs exist, since the true ones do.
 *
 * <p>Each point of a hull is a half-space of the lines' offsets at both ends. The lines are projected on one after the other that
 * they violate (Agmon's and Motzkin's relaxation method), which converges if there is a common point. For one use.
 */
final class JointClocks {
    private static final int SWEEPS = 10_000;
    /** Between 1 and 2: beyond a half-space's border, so that the end is reached in finitely many steps. */
    private static final double RELAXATION = 1.5;
    /** What {@link CausalityCheck} takes for rounding is more. */
    private static final double ENOUGH_NS = 0.5;

    private final List<ReferenceLine> lines;
    private final int reference;
    private final List<NodeClock> clocks = new ArrayList<>();
    private final double[] atBegin;
    private final double[] atEnd;

    /** @param reference number of the node whose line stays */
    JointClocks(List<ReferenceLine> lines, int reference) {
        this.lines = List.copyOf(lines);
        this.reference = reference;
        lines.forEach(line -> clocks.add(line.clock()));
        atBegin = new double[lines.size()];
        atEnd = new double[lines.size()];
    }

    /** A packet between two nodes: when it was sent and received, each in the node's time. */
    private record Bound(int sender, long sentNs, int receiver, long receivedNs) {}

    /** The lines that satisfy all pairs that can be satisfied; those that there were if there are none. */
    List<ReferenceLine> move(List<PairBounds> pairs) {
        List<Bound> bounds = new ArrayList<>();
        pairs.stream().filter(JointClocks::canBeSatisfied).forEach(pair -> add(pair, bounds));
        for (int sweep = 0; sweep < SWEEPS; sweep++) {
            if (!project(bounds)) {
                return sweep == 0 ? lines : moved();
            }
        }
        return lines;
    }

    private static boolean canBeSatisfied(PairBounds pair) {
        @Nullable ClockPolygon polygon = pair.polygon();
        return polygon == null || polygon.isFeasible();
    }

    private static void add(PairBounds pair, List<Bound> bounds) {
        Hull above = pair.hulls().above();
        for (int point = 0; point < above.size(); point++) {
            bounds.add(new Bound(pair.first(), above.x(point), pair.second(), above.y(point)));
        }
        Hull below = pair.hulls().below();
        for (int point = 0; point < below.size(); point++) {
            bounds.add(new Bound(pair.second(), below.y(point), pair.first(), below.x(point)));
        }
    }

    /** Returns whether any bound was violated. */
    private boolean project(List<Bound> bounds) {
        boolean any = false;
        for (Bound bound : bounds) {
            double sentAt = share(bound.sender(), bound.sentNs());
            double receivedAt = share(bound.receiver(), bound.receivedNs());
            long apart =
                    referenceNs(bound.sender(), bound.sentNs()) - referenceNs(bound.receiver(), bound.receivedNs());
            double early = apart + shift(bound.sender(), sentAt) - shift(bound.receiver(), receivedAt);
            if (early > ENOUGH_NS) {
                any = true;
                double step =
                        RELAXATION * early / (square(bound.sender(), sentAt) + square(bound.receiver(), receivedAt));
                move(bound.sender(), sentAt, -step);
                move(bound.receiver(), receivedAt, step);
            }
        }
        return any;
    }

    private long referenceNs(int node, long nodeNs) {
        return clocks.get(node).toReferenceNs(nodeNs);
    }

    private double share(int node, long nodeNs) {
        NodeTrace trace = lines.get(node).trace();
        return (double) (nodeNs - trace.fromNs()) / (trace.toNs() - trace.fromNs());
    }

    private double shift(int node, double share) {
        return atBegin[node] * (1 - share) + atEnd[node] * share;
    }

    private double square(int node, double share) {
        return node == reference ? 0 : (1 - share) * (1 - share) + share * share;
    }

    private void move(int node, double share, double step) {
        if (node != reference) {
            atBegin[node] += step * (1 - share);
            atEnd[node] += step * share;
        }
    }

    private List<ReferenceLine> moved() {
        List<ReferenceLine> moved = new ArrayList<>();
        for (int node = 0; node < lines.size(); node++) {
            moved.add(lines.get(node).moved(atBegin[node], atEnd[node]));
        }
        return moved;
    }
}
