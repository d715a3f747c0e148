// SPDX-License-Identifier: Apache-2.0
package magnet.handler;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import magnet.metric.HandlerMetrics;
import magnet.metric.Metric;
import magnet.metric.MetricSnapshot;
import magnet.record.EventType;
import magnet.record.Payload;
import magnet.record.RecordFlyweight;
import magnet.record.RecordHandler;
import magnet.record.Subsystem;
import magnet.summary.WindowClock;
import magnet.summary.WindowedCount;
import magnet.summary.WindowedTotal;

/** Hands records to the handlers that run, and closes their windows. For one thread. */
public final class HandlerTable implements RecordHandler {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final Target[] NONE = {};

    /** A handler that wants an event. */
    private record Target(OwnHandler handler, int point) {}

    private final Map<String, OwnHandler> handlers = new LinkedHashMap<>();
    private Target[][] byEvent = {};
    private long[] delivered = new long[EventType.ID_END];
    private final int slots;
    private WindowClock clock;
    private WindowedCount events;
    private WindowedCount lost;
    private final Map<Metric, WindowedTotal> ofReading = new LinkedHashMap<>();
    private final SortedMap<Integer, Long> lostByCpu = new TreeMap<>();
    private long total;

    /**
     * @param slots slots of the window
     * @param nowNanos when it begins, monotonic
     */
    public HandlerTable(int slots, long nowNanos) {
        this.slots = slots;
        this.clock = new WindowClock(slots, nowNanos);
        this.events = new WindowedCount(slots);
        this.lost = new WindowedCount(slots);
        HandlerMetrics.OF_READING.forEach(metric -> ofReading.put(metric, new WindowedTotal(slots)));
        index();
    }

    /**
     * Lets the first window begin now, later than at the constructor. What came before is counted since start and is in no
     * window.
     *
     * @param nowNanos monotonic time, of the clock that the constructor was given
     */
    public void begin(long nowNanos) {
        clock = new WindowClock(slots, nowNanos);
        events = new WindowedCount(slots);
        lost = new WindowedCount(slots);
    }

    /** Those that run, and those that failed while they did, by name. */
    public Map<String, OwnHandler> handlers() {
        return handlers;
    }

    /** Why a handler cannot be put beside those that run: one of them has a metric of the same name. */
    public Optional<String> conflict(OwnHandler handler) {
        Set<String> names = new HashSet<>();
        handlers.values().forEach(each -> each.metrics().forEach(metric -> names.add(metric.name())));
        return handler.metrics().stream()
                .map(Metric::name)
                .filter(names::contains)
                .findFirst()
                .map(name -> "there is another handler with a metric " + name);
    }

    /** Puts a handler beside the others. */
    public void add(OwnHandler handler) {
        handlers.put(handler.name(), handler);
        index();
    }

    /** Takes a handler away. */
    public void remove(String name) {
        handlers.remove(name);
        index();
    }

    /** Of a handler that has an event as begin and as end of an interval, the end goes first. */
    private void index() {
        byEvent = new Target[EventType.ID_END][];
        Arrays.fill(byEvent, NONE);
        for (OwnHandler handler : handlers.values()) {
            for (int i = handler.points() - 1; i >= 0; i--) {
                int event = handler.format(i).id();
                if (event >= byEvent.length) {
                    int before = byEvent.length;
                    byEvent = Arrays.copyOf(byEvent, event + 1);
                    Arrays.fill(byEvent, before, event + 1, NONE);
                }
                List<Target> longer = new ArrayList<>(List.of(byEvent[event]));
                longer.add(new Target(handler, i));
                byEvent[event] = longer.toArray(NONE);
            }
        }
        delivered = Arrays.copyOf(delivered, Math.max(delivered.length, byEvent.length));
    }

    @Override
    public void onRecord(RecordFlyweight record) {
        int event = record.event();
        if (event == EventType.LOST.id()) {
            onLost(record.cpu(), record.payloadU64(Payload.LOST_COUNT_OFFSET));
            return;
        }
        if (event == EventType.STORM.id()) {
            onLost(record.cpu(), record.payloadU64(Payload.STORM_REFUSED_OFFSET));
            return;
        }
        EventType type = EventType.ofId(event);
        if (type != null && type.subsystem() == Subsystem.SENSOR) {
            return;
        }
        events.increment();
        total++;
        if (event < byEvent.length) {
            delivered[event]++;
            for (Target target : byEvent[event]) {
                target.handler.onRecord(target.point, record);
            }
        }
    }

    /** Handlers are told of the one event that at least was there. */
    @Override
    public void onGap(int cpu) {
        tell(cpu, 1);
    }

    @Override
    public void onNewEpoch(int cpus) {
        for (OwnHandler handler : handlers.values()) {
            handler.onNewEpoch(cpus);
        }
    }

    private void onLost(int cpu, long count) {
        lost.add(count);
        lostByCpu.merge(cpu, count, Long::sum);
        tell(cpu, count);
    }

    private void tell(int cpu, long count) {
        for (OwnHandler handler : handlers.values()) {
            handler.onLoss(cpu, count);
        }
    }

    /**
     * Takes note of what was counted where the records are read.
     *
     * @param metric one of {@link HandlerMetrics#OF_READING}
     * @param sinceStart what it has come to since start
     */
    public void noteTotal(Metric metric, long sinceStart) {
        Objects.requireNonNull(ofReading.get(metric), metric.name()).is(sinceStart);
    }

    /**
     * The same before the first window, which has none of it. To be called after {@link #begin}.
     *
     * @param metric as there
     * @param sinceStart what it has come to since start
     */
    public void startTotal(Metric metric, long sinceStart) {
        Objects.requireNonNull(ofReading.get(metric), metric.name()).startAt(sinceStart);
    }

    /** Events of an id that were delivered since start. */
    public long delivered(int event) {
        return event < delivered.length ? delivered[event] : 0;
    }

    /** Events since start. */
    public long events() {
        return total;
    }

    /** Events that were lost since start, by CPU. */
    public SortedMap<Integer, Long> lostByCpu() {
        return lostByCpu;
    }

    /**
     * Ends the window, gives its metrics, and begins the next slot. {@link HandlerMetrics#MISSED} is for others to put in.
     *
     * @param off handlers that could not be started
     */
    public MetricSnapshot.Builder endWindow(long nowNanos, Instant taken, int off) {
        List<Metric> metrics = new ArrayList<>(HandlerMetrics.all());
        handlers.values().forEach(handler -> metrics.addAll(handler.metrics()));
        double seconds = clock.close(nowNanos) / NANOS_PER_SECOND;
        MetricSnapshot.Builder snapshot = MetricSnapshot.of(taken, seconds, metrics);
        snapshot.putRate(HandlerMetrics.EVENTS, events.sum());
        snapshot.putRate(HandlerMetrics.LOST, lost.sum());
        ofReading.forEach((metric, count) -> snapshot.putRate(metric, count.sum()));
        long failed = handlers.values().stream()
                .filter(handler -> handler.failure().isPresent())
                .count();
        snapshot.put(HandlerMetrics.OFF, (double) (off + failed));
        handlers.values().forEach(handler -> handler.close(snapshot, nowNanos));
        clock.advance(nowNanos);
        events.advance();
        lost.advance();
        ofReading.values().forEach(WindowedTotal::advance);
        return snapshot;
    }
}
