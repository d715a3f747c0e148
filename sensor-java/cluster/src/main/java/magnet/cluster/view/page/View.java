// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.view.page;

import java.util.List;
import magnet.cluster.view.index.NodeIndex;
import magnet.cluster.view.index.RunIndex;

/**
 * What there is to look at. Immutable.
 *
 * @param title what it is called
 * @param index of it
 * @param colours of threads
 * @param aligned whether the nodes' clocks were put together
 * @param remarks lines about what is not there or may be wrong
 * @param bounds how good the clocks are
 */
public record View(
        String title, RunIndex index, Colours colours, boolean aligned, List<String> remarks, ClockBounds bounds) {

    /** How far the difference of two nodes' clocks may be from the truth. */
    @FunctionalInterface
    public interface ClockBounds {
        /** Nobody has looked. */
        ClockBounds UNKNOWN = (one, other, ns) -> Double.POSITIVE_INFINITY;

        /**
         * Of two nodes.
         *
         * @param one number of a node
         * @param other that of another one
         * @param ns when, in the time of the run
         * @return nanoseconds, to either side; infinite if nobody knows
         */
        double halfWidthNs(int one, int other, long ns);
    }

    /** One of an index. */
    public static View of(String title, RunIndex index, boolean aligned, List<String> remarks, ClockBounds bounds) {
        return new View(title, index, Colours.of(index.nodes()), aligned, List.copyOf(remarks), bounds);
    }

    /** A node by its number. */
    NodeIndex node(int number) {
        return index.nodes().get(number);
    }
}
