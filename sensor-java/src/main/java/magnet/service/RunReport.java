// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import magnet.control.HitCounts;
import magnet.json.Json;
import magnet.magnetfs.CollectorCounter;
import magnet.measure.MeasuringCore;
import magnet.measure.Points;
import magnet.measure.RecordSource;
import magnet.record.EventType;
import magnet.summary.DiscardCounts;
import magnet.summary.EventSummary;

/**
 * What a run of the service came to, as JSON: {@code --summary} writes it at the end. Stateless.
 *
 * <p>Per subscription and CPU it has the kernel's counters and, as {@code delivered}, the events that arrived: after a
 * clean stop, committed = delivered.
 */
final class RunReport {
    private static final long NANOS_PER_MICRO = 1_000;

    private RunReport() {}

    /**
     * @param end why the run ended
     * @param started when the process was started
     * @param ended when the run ended
     * @param summary what the records came to
     * @param reading where they were read
     * @param core what measured, and has ended
     * @param points what was subscribed
     * @param publishing what was published
     */
    static Map<String, Object> of(
            String end,
            Instant started,
            Instant ended,
            EventSummary summary,
            RecordSource reading,
            MeasuringCore core,
            Points points,
            Publishing publishing) {
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("end", end);
        report.put("started", started);
        report.put("seconds", (ended.toEpochMilli() - started.toEpochMilli()) / 1e3);
        report.put("events", summary.events());
        report.put("lost", summary.lost());
        report.put("lost_by_cpu", summary.lostByCpu());
        report.put("clock_jumps", reading.count(CollectorCounter.EPOCHS));
        report.put("away_micros_max", core.longestAway() / NANOS_PER_MICRO);
        report.put("late", reading.count(CollectorCounter.LATE));
        report.put("corrupt_bytes", reading.count(CollectorCounter.CORRUPT_BYTES));
        report.put("events_by_cpu", summary.eventsByCpu());
        report.put("events_by_id", byName(summary.eventsById()));
        report.put("malformed", reading.count(CollectorCounter.MALFORMED));
        report.put("discarded", discarded(summary.discards()));
        report.put("points_failed", points.failed());
        report.put("subscriptions", subscriptions(points, summary));
        report.put("metrics_published", publishing.metrics().size());
        report.put("snapshots_published", publishing.published());
        report.put("snapshots_dropped", publishing.dropped());
        report.put("snapshots_failed", publishing.failed());
        report.put("send_errors", publishing.sendErrors());
        report.put("agent_failures", publishing.agentFailures());
        publishing
                .firstPublished()
                .ifPresent(first ->
                        report.put("seconds_to_first_publish", (first.toEpochMilli() - started.toEpochMilli()) / 1e3));
        return report;
    }

    /** Writes a report in one line, replacing the file. */
    static void write(Path file, Map<String, Object> report) throws IOException {
        Files.writeString(file, Json.of(report) + "\n");
    }

    private static SortedMap<String, Long> byName(SortedMap<Integer, Long> byId) {
        SortedMap<String, Long> byName = new TreeMap<>();
        byId.forEach((id, count) -> {
            EventType type = EventType.ofId(id);
            byName.put(type == null ? "0x" + Integer.toHexString(id) : type.label(), count);
        });
        return byName;
    }

    private static Map<String, Object> discarded(DiscardCounts counts) {
        Map<String, Object> discarded = new LinkedHashMap<>();
        discarded.put("lost", counts.lost());
        discarded.put("evicted", counts.evicted());
        discarded.put("unpaired", counts.unpaired());
        discarded.put("clamped", counts.clamped());
        return discarded;
    }

    private static List<Map<String, Object>> subscriptions(Points points, EventSummary summary) {
        return points.finalCounters().entrySet().stream()
                .map(entry -> subscription(entry.getKey(), entry.getValue(), summary))
                .toList();
    }

    private static Map<String, Object> subscription(EventType event, List<HitCounts> cpus, EventSummary summary) {
        Map<String, Object> subscription = new LinkedHashMap<>();
        subscription.put("point", event.label());
        subscription.put("event", event.id());
        subscription.put(
                "cpus", cpus.stream().map(cpu -> counters(event, cpu, summary)).toList());
        return subscription;
    }

    private static Map<String, Object> counters(EventType event, HitCounts cpu, EventSummary summary) {
        Map<String, Object> counters = new LinkedHashMap<>();
        counters.put("cpu", cpu.cpu());
        counters.put("hits", cpu.hits());
        counters.put("committed", cpu.committed());
        counters.put("delivered", summary.events(cpu.cpu(), event.id()));
        counters.put("filtered", cpu.filtered());
        counters.put("sampled_out", cpu.sampledOut());
        counters.put("dropped_full", cpu.droppedFull());
        counters.put("dropped_big", cpu.droppedBig());
        counters.put("dropped_recursion", cpu.droppedRecursion());
        counters.put("dropped_storm", cpu.droppedStorm());
        counters.put("missed", cpu.missed());
        return counters;
    }
}
