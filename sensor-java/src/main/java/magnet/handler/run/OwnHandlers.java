// SPDX-License-Identifier: Apache-2.0
package magnet.handler.run;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import magnet.agent.AgentHealth;
import magnet.agent.AgentRunner;
import magnet.config.HandlerChoice;
import magnet.config.MagnetConfig;
import magnet.handler.HandlerCatalog;
import magnet.magnetfs.CollectorSettings;
import magnet.metric.HandlerMetrics;
import magnet.metric.Level;
import magnet.metric.Metric;
import magnet.metric.MetricSnapshot;
import magnet.os.MonotonicClock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The handlers that an installation has besides the built-in ones, as the service sees them: on a thread, a control socket
 * and a buffer of their own, none of which is there without handlers. For the collector's thread, which never waits for
 * them but at its end.
 */
public final class OwnHandlers implements AutoCloseable {
    private static final Logger LOGGER = LoggerFactory.getLogger(OwnHandlers.class);
    private static final Duration CLOSE_WAIT = Duration.ofSeconds(10);
    private static final int STUCK_INTERVALS = 3;
    private static final long STUCK_LEAST_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** A run and its thread. */
    private record Started(HandlerRun run, AgentRunner runner) {}

    private final HandlerKernel.HandlerConnector connector;
    private final MagnetConfig config;
    private final CollectorSettings settings;
    private final MonotonicClock monotonic;
    private final InstantSource wall;
    private final long began;
    private final List<Started> all = new ArrayList<>();
    private HandlerChoice choice = HandlerChoice.NONE;
    /** Of the last run: the newest windows, and when they, or the run, began to be the newest. */
    private @Nullable MetricSnapshot seen;

    private long seenNanos;
    private boolean stuck;
    private boolean unwanted;

    /**
     * @param settings how their buffer is read
     * @param began when the service's first window began, monotonic
     */
    public OwnHandlers(
            HandlerKernel.HandlerConnector connector,
            MagnetConfig config,
            CollectorSettings settings,
            MonotonicClock monotonic,
            InstantSource wall,
            long began) {
        this.connector = connector;
        this.config = config;
        this.settings = settings;
        this.monotonic = monotonic;
        this.wall = wall;
        this.began = began;
    }

    /** Lets these handlers run, and looks at their jars again. */
    public void use(HandlerChoice next, Level level) {
        choice = next;
        unwanted = false;
        HandlerRun.Request request = new HandlerRun.Request(next, level);
        if (!all.isEmpty() && all.get(all.size() - 1).run.offer(request)) {
            return;
        }
        if (!HandlerCatalog.isWanted(next)) {
            unwanted = true;
            return;
        }
        HandlerRun run = new HandlerRun(connector, config, settings, monotonic, wall, began, request);
        // Theirs may fail and stand still: that is in their values, and none of the watchdog's business.
        all.add(new Started(run, AgentRunner.start(run, AgentHealth.unheard())));
        seen = null;
        seenNanos = monotonic.nanos();
        stuck = false;
    }

    /** The same handlers at another level. */
    public void use(Level level) {
        use(choice, level);
    }

    /**
     * What is published of them.
     *
     * @param snapshot their windows that ended last; null if there is nothing
     */
    public record Values(@Nullable MetricSnapshot snapshot) {
        /** These metrics, and theirs. */
        public List<Metric> with(List<Metric> others) {
            if (snapshot == null) {
                return others;
            }
            List<Metric> both = new ArrayList<>(others);
            for (int i = 0; i < snapshot.size(); i++) {
                both.add(snapshot.metric(i));
            }
            return both;
        }

        /** Puts theirs in. */
        public void put(MetricSnapshot.Builder builder) {
            if (snapshot == null) {
                return;
            }
            for (int i = 0; i < snapshot.size(); i++) {
                builder.put(snapshot.metric(i), snapshot.value(i));
            }
        }

        /** The end of a status line; empty without handlers. */
        public String status() {
            if (snapshot == null) {
                return "";
            }
            long off = (long) snapshot.value(HandlerMetrics.OFF).orElse(0);
            long metrics = IntStream.range(0, snapshot.size())
                    .filter(i -> !HandlerMetrics.all().contains(snapshot.metric(i)))
                    .count();
            return "; own handlers: " + metrics + (metrics == 1 ? " metric" : " metrics")
                    + (off == 0 ? "" : ", " + off + " off");
        }
    }

    /** Their values at the end of the service's window; while they stand still, that all of them are off. */
    public Values values(long nowNanos) {
        if (all.isEmpty() || unwanted) {
            return new Values(null);
        }
        Started started = all.get(all.size() - 1);
        if (started.run.hasEnded()) {
            return started.run.isBroken() ? allOff(started.run) : new Values(null);
        }
        MetricSnapshot latest = started.run.latest();
        if (latest != seen) {
            seen = latest;
            seenNanos = nowNanos;
            if (stuck) {
                stuck = false;
                LOGGER.info("own handlers go on");
            }
        }
        if (nowNanos - seenNanos > mostNanos()) {
            sayStuck(started.runner, nowNanos - seenNanos);
            return allOff(started.run);
        }
        return new Values(latest);
    }

    /** Longest time from one window to the next, and from the start to the first. */
    private long mostNanos() {
        return Math.max(
                STUCK_LEAST_NANOS, STUCK_INTERVALS * config.publishInterval().toNanos());
    }

    private Values allOff(HandlerRun run) {
        double seconds = config.publishInterval().toMillis() / 1e3;
        return new Values(MetricSnapshot.of(wall.instant(), seconds, List.of(HandlerMetrics.OFF))
                .put(HandlerMetrics.OFF, (double) run.wanted())
                .build());
    }

    private void sayStuck(AgentRunner runner, long nanos) {
        if (!stuck) {
            stuck = true;
            StackTraceElement[] trace = runner.stackTrace();
            LOGGER.error(
                    "own handlers have stood still for {} s{}; their metrics are left out until they go on",
                    TimeUnit.NANOSECONDS.toSeconds(nanos),
                    trace.length == 0 ? "" : " at " + trace[0]);
        }
    }

    /** What all of them came to, after {@link #end}; empty if there never were any. */
    public Map<String, Object> report() {
        Map<String, Object> report = new LinkedHashMap<>();
        for (Started started : all) {
            // One that did not come back may be writing its report now.
            if (!started.runner.hasEnded()) {
                report.merge("handlers_stuck", 1L, OwnHandlers::join);
            } else {
                started.run.report().forEach((key, value) -> report.merge(key, value, OwnHandlers::join));
            }
        }
        return report;
    }

    private static Object join(Object before, Object more) {
        if (before instanceof Long one && more instanceof Long other) {
            return one + other;
        }
        if (before instanceof List<?> one && more instanceof List<?> other) {
            List<Object> both = new ArrayList<>(one);
            both.addAll(other);
            return both;
        }
        return more;
    }

    @Override
    public void close() {
        end();
    }

    /** Ends them, so that their report is complete; one that does not come back is left standing. */
    public void end() {
        for (Started started : all) {
            started.runner.end();
        }
        for (Started started : all) {
            if (!started.runner.await(CLOSE_WAIT)) {
                sayStuck(started.runner, CLOSE_WAIT.toNanos());
            }
        }
    }
}
