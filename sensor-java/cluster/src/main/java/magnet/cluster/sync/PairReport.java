// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.sync;

import java.util.ArrayList;
import java.util.List;

/** Says of a pair what sync.json does. For one pair. */
final class PairReport {
    private final PairBounds pair;
    private final List<NodeTrace> nodes;
    private final boolean inTree;

    PairReport(PairBounds pair, List<NodeTrace> nodes, boolean inTree) {
        this.pair = pair;
        this.nodes = nodes;
        this.inTree = inTree;
    }

    /**
     * Of what has become of the clocks.
     *
     * @param violations packets that contradict them
     */
    ClockPair of(NodeClock first, NodeClock second, long violations) {
        String one = nodes.get(pair.first()).name();
        String other = nodes.get(pair.second()).name();
        long forth = pair.packets().forth().size();
        long back = pair.packets().back().size();
        ClockPolygon polygon = pair.polygon();
        if (polygon == null || !polygon.isFeasible()) {
            return new ClockPair(
                    one,
                    other,
                    forth,
                    back,
                    pair.disciplined(),
                    false,
                    0,
                    0,
                    0,
                    0,
                    0,
                    0,
                    List.of(),
                    0,
                    inTree,
                    violations);
        }
        return new ClockPair(
                one,
                other,
                forth,
                back,
                pair.disciplined(),
                true,
                polygon.fromNs(),
                polygon.toNs(),
                polygon.offsetNs(-0.5),
                polygon.offsetNs(0.5),
                polygon.slopeMin(),
                polygon.slopeMax(),
                halfWidths(polygon),
                Math.max(
                        distance(polygon, polygon.fromNs(), first, second),
                        distance(polygon, polygon.toNs(), first, second)),
                inTree,
                violations);
    }

    private static List<Double> halfWidths(ClockPolygon polygon) {
        List<Double> halfWidths = new ArrayList<>();
        for (int knot = 0; knot < ReferenceLine.KNOTS; knot++) {
            halfWidths.add(polygon.halfWidth((double) knot / (ReferenceLine.KNOTS - 1) - 0.5));
        }
        return halfWidths;
    }

    private static double distance(ClockPolygon polygon, long firstNs, NodeClock first, NodeClock second) {
        long secondNs = second.fromReferenceNs(first.toReferenceNs(firstNs));
        return polygon.distance(polygon.place(firstNs), secondNs - firstNs);
    }
}
