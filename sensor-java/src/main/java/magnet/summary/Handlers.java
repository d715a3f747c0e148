// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import magnet.metric.Layer;
import magnet.metric.Metric;
import magnet.metric.MetricSnapshot;
import magnet.record.EventType;
import magnet.record.RecordFlyweight;

/**
 * The handlers that are needed for what is published, and no others. Each has a window that begins when it is made. For
 * one thread.
 */
final class Handlers {
    private static final Handler[] NONE = {};
    private static final double NANOS_PER_SECOND = 1e9;

    /** A handler with the clock of its window. */
    private record Active(Handler handler, WindowClock clock) {}

    private final SummarySetup setup;
    private final Quality quality;
    private final Map<Enum<?>, Active> active = new LinkedHashMap<>();
    private Handler[] all = NONE;
    private final Handler[][] byEvent = new Handler[EventType.ID_END][];

    Handlers(SummarySetup setup, Quality quality) {
        this.setup = setup;
        this.quality = quality;
        index();
    }

    /**
     * Makes the handlers that give any of these metrics and are not there yet, and lets go of those that give none.
     *
     * @param nowNanos when the windows of new ones begin
     */
    void use(List<Metric> metrics, long nowNanos) {
        Set<Metric> wanted = new HashSet<>(metrics);
        for (Layer layer : Layer.values()) {
            if (isWanted(wanted, layer.metrics(), layer)) {
                active.put(layer, new Active(new LayerSummary(layer, setup.slots()), clock(nowNanos)));
            }
        }
        for (HandlerKind kind : HandlerKind.values()) {
            if (isWanted(wanted, kind.metrics(), kind)) {
                active.put(kind, new Active(kind.make(setup, quality), clock(nowNanos)));
            }
        }
        index();
    }

    /** Whether one has to be made; one that is there and not wanted goes. */
    private boolean isWanted(Set<Metric> wanted, List<Metric> metrics, Enum<?> key) {
        for (Metric metric : metrics) {
            if (wanted.contains(metric)) {
                return !active.containsKey(key);
            }
        }
        active.remove(key);
        return false;
    }

    /** Hands an event to those that want it. */
    void onRecord(EventType type, RecordFlyweight record) {
        for (Handler handler : byEvent[type.id()]) {
            handler.onRecord(type, record);
        }
    }

    void onLost(int cpu) {
        for (Handler handler : all) {
            handler.onLost(cpu);
        }
    }

    /** Puts in what all of them have, and begins the next slot. */
    void close(MetricSnapshot.Builder snapshot, long newestTimer, long nowNanos) {
        for (Active each : active.values()) {
            each.handler.endSlot(newestTimer);
            snapshot.over(each.clock.close(nowNanos) / NANOS_PER_SECOND);
            each.handler.put(snapshot);
            each.clock.advance(nowNanos);
            each.handler.advance();
        }
        snapshot.over(snapshot.windowSeconds());
    }

    private WindowClock clock(long nowNanos) {
        return new WindowClock(setup.slots(), nowNanos);
    }

    private void index() {
        all = active.values().stream().map(Active::handler).toArray(Handler[]::new);
        for (EventType type : EventType.values()) {
            List<Handler> wanting = new ArrayList<>();
            for (Active each : active.values()) {
                if (each.handler.events().contains(type)) {
                    wanting.add(each.handler);
                }
            }
            byEvent[type.id()] = wanting.toArray(NONE);
        }
    }
}
