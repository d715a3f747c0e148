// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.sync;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * A node's line to the reference while it is put together, as {@link NodeClock} has it when it is done. Immutable.
 *
 * @param trace the node's
 * @param offsetFromNs the reference's time minus the node's at the beginning of its trace
 * @param offsetToNs the same at its end
 * @param halfWidths bounds at {@value #KNOTS} instants that are equally far apart
 * @param rateDoubt how far the line's slope may be from the truth
 */
record ReferenceLine(NodeTrace trace, long offsetFromNs, long offsetToNs, List<Double> halfWidths, double rateDoubt) {
    /** A bound is a convex function of time: a straight line between two knots is above it. */
    static final int KNOTS = 17;

    private static final double MILLION = 1e6;

    ReferenceLine {
        halfWidths = List.copyOf(halfWidths);
    }

    static ReferenceLine ofReference(NodeTrace trace) {
        return new ReferenceLine(trace, 0, 0, Collections.nCopies(KNOTS, 0.0), 0);
    }

    /**
     * The line of a node that hangs on another one.
     *
     * @param parent the other one's
     * @param pair what binds both
     */
    static ReferenceLine behind(ReferenceLine parent, NodeTrace child, PairBounds pair, boolean childIsSecond) {
        PairStep step = new PairStep(pair, childIsSecond);
        NodeClock above = parent.clock();
        List<Double> halfWidths = new ArrayList<>();
        long[] offsets = new long[2];
        double stretch = (1 + Math.abs(above.rate()) + parent.rateDoubt()) / (1 - SlopeLimits.OF_ANY.greatest());
        for (int knot = 0; knot < KNOTS; knot++) {
            long at = instant(child, knot);
            long parentNs = at + step.offsetNs(at);
            halfWidths.add(above.halfWidthNs(parentNs) + step.halfWidthNs(at) * stretch + PairHulls.GRAIN_NS);
            if (knot == 0 || knot == KNOTS - 1) {
                offsets[knot == 0 ? 0 : 1] = above.toReferenceNs(parentNs) - at;
            }
        }
        return new ReferenceLine(
                child, offsets[0], offsets[1], halfWidths, (parent.rateDoubt() + step.rateDoubt()) * stretch);
    }

    /** The time of a knot, in the node's time. */
    private static long instant(NodeTrace trace, int knot) {
        long length = trace.toNs() - trace.fromNs();
        return trace.fromNs() + length * knot / (KNOTS - 1);
    }

    /** The same line, moved at both ends; the bounds are wider by so much. */
    ReferenceLine moved(double atBegin, double atEnd) {
        List<Double> wider = new ArrayList<>();
        for (int knot = 0; knot < KNOTS; knot++) {
            double part = (double) knot / (KNOTS - 1);
            wider.add(halfWidths.get(knot) + Math.abs(atBegin * (1 - part) + atEnd * part));
        }
        return new ReferenceLine(
                trace,
                offsetFromNs + Math.round(atBegin),
                offsetToNs + Math.round(atEnd),
                wider,
                rateDoubt + Math.abs(atEnd - atBegin) / (trace.toNs() - trace.fromNs()));
    }

    NodeClock clock() {
        return new NodeClock(
                trace.clock(), trace.fromNs(), trace.toNs(), offsetFromNs, offsetToNs, halfWidths, rateDoubt * MILLION);
    }
}
