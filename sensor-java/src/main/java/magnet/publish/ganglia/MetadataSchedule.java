// SPDX-License-Identifier: Apache-2.0
package magnet.publish.ganglia;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * When metadata is due.
 *
 * <p>gmond shows no metric without metadata, forgets it dmax seconds after the last one, and asks for it on its own send
 * channels, which may not lead to us. So it goes by time: with the first snapshots that have a metric, because gmond may
 * start at the same moment; then of all metrics, early enough that two are never more than the interval apart, whatever
 * send_metadata_interval says; and once more when a channel that had failed works again. For one thread.
 */
final class MetadataSchedule {
    /** Most seconds between two packets of metadata of one metric. */
    static final int INTERVAL_MAX_SECONDS = 60;

    /** Snapshots that carry a metric's metadata when it has just appeared, each. */
    static final int FIRST_SNAPSHOTS = 3;

    private final long intervalNanos;
    private final Map<String, Integer> snapshots = new HashMap<>();
    private final Set<String> current = new HashSet<>();
    private boolean began;
    private boolean wanted;
    private boolean all;
    private long lastNanos;

    /**
     * @param configuredSeconds send_metadata_interval of gmond.conf; 0 for none
     * @param dmaxSeconds time after which gmond forgets
     * @param publishSeconds time between two snapshots
     */
    MetadataSchedule(int configuredSeconds, int dmaxSeconds, double publishSeconds) {
        int most = Math.min(INTERVAL_MAX_SECONDS, dmaxSeconds / 2);
        int interval = configuredSeconds > 0 ? Math.min(configuredSeconds, most) : most;
        this.intervalNanos = Math.max(0, (long) ((interval - publishSeconds) * TimeUnit.SECONDS.toNanos(1)));
    }

    /** Begins a snapshot. */
    void begin(long nowNanos) {
        // What a snapshot no longer has is told anew when it comes back: gmond may have forgotten it.
        snapshots.keySet().retainAll(current);
        current.clear();
        all = wanted || !began || nowNanos - lastNanos >= intervalNanos;
        if (all) {
            began = true;
            wanted = false;
            lastNanos = nowNanos;
        }
    }

    /** Whether this snapshot shall carry the metadata of a metric, which it has; takes note that it does. */
    boolean take(String metric) {
        current.add(metric);
        int before = snapshots.getOrDefault(metric, 0);
        if (before < FIRST_SNAPSHOTS) {
            snapshots.put(metric, before + 1);
            return true;
        }
        return all;
    }

    /** Asks for all metadata with the next snapshot. */
    void want() {
        wanted = true;
    }
}
