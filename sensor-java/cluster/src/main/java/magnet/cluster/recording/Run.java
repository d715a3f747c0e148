// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.recording;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import magnet.cluster.wire.Id;

/**
 * One recording of a cluster. Immutable.
 *
 * @param id its number
 * @param profile name of the profile
 * @param atNs when it begins, nanoseconds since 1970
 * @param durationNs how long it takes, nanoseconds
 */
public record Run(Id id, String profile, long atNs, long durationNs) {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);
    private static final long NANOS_PER_SECOND = 1_000_000_000;

    /** When it ends. */
    public long endNs() {
        return atNs + durationNs;
    }

    /** Its name, the same on all nodes, and that of its folder: when it begins, the profile, the first digits of the id. */
    public String name() {
        return TIME.format(Instant.ofEpochSecond(atNs / NANOS_PER_SECOND)) + "-" + profile + "-" + id.brief();
    }
}
