// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.sync;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The pairs that put the clocks of all nodes together: a spanning tree with the least half widths (Prim's algorithm). Time: the
 * square of the number of nodes. Immutable.
 */
final class ClockTree {
    private final int root;
    private final @Nullable PairBounds[] edges;
    private final List<Integer> order;

    private ClockTree(int root, @Nullable PairBounds[] edges, List<Integer> order) {
        this.root = root;
        this.edges = edges;
        this.order = order;
    }

    /**
     * Makes one.
     *
     * @param nodes how many there are
     * @param root number of the reference
     */
    static ClockTree of(int nodes, List<PairBounds> pairs, int root) {
        List<List<PairBounds>> ofNode = new ArrayList<>();
        for (int node = 0; node < nodes; node++) {
            ofNode.add(new ArrayList<>());
        }
        pairs.forEach(pair -> {
            ofNode.get(pair.first()).add(pair);
            ofNode.get(pair.second()).add(pair);
        });
        PairBounds[] edges = new PairBounds[nodes];
        double[] weights = new double[nodes];
        Arrays.fill(weights, Double.POSITIVE_INFINITY);
        boolean[] there = new boolean[nodes];
        List<Integer> order = new ArrayList<>();
        for (int next = root; next >= 0; next = nearest(weights, there)) {
            there[next] = true;
            order.add(next);
            for (PairBounds pair : ofNode.get(next)) {
                int other = pair.first() == next ? pair.second() : pair.first();
                if (!there[other] && pair.weight() < weights[other]) {
                    weights[other] = pair.weight();
                    edges[other] = pair;
                }
            }
        }
        return new ClockTree(root, edges, order);
    }

    private static int nearest(double[] weights, boolean[] there) {
        int nearest = -1;
        for (int node = 0; node < weights.length; node++) {
            if (!there[node]
                    && weights[node] < Double.POSITIVE_INFINITY
                    && (nearest < 0 || weights[node] < weights[nearest])) {
                nearest = node;
            }
        }
        return nearest;
    }

    /** Number of the reference. */
    int root() {
        return root;
    }

    /** The node from which the half widths on the way to the furthest one are least together; the first one of several. */
    int centre() {
        int centre = root;
        double nearest = Double.POSITIVE_INFINITY;
        for (int node = 0; node < edges.length; node++) {
            double furthest = furthest(node);
            if (furthest < nearest) {
                nearest = furthest;
                centre = node;
            }
        }
        return centre;
    }

    private double furthest(int from) {
        double[] ways = new double[edges.length];
        Arrays.fill(ways, Double.NaN);
        ways[from] = 0;
        for (int at = from; at != root; at = parent(at)) {
            ways[parent(at)] = ways[at] + weight(at);
        }
        double furthest = 0;
        for (int node : order) {
            if (Double.isNaN(ways[node])) {
                ways[node] = ways[parent(node)] + weight(node);
            }
            furthest = Math.max(furthest, ways[node]);
        }
        return furthest;
    }

    private double weight(int node) {
        return Objects.requireNonNull(edges[node]).weight();
    }

    /** The node that another one, not the root, hangs on. */
    int parent(int node) {
        PairBounds edge = Objects.requireNonNull(edges[node]);
        return edge.first() == node ? edge.second() : edge.first();
    }

    /** The nodes that hang together with the root, each behind that which it hangs on. */
    List<Integer> order() {
        return order;
    }

    /** The pair by which a node hangs on another one; null for the root. */
    @Nullable
    PairBounds edge(int node) {
        return edges[node];
    }
}
