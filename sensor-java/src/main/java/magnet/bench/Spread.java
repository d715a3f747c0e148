// SPDX-License-Identifier: Apache-2.0
package magnet.bench;

import java.util.Arrays;
import java.util.List;

/**
 * Where the middle of some measured values lies, and the middle half of them. Outliers, as an interrupt makes them, do
 * not move it.
 *
 * @param lower a quarter of the values is below
 * @param median half of them is
 * @param upper a quarter of them is above
 */
public record Spread(double lower, double median, double upper) {
    private static final double QUARTER = 0.25;

    /** The spread of at least one value; between two values it is interpolated. */
    public static Spread of(double... values) {
        if (values.length == 0) {
            throw new IllegalArgumentException("no values");
        }
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return new Spread(quantile(sorted, QUARTER), quantile(sorted, 2 * QUARTER), quantile(sorted, 1 - QUARTER));
    }

    /** The same of a list. */
    static Spread of(List<Double> values) {
        return of(values.stream().mapToDouble(each -> each).toArray());
    }

    private static double quantile(double[] sorted, double share) {
        double position = share * (sorted.length - 1);
        int below = (int) position;
        int above = Math.min(below + 1, sorted.length - 1);
        return sorted[below] + (position - below) * (sorted[above] - sorted[below]);
    }
}
