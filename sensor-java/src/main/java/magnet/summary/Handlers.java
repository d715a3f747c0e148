// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import magnet.metric.Layer;
import magnet.metric.Metric;
import magnet.metric.MetricSnapshot;
import magnet.record.EventType;
import magnet.record.RecordBatch;
import magnet.record.RecordFlyweight;

/**
 * The handlers that are needed for what is published, and no others. Each has a window that begins when it is made. For
 * one thread.
 */
final class Handlers {
    private static final PutOffRecords[] NONE = {};
    private static final int ALWAYS = 2;
    private static final double NANOS_PER_SECOND = 1e9;

    /** A handler with the clock of its window. */
    private record Active(BuiltInHandler handler, WindowClock clock) {}

    /** Stands where a handler could be. */
    private static final class Nobody extends BuiltInHandler {
        @Override
        Set<EventType> events() {
            return Set.of();
        }

        @Override
        void onRecord(EventType type, RecordFlyweight record) {
            throw new IllegalStateException(type.label() + " handed to nobody");
        }

        @Override
        void onRecords(PutOffRecords records) {
            records.forget();
        }

        @Override
        void put(MetricSnapshot.Builder snapshot) {
            // It has seen nothing.
        }

        @Override
        public void advance() {
            // It has no window.
        }
    }

    private final SummarySetup setup;
    private final Quality quality;
    private final Map<Enum<?>, Active> active = new LinkedHashMap<>();
    private final PutOffRecords[][] byEvent = new PutOffRecords[EventType.ID_END][];
    /** The same, with nobody where fewer than {@value #ALWAYS} want it: how many do is hard for a processor to guess. */
    private final PutOffRecords[][] padded = new PutOffRecords[EventType.ID_END][];

    private final EventType[] types = new EventType[EventType.ID_END];
    private final PutOffRecords[] nobodies = new PutOffRecords[ALWAYS];
    private PutOffRecords[] all = NONE;
    /** The newest timer where the last slot ended; 0 in the first one, and in the first one of a new epoch. */
    private long slotBegan;

    Handlers(SummarySetup setup, Quality quality) {
        this.setup = setup;
        this.quality = quality;
        Arrays.setAll(nobodies, i -> new PutOffRecords(new Nobody(), types));
        index();
    }

    /** Which there are. */
    Set<Enum<?>> there() {
        return Set.copyOf(active.keySet());
    }

    /**
     * Makes handlers that {@link #use} is to find made. For any thread.
     *
     * @param metrics what they give
     * @param there which need not be made
     */
    Map<Enum<?>, BuiltInHandler> make(List<Metric> metrics, Set<Enum<?>> there) {
        Map<Enum<?>, BuiltInHandler> made = new LinkedHashMap<>();
        for (Enum<?> kind : wanted(metrics)) {
            if (!there.contains(kind)) {
                made.put(kind, make(kind));
            }
        }
        return made;
    }

    /**
     * Has the handlers that give any of these metrics, and lets go of those that give none.
     *
     * @param made those that need not be made now
     * @param nowNanos when the windows of new ones begin
     */
    void use(List<Metric> metrics, Map<Enum<?>, BuiltInHandler> made, long nowNanos) {
        List<Enum<?>> wanted = wanted(metrics);
        active.keySet().retainAll(wanted);
        for (Enum<?> kind : wanted) {
            if (!active.containsKey(kind)) {
                BuiltInHandler handler = made.containsKey(kind) ? made.get(kind) : make(kind);
                active.put(kind, new Active(handler, new WindowClock(setup.slots(), nowNanos)));
            }
        }
        index();
    }

    /** The handlers, layers first, that give any of these metrics. */
    private static List<Enum<?>> wanted(List<Metric> metrics) {
        Set<Metric> all = new HashSet<>(metrics);
        List<Enum<?>> wanted = new ArrayList<>();
        for (Layer layer : Layer.values()) {
            if (!Collections.disjoint(all, layer.metrics())) {
                wanted.add(layer);
            }
        }
        for (HandlerKind kind : HandlerKind.values()) {
            if (!Collections.disjoint(all, kind.metrics())) {
                wanted.add(kind);
            }
        }
        return wanted;
    }

    private BuiltInHandler make(Enum<?> kind) {
        return kind instanceof Layer layer
                ? new LayerSummary(layer, setup.slots())
                : ((HandlerKind) kind).make(setup, quality);
    }

    /** The records that will be put off are of this batch. */
    void begin(RecordBatch records) {
        for (PutOffRecords each : all) {
            each.begin(records);
        }
    }

    /** Hands an event to those that want it. */
    void onRecord(int event, RecordFlyweight record) {
        if (event >= EventType.ID_END) {
            return;
        }
        for (PutOffRecords each : byEvent[event]) {
            each.handler().onRecord(types[event], record);
        }
    }

    /** The same, but they see it with others when they {@link #catchUp}. */
    void putOff(int event, long place) {
        if (event >= EventType.ID_END) {
            return;
        }
        PutOffRecords[] wanting = padded[event];
        wanting[0].add(place);
        wanting[1].add(place);
        for (int i = ALWAYS; i < wanting.length; i++) {
            wanting[i].add(place);
        }
    }

    /** Lets all see what was put off. */
    void catchUp() {
        for (PutOffRecords each : all) {
            each.catchUp();
        }
        for (PutOffRecords nobody : nobodies) {
            nobody.catchUp();
        }
    }

    /** See {@link BuiltInHandler#onLost(int, long, long)}. */
    void onLost(int cpu, long first, long told) {
        catchUp();
        for (PutOffRecords each : all) {
            each.handler().onLost(cpu, first, told);
        }
    }

    void onNewEpoch() {
        catchUp();
        slotBegan = 0;
        for (PutOffRecords each : all) {
            each.handler().onNewEpoch();
        }
    }

    /** Whether, since the last call, one has lost whose each process is. */
    boolean takeOwnersLost() {
        boolean lost = false;
        for (Active each : active.values()) {
            lost |= each.handler.takeOwnersLost();
        }
        return lost;
    }

    /** How often there was no room to know whose a process is. */
    long ownersWithoutRoom() {
        long without = 0;
        for (Active each : active.values()) {
            without += each.handler.ownersWithoutRoom();
        }
        return without;
    }

    /** Puts in what all of them have, and begins the next slot. */
    void close(MetricSnapshot.Builder snapshot, long newestTimer, long nowNanos) {
        for (Active each : active.values()) {
            each.handler.endSlot(slotBegan, newestTimer);
            snapshot.over(each.clock.close(nowNanos) / NANOS_PER_SECOND);
            each.handler.put(snapshot);
            each.clock.advance(nowNanos);
            each.handler.advance();
        }
        slotBegan = newestTimer;
        snapshot.over(snapshot.windowSeconds());
    }

    private void index() {
        Arrays.fill(byEvent, NONE);
        Arrays.fill(padded, nobodies);
        all = active.values().stream()
                .map(each -> new PutOffRecords(each.handler, types))
                .toArray(PutOffRecords[]::new);
        for (EventType type : EventType.values()) {
            List<PutOffRecords> wanting = new ArrayList<>();
            for (PutOffRecords each : all) {
                if (each.handler().events().contains(type)) {
                    wanting.add(each);
                }
            }
            byEvent[type.id()] = wanting.toArray(NONE);
            while (wanting.size() < ALWAYS) {
                wanting.add(nobodies[wanting.size()]);
            }
            padded[type.id()] = wanting.toArray(NONE);
            types[type.id()] = type;
        }
    }
}
