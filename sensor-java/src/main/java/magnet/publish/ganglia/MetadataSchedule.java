// SPDX-License-Identifier: Apache-2.0
package magnet.publish.ganglia;

import java.util.concurrent.TimeUnit;

/**
 * When metadata is due.
 *
 * <p>gmond shows no metric without metadata, forgets it dmax seconds after the last one, and asks for it on its own send
 * channels, which may not lead to us. So it goes by time: with the first snapshots after start, because gmond may start
 * at the same moment; then early enough that two are never more than the interval apart; and once more when a channel
 * that had failed works again. For one thread.
 */
final class MetadataSchedule {
    /** Most seconds between two packets of metadata of one metric. */
    static final int INTERVAL_MAX_SECONDS = 60;

    /** Snapshots after start that carry it, each. */
    static final int FIRST_SNAPSHOTS = 3;

    private final long intervalNanos;
    private int snapshots;
    private boolean wanted;
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

    /** Whether the snapshot that is sent now shall carry metadata; takes note that it does. */
    boolean take(long nowNanos) {
        boolean due = snapshots < FIRST_SNAPSHOTS || wanted || nowNanos - lastNanos >= intervalNanos;
        if (due) {
            lastNanos = nowNanos;
            wanted = false;
        }
        snapshots = Math.min(snapshots + 1, FIRST_SNAPSHOTS);
        return due;
    }

    /** Asks for metadata with the next snapshot. */
    void want() {
        wanted = true;
    }
}
