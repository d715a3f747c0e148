// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.sync;

import java.util.Arrays;

/**
 * The walk along both hulls of a pair that finds the corners of a {@link ClockPolygon}, by rising drift. For one thread, once.
 */
final class PolygonWalk {
    private final Hull above;
    private final Hull below;
    private final long fromNs;
    private final double lengthNs;
    private final long baseNs;
    private final long toNs;
    private final double leastDrift;
    private final double greatestDrift;
    /** The point that bounds from above at the drift where the walk is: with a greater drift a later one does. */
    private int upper;
    /** The point that bounds from below: with a greater drift an earlier one does. */
    private int lower;

    private double[] drifts;
    private double[] greatest;
    private double[] least;
    private int knots;

    PolygonWalk(PairHulls hulls, long fromNs, long toNs, SlopeLimits slopes) {
        above = hulls.above();
        below = hulls.below();
        this.fromNs = fromNs;
        this.toNs = toNs;
        lengthNs = toNs - fromNs;
        baseNs = above.y(0) - above.x(0);
        leastDrift = slopes.least() * lengthNs;
        greatestDrift = slopes.greatest() * lengthNs;
        lower = below.size() - 1;
        int most = above.size() + below.size();
        drifts = new double[most];
        greatest = new double[most];
        least = new double[most];
    }

    ClockPolygon walk() {
        double drift = leastDrift;
        passKnots(drift);
        note(drift);
        while (drift < greatestDrift) {
            drift = Math.min(greatestDrift, Math.min(upperKnot(), lowerKnot()));
            note(drift);
            passKnots(drift);
        }
        return cut();
    }

    /** Goes to the points that bound just behind a drift. */
    private void passKnots(double drift) {
        while (upperKnot() <= drift) {
            upper++;
        }
        while (lowerKnot() <= drift) {
            lower--;
        }
    }

    /** The drift from which on the next point bounds from above. */
    private double upperKnot() {
        return upper + 1 < above.size() ? tangent(above, upper, upper + 1) : Double.POSITIVE_INFINITY;
    }

    private double lowerKnot() {
        return lower > 0 ? tangent(below, lower - 1, lower) : Double.POSITIVE_INFINITY;
    }

    private double tangent(Hull hull, int one, int other) {
        long apart = hull.x(other) - hull.x(one);
        return (hull.y(other) - hull.y(one) - apart) / (apart / lengthNs);
    }

    private double gain(Hull hull, int point) {
        return hull.y(point) - hull.x(point) - baseNs;
    }

    private double place(Hull hull, int point) {
        return (hull.x(point) - fromNs) / lengthNs - 0.5;
    }

    private void note(double drift) {
        if (knots == drifts.length) {
            int more = 2 * knots + 2;
            drifts = Arrays.copyOf(drifts, more);
            greatest = Arrays.copyOf(greatest, more);
            least = Arrays.copyOf(least, more);
        }
        drifts[knots] = drift;
        greatest[knots] = gain(above, upper) - place(above, upper) * drift;
        least[knots] = gain(below, lower) - place(below, lower) * drift;
        knots++;
    }

    private double width(int knot) {
        return greatest[knot] - least[knot];
    }

    /** The corners: knots where something is possible, and the drifts between two knots where that begins and ends. */
    private ClockPolygon cut() {
        double[] drift = new double[2 * knots + 4];
        double[] middle = new double[drift.length];
        int corners = 0;
        int widest = 0;
        for (int knot = 0; knot < knots; knot++) {
            widest = width(knot) > width(widest) ? knot : widest;
            if (knot > 0 && width(knot) < 0 != width(knot - 1) < 0) {
                double part = width(knot - 1) / (width(knot - 1) - width(knot));
                drift[corners] = drifts[knot - 1] + part * (drifts[knot] - drifts[knot - 1]);
                middle[corners] = greatest[knot - 1] + part * (greatest[knot] - greatest[knot - 1]);
                corners++;
            }
            if (width(knot) >= 0) {
                drift[corners] = drifts[knot];
                middle[corners++] = greatest[knot];
                drift[corners] = drifts[knot];
                middle[corners++] = least[knot];
            }
        }
        boolean feasible = corners > 0;
        if (!feasible) {
            drift[0] = drifts[widest];
            middle[0] = greatest[widest];
            drift[1] = drifts[widest];
            middle[1] = least[widest];
            corners = 2;
        }
        return ClockPolygon.ofCorners(
                fromNs, toNs, baseNs, feasible, Arrays.copyOf(drift, corners), Arrays.copyOf(middle, corners));
    }
}
