// SPDX-License-Identifier: Apache-2.0
package magnet.spi;

import java.util.List;

/** What events of a point carry. Immutable. */
public interface Fields {
    /**
     * A field by its name: one of the point's (docs/record-format.md; of a dynamic point those of its definition), or
     * {@code cpu}, {@code tgid}, {@code tid}, {@code id}.
     *
     * @throws IllegalArgumentException if there is none; says which there are
     */
    Field field(String name);

    /** Names of the point's fields, those that every event has left out. */
    List<String> names();
}
