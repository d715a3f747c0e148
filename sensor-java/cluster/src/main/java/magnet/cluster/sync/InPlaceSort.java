// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.sync;

/**
 * Sorts what lies in several arrays, in place, whatever is in them: a heap sort, at most 2 n log₂ n comparisons. Stateless.
 */
final class InPlaceSort {
    /** Things with numbers from 0 on. */
    interface Rows {
        /** Whether one stands before another. */
        boolean isLess(int one, int other);

        void swap(int one, int other);
    }

    private InPlaceSort() {}

    /** @param count the first so many */
    static void sort(Rows rows, int count) {
        for (int root = count / 2 - 1; root >= 0; root--) {
            siftDown(rows, root, count);
        }
        for (int end = count - 1; end > 0; end--) {
            rows.swap(0, end);
            siftDown(rows, 0, end);
        }
    }

    private static void siftDown(Rows rows, int from, int end) {
        int at = from;
        while (2 * at + 1 < end) {
            int child = 2 * at + 1;
            if (child + 1 < end && rows.isLess(child, child + 1)) {
                child++;
            }
            if (!rows.isLess(at, child)) {
                return;
            }
            rows.swap(at, child);
            at = child;
        }
    }
}
