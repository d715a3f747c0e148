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
import magnet.config.RecorderChoice;
import magnet.control.ControlException;
import magnet.handler.run.OwnHandlers;
import magnet.machine.LinuxMachine;
import magnet.measure.DetailLevel;
import magnet.measure.KernelFacts;
import magnet.measure.MeasuredMetrics;
import magnet.measure.MeasuringCore;
import magnet.measure.Points;
import magnet.measure.PublishSchedule;
import magnet.measure.ReadingTotals;
import magnet.measure.RecordSource;
import magnet.metric.DropReason;
import magnet.metric.Level;
import magnet.metric.Metric;
import magnet.metric.MetricChoice;
import magnet.metric.MetricGroup;
import magnet.metric.MetricSnapshot;
import magnet.metric.Metrics;
import magnet.metric.SensorMetrics;
import magnet.os.MonotonicClock;
import magnet.publish.Sink;
import magnet.publish.ganglia.GangliaSink;
import magnet.record.RecordHandler;
import magnet.recorder.TriggeredSaves;
import magnet.summary.EventSummary;
import magnet.summary.SummarySetup;
import magnet.summary.TimerScale;
import magnet.tee.RecordTee;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One run of the service: subscribes, reads, summarises, publishes, and leaves nothing behind.
 *
 * <p>{@link #run} does all of it on the caller's thread, which so becomes the collector, beside a {@link MeasuringCore}'s
 * conductor; sinks have threads of their own. {@link #stop} is for any thread.
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
    /** Of what is measured now, and of the change that is under way: who chooses may have gone on since. */
    private Level measuredLevel;

    private Level changingTo;
    private final AtomicReference<@Nullable MetricChoice> nextChoice = new AtomicReference<>();
    private final AtomicReference<@Nullable HandlerChoice> nextHandlers = new AtomicReference<>();
    private volatile boolean stopping;
    private volatile @Nullable RecordSource source;
    private @Nullable TriggeredSaves saves;

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
        this.measuredLevel = level.level();
        this.changingTo = measuredLevel;
        this.steady = clocks.steady();
    }

    /**
     * Publishes something else from the end of the current window on, as soon as its points are subscribed. What goes on to be
     * published is read meanwhile: it has no gap unless more is logged than the rings hold until the collector looks again,
     * which {@link SensorMetrics#LOST} tells.
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
        warnOfJobs();
        int cpus = kernel.createBuffer(config.bufferBytes());
        pidFile.write();
        EventSummary summary = summary(cpus);
        try (RecordTee tee = tee(summary);
                RecordSource reading = kernel.open(config, tee == null ? summary : tee);
                MeasuringCore core = new MeasuringCore(
                        "magnet-conductor", reading, clocks.monotonic(), manager.health(), manager::alive)) {
            source = reading;
            Points points = new Points(kernel, core::answered);
            MeasuredMetrics measured =
                    new MeasuredMetrics(core, points, summary, clocks.monotonic(), ReadingTotals.ofSensor());
            long began = measured.begin(chosen());
            if (tee != null) {
                tee.begin();
            }
            MeasuredMetrics.State first = measured.state();
            try (OwnHandlers own = own(began);
                    TriggeredSaves recorded = saves();
                    Publishing publishing = core.meanwhile(() -> publishing(first.metrics(), cpus))) {
                saves = recorded;
                core.meanwhile(() -> {
                    own.use(config.handlers(), level.level());
                    LOGGER.info(
                            "publishing {} metrics made of {} points on {} CPUs to {}",
                            first.metrics().size(),
                            first.points(),
                            cpus,
                            publishing.destinations());
                    manager.ready(status(measuredLevel, first));
                    return true;
                });
                WindowEnd windows = new WindowEnd(
                        config.slots(), began, clocks.monotonic(), measured, summary, publishing, versions());
                work(core, measured, reading, summary, tee, windows, publishing, own, began);
                boolean gone = !stopping;
                if (!gone) {
                    measured.end();
                }
                own.end();
                core.rest();
                takeLast(core, windows, tee);
                report(gone, summary, reading, core, points, publishing, own);
                if (gone) {
                    throw new ServiceException(
                            ExitCode.MODULE_GONE, "the kernel module was unloaded, so there is nothing left to do");
                }
            }
        } catch (ControlException e) {
            throw NetlinkKernel.refused(e);
        } catch (IOException | UncheckedIOException e) {
            throw new ServiceException(ExitCode.INTERNAL, "reading events failed: " + e.getMessage(), e);
        }
    }

    private OwnHandlers own(long began) {
        return new OwnHandlers(
                kernel::connectHandlers,
                config,
                BufferSource.settings(config),
                clocks.monotonic(),
                clocks.wall(),
                began);
    }

    private @Nullable TriggeredSaves saves() throws IOException {
        Optional<RecorderChoice> recorder = config.recorder();
        return recorder.isEmpty()
                ? null
                : new TriggeredSaves(
                        recorder.get(), kernel.recorders(), clocks.monotonic(), clocks.wall(), manager.health());
    }

    private Publishing publishing(List<Metric> metrics, int cpus) {
        List<Sink> others =
                SinkKind.chosen(new SinkKind.Context(config, kernel, clocks.monotonic(), cpus, manager.health()));
        return new Publishing(metrics, ganglia, others, steady, manager.health());
    }

    /** As the metric of the sensor's version tells them. */
    private String versions() {
        return Magnetd.version() + ", module " + kernel.facts().version();
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

    /** Those that are there when the service starts; "magnet check" looks at any time. */
    private void warnOfJobs() {
        if (chosen().stream().noneMatch(metric -> metric.group() == MetricGroup.JOBS)) {
            return;
        }
        try {
            kernel.unwatchedJobs(config.jobs())
                    .ifPresent(
                            jobs -> LOGGER.warn("jobs have no figures: {}; load it with {}", jobs, jobs.parameter()));
        } catch (IOException e) {
            LOGGER.warn("whether the module knows all jobs cannot be found out: {}", e.getMessage());
        }
    }

    private List<Metric> chosen() {
        List<Metric> chosen = Metrics.chosen(
                level.choice(), level.level(), kernel.facts().layout().hasTid());
        return kernel.dropReasons().isEmpty() ? DropReason.withoutAny(chosen) : chosen;
    }

    private EventSummary summary(int cpus) {
        KernelFacts facts = kernel.facts();
        SummarySetup setup = new SummarySetup(
                cpus,
                config.slots(),
                TimerScale.ofKhz(facts.ticksPerMilli()),
                facts.clockModel(),
                LinuxMachine.running(clocks.monotonic(), kernel.dropReasons()),
                config.jobs());
        return new EventSummary(setup, clocks.monotonic().nanos());
    }

    private @Nullable RecordTee tee(RecordHandler summary) throws ServiceException {
        if (config.teeDirectory().isEmpty()) {
            return null;
        }
        try {
            return new RecordTee(config.teeDirectory().get(), config.slots(), summary, manager.health());
        } catch (IOException e) {
            throw ServiceException.of(ExitCode.CONFIGURATION, e);
        }
    }

    private void work(
            MeasuringCore core,
            MeasuredMetrics measured,
            RecordSource reading,
            EventSummary summary,
            @Nullable RecordTee tee,
            WindowEnd windows,
            Publishing publishing,
            OwnHandlers own,
            long start)
            throws IOException {
        PublishSchedule schedule =
                new PublishSchedule(start, config.publishInterval().toNanos());
        while (!stopping && !reading.hasEnded()) {
            int handed = core.work(schedule.waitMillis(clocks.monotonic().nanos()), manager.longestSleepMillis());
            long now = clocks.monotonic().nanos();
            if (handed > 0) {
                summary.noteLag(now);
            }
            take(core, measured, windows, publishing, own, tee);
            if (core.mayCloseWindow() && schedule.take(now)) {
                endWindow(measured.state(), windows, own.values(now), tee);
            }
        }
    }

    /** Ends the window. How the service is the conductor tells, which may make texts. */
    private void endWindow(
            MeasuredMetrics.State state, WindowEnd windows, OwnHandlers.Values values, @Nullable RecordTee tee)
            throws IOException {
        Level its = measuredLevel;
        windows.end(
                clocks.wall(),
                values,
                its,
                tee,
                snapshot -> manager.status(status(its, state) + rates(snapshot) + values.status()));
    }

    /** Takes what the conductor has finished: a snapshot that was published, a change of what is measured. */
    private void take(
            MeasuringCore core,
            MeasuredMetrics measured,
            WindowEnd windows,
            Publishing publishing,
            OwnHandlers own,
            @Nullable RecordTee tee)
            throws IOException {
        Optional<MetricSnapshot> published = core.takeSnapshot();
        if (published.isPresent()) {
            windows.taken(published.get(), tee);
            adjust(published.get(), own);
        }
        boolean changed = core.takeChange();
        if (changed) {
            measuredLevel = changingTo;
            LOGGER.info(
                    "level {}: {} metrics made of {} points",
                    measuredLevel.key(),
                    measured.state().metrics().size(),
                    measured.state().points());
        }
        if (changed || published.isPresent()) {
            if (measured.change(chosen())) {
                changingTo = level.level();
            }
            publishing.use(measured.state().metrics());
        }
    }

    /** Windows that ended before the run did are written down all the same. */
    private static void takeLast(MeasuringCore core, WindowEnd windows, @Nullable RecordTee tee) throws IOException {
        Optional<MetricSnapshot> last = core.takeSnapshot();
        while (last.isPresent()) {
            windows.taken(last.get(), tee);
            last = core.takeSnapshot();
        }
    }

    private static String many(int number, String what) {
        return number + " " + what + (number == 1 ? "" : "s");
    }

    private static String status(Level level, MeasuredMetrics.State state) {
        return "level " + level.key() + ": " + many(state.metrics().size(), "metric") + " made of "
                + many(state.points(), "point");
    }

    private static String rates(MetricSnapshot snapshot) {
        return String.format(
                Locale.ROOT,
                "; %.0f events/s, %.0f lost/s",
                snapshot.value(SensorMetrics.EVENTS).orElse(0),
                snapshot.value(SensorMetrics.LOST).orElse(0));
    }

    /** Where a window ends the level may change. */
    private void adjust(MetricSnapshot snapshot, OwnHandlers own) {
        Level levelBefore = level.level();
        boolean raised = level.look(snapshot, clocks.monotonic().nanos());
        TriggeredSaves recorded = saves;
        if (raised && recorded != null) {
            recorded.raised();
        }
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
    }

    private void report(
            boolean gone,
            EventSummary summary,
            RecordSource reading,
            MeasuringCore core,
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
                    core,
                    points,
                    publishing);
            report.putAll(own.report());
            RunReport.write(reportFile.get(), report);
        } catch (IOException e) {
            LOGGER.error("cannot write {}: {}", reportFile.get(), e.toString());
        }
    }
}
