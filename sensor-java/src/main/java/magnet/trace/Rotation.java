// SPDX-License-Identifier: Apache-2.0
package magnet.trace;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * When a trace goes on in a further folder, and how much of it stays. Immutable.
 *
 * @param bytes a part has about so many; null = it does not matter
 * @param every a part is of about such a time; null = it does not matter
 * @param keep parts that stay, the one that is written included; 0 = all
 * @param freeBytes what is to stay free on the file system; 0 = it does not matter
 */
public record Rotation(@Nullable Long bytes, @Nullable Duration every, int keep, long freeBytes) {
    /** One trace, as long as there is room. */
    public static final Rotation NONE = new Rotation(null, null, 0, 0);

    /** Whether the trace has parts. */
    public boolean hasParts() {
        return bytes != null || every != null;
    }
}
