// SPDX-License-Identifier: Apache-2.0
package magnet.bench;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import magnet.control.PointInfo;
import magnet.os.CheapCall;

/**
 * What was measured.
 *
 * @param bare nanoseconds of each system call that was used, while its point is off
 * @param rows each way, in the order of {@link Way}
 */
public record Report(Map<CheapCall, Spread> bare, List<Row> rows) {

    /**
     * A way.
     *
     * @param measured what it costs; empty if this kernel does not have it
     * @param why it does not; empty if it does
     */
    public record Row(Way way, Optional<Measured> measured, String why) {}

    /**
     * What a way costs.
     *
     * @param place the function or tracepoint
     * @param point as the module described it between the calls
     * @param nanos of an event, above the call without
     * @param events that were logged, as many as there were calls
     */
    public record Measured(String place, PointInfo point, Spread nanos, long events) {}

    public Report {
        bare = Map.copyOf(bare);
        rows = List.copyOf(rows);
    }
}
