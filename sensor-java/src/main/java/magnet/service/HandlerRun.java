// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import magnet.config.HandlerChoice;
import magnet.config.MagnetConfig;
import magnet.handler.HandlerCandidate;
import magnet.handler.HandlerCatalog;
import magnet.handler.HandlerException;
import magnet.handler.HandlerTable;
import magnet.handler.OwnHandler;
import magnet.magnetfs.CollectorCounter;
import magnet.metric.HandlerMetrics;
import magnet.metric.Level;
import magnet.metric.Metric;
import magnet.metric.MetricSnapshot;
import magnet.os.MonotonicClock;
import magnet.spi.Point;
import magnet.summary.TimerScale;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Own handlers at work: {@link #run} is their thread, which reads their buffer and runs their code, so that nothing of it
 * holds up the collector. It ends when it is told to, or has no handlers any more. The others are for any thread.
 */
final class HandlerRun implements Runnable {
    /** How much earlier its windows end than those of the service, which takes them over then. */
    static final long LEAD_NANOS = 200_000_000;

    private static final Logger LOGGER = LoggerFactory.getLogger(HandlerRun.class);
    private static final int LONGEST_SLEEP_MILLIS = 1_000;
    private static final int AGAIN_MILLIS = 100;
    private static final int AGAIN_TIMES = 300;
    /** What says in the report that values are not all of the truth. */
    private static final List<CollectorCounter> COUNTERS =
            List.of(CollectorCounter.LATE, CollectorCounter.MALFORMED, CollectorCounter.CORRUPT_BYTES);

    /** How it gets at the module. */
    @FunctionalInterface
    interface Connector {
        HandlerKernel connect() throws ServiceException;
    }

    /**
     * What shall run.
     *
     * @param choice handlers of the configuration and jars
     * @param level level that is in force
     */
    record Request(HandlerChoice choice, Level level) {}

    private final Connector connector;
    private final MagnetConfig config;
    private final MonotonicClock monotonic;
    private final InstantSource wall;
    private final PublishSchedule schedule;
    private final ReentrantLock lock = new ReentrantLock();
    private final Set<String> off = new HashSet<>();
    private final List<Map<String, Object>> reports = new ArrayList<>();
    private final Map<String, Object> report = new LinkedHashMap<>();
    private Map<String, String> failed = Map.of();
    private @Nullable Request next;
    private boolean over;
    private volatile boolean stopping;
    private volatile @Nullable RecordSource source;
    private volatile @Nullable MetricSnapshot latest;
    private volatile int wanted;
    private volatile boolean broken;

    /**
     * @param began when the service's first window began, monotonic
     */
    HandlerRun(
            Connector connector,
            MagnetConfig config,
            MonotonicClock monotonic,
            InstantSource wall,
            long began,
            Request first) {
        this.connector = connector;
        this.config = config;
        this.monotonic = monotonic;
        this.wall = wall;
        this.schedule =
                new PublishSchedule(began - LEAD_NANOS, config.publishInterval().toNanos());
        this.next = first;
        // Until their code was looked at nobody knows better; some of it may never come back.
        this.wanted = Math.max(1, first.choice().sections().size());
    }

    /** Lets other handlers run; false if it has come to its end. */
    boolean offer(Request request) {
        lock.lock();
        try {
            if (!over) {
                next = request;
            }
            return !over;
        } finally {
            lock.unlock();
        }
    }

    /** Lets {@link #run} come to its end. */
    void stop() {
        stopping = true;
        RecordSource reading = source;
        if (reading != null) {
            reading.stop();
        }
    }

    /** The windows that ended last; null before the first ones. */
    @Nullable
    MetricSnapshot latest() {
        return latest;
    }

    /** Handlers that ought to run. */
    int wanted() {
        return wanted;
    }

    /** Whether it came to its end. */
    boolean hasEnded() {
        lock.lock();
        try {
            return over;
        } finally {
            lock.unlock();
        }
    }

    /** Whether none of them runs any more though they ought to. */
    boolean isBroken() {
        return broken;
    }

    /** What it came to, once its thread has ended. */
    Map<String, Object> report() {
        return report;
    }

    @Override
    public void run() {
        try (HandlerCatalog catalog = new HandlerCatalog()) {
            Request request = take();
            HandlerCatalog.Found found =
                    catalog.look(Objects.requireNonNull(request).choice());
            if (found.candidates().isEmpty() && found.failed().isEmpty()) {
                end();
                return;
            }
            wanted = found.candidates().size() + found.failed().size();
            try (HandlerKernel kernel = connect()) {
                work(kernel, catalog, found, request.level());
            }
        } catch (ServiceException | IOException | RuntimeException e) {
            broken = true;
            LOGGER.error("own handlers do not run: {}", e.getMessage() == null ? e.toString() : e.getMessage());
            LOGGER.debug("own handlers", e);
        } finally {
            end();
            latest = null;
        }
    }

    private void end() {
        lock.lock();
        try {
            over = true;
        } finally {
            lock.unlock();
        }
    }

    private @Nullable Request take() {
        lock.lock();
        try {
            Request taken = next;
            next = null;
            return taken;
        } finally {
            lock.unlock();
        }
    }

    /** The module needs a moment to end what belonged to the last run. */
    private HandlerKernel connect() throws ServiceException {
        for (int tries = 0; ; tries++) {
            HandlerKernel kernel = connector.connect();
            try {
                kernel.createBuffer(config.bufferBytes());
                return kernel;
            } catch (ServiceException e) {
                kernel.close();
                if (e.exitCode() != ExitCode.ALREADY_RUNNING || tries == AGAIN_TIMES || stopping) {
                    throw e;
                }
            }
            try {
                Thread.sleep(AGAIN_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw ServiceException.of(ExitCode.INTERNAL, e);
            }
        }
    }

    private void work(HandlerKernel kernel, HandlerCatalog catalog, HandlerCatalog.Found first, Level level)
            throws ServiceException, IOException {
        HandlerTable table = new HandlerTable(config.slots(), monotonic.nanos());
        HandlerSubscriptions subscriptions = new HandlerSubscriptions(kernel);
        LossLog losses = new LossLog("for own handlers", HandlerMetrics.LOST.name());
        ReadingTotals totals = ReadingTotals.ofHandlers();
        try (RecordSource reading = kernel.open(config, table)) {
            source = reading;
            use(first, level, table, subscriptions, kernel, reading);
            while (!stopping && !reading.hasEnded()) {
                reading.doWork(Math.min(schedule.waitMillis(monotonic.nanos()), LONGEST_SLEEP_MILLIS));
                leaveFailed(table, subscriptions);
                long now = monotonic.nanos();
                if (schedule.take(now)) {
                    reading.readNow();
                    totals.note(reading, table::noteTotal);
                    table.noteTotal(HandlerMetrics.MISSED, subscriptions.missed());
                    latest = table.close(now, wall.instant(), failed.size());
                    losses.interval(table.lostByCpu(), now);
                }
                Request request = take();
                if (request != null) {
                    HandlerCatalog.Found found = catalog.look(request.choice());
                    use(found, request.level(), table, subscriptions, kernel, reading);
                    catalog.closeRetired();
                    if (found.candidates().isEmpty() && found.failed().isEmpty() && endIfIdle()) {
                        break;
                    }
                }
            }
            if (reading.hasEnded()) {
                broken = true;
                LOGGER.warn("own handlers end: somebody removed their buffer {}", HandlerKernel.BUFFER);
            } else {
                subscriptions.endAll();
                reading.drain();
            }
            List.copyOf(table.handlers().values()).forEach(handler -> leave(handler, table, subscriptions));
            writeReport(table, subscriptions, reading);
        }
    }

    private boolean endIfIdle() {
        lock.lock();
        try {
            over = next == null;
            return over;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Ends handlers that are wanted no more, or otherwise, and begins those that are new. What the kernel has logged until
     * then, perhaps by other rules, is for those that were there.
     */
    private void use(
            HandlerCatalog.Found found,
            Level level,
            HandlerTable table,
            HandlerSubscriptions subscriptions,
            HandlerKernel kernel,
            RecordSource reading)
            throws IOException {
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
        leaving.forEach(subscriptions::end);
        reading.drainWhatIsThere();
        for (OwnHandler handler : leaving) {
            leave(handler, table, subscriptions);
            LOGGER.info("handler {} has ended", handler.name());
        }
        List<OwnHandler> begun = new ArrayList<>();
        for (HandlerCandidate candidate : wanted.values()) {
            if (!table.handlers().containsKey(candidate.name())) {
                begin(candidate, table, subscriptions, kernel, begun, failures);
            }
        }
        failed = failures;
        this.wanted = wanted.size() + found.failed().size();
        long now = monotonic.nanos();
        begun.forEach(handler -> {
            handler.beginWindow(now);
            LOGGER.info("{}", describe(handler));
        });
    }

    private void sayOnce(String what, String why) {
        if (!why.equals(failed.get(what))) {
            LOGGER.warn("{}; running without it", why);
        }
    }

    private void begin(
            HandlerCandidate candidate,
            HandlerTable table,
            HandlerSubscriptions subscriptions,
            HandlerKernel kernel,
            List<OwnHandler> begun,
            Map<String, String> failures) {
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
                            monotonic.nanos(),
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
    private void leaveFailed(HandlerTable table, HandlerSubscriptions subscriptions) {
        for (OwnHandler handler : table.handlers().values()) {
            if (handler.failure().isPresent() && off.add(handler.name())) {
                subscriptions.end(handler);
            }
        }
    }

    private void leave(OwnHandler handler, HandlerTable table, HandlerSubscriptions subscriptions) {
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

    private void writeReport(HandlerTable table, HandlerSubscriptions subscriptions, RecordSource reading) {
        report.put("handler_events", table.events());
        report.put(
                "handler_events_lost",
                table.lostByCpu().values().stream().mapToLong(Long::longValue).sum());
        for (CollectorCounter counter : COUNTERS) {
            report.put("handler_" + counter.label(), reading.count(counter));
        }
        report.put("handlers", reports);
        report.put("handlers_failed", failed);
        report.put("handler_subscriptions", subscriptions.report(table::delivered));
    }

    /** Whether there is anything that could run, without running anything of it. */
    static boolean isWanted(HandlerChoice choice) {
        return !choice.sections().isEmpty() || choice.directory().isPresent() || HandlerCatalog.isOnClassPath();
    }
}
