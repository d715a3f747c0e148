// SPDX-License-Identifier: Apache-2.0
package magnet.cli.top;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import magnet.json.Json;
import magnet.summary.ProcessRanking.Row;

/** A {@link TopFrame} as one JSON object in one line. Stateless. */
final class TopJson {
    private static final List<String> QUANTILES = List.of("p50", "p99", "max");

    private TopJson() {}

    static String of(TopFrame frame) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("time", frame.taken());
        map.put("seconds", frame.seconds());
        map.put("cpus", frame.cpus());
        map.put("points", frame.points());
        map.put("absent", frame.absent());
        map.put("lost", frame.lost());
        map.put("lost_since_start", frame.lostSinceStart());
        map.put("late_rate", frame.late());
        map.put("discarded_rate", frame.discarded());
        map.put("lag_us", frame.lagMicros());
        map.put("events", frame.events().stream().map(TopJson::event).toList());
        map.put("latencies_us", latencies(frame));
        map.put("order", frame.order().name().toLowerCase(Locale.ROOT));
        if (frame.byJob()) {
            map.put("jobs", TopJobs.json(frame));
        } else {
            map.put(
                    "processes",
                    frame.processes().stream().map(row -> process(row, frame)).toList());
        }
        map.put("lossy_points", frame.losses().keySet());
        return Json.of(map);
    }

    private static Map<String, Object> event(TopFrame.EventRow row) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("event", row.name());
        map.put("rate", row.perSecond());
        map.put("total", row.total());
        return map;
    }

    /** Of what did not happen there are zeros; of what is not computed there is nothing. */
    private static Map<String, Object> latencies(TopFrame frame) {
        Map<String, Object> all = new LinkedHashMap<>();
        frame.latencies().forEach((latency, micros) -> {
            if (!micros.isEmpty()) {
                Map<String, Object> quantiles = new LinkedHashMap<>();
                for (int i = 0; i < micros.size(); i++) {
                    quantiles.put(QUANTILES.get(i), micros.get(i));
                }
                all.put(latency.name().toLowerCase(Locale.ROOT), quantiles);
            }
        });
        return all;
    }

    private static Map<String, Object> process(Row row, TopFrame frame) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("pid", row.process());
        map.put("name", row.name());
        map.put("own", row.process() == frame.self());
        map.put("cpu_percent", row.cpuPercent());
        map.put("wait_percent", row.waitPercent());
        map.put("switches_rate", row.switchesPerSecond());
        return map;
    }
}
