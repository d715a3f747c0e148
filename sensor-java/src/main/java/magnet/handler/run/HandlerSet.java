// SPDX-License-Identifier: Apache-2.0
package magnet.handler.run;

import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import magnet.config.MagnetConfig;
import magnet.handler.HandlerCandidate;
import magnet.handler.HandlerCatalog;
import magnet.handler.HandlerException;
import magnet.handler.HandlerTable;
import magnet.handler.OwnHandler;
import magnet.magnetfs.CollectorCounter;
import magnet.measure.LossLog;
import magnet.measure.MeasuringCore;
import magnet.measure.ReadingTotals;
import magnet.measure.RecordSource;
import magnet.metric.HandlerMetrics;
import magnet.metric.Level;
import magnet.metric.Metric;
import magnet.metric.MetricSnapshot;
import magnet.spi.Point;
import magnet.summary.TimerScale;
import magnet.summary.WindowedTotal;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The own handlers of a run: which begin and end, what they have subscribed, and what they come to. For one thread. */
final class HandlerSet {
    private static final Logger LOGGER = LoggerFactory.getLogger(HandlerSet.class);
    /** What says in the report that values are not all of the truth. */
    private static final List<CollectorCounter> COUNTERS =
            List.of(CollectorCounter.LATE, CollectorCounter.MALFORMED, CollectorCounter.CORRUPT_BYTES);

    private final HandlerKernel kernel;
    private final MagnetConfig config;
    private final HandlerTable table;
    private final RecordSource source;
    private final MeasuringCore core;
    private final HandlerSubscriptions subscriptions;
    /** For the conductor's thread. */
    private final WindowedTotal missed;

    private final LossLog losses = new LossLog("for own handlers", HandlerMetrics.LOST.name());
    private final ReadingTotals totals = ReadingTotals.ofHandlers();
    private final Set<String> off = new HashSet<>();
    private final List<Map<String, Object>> reports = new ArrayList<>();
    private Map<String, String> failed = Map.of();
    private int ought;

    /**
     * None yet.
     *
     * @param table gets the records
     * @param source where they come from
     * @param core reads it while the kernel is asked
     */
    HandlerSet(HandlerKernel kernel, MagnetConfig config, HandlerTable table, RecordSource source, MeasuringCore core) {
        this.kernel = kernel;
        this.config = config;
        this.table = table;
        this.source = source;
        this.core = core;
        this.subscriptions = new HandlerSubscriptions(kernel, core);
        this.missed = new WindowedTotal(config.slots());
    }

    /** Handlers that ought to run. */
    int wanted() {
        return ought;
    }

    /** Begins the first ones, and the first window. */
    void begin(HandlerCatalog.Found found, Level level) throws IOException {
        List<OwnHandler> begun = change(found, level);
        core.beginWindows(now -> {
            table.begin(now);
            totals.note(source, table::startTotal);
            begin(begun, now);
        });
    }

    /**
     * Ends handlers that are wanted no more, or otherwise, and begins those that are new. What the kernel has logged until
     * then, perhaps by other rules, is for those that were there.
     */
    void use(HandlerCatalog.Found found, Level level) throws IOException {
        List<OwnHandler> begun = change(found, level);
        if (!begun.isEmpty()) {
            core.beginWindows(now -> begin(begun, now));
        }
    }

    private static void begin(List<OwnHandler> handlers, long nowNanos) {
        handlers.forEach(handler -> {
            handler.beginWindow(nowNanos);
            LOGGER.info("{}", describe(handler));
        });
    }

    /** Gives the new ones, whose points are subscribed. */
    private List<OwnHandler> change(HandlerCatalog.Found found, Level level) throws IOException {
        Map<String, String> failures = new LinkedHashMap<>(found.failed());
        found.failed().forEach(this::sayOnce);
        Map<String, HandlerCandidate> wanted = new LinkedHashMap<>();
        found.candidates().stream()
                .filter(each -> level.includes(each.level()))
                .forEach(each -> wanted.put(each.name(), each));
        List<OwnHandler> leaving = table.handlers().values().stream()
                .filter(handler -> {
                    HandlerCandidate same = wanted.get(handler.name());
                    return same == null
                            || !same.key().equals(handler.candidate().key());
                })
                .toList();
        if (!leaving.isEmpty()) {
            subscriptions.letGo(leaving);
        }
        for (OwnHandler handler : leaving) {
            leave(handler);
            LOGGER.info("handler {} has ended", handler.name());
        }
        List<OwnHandler> begun = new ArrayList<>();
        for (HandlerCandidate candidate : wanted.values()) {
            if (!table.handlers().containsKey(candidate.name())) {
                begin(candidate, begun, failures);
            }
        }
        failed = failures;
        ought = wanted.size() + found.failed().size();
        return begun;
    }

    private void sayOnce(String what, String why) {
        if (!why.equals(failed.get(what))) {
            LOGGER.warn("{}; running without it", why);
        }
    }

    private void begin(HandlerCandidate candidate, List<OwnHandler> begun, Map<String, String> failures)
            throws IOException {
        List<Point> points = new ArrayList<>();
        try {
            OwnHandler handler = OwnHandler.begin(
                    candidate,
                    (index, point) -> {
                        points.add(point);
                        return subscriptions.format(candidate.name(), index, point);
                    },
                    new OwnHandler.Scale(
                            TimerScale.ofKhz(kernel.facts().ticksPerMilli()).nanosPerTick(),
                            config.slots(),
                            kernel.facts().layout().hasTid()));
            String conflict = table.conflict(handler).orElse("");
            if (!conflict.isEmpty()) {
                handler.end();
                throw new HandlerException(conflict);
            }
            table.add(handler);
            try {
                subscriptions.add(handler);
            } catch (HandlerException e) {
                table.remove(handler.name());
                handler.end();
                throw e;
            }
            begun.add(handler);
        } catch (HandlerException e) {
            subscriptions.remove(candidate.name(), points);
            String why = candidate.origin() + "handler " + candidate.name() + ": " + e.getMessage();
            sayOnce(candidate.name(), why);
            failures.put(candidate.name(), why);
        }
    }

    /** What has failed gets nothing any more; it stays in the table, so that it is counted and not begun again. */
    void leaveFailed() throws IOException {
        for (OwnHandler handler : table.handlers().values()) {
            if (handler.failure().isPresent() && off.add(handler.name())) {
                subscriptions.end(handler);
            }
        }
    }

    private void leave(OwnHandler handler) throws IOException {
        subscriptions.end(handler);
        List<Point> points = new ArrayList<>();
        for (int i = 0; i < handler.points(); i++) {
            points.add(handler.point(i));
        }
        subscriptions.remove(handler.name(), points);
        table.remove(handler.name());
        off.remove(handler.name());
        handler.end();
        reports.add(report(handler));
    }

    private static String describe(OwnHandler handler) {
        StringBuilder text = new StringBuilder("handler " + handler.name() + ":");
        for (int i = 0; i < handler.points(); i++) {
            String rules = handler.point(i).where().strip();
            text.append(i == 0 ? " " : ", ").append(handler.point(i).point());
            HandlerSubscriptions.place(handler, i)
                    .ifPresent(place -> text.append(" with '")
                            .append(rules)
                            .append("' in the ")
                            .append(place));
        }
        Set<String> names = new TreeSet<>();
        handler.metrics().stream().map(Metric::name).forEach(names::add);
        return text.append("; publishes ").append(String.join(", ", names)).toString();
    }

    private static Map<String, Object> report(OwnHandler handler) {
        Map<String, Object> text = new LinkedHashMap<>();
        text.put("name", handler.name());
        List<Map<String, Object>> points = new ArrayList<>();
        for (int i = 0; i < handler.points(); i++) {
            Map<String, Object> point = new LinkedHashMap<>();
            point.put("point", handler.point(i).point());
            point.put("where", handler.point(i).where());
            point.put("rules_in", HandlerSubscriptions.place(handler, i).orElse(""));
            point.put("events", handler.got(i));
            point.put("filtered", handler.filtered(i));
            points.add(point);
        }
        text.put("points", points);
        text.put("handled", handler.handled());
        text.put("totals", handler.totals());
        handler.failure().ifPresent(why -> text.put("off", why));
        return text;
    }

    /**
     * Ends the window.
     *
     * @param wall the wall clock
     * @param handOver gets its metrics, on the conductor's thread
     */
    void endWindow(InstantSource wall, Consumer<MetricSnapshot> handOver) throws IOException {
        core.endWindow(nowNanos -> {
            totals.note(source, table::noteTotal);
            losses.interval(table.lostByCpu(), nowNanos);
            return new MeasuringCore.Ended(
                    table.endWindow(nowNanos, wall.instant(), failed.size()),
                    new MeasuringCore.Completion(this::putMissed, handOver));
        });
    }

    /** What the module has to be asked for. */
    private void putMissed(MetricSnapshot.Builder window) {
        missed.is(subscriptions.missed());
        window.over(window.windowSeconds()).putRate(HandlerMetrics.MISSED, missed.sum());
        missed.advance();
    }

    /** Ends all of them; they get what the kernel has logged until then. */
    void end() throws IOException {
        if (!source.hasEnded()) {
            subscriptions.endAll();
        }
        for (OwnHandler handler : List.copyOf(table.handlers().values())) {
            leave(handler);
        }
    }

    /** What all of them came to, after {@link #end}. */
    Map<String, Object> report() {
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("handler_events", table.events());
        report.put(
                "handler_events_lost",
                table.lostByCpu().values().stream().mapToLong(Long::longValue).sum());
        for (CollectorCounter counter : COUNTERS) {
            report.put("handler_" + counter.label(), source.count(counter));
        }
        report.put("handlers", reports);
        report.put("handlers_failed", failed);
        report.put("handler_subscriptions", subscriptions.report(table::delivered));
        return report;
    }
}
