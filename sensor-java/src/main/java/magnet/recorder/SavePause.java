// SPDX-License-Identifier: Apache-2.0
package magnet.recorder;

import java.time.Duration;
import magnet.os.MonotonicClock;

/**
 * Keeps a pause from one save of a flight recorder to the next: in a burst of what is worth a save, one tiny trace after another
 * would displace the one that tells how it began. A save that failed counts, too. For one thread.
 */
public final class SavePause {
    /** The pause unless somebody chooses another. */
    public static final Duration DEFAULT = Duration.ofSeconds(60);

    private final MonotonicClock clock;
    private final long nanos;
    private boolean hasSaved;
    private long savedNanos;

    /** @param pause from the end of one save to the beginning of the next, at least */
    public SavePause(MonotonicClock clock, Duration pause) {
        this.clock = clock;
        this.nanos = pause.toNanos();
    }

    /** Whether it is too soon for another save. */
    public boolean goesOn() {
        return hasSaved && clock.nanos() - savedNanos < nanos;
    }

    /** A save has ended. */
    public void begin() {
        hasSaved = true;
        savedNanos = clock.nanos();
    }
}
