// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import magnet.config.HandlerChoice;
import magnet.config.MagnetConfig;
import magnet.metric.DropReason;
import magnet.metric.Level;
import magnet.metric.Metric;
import magnet.metric.MetricChoice;
import magnet.metric.MetricSnapshot;
import magnet.metric.Metrics;
import magnet.metric.SensorMetrics;
import magnet.os.MonotonicClock;
import magnet.publish.ganglia.GangliaSink;
import magnet.record.RecordHandler;
import magnet.summary.EventSummary;
import magnet.summary.SummarySetup;
import magnet.summary.TimerScale;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One run of the service: subscribes, reads, summarises, publishes, and leaves nothing behind.
 *
 * <p>{@link #run} does all of it on the caller's thread, which so becomes the collector; only the sinks have threads of
 * their own. {@link #stop} is for any thread.
 */
final class MagnetService {
    /**
     * The clocks of a run.
     *
     * @param monotonic CLOCK_MONOTONIC
     * @param wall the wall clock
     * @param started when the process was started, on the wall clock
     */
    record Clocks(MonotonicClock monotonic, InstantSource wall, Instant started) {
        /** The wall clock as it would go on from now if nobody ever set it: for how long something took. */
        InstantSource steady() {
            Instant now = wall.instant();
            long nanos = monotonic.nanos();
            return () -> now.plusNanos(monotonic.nanos() - nanos);
        }
    }

    private static final Logger LOGGER = LoggerFactory.getLogger(MagnetService.class);

    private final MagnetConfig config;
    private final SensorKernel kernel;
    private final GangliaSink ganglia;
    private final Clocks clocks;
    private final ServiceManager manager;
    private final PidFile pidFile;
    private final Optional<Path> reportFile;
    private final DetailLevel level;
    private final InstantSource steady;
    private final AtomicReference<@Nullable MetricChoice> nextChoice = new AtomicReference<>();
    private final AtomicReference<@Nullable HandlerChoice> nextHandlers = new AtomicReference<>();
    private volatile boolean stopping;
    private volatile @Nullable RecordSource source;

    /**
     * @param config what magnet.conf says
     * @param kernel the module
     * @param ganglia where to publish; closed at the end
     * @param clocks the clocks of the machine
     * @param manager who is told how the run is
     * @param pidFile written when the module has granted the buffer
     * @param reportFile where to write what the run came to
     */
    MagnetService(
            MagnetConfig config,
            SensorKernel kernel,
            GangliaSink ganglia,
            Clocks clocks,
            ServiceManager manager,
            PidFile pidFile,
            Optional<Path> reportFile) {
        this.config = config;
        this.kernel = kernel;
        this.ganglia = ganglia;
        this.clocks = clocks;
        this.manager = manager;
        this.pidFile = pidFile;
        this.reportFile = reportFile;
        this.level = new DetailLevel(config.metrics());
        this.steady = clocks.steady();
    }

    /**
     * Publishes something else from the end of the current window on; what goes on to be published has no gap.
     *
     * @param handlers own handlers, whose jars are looked at again
     */
    void use(MetricChoice choice, HandlerChoice handlers) {
        nextChoice.set(choice);
        nextHandlers.set(handlers);
    }

    /** Lets {@link #run} come to its end. */
    void stop() {
        stopping = true;
        RecordSource reading = source;
        if (reading != null) {
            reading.stop();
        }
    }

    /**
     * Runs until it is told to stop.
     *
     * @throws ServiceException if it cannot start, or the module goes away
     */
    void run() throws ServiceException {
        warnOfLayout();
        warnOfDropReasons();
        int cpus = kernel.createBuffer(config.bufferBytes());
        pidFile.write();
        EventSummary summary = summary(cpus);
        try (RecordTee tee = tee(summary);
                RecordSource reading = kernel.open(config, tee == null ? summary : tee)) {
            source = reading;
            Points points = new Points(kernel, manager::alive);
            List<Metric> metrics = points.use(chosen());
            // What came while points were subscribed is for no window: it would hold more than its length.
            reading.catchUp();
            long began = clocks.monotonic().nanos();
            summary.begin(began);
            ReadingTotals totals = ReadingTotals.ofSensor();
            totals.note(reading, summary::startTotal);
            summary.startTotal(SensorMetrics.MISSED, points.missed());
            if (tee != null) {
                tee.begin();
            }
            summary.use(metrics, began);
            try (OwnHandlers own = new OwnHandlers(kernel::connectHandlers, config, clocks, began);
                    Publishing publishing = new Publishing(
                            metrics,
                            ganglia,
                            SinkKind.chosen(new SinkKind.Context(config, kernel, clocks.monotonic(), cpus)),
                            steady,
                            manager.health())) {
                own.use(config.handlers(), level.level());
                LOGGER.info(
                        "publishing {} metrics made of {} points on {} CPUs to {}",
                        metrics.size(),
                        points.subscribed().size(),
                        cpus,
                        publishing.destinations());
                manager.ready(status(points, publishing));
                work(reading, totals, summary, tee, points, publishing, own, began);
                boolean gone = !stopping;
                if (!gone) {
                    points.unsubscribe();
                    reading.drain();
                }
                own.end();
                report(gone, summary, reading, points, publishing, own);
                if (gone) {
                    throw new ServiceException(
                            ExitCode.MODULE_GONE, "the kernel module was unloaded, so there is nothing left to do");
                }
            }
        } catch (IOException | UncheckedIOException e) {
            throw new ServiceException(ExitCode.INTERNAL, "reading events failed: " + e.getMessage(), e);
        }
    }

    private void warnOfLayout() {
        if (!kernel.facts().layout().hasTid()) {
            LOGGER.warn("the module writes records in layout classic, which has no thread ids:"
                    + " no metrics that join events by thread");
        }
    }

    private void warnOfDropReasons() {
        if (kernel.dropReasons().isEmpty()) {
            LOGGER.warn("the module does not name the kernel's reasons to drop a packet: no drops by reason;"
                    + " install the same release of module and service");
        }
    }

    private List<Metric> chosen() {
        List<Metric> chosen = Metrics.chosen(
                level.choice(), level.level(), kernel.facts().layout().hasTid());
        return kernel.dropReasons().isEmpty() ? DropReason.withoutAny(chosen) : chosen;
    }

    private EventSummary summary(int cpus) {
        SensorKernel.Facts facts = kernel.facts();
        SummarySetup setup = new SummarySetup(
                cpus,
                config.slots(),
                TimerScale.ofKhz(facts.ticksPerMilli()),
                facts.clockModel(),
                LinuxMachine.running(clocks.monotonic(), kernel.dropReasons()));
        return new EventSummary(setup, clocks.monotonic().nanos());
    }

    private @Nullable RecordTee tee(RecordHandler summary) throws ServiceException {
        return config.teeDirectory().isPresent()
                ? new RecordTee(config.teeDirectory().get(), config.slots(), summary)
                : null;
    }

    private void work(
            RecordSource reading,
            ReadingTotals totals,
            EventSummary summary,
            @Nullable RecordTee tee,
            Points points,
            Publishing publishing,
            OwnHandlers own,
            long start)
            throws IOException, ServiceException {
        PublishSchedule schedule =
                new PublishSchedule(start, config.publishInterval().toNanos());
        UsageWindow usage = new UsageWindow(
                config.slots(),
                start,
                ProcessUsage.now(),
                new UsageWindow.Totals(summary.events(), publishing.failures()));
        LossLog losses = new LossLog();
        long lostBefore = summary.lost();
        while (!stopping && !reading.hasEnded()) {
            int handed = reading.doWork(
                    Math.min(schedule.waitMillis(clocks.monotonic().nanos()), manager.longestSleepMillis()));
            manager.alive();
            long now = clocks.monotonic().nanos();
            if (handed > 0) {
                summary.noteLag(now);
            }
            if (schedule.take(now)) {
                reading.readNow();
                totals.note(reading, summary::noteTotal);
                summary.noteTotal(SensorMetrics.MISSED, points.missed());
                summary.noteCycle(reading.takeLongestCycle());
                UsageWindow.Totals used = new UsageWindow.Totals(summary.events(), publishing.failures());
                OwnHandlers.Values values = own.values(now);
                MetricSnapshot snapshot =
                        summary.closeWindow(now, clocks.wall().instant(), values.with(publishing.metrics()), others -> {
                            values.put(others);
                            usage.close(now, ProcessUsage.now(), used, others);
                            others.put(SensorMetrics.LEVEL, level.level().number());
                            others.put(
                                    SensorMetrics.POINTS_FAILED, points.failed().size());
                        });
                publishing.publish(snapshot);
                manager.status(status(points, publishing) + rates(snapshot) + values.status());
                if (tee != null) {
                    tee.onWindow(snapshot, summary.lost() - lostBefore);
                }
                lostBefore = summary.lost();
                losses.interval(summary.lostByCpu(), now);
                summary.noteClosing(clocks.monotonic().nanos() - now);
                adjust(snapshot, now, reading, points, summary, publishing, own);
            }
        }
    }

    private String status(Points points, Publishing publishing) {
        return "level " + level.level().key() + ": " + publishing.metrics().size() + " metrics made of "
                + points.subscribed().size() + " points";
    }

    private static String rates(MetricSnapshot snapshot) {
        return String.format(
                Locale.ROOT,
                "; %.0f events/s, %.0f lost/s",
                snapshot.value(SensorMetrics.EVENTS).orElse(0),
                snapshot.value(SensorMetrics.LOST).orElse(0));
    }

    /** Where a window ends it may begin to publish something else. */
    private void adjust(
            MetricSnapshot snapshot,
            long now,
            RecordSource reading,
            Points points,
            EventSummary summary,
            Publishing publishing,
            OwnHandlers own)
            throws IOException, ServiceException {
        List<Metric> before = chosen();
        Level levelBefore = level.level();
        level.look(snapshot, now);
        MetricChoice other = nextChoice.getAndSet(null);
        if (other != null) {
            level.use(other);
        }
        HandlerChoice otherHandlers = nextHandlers.getAndSet(null);
        if (otherHandlers != null) {
            own.use(otherHandlers, level.level());
        } else if (level.level() != levelBefore) {
            own.use(level.level());
        }
        if (chosen().equals(before)) {
            return;
        }
        List<Metric> metrics = points.use(chosen());
        reading.catchUp();
        summary.use(metrics, clocks.monotonic().nanos());
        publishing.use(metrics);
        LOGGER.info(
                "level {}: {} metrics made of {} points",
                level.level().key(),
                metrics.size(),
                points.subscribed().size());
    }

    private void report(
            boolean gone,
            EventSummary summary,
            RecordSource reading,
            Points points,
            Publishing publishing,
            OwnHandlers own) {
        LOGGER.info(
                "ending: {} events read, {} lost, {} snapshots published",
                summary.events(),
                summary.lost(),
                publishing.published());
        if (reportFile.isEmpty()) {
            return;
        }
        try {
            Map<String, Object> report = RunReport.of(
                    gone ? "module unloaded" : "stopped",
                    clocks.started(),
                    steady.instant(),
                    summary,
                    reading,
                    points,
                    publishing);
            report.putAll(own.report());
            RunReport.write(reportFile.get(), report);
        } catch (IOException e) {
            LOGGER.error("cannot write {}: {}", reportFile.get(), e.toString());
        }
    }
}
