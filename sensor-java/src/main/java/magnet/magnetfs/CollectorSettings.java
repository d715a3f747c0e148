// SPDX-License-Identifier: Apache-2.0
package magnet.magnetfs;

import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a {@link Collector} reads.
 *
 * @param batchBytes memory for each CPU's unread records
 * @param watermarkBytes fill of a CPU's buffer that wakes the collector; 0 = any record does
 * @param latest longest time that a record waits for the watermark; zero = for ever
 * @param holdBack how long a record is kept back for an older one of another CPU
 * @param rescan how often CPUs that came online are looked for
 * @param rawDirectory a folder that gets a copy of all that was read, {@code cpuN.raw}; null = none
 */
public record CollectorSettings(
        int batchBytes,
        int watermarkBytes,
        Duration latest,
        Duration holdBack,
        Duration rescan,
        @Nullable Path rawDirectory) {

    private static final int BATCH_MIN = 16 * 1024;

    public CollectorSettings {
        if (batchBytes < BATCH_MIN) {
            throw new IllegalArgumentException("a batch holds at least two largest records: bytes=" + batchBytes);
        }
        if (latest.isNegative() || holdBack.isNegative() || rescan.isNegative() || watermarkBytes < 0) {
            throw new IllegalArgumentException("negative: watermark=" + watermarkBytes + " latest=" + latest
                    + " holdBack=" + holdBack + " rescan=" + rescan);
        }
    }

    /** For a service: few wake-ups, batches of a quarter of the default buffer, a fifth of a second behind. */
    public static CollectorSettings batched() {
        return new CollectorSettings(
                128 * 1024, 64 * 1024, Duration.ofMillis(200), Duration.ofMillis(2), Duration.ofSeconds(2), null);
    }

    /** For somebody who watches: 20 ms behind. */
    public static CollectorSettings prompt() {
        return new CollectorSettings(
                128 * 1024, 64 * 1024, Duration.ofMillis(20), Duration.ofMillis(2), Duration.ofSeconds(2), null);
    }

    /** The same with a copy of all that is read in a folder. */
    public CollectorSettings withRawDirectory(@Nullable Path directory) {
        return new CollectorSettings(batchBytes, watermarkBytes, latest, holdBack, rescan, directory);
    }

    /** The same with another longest time that a record waits. */
    public CollectorSettings withLatest(Duration longest) {
        return new CollectorSettings(batchBytes, watermarkBytes, longest, holdBack, rescan, rawDirectory);
    }

    /** The same for CPUs whose buffers have so many bytes: a watermark has to be less, and a quarter leaves time to read. */
    public CollectorSettings forBuffersOf(long bytes) {
        return new CollectorSettings(
                batchBytes, (int) Math.min(watermarkBytes, bytes / 4), latest, holdBack, rescan, rawDirectory);
    }

    /** Whether any attribute is to be set on the data files. */
    boolean usesAttributes() {
        return watermarkBytes > 0 || !latest.isZero();
    }
}
