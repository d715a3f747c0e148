// SPDX-License-Identifier: Apache-2.0
package magnet.cli.module;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import magnet.control.BufferInfo;
import magnet.control.ChainInfo;
import magnet.control.CorrelationInfo;
import magnet.control.HitCounts;
import magnet.control.ModuleInfo;
import magnet.control.PointFunction;
import magnet.control.PointInfo;
import magnet.control.RingCounts;
import magnet.control.RuleInfo;
import magnet.control.SubscriptionInfo;
import magnet.json.Json;
import magnet.record.Counter;

/** What the module says of itself, as one JSON object in a line; docs/control.md describes it. Stateless. */
public final class ModuleJson {
    private ModuleJson() {}

    /**
     * What {@code magnet status} shows.
     *
     * @param service process of the service; empty if it does not run
     */
    static String status(
            OptionalLong service, ModuleInfo info, List<BufferInfo> buffers, List<SubscriptionInfo> subscriptions) {
        Map<String, Object> status = new LinkedHashMap<>();
        service.ifPresent(process -> status.put("service", Map.of("process", process)));
        Map<String, Object> module = new LinkedHashMap<>();
        module.put("version", info.version());
        module.put("abi", info.abiVersion());
        module.put("layout", lower(info.layout()));
        module.put("clock", lower(info.clock()));
        module.put("khz", info.ticksPerMilli());
        if (info.clockUnstable()) {
            module.put("clock_unstable", true);
        }
        if (info.ftraceDisabled()) {
            module.put("ftrace_off", true);
        }
        if (info.kprobesDisabled()) {
            module.put("kprobes_off", true);
        }
        if (info.dynamicDisabled()) {
            module.put("dynamic_off", true);
        }
        status.put("module", module);
        status.put("buffers", buffers.stream().map(ModuleJson::buffer).toList());
        status.put(
                "subscriptions",
                subscriptions.stream().map(ModuleJson::subscription).toList());
        return Json.of(status);
    }

    /** What {@code magnet points} lists. */
    static String points(List<PointInfo> points) {
        return Json.of(Map.of("points", points.stream().map(ModuleJson::point).toList()));
    }

    /** What {@code magnet buffers} lists. */
    static String buffers(List<BufferInfo> buffers) {
        return Json.of(
                Map.of("buffers", buffers.stream().map(ModuleJson::buffer).toList()));
    }

    /** What {@code magnet filters} lists: subscriptions, each with its rules in their order, and correlating filters. */
    static String filters(
            List<SubscriptionInfo> subscriptions, List<ChainInfo> chains, List<CorrelationInfo> correlations) {
        Map<String, Object> filters = new LinkedHashMap<>();
        filters.put(
                "subscriptions",
                subscriptions.stream()
                        .map(subscription -> filtered(subscription, chains))
                        .toList());
        filters.put(
                "correlations",
                correlations.stream().map(ModuleJson::correlation).toList());
        return Json.of(filters);
    }

    private static Map<String, Object> filtered(SubscriptionInfo subscription, List<ChainInfo> chains) {
        Map<String, Object> object = subscription(subscription);
        object.put("sample_count", subscription.sampleCount());
        object.put("sample_interval_us", subscription.sampleIntervalUs());
        object.put("snap_bytes", subscription.snapBytes());
        object.put(
                "counters",
                subscription.counters().stream().sorted().map(Counter::label).toList());
        object.put(
                "rules",
                chains.stream()
                        .filter(chain -> chain.subscription() == subscription.id())
                        .flatMap(chain -> chain.rules().stream())
                        .map(ModuleJson::rule)
                        .toList());
        return object;
    }

    private static Map<String, Object> rule(RuleInfo rule) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("id", rule.id());
        object.put("text", rule.text());
        object.put("matched", rule.matched());
        return object;
    }

    private static Map<String, Object> correlation(CorrelationInfo correlation) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("id", correlation.id());
        object.put("definition", correlation.definition());
        object.put("buffer", correlation.buffer());
        object.put("persistent", correlation.persistent());
        object.put("matched", correlation.matched());
        object.put("dropped", correlation.dropped());
        object.put("lost_before", correlation.lostBefore());
        object.put("forgotten", correlation.forgotten());
        return object;
    }

    private static Map<String, Object> buffer(BufferInfo buffer) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("name", buffer.name());
        object.put("persistent", buffer.persistent());
        object.put("flight_recorder", buffer.flightRecorder());
        object.put("bytes_per_cpu", buffer.size());
        object.put("subscriptions", buffer.subscriptions());
        object.put("lost", buffer.lost());
        object.put("merged_late", buffer.mergedLate());
        object.put("cpus", buffer.rings().stream().map(ModuleJson::ring).toList());
        return object;
    }

    private static Map<String, Object> ring(RingCounts ring) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("cpu", ring.cpu());
        object.put("records", ring.recordsWritten());
        object.put("records_read", ring.recordsRead());
        object.put("bytes", ring.bytesWritten());
        object.put("bytes_read", ring.bytesRead());
        object.put("lost", ring.lost());
        object.put("overwritten", ring.overwritten());
        return object;
    }

    private static Map<String, Object> subscription(SubscriptionInfo subscription) {
        HitCounts total = subscription.total();
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("id", subscription.id());
        object.put("point", subscription.point());
        object.put("buffer", subscription.buffer());
        object.put("hits", total.hits());
        object.put("committed", total.committed());
        object.put("filtered", total.filtered());
        object.put("sampled_out", total.sampledOut());
        object.put("dropped_full", total.droppedFull());
        object.put("dropped_big", total.droppedBig());
        object.put("dropped_recursion", total.droppedRecursion());
        object.put("dropped_storm", total.droppedStorm());
        object.put("missed", total.missed());
        return object;
    }

    private static Map<String, Object> point(PointInfo point) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("event", point.event());
        object.put("name", point.name());
        object.put("subsystem", point.subsystem());
        object.put("mechanism", point.mechanism().toString());
        object.put("hook", point.hook().toString());
        object.put("available", point.isAvailable());
        object.put("complete", point.isComplete());
        object.put("enabled", point.enabled());
        object.put("subscriptions", point.subscriptions());
        point.stormGuard().ifPresent(guard -> {
            object.put("storm_rate", guard.rate());
            object.put("storm_burst", guard.burst());
        });
        object.put(
                "functions",
                point.functions().stream().map(ModuleJson::function).toList());
        return object;
    }

    private static Map<String, Object> function(PointFunction function) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("family", function.family());
        object.put("state", lower(function.state()));
        if (function.state() == PointFunction.State.UNRESOLVED) {
            object.put("tried", function.tried());
        } else {
            object.put("name", function.name());
        }
        return object;
    }

    private static String lower(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
