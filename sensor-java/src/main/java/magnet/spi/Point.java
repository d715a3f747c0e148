// SPDX-License-Identifier: Apache-2.0
package magnet.spi;

import java.util.Objects;

/**
 * A point whose events a handler wants. Immutable.
 *
 * @param point name of a predefined point, such as {@code sched_process_exec}, or definition of a dynamic one, such as
 *     {@code r:vfs_read $retval:s64}; docs/control.md
 * @param where rules that say which events, separated by {@code ;}, such as {@code drop if len < 100}; docs/control.md.
 *     All events if empty. They act in the kernel where they can
 */
public record Point(String point, String where) {
    public Point {
        Objects.requireNonNull(point);
        Objects.requireNonNull(where);
    }

    /** All events of a point. */
    public static Point of(String point) {
        return new Point(point, "");
    }
}
