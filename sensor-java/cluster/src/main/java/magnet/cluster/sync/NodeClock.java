// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.sync;

import java.util.List;
import magnet.trace.TraceClock;

/**
 * How the time of a node's trace becomes time of the reference node, by a straight line, and how far from the truth that may be.
 * Both times are nanoseconds since 1970 as the trace's own clock has them, {@link TraceClock#realtimeNs}. Immutable, and allocates
 * nothing when it is asked.
 *
 * @param clock the node's clock that all times of it are reckoned by
 * @param fromNs where the line is given first, in the node's time
 * @param toNs where it is given last, later than {@code fromNs}
 * @param offsetFromNs the reference's time minus the node's at {@code fromNs}
 * @param offsetToNs the same at {@code toNs}
 * @param halfWidthsNs bounds on the error at instants from {@code fromNs} to {@code toNs} that are equally far apart; at least
 *     two. Between two of them the bound is at most what a straight line between theirs says
 * @param beyondPpm by how much the bound grows before {@code fromNs} and after {@code toNs}, millionths of the distance
 */
public record NodeClock(
        TraceClock clock,
        long fromNs,
        long toNs,
        long offsetFromNs,
        long offsetToNs,
        List<Double> halfWidthsNs,
        double beyondPpm) {
    private static final double MILLION = 1e6;

    public NodeClock {
        halfWidthsNs = List.copyOf(halfWidthsNs);
        if (toNs <= fromNs || halfWidthsNs.size() < 2) {
            throw new IllegalArgumentException(
                    "fromNs=" + fromNs + " toNs=" + toNs + " halfWidthsNs=" + halfWidthsNs.size());
        }
    }

    /** The reference's time at an instant of the node's time. */
    public long toReferenceNs(long nodeNs) {
        return nodeNs + offsetFromNs + Math.round(driftNs() * share(nodeNs));
    }

    /** The node's time at an instant of the reference's, to a nanosecond. */
    public long fromReferenceNs(long referenceNs) {
        double sinceFrom = referenceNs - offsetFromNs - fromNs;
        return fromNs + Math.round(sinceFrom / (1 + rate()));
    }

    /** Seconds of the reference's time in one of the node's, less 1. */
    public double rate() {
        return driftNs() / (toNs - fromNs);
    }

    /** How far the truth may be from {@link #toReferenceNs}, to either side. */
    public double halfWidthNs(long nodeNs) {
        int last = halfWidthsNs.size() - 1;
        if (nodeNs <= fromNs) {
            return halfWidthsNs.get(0) + beyondPpm / MILLION * (fromNs - nodeNs);
        }
        if (nodeNs >= toNs) {
            return halfWidthsNs.get(last) + beyondPpm / MILLION * (nodeNs - toNs);
        }
        double at = share(nodeNs) * last;
        int before = Math.min((int) at, last - 1);
        double part = at - before;
        return halfWidthsNs.get(before) * (1 - part) + halfWidthsNs.get(before + 1) * part;
    }

    private double driftNs() {
        return offsetToNs - offsetFromNs;
    }

    /** How far it is from {@code fromNs} to {@code toNs}. */
    private double share(long nodeNs) {
        return (double) (nodeNs - fromNs) / (toNs - fromNs);
    }
}
