// SPDX-License-Identifier: Apache-2.0
package magnet.publish.openmetrics;

import java.util.EnumMap;
import java.util.Map;
import magnet.metric.MetricSnapshot;

/** One snapshot as a page, written when it is first asked for and then kept. Thread-safe. */
final class MetricsPage {
    private final MetricSnapshot snapshot;
    private final Map<PageFormat, byte[]> written = new EnumMap<>(PageFormat.class);

    /** @param snapshot what it says */
    MetricsPage(MetricSnapshot snapshot) {
        this.snapshot = snapshot;
    }

    MetricSnapshot snapshot() {
        return snapshot;
    }

    /** The page; not to be changed. */
    synchronized byte[] bytes(PageFormat format) {
        return written.computeIfAbsent(format, key -> key.encode(Families.of(snapshot)));
    }
}
