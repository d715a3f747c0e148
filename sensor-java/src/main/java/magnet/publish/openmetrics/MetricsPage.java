// SPDX-License-Identifier: Apache-2.0
package magnet.publish.openmetrics;

import java.util.EnumMap;
import java.util.Map;
import magnet.metric.MetricSnapshot;

/** One snapshot as a page, written when it is first asked for and then kept. Thread-safe. */
final class MetricsPage {
    private final MetricSnapshot snapshot;
    private final long nanos;
    private final Map<PageFormat, byte[]> written = new EnumMap<>(PageFormat.class);

    /**
     * @param snapshot what it says
     * @param nanos monotonic time at which it came
     */
    MetricsPage(MetricSnapshot snapshot, long nanos) {
        this.snapshot = snapshot;
        this.nanos = nanos;
    }

    MetricSnapshot snapshot() {
        return snapshot;
    }

    long ageNanos(long nowNanos) {
        return nowNanos - nanos;
    }

    /** The page; not to be changed. */
    synchronized byte[] bytes(PageFormat format) {
        return written.computeIfAbsent(format, key -> key.encode(Families.of(snapshot)));
    }
}
