// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import java.util.ArrayList;
import java.util.Arrays;
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
    private static final PutOffRecords[] NONE = {};
    private static final double NANOS_PER_SECOND = 1e9;

    /** A handler with the clock of its window. */
    private record Active(Handler handler, WindowClock clock) {}

    private final SummarySetup setup;
    private final Quality quality;
    private final Map<Enum<?>, Active> active = new LinkedHashMap<>();
    private final PutOffRecords[][] byEvent = new PutOffRecords[EventType.ID_END][];
    private final EventType[] types = new EventType[EventType.ID_END];
    private final Batch batch = new Batch(types);
    private PutOffRecords[] all = NONE;
    private boolean putsOff;

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
        catchUp();
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

    /** From now on records stay where they are, until {@link #endBatch}. */
    void beginBatch() {
        putsOff = true;
    }

    void endBatch() {
        catchUp();
        putsOff = false;
    }

    /** Hands an event to those that want it, or puts that off. */
    void onRecord(int event, RecordFlyweight record) {
        if (event >= EventType.ID_END) {
            return;
        }
        PutOffRecords[] wanting = byEvent[event];
        if (wanting.length == 0) {
            return;
        }
        if (putsOff) {
            putOff(wanting, record);
        } else {
            for (PutOffRecords each : wanting) {
                each.handler().onRecord(types[event], record);
            }
        }
    }

    private void putOff(PutOffRecords[] wanting, RecordFlyweight record) {
        if (!batch.covers(record)) {
            catchUp();
            batch.lookAt(record);
        }
        long place = Batch.place(record);
        for (PutOffRecords each : wanting) {
            each.add(place);
        }
    }

    private void catchUp() {
        for (PutOffRecords each : all) {
            each.catchUp();
        }
    }

    void onLost(int cpu) {
        catchUp();
        for (PutOffRecords each : all) {
            each.handler().onLost(cpu);
        }
    }

    /** Puts in what all of them have, and begins the next slot. */
    void close(MetricSnapshot.Builder snapshot, long newestTimer, long nowNanos) {
        catchUp();
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
        Arrays.fill(byEvent, NONE);
        all = active.values().stream()
                .map(each -> new PutOffRecords(each.handler, batch))
                .toArray(PutOffRecords[]::new);
        for (EventType type : EventType.values()) {
            List<PutOffRecords> wanting = new ArrayList<>();
            for (PutOffRecords each : all) {
                if (each.handler().events().contains(type)) {
                    wanting.add(each);
                }
            }
            byEvent[type.id()] = wanting.toArray(NONE);
            types[type.id()] = type;
        }
    }
}
