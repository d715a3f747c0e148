// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.sync;

import java.util.List;

/**
 * What packets between two nodes say of their clocks. Immutable.
 *
 * @param first a node
 * @param second another one
 * @param matchedForth packets from the first to the second that both have recorded
 * @param matchedBack packets from the second to the first
 * @param disciplined whether the clocks of both were disciplined, so that their rates differ by at most a millionth
 * @param bounded whether there are packets both ways and clocks that agree with all of them; if not, the next seven are 0 and
 *     empty
 * @param fromNs the beginning of the time that the bounds are given for, in the first node's time
 * @param toNs its end
 * @param offsetFromNs the second node's time minus the first's at {@code fromNs}: the middle of what is possible
 * @param offsetToNs the same at {@code toNs}
 * @param slopeMin the least possible rate of the second node's clock in that of the first
 * @param slopeMax the greatest possible one
 * @param halfWidthsNs how far the truth may be from the line through the two offsets, at instants from {@code fromNs} to
 *     {@code toNs} that are equally far apart
 * @param alignedWithinNs how far the truth may be from what {@link NodeClock} says of both nodes, at most, in that time
 * @param tree whether the nodes' clocks were put together by this pair
 * @param violations packets that were received before they were sent, by what {@link NodeClock} says of both nodes
 */
public record ClockPair(
        String first,
        String second,
        long matchedForth,
        long matchedBack,
        boolean disciplined,
        boolean bounded,
        long fromNs,
        long toNs,
        long offsetFromNs,
        long offsetToNs,
        double slopeMin,
        double slopeMax,
        List<Double> halfWidthsNs,
        double alignedWithinNs,
        boolean tree,
        long violations) {
    public ClockPair {
        halfWidthsNs = List.copyOf(halfWidthsNs);
    }

    /** The greatest of the half widths; infinite if nothing bounds it. */
    public double halfWidthNs() {
        return halfWidthsNs.stream().mapToDouble(Double::doubleValue).max().orElse(Double.POSITIVE_INFINITY);
    }

    /** Whether it is the pair of these two, in either order. */
    boolean isOf(String one, String other) {
        return (first.equals(one) && second.equals(other)) || (first.equals(other) && second.equals(one));
    }
}
