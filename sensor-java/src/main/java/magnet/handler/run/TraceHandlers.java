// SPDX-License-Identifier: Apache-2.0
package magnet.handler.run;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import magnet.config.HandlerChoice;
import magnet.handler.HandlerCandidate;
import magnet.handler.HandlerCatalog;
import magnet.handler.HandlerException;
import magnet.handler.HandlerTable;
import magnet.handler.OwnHandler;
import magnet.handler.PointFormats;
import magnet.machine.SystemCalls;
import magnet.metric.Metric;
import magnet.metric.MetricSnapshot;
import magnet.record.RecordFlyweight;
import magnet.record.RecordHandler;
import magnet.record.WordKind;
import magnet.record.Words;
import magnet.spi.Point;
import magnet.summary.TimerScale;
import magnet.trace.EventFormat;
import magnet.trace.RuleWords;
import magnet.trace.TraceReader;

/**
 * The handlers of a configuration, over a saved trace as one window: the same code as in {@link HandlerSet}, with all rules
 * asked here, whatever level a handler is for. For one thread.
 */
public final class TraceHandlers implements RecordHandler, AutoCloseable {
    private final HandlerCatalog catalog = new HandlerCatalog();
    private final HandlerTable table = new HandlerTable(1, 0);
    private final SortedMap<String, EventFormat> byName = new TreeMap<>();
    private final List<String> failed;
    private final TraceReader trace;

    /**
     * What a metric came to.
     *
     * @param metric one of a handler's
     * @param value in its unit
     */
    public record Value(Metric metric, double value) {}

    /** Lets the handlers begin that a configuration declares, and those of its folder of jars. */
    public TraceHandlers(HandlerChoice choice, TraceReader trace) {
        this.trace = trace;
        trace.events().forEach(event -> byName.put(event.name(), event));
        HandlerCatalog.Found found = catalog.look(choice);
        this.failed = new ArrayList<>(found.failed().values());
        found.candidates().forEach(this::begin);
    }

    private void begin(HandlerCandidate candidate) {
        long ticksPerMilli = trace.clock().ticksPerMilli();
        OwnHandler.Scale scale = new OwnHandler.Scale(
                TimerScale.ofKhz(ticksPerMilli).nanosPerTick(),
                1,
                trace.layout().hasTid());
        OwnHandler handler = null;
        try {
            handler = OwnHandler.begin(candidate, (index, point) -> format(candidate.name(), index, point), scale);
            Words words = trace.words()
                    .with(WordKind.SYSTEM_CALL, SystemCalls.of(trace.machine()).own());
            for (int i = 0; i < handler.points(); i++) {
                handler.filterHere(i, ticksPerMilli, RuleWords.of(words));
            }
            String conflict = table.conflict(handler).orElse("");
            if (!conflict.isEmpty()) {
                throw new HandlerException(conflict);
            }
            table.add(handler);
            handler.beginWindow(0);
        } catch (HandlerException | IOException e) {
            if (handler != null) {
                handler.end();
            }
            failed.add(candidate.origin() + "handler " + candidate.name() + ": " + e.getMessage());
        }
    }

    /** As the trace describes it; a dynamic point has there the name that magnetd gives it. */
    private EventFormat format(String handler, int index, Point point) throws HandlerException {
        String name = HandlerSubscriptions.name(handler, index, point);
        EventFormat saved = byName.get(name);
        if (saved == null && PointFormats.isDynamic(point)) {
            throw new HandlerException(
                    "the trace has no event " + name + ", which is what magnetd calls '" + point.point() + "'");
        }
        EventFormat expected = PointFormats.of(point, saved == null ? 0 : saved.id(), name);
        if (saved != null && PointFormats.isDynamic(point) && !saved.fields().equals(expected.fields())) {
            throw new HandlerException("event " + name + " of the trace has other fields than '" + point.point() + "'");
        }
        return saved == null ? expected : saved;
    }

    @Override
    public void onRecord(RecordFlyweight record) {
        table.onRecord(record);
    }

    @Override
    public void onGap(int cpu) {
        table.onGap(cpu);
    }

    @Override
    public void onNewEpoch(int cpus) {
        table.onNewEpoch(cpus);
    }

    /** Handlers that could not begin, or were switched off, which the log has said: why, in a line each. */
    public List<String> failed() {
        List<String> all = new ArrayList<>(failed);
        table.handlers()
                .values()
                .forEach(handler -> handler.failure()
                        .ifPresent(why ->
                                all.add(handler.candidate().origin() + "handler " + handler.name() + " " + why)));
        return all;
    }

    /** Points of handlers of which the trace has no event that was let through, in a line each. */
    public List<String> missing() {
        List<String> missing = new ArrayList<>();
        for (OwnHandler handler : table.handlers().values()) {
            for (int i = 0; i < handler.points(); i++) {
                if (handler.got(i) == 0) {
                    missing.add("handler " + handler.name() + ": there is no event of '"
                            + handler.point(i).point() + "'");
                }
            }
        }
        return missing;
    }

    /**
     * Ends the window.
     *
     * @param nanos its length
     * @param end when it ended
     * @return what handlers came to that got any event, ordered by name
     */
    public List<Value> close(long nanos, Instant end) {
        MetricSnapshot snapshot = table.endWindow(nanos, end, failed.size()).build();
        SortedMap<String, Value> values = new TreeMap<>();
        for (OwnHandler handler : table.handlers().values()) {
            long got = 0;
            for (int i = 0; i < handler.points(); i++) {
                got += handler.got(i);
            }
            for (Metric metric : got == 0 ? List.<Metric>of() : handler.metrics()) {
                snapshot.value(metric).ifPresent(value -> values.put(metric.name(), new Value(metric, value)));
            }
        }
        return List.copyOf(values.values());
    }

    @Override
    public void close() {
        table.handlers().values().forEach(OwnHandler::end);
        catalog.close();
    }
}
