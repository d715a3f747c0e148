// SPDX-License-Identifier: Apache-2.0
package magnet.cli.aggregate;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Shows what was counted. */
interface TallyReport {
    /**
     * Shows it once.
     *
     * @param tally what was counted
     * @param span when; null where only the trace knows
     * @param lost events that were lost meanwhile
     */
    void show(EventTally tally, @Nullable TallySpan span, long lost) throws IOException;
}
