// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.sync;

/**
 * The lines that two clocks' relation may be: all (slope, offset) that no packet of a pair contradicts, with the slope between two
 * limits. A convex polygon. The method is that of Duda, Harrus, Haddad and Bernard, "Estimating global time in distributed systems"
 * (1987), as Poirier, Roy and Dagenais use it for traces of kernels (2010), with limits to the slope.
 *
 * <p>Its coordinates are {@code drift}, by how much the second clock gains on the first from {@link #fromNs} to {@link #toNs}, and
 * {@code middle}, its offset in the middle of that time, less {@link #baseNs}: so numbers are as small as what is unknown, and
 * nanoseconds since 1970 are never in a double. For a drift, {@code middle} lies between a convex function that the packets
 * of one direction give and a concave one that those of the other give. Both have their knots where a tangent of a hull passes
 * from a point to the next, so that one walk along both hulls finds all corners. Time: the sizes of the hulls. Immutable.
 */
final class ClockPolygon {
    private final long fromNs;
    private final long toNs;
    private final long baseNs;
    private final boolean feasible;
    /** Corners: all for which the middle is greatest, and then all for which it is least. */
    private final double[] drifts;

    private final double[] middles;
    private double centreDrift;
    private double centreMiddle;

    private ClockPolygon(long fromNs, long toNs, long baseNs, boolean feasible, double[] drifts, double[] middles) {
        this.fromNs = fromNs;
        this.toNs = toNs;
        this.baseNs = baseNs;
        this.feasible = feasible;
        this.drifts = drifts;
        this.middles = middles;
        findCentre();
    }

    /**
     * What packets leave possible.
     *
     * @param hulls have packets both ways
     * @param fromNs beginning of the time that counts, in the first node's time
     * @param toNs its end; later
     * @param slopes limits to the slope
     */
    static ClockPolygon of(PairHulls hulls, long fromNs, long toNs, SlopeLimits slopes) {
        return new PolygonWalk(hulls, fromNs, toNs, slopes).walk();
    }

    /** One of these corners. */
    static ClockPolygon ofCorners(
            long fromNs, long toNs, long baseNs, boolean feasible, double[] drifts, double[] middles) {
        return new ClockPolygon(fromNs, toNs, baseNs, feasible, drifts, middles);
    }

    /**
     * The middle of what is possible at the beginning, and of what is possible at the end. The line through both is in the polygon:
     * it touches all four sides of a rectangle around it, and were the rectangle's centre on the other side of a line,
     * one of the four points would be so, too.
     */
    private void findCentre() {
        double atBegin = (greatest(-0.5) + least(-0.5)) / 2;
        double atEnd = (greatest(0.5) + least(0.5)) / 2;
        centreDrift = atEnd - atBegin;
        centreMiddle = (atBegin + atEnd) / 2;
    }

    /**
     * Whether there is any line at all. If not, this is the one that the packets contradict least, and half widths say by how
     * much they do.
     */
    boolean isFeasible() {
        return feasible;
    }

    /** Beginning of the time that it is reckoned for, in the first node's time. */
    long fromNs() {
        return fromNs;
    }

    /** Its end. */
    long toNs() {
        return toNs;
    }

    int corners() {
        return drifts.length;
    }

    double drift(int corner) {
        return drifts[corner];
    }

    double middle(int corner) {
        return middles[corner];
    }

    /** What offsets are less. */
    long baseNs() {
        return baseNs;
    }

    /** Where an instant of the first node's time lies: 0 in the middle, -0.5 at the beginning, 0.5 at the end. */
    double place(long firstNs) {
        return (double) (firstNs - fromNs) / (toNs - fromNs) - 0.5;
    }

    /** The place at which the second node's time is so much, by the centre. */
    double placeOfSecond(long secondNs) {
        double perPlace = toNs - fromNs;
        double place = (secondNs - baseNs - fromNs - centreMiddle) / perPlace - 0.5;
        return place / (1 + centreDrift / perPlace);
    }

    /** The second node's time minus the first's at a place, by the centre. */
    long offsetNs(double place) {
        return baseNs + Math.round(centreMiddle + centreDrift * place);
    }

    /** How far the offset at a place may be from the centre's, to either side. */
    double halfWidth(double place) {
        double centre = centreMiddle + centreDrift * place;
        return Math.max(greatest(place) - centre, centre - least(place));
    }

    /** How far the offset at a place may be from another one. */
    double distance(double place, long offsetNs) {
        double other = offsetNs - baseNs;
        return Math.max(greatest(place) - other, other - least(place));
    }

    /** The greatest half width in its time, which is at one of the ends: it is a convex function. */
    double halfWidth() {
        return Math.max(halfWidth(-0.5), halfWidth(0.5));
    }

    /** The least possible slope. */
    double slopeMin() {
        return 1 + leastDrift() / (toNs - fromNs);
    }

    /** The greatest possible one. */
    double slopeMax() {
        return 1 + greatestDrift() / (toNs - fromNs);
    }

    /** How far the slope may be from the centre's. */
    double slopeHalfWidth() {
        return Math.max(greatestDrift() - centreDrift, centreDrift - leastDrift()) / (toNs - fromNs);
    }

    private double leastDrift() {
        double least = Double.POSITIVE_INFINITY;
        for (double drift : drifts) {
            least = Math.min(least, drift);
        }
        return least;
    }

    private double greatestDrift() {
        double greatest = Double.NEGATIVE_INFINITY;
        for (double drift : drifts) {
            greatest = Math.max(greatest, drift);
        }
        return greatest;
    }

    private double greatest(double place) {
        double greatest = Double.NEGATIVE_INFINITY;
        for (int corner = 0; corner < drifts.length; corner++) {
            greatest = Math.max(greatest, middles[corner] + drifts[corner] * place);
        }
        return greatest;
    }

    private double least(double place) {
        double least = Double.POSITIVE_INFINITY;
        for (int corner = 0; corner < drifts.length; corner++) {
            least = Math.min(least, middles[corner] + drifts[corner] * place);
        }
        return least;
    }
}
