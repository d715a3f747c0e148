// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.sync;

import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/** Counts records of packets that are of no use, by the reason. For one thread. */
final class LeftOutCounts {
    /** A cell for each, so that counting allocates nothing. */
    private final Map<LeftOut, long[]> counts = new EnumMap<>(LeftOut.class);

    LeftOutCounts() {
        for (LeftOut why : LeftOut.values()) {
            counts.put(why, new long[1]);
        }
    }

    void add(LeftOut why) {
        add(why, 1);
    }

    void add(LeftOut why, long more) {
        cell(why)[0] += more;
    }

    long of(LeftOut why) {
        return cell(why)[0];
    }

    private long[] cell(LeftOut why) {
        return Objects.requireNonNull(counts.get(why));
    }

    /** Those that there are, by their labels. */
    Map<String, Long> asMap() {
        Map<String, Long> map = new LinkedHashMap<>();
        for (LeftOut why : LeftOut.values()) {
            if (of(why) > 0) {
                map.put(why.label(), of(why));
            }
        }
        return map;
    }
}
