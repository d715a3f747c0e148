// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.sync;

import java.util.Objects;

/** From a node's time to that of another one, by what binds their pair. Immutable. */
final class PairStep {
    private final ClockPolygon polygon;
    private final boolean fromSecond;

    /** @param fromSecond whether the step is from the pair's second node to its first */
    PairStep(PairBounds pair, boolean fromSecond) {
        this.polygon = Objects.requireNonNull(pair.polygon());
        this.fromSecond = fromSecond;
    }

    /** The other node's time minus the node's, at an instant of the node's. */
    long offsetNs(long nodeNs) {
        long offset = polygon.offsetNs(place(nodeNs));
        return fromSecond ? -offset : offset;
    }

    /** How far that may be from the truth. */
    double halfWidthNs(long nodeNs) {
        return polygon.halfWidth(place(nodeNs));
    }

    /** How far the slope may be from the truth. */
    double rateDoubt() {
        return polygon.slopeHalfWidth();
    }

    private double place(long nodeNs) {
        return fromSecond ? polygon.placeOfSecond(nodeNs) : polygon.place(nodeNs);
    }
}
