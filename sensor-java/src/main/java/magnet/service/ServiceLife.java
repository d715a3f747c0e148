// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import magnet.agent.Agent;
import magnet.agent.AgentRunner;
import magnet.config.MagnetConfig;
import magnet.publish.ganglia.GangliaSink;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One run of the service after the other, while its configuration changes: where it only says where to send, the sink
 * of the run changes; where it only says what to publish, the run does; where it says otherwise what to do, the run ends
 * and another begins; where it switches magnet off, there is none, and nothing is switched on in the kernel.
 *
 * <p>{@link #run} is for one thread, the others are for any.
 */
final class ServiceLife {
    /** What goes before each run, and how it gets at the module. */
    @FunctionalInterface
    interface RunConnector {
        SensorKernel connect(MagnetConfig config) throws ServiceException;
    }

    private static final Logger LOGGER = LoggerFactory.getLogger(ServiceLife.class);
    private static final long LOOK_MILLIS = 2_000;
    /** The module needs a moment to end what belonged to the last run. */
    private static final long AGAIN_MILLIS = 100;

    private static final int AGAIN_TIMES = 300;
    private static final double MILLIS_PER_SECOND = 1e3;

    private final RunConnector connector;
    private final MagnetService.Clocks clocks;
    private final ServiceManager manager;
    private final PidFile pidFile;
    private final Optional<Path> reportFile;
    private final SetupWatch watch;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private Setup setup;
    private @Nullable MagnetService service;
    private @Nullable GangliaSink sink;
    private boolean ranBefore;
    private boolean asked;
    private boolean stopping;

    /**
     * @param files the configuration's files, which have been read
     * @param setup what they said
     * @param connector connects each run to the module
     * @param clocks the clocks of the machine
     * @param manager who is told how the service is
     * @param pidFile written when there is something that runs
     * @param reportFile where each run writes what it came to
     */
    ServiceLife(
            SetupFiles files,
            Setup setup,
            RunConnector connector,
            MagnetService.Clocks clocks,
            ServiceManager manager,
            PidFile pidFile,
            Optional<Path> reportFile) {
        this.connector = connector;
        this.clocks = clocks;
        this.manager = manager;
        this.pidFile = pidFile;
        this.reportFile = reportFile;
        this.setup = setup;
        this.watch = new SetupWatch(files, this::use);
    }

    /**
     * Runs until it is told to stop.
     *
     * @throws ServiceException if a run cannot start, or the module goes away
     */
    void run() throws ServiceException, IOException {
        AgentRunner watcher = AgentRunner.start(new Watching(), manager.health());
        try {
            for (Setup next = awaitEnabled(); next != null; next = awaitEnabled()) {
                runOnce(next);
            }
        } finally {
            stop();
            watcher.close();
        }
    }

    /** Looks at the configuration's files; whatever fails, the next look may go well. */
    private final class Watching implements Agent {
        @Override
        public String roleName() {
            return "magnet-config";
        }

        @Override
        public int doWork() {
            return watch() ? 1 : OVER;
        }
    }

    /** Lets {@link #run} come to its end. */
    void stop() {
        change(() -> {
            if (!stopping) {
                manager.stopping();
            }
            stopping = true;
            endRun();
        });
    }

    /** Lets the configuration be read again, and gmond be told everything again. */
    void reload() {
        change(() -> asked = true);
    }

    private void runOnce(Setup next) throws ServiceException, IOException {
        next.warn();
        for (int tries = 0; ; tries++) {
            try (SensorKernel kernel = connector.connect(next.magnet())) {
                LOGGER.info("{}", kernel.facts().description());
                GangliaSink to = GangliaSink.of(
                        next.gmond(), next.magnet().publishInterval().toMillis() / MILLIS_PER_SECOND);
                MagnetService run = new MagnetService(next.magnet(), kernel, to, clocks, manager, pidFile, reportFile);
                if (begin(next, run, to)) {
                    run.run();
                }
                return;
            } catch (ServiceException e) {
                if (!ranBefore || e.exitCode() != ExitCode.ALREADY_RUNNING || tries == AGAIN_TIMES) {
                    throw e;
                }
            } finally {
                ended();
            }
            if (!await(AGAIN_MILLIS, () -> stopping)) {
                return;
            }
        }
    }

    /** False if it is not wanted any more. */
    private boolean begin(Setup next, MagnetService run, GangliaSink to) throws IOException {
        lock.lock();
        try {
            if (stopping || !next.magnet().equals(setup.magnet()) || !setup.enabled()) {
                return false;
            }
            if (!next.equals(setup)) {
                to.use(setup.gmond());
            }
            service = run;
            sink = to;
            return true;
        } finally {
            lock.unlock();
        }
    }

    private void ended() {
        change(() -> {
            ranBefore |= service != null;
            service = null;
            sink = null;
        });
    }

    /** What to run by; null at the end. */
    private @Nullable Setup awaitEnabled() throws ServiceException {
        lock.lock();
        try {
            if (!stopping && !setup.enabled()) {
                String file = setup.gmond().module().orElseThrow().file();
                LOGGER.info(
                        "module magnet in {} has enabled = no: nothing is watched and nothing published until it is"
                                + " switched on",
                        file);
                pidFile.write();
                manager.ready("switched off in " + file);
            }
            while (!stopping && !setup.enabled()) {
                manager.alive();
                if (!await(manager.longestSleepMillis(), () -> stopping || setup.enabled())) {
                    return null;
                }
            }
            return stopping ? null : setup;
        } finally {
            lock.unlock();
        }
    }

    /** One look, when it is time; false at the end. */
    private boolean watch() {
        if (!awaitLook()) {
            return false;
        }
        boolean wasAsked = takeAsked();
        if (wasAsked) {
            manager.reloading();
        }
        try {
            watch.look(wasAsked);
        } finally {
            if (wasAsked) {
                manager.reloaded();
            }
        }
        return true;
    }

    /** False at the end. */
    private boolean awaitLook() {
        return await(LOOK_MILLIS, () -> asked || stopping) && !locked(() -> stopping);
    }

    private boolean takeAsked() {
        return locked(() -> {
            boolean was = asked;
            asked = false;
            return was;
        });
    }

    /** Waits so long, or until it is so; false if interrupted. */
    private boolean await(long millis, BooleanSupplier until) {
        lock.lock();
        try {
            long left = TimeUnit.MILLISECONDS.toNanos(millis);
            while (left > 0 && !until.getAsBoolean()) {
                left = changed.awaitNanos(left);
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            lock.unlock();
        }
    }

    private void use(Setup next, boolean wasAsked) {
        change(() -> {
            if (next.gmond().fallback() && !setup.gmond().fallback()) {
                LOGGER.error(
                        "{}: no such file; what was read before goes on to count",
                        next.magnet().gmondConf());
                return;
            }
            boolean same = next.equals(setup);
            boolean another = !next.magnet()
                            .with(setup.magnet().metrics(), setup.magnet().handlers())
                            .equals(setup.magnet())
                    || next.enabled() != setup.enabled();
            boolean collectedOtherwise = !next.collectedTwice().equals(setup.collectedTwice());
            boolean complainedOtherwise =
                    !next.gmond().complaints().equals(setup.gmond().complaints());
            setup = next;
            if (another) {
                LOGGER.info("the configuration has changed: {}", next.enabled() ? "beginning anew" : "switched off");
                if (service != null || next.enabled()) {
                    manager.beginningAnew();
                }
                endRun();
                return;
            }
            if (complainedOtherwise) {
                next.warnOfGmondConf();
            }
            if (collectedOtherwise) {
                next.warnOfCollection();
            }
            if (service != null) {
                service.use(next.magnet().metrics(), next.magnet().handlers());
            }
            if (sink != null && (!same || wasAsked)) {
                redirect(sink, next);
            }
        });
    }

    private static void redirect(GangliaSink sink, Setup next) {
        try {
            sink.use(next.gmond());
            LOGGER.info("read the configuration again: publishing to {}", sink.destinations());
        } catch (IOException e) {
            LOGGER.error("cannot go over to another gmond.conf: {}", e.toString());
        }
    }

    private void endRun() {
        MagnetService running = service;
        if (running != null) {
            running.stop();
        }
    }

    private void change(Runnable action) {
        lock.lock();
        try {
            action.run();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private boolean locked(BooleanSupplier question) {
        lock.lock();
        try {
            return question.getAsBoolean();
        } finally {
            lock.unlock();
        }
    }
}
