// SPDX-License-Identifier: Apache-2.0
package magnet.handler.run;

import java.io.IOException;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import magnet.agent.Agent;
import magnet.agent.AgentHealth;
import magnet.config.HandlerChoice;
import magnet.config.MagnetConfig;
import magnet.handler.HandlerCatalog;
import magnet.handler.HandlerTable;
import magnet.magnetfs.CollectorSettings;
import magnet.measure.MeasuringCore;
import magnet.measure.PublishSchedule;
import magnet.measure.RecordSource;
import magnet.metric.Level;
import magnet.metric.MetricSnapshot;
import magnet.os.MonotonicClock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Own handlers at work: all of it is one turn of their agent, which reads their buffer and runs their code, so that nothing of it
 * holds up the collector. It ends when it is told to, or has no handlers any more. The others are for any thread.
 */
final class HandlerRun implements Agent {
    /** How much earlier its windows end than those of the service, which takes them over then. */
    static final long LEAD_NANOS = 200_000_000;

    private static final Logger LOGGER = LoggerFactory.getLogger(HandlerRun.class);
    /** Shortest first window. */
    private static final long SHORTEST_NANOS = 200_000_000;

    private static final int LONGEST_SLEEP_MILLIS = 1_000;

    /**
     * What shall run.
     *
     * @param choice handlers of the configuration and jars
     * @param level level that is in force
     */
    record Request(HandlerChoice choice, Level level) {}

    private final HandlerKernel.HandlerConnector connector;
    private final MagnetConfig config;
    private final CollectorSettings settings;
    private final MonotonicClock monotonic;
    private final InstantSource wall;
    private final PublishSchedule schedule;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Object> report = new LinkedHashMap<>();
    private @Nullable Request next;
    private boolean over;
    private volatile boolean stopping;
    private volatile @Nullable RecordSource source;
    private volatile @Nullable MetricSnapshot latest;
    private volatile int wanted;
    private volatile boolean broken;

    /**
     * @param settings how their buffer is read
     * @param began when the service's first window began, monotonic
     */
    HandlerRun(
            HandlerKernel.HandlerConnector connector,
            MagnetConfig config,
            CollectorSettings settings,
            MonotonicClock monotonic,
            InstantSource wall,
            long began,
            Request first) {
        this.connector = connector;
        this.config = config;
        this.settings = settings;
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

    @Override
    public String roleName() {
        return "magnet-handlers";
    }

    @Override
    public OnFailure onFailure() {
        return OnFailure.END;
    }

    /** Lets it come to its end. */
    @Override
    public void wakeUp() {
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

    /** Whatever fails is told by {@link #isBroken}, so that their metrics do not go without a word. */
    @Override
    public int doWork() {
        try (HandlerCatalog catalog = new HandlerCatalog()) {
            Request request = Objects.requireNonNull(take());
            HandlerCatalog.Found found = catalog.look(request.choice());
            while (isNothing(found)) {
                if (endIfIdle()) {
                    return OVER;
                }
                request = Objects.requireNonNull(take());
                found = catalog.look(request.choice());
            }
            wanted = found.candidates().size() + found.failed().size();
            try (HandlerKernel kernel = connect()) {
                work(kernel, catalog, found, request.level());
            }
        } catch (Throwable e) { // errors of the JVM too: it runs what others have written
            broken = true;
            report.put("handlers_broken", 1L);
            boolean isOurs = e instanceof IOException;
            LOGGER.error("own handlers do not run: {}", isOurs ? e.getMessage() : e.toString());
            LOGGER.debug("own handlers", e);
        } finally {
            end();
            latest = null;
        }
        return OVER;
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

    private HandlerKernel connect() throws IOException {
        HandlerKernel kernel = connector.connect();
        try {
            kernel.createBuffer(config.bufferBytes(), () -> stopping);
            return kernel;
        } catch (IOException e) {
            kernel.close();
            throw e;
        }
    }

    private void work(HandlerKernel kernel, HandlerCatalog catalog, HandlerCatalog.Found first, Level level)
            throws IOException {
        HandlerTable table = new HandlerTable(config.slots(), monotonic.nanos());
        try (RecordSource records = kernel.open(settings, table);
                MeasuringCore core =
                        new MeasuringCore("magnet-handlers-conductor", records, monotonic, AgentHealth.unheard())) {
            source = records;
            HandlerSet handlers = new HandlerSet(kernel, config, table, records, core);
            handlers.begin(first, level);
            wanted = handlers.wanted();
            // A first window that is hardly longer than nothing would make a rate of any event: it goes on to the next
            // end.
            schedule.take(monotonic.nanos() + SHORTEST_NANOS);
            while (!stopping && !records.hasEnded()) {
                core.work(schedule.waitMillis(monotonic.nanos()), LONGEST_SLEEP_MILLIS);
                handlers.leaveFailed();
                core.takeSnapshot();
                if (core.mayCloseWindow() && schedule.take(monotonic.nanos())) {
                    handlers.endWindow(wall, snapshot -> latest = snapshot);
                }
                Request request = take();
                if (request != null) {
                    HandlerCatalog.Found found = catalog.look(request.choice());
                    handlers.use(found, request.level());
                    wanted = handlers.wanted();
                    catalog.closeRetired();
                    if (isNothing(found) && endIfIdle()) {
                        break;
                    }
                }
            }
            if (records.hasEnded()) {
                broken = true;
                LOGGER.warn("own handlers end: somebody removed their buffer {}", HandlerKernel.BUFFER);
            }
            handlers.end();
            core.rest();
            report.putAll(handlers.report());
        }
    }

    private static boolean isNothing(HandlerCatalog.Found found) {
        return found.candidates().isEmpty() && found.failed().isEmpty();
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
}
