// SPDX-License-Identifier: Apache-2.0
package magnet.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import magnet.control.BufferInfo;
import magnet.control.HitCounts;
import magnet.control.ModuleInfo;
import magnet.control.PointFunction;
import magnet.control.PointInfo;
import magnet.control.RingCounts;
import magnet.control.SubscriptionInfo;
import magnet.service.Json;

/** What the module says of itself, as one JSON object in a line; docs/control.md describes it. Stateless. */
final class ModuleJson {
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
