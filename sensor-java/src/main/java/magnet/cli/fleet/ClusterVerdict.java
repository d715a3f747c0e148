// SPDX-License-Identifier: Apache-2.0
package magnet.cli.fleet;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How a cluster is that has no magnet. Immutable.
 *
 * @param cluster which; gmetad need not know it
 * @param state ok where it has no magnet on purpose
 * @param problem what is wrong, and what to do about it
 */
record ClusterVerdict(GangliaReport.Cluster cluster, NodeVerdict.State state, String problem) {
    /** For JSON. */
    Map<String, Object> asMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("grid", cluster.name().grid());
        map.put("cluster", cluster.name().name());
        map.put("nodes", cluster.hosts());
        map.put("state", state);
        map.put("problem", problem);
        return map;
    }
}
