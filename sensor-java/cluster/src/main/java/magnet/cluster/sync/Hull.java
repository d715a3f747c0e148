// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.sync;

import java.util.Arrays;

/**
 * The points that bound a line from one side: it passes above all of them, or below. They are a convex chain, by rising x.
 * Differences of nanoseconds are exact as long as they stay below 2^53, which are 104 days: instants since 1970 are taken from
 * the first point's. Immutable.
 */
final class Hull {
    private final long[] xs;
    private final long[] ys;
    private final int size;

    private Hull(long[] xs, long[] ys, int size) {
        this.xs = xs;
        this.ys = ys;
        this.size = size;
    }

    /** Points while they are sorted. */
    private static final class Points implements InPlaceSort.Rows {
        private final long[] xs;
        private final long[] ys;

        Points(long[] xs, long[] ys) {
            this.xs = xs;
            this.ys = ys;
        }

        @Override
        public boolean isLess(int one, int other) {
            return xs[one] != xs[other] ? xs[one] < xs[other] : ys[one] < ys[other];
        }

        @Override
        public void swap(int one, int other) {
            long x = xs[one];
            long y = ys[one];
            xs[one] = xs[other];
            ys[one] = ys[other];
            xs[other] = x;
            ys[other] = y;
        }
    }

    /**
     * Of points that a line must not pass above.
     *
     * @param xs are sorted, and are no longer the caller's
     * @param ys go with them
     */
    static Hull lower(long[] xs, long[] ys) {
        return of(xs, ys, 1);
    }

    /** Of points that a line must not pass below. */
    static Hull upper(long[] xs, long[] ys) {
        return of(xs, ys, -1);
    }

    private static Hull of(long[] xs, long[] ys, int side) {
        InPlaceSort.sort(new Points(xs, ys), xs.length);
        int size = 0;
        for (int point = 0; point < xs.length; point++) {
            boolean sameAsLast = size > 0 && xs[size - 1] == xs[point];
            if (sameAsLast && side > 0) {
                continue;
            }
            if (sameAsLast) {
                size--;
            }
            while (size > 1 && isIdle(xs, ys, size - 1, point, side)) {
                size--;
            }
            xs[size] = xs[point];
            ys[size] = ys[point];
            size++;
        }
        return new Hull(Arrays.copyOf(xs, size), Arrays.copyOf(ys, size), size);
    }

    /** Whether the last of the points so far bounds nothing any more when there is another one. */
    private static boolean isIdle(long[] xs, long[] ys, int last, int point, int side) {
        // Only how slopes compare matters, so that x may be taken off y: the products stay small.
        double dx = xs[last] - xs[last - 1];
        double dy = ys[last] - ys[last - 1] - (xs[last] - xs[last - 1]);
        double ex = xs[point] - xs[last - 1];
        double ey = ys[point] - ys[last - 1] - (xs[point] - xs[last - 1]);
        return side * (dx * ey - dy * ex) <= 0;
    }

    int size() {
        return size;
    }

    long x(int point) {
        return xs[point];
    }

    long y(int point) {
        return ys[point];
    }
}
