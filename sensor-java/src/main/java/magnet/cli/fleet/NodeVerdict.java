// SPDX-License-Identifier: Apache-2.0
package magnet.cli.fleet;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import magnet.metric.SensorMetrics;

/**
 * How one node is. Immutable.
 *
 * @param report what gmetad has of it
 * @param state how it is
 * @param problems what is wrong, the worst first; empty if nothing is
 */
public record NodeVerdict(NodeReport report, State state, List<String> problems) {
    /** How a node is; the worst one first. */
    enum State {
        /** It tells nothing, or nothing of magnet any more. */
        FAILED,
        /** It tells something that somebody should look at. */
        WARNING,
        /** As it should be. */
        OK;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public NodeVerdict {
        problems = List.copyOf(problems);
    }

    /** Events that it lost in its window. */
    long lost() {
        return report.inWindow(SensorMetrics.LOST);
    }

    String version() {
        return report.version().map(SensorVersion::toString).orElse("-");
    }

    /** For JSON. */
    Map<String, Object> asMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("grid", report.cluster().grid());
        map.put("cluster", report.cluster().name());
        map.put("node", report.node());
        map.put("state", state);
        report.version().ifPresent(version -> {
            map.put("service", version.service());
            map.put("module", version.module());
        });
        map.put("lost", lost());
        map.put("problems", problems);
        return map;
    }
}
