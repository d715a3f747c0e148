// SPDX-License-Identifier: Apache-2.0
package magnet.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;

/**
 * When a flight recorder is saved, and where. Immutable.
 *
 * @param recorder the flight recorder's name
 * @param directory gets a folder for each trace
 * @param when what it is saved at; at least one
 * @param traces most traces that stay
 * @param bytes most bytes of all of them
 * @param freeBytes what is to stay free on the file system
 * @param pause from one save to the next, at least
 */
public record RecorderChoice(
        String recorder, Path directory, Set<When> when, int traces, long bytes, long freeBytes, Duration pause) {
    /** What a flight recorder is saved at. */
    public enum When {
        /** {@code raise-when} raises the level. */
        RAISED,
        /** An urgent event is logged in it. */
        URGENT
    }

    public RecorderChoice {
        when = Set.copyOf(when);
    }
}
