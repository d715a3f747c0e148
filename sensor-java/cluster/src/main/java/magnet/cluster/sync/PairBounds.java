// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.sync;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the packets of a pair say of its clocks. Immutable.
 *
 * @param packets the pair's
 * @param hulls which of them bound the clocks
 * @param polygon what is possible; null without packets both ways
 * @param disciplined whether the slope was limited because both clocks were disciplined
 * @param contradicts whether the packets contradict that limit, so that it was given up
 */
record PairBounds(
        PairPackets packets,
        PairHulls hulls,
        @Nullable ClockPolygon polygon,
        boolean disciplined,
        boolean contradicts) {

    /** Works it out. Time: sorting the packets. */
    static PairBounds of(PairPackets packets, NodeTrace first, NodeTrace second) {
        PairHulls hulls = PairHulls.of(packets);
        Optional<SlopeLimits> limits =
                first.wall().flatMap(one -> second.wall().map(other -> WallRate.limits(one, other)));
        if (!hulls.areBoth()) {
            return new PairBounds(packets, hulls, null, limits.isPresent(), false);
        }
        ClockPolygon polygon = ClockPolygon.of(hulls, first.fromNs(), first.toNs(), limits.orElse(SlopeLimits.OF_ANY));
        if (polygon.isFeasible() || limits.isEmpty()) {
            return new PairBounds(packets, hulls, polygon, limits.isPresent(), false);
        }
        ClockPolygon ofAny = ClockPolygon.of(hulls, first.fromNs(), first.toNs(), SlopeLimits.OF_ANY);
        return new PairBounds(packets, hulls, ofAny, false, ofAny.isFeasible());
    }

    int first() {
        return packets.first();
    }

    int second() {
        return packets.second();
    }

    /** Whether there is a bound. */
    boolean isBounded() {
        return polygon != null && polygon.isFeasible();
    }

    /** How little it is worth for putting clocks together; infinite if it is of no use. */
    double weight() {
        if (polygon == null) {
            return Double.POSITIVE_INFINITY;
        }
        return polygon.isFeasible() ? polygon.halfWidth() : Double.MAX_VALUE;
    }
}
