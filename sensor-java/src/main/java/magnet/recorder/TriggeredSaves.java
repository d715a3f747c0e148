// SPDX-License-Identifier: Apache-2.0
package magnet.recorder;

import java.io.IOException;
import java.time.InstantSource;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import magnet.agent.Agent;
import magnet.agent.AgentHealth;
import magnet.agent.AgentRunner;
import magnet.config.RecorderChoice;
import magnet.control.MagnetControl;
import magnet.control.Notice;
import magnet.control.NoticeListener;
import magnet.control.UrgentNotice;
import magnet.os.Errno;
import magnet.os.MonotonicClock;
import magnet.os.OsException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Saves a flight recorder each time that something happens which is worth it: somebody says so ({@link #raised}), or the module
 * tells of an urgent event that was logged there. An agent saves, so that nobody waits for the disk, and another one listens.
 * What happens while one is saved, or too soon after it, is counted and not saved. Thread-safe.
 */
public final class TriggeredSaves implements AutoCloseable {
    /** The module, as it is asked each time anew: a save has a socket of its own. */
    public interface Kernel {
        /** A control socket. */
        MagnetControl control() throws IOException;

        /** What the module tells everybody. */
        NoticeListener notices() throws IOException;

        /** Where data files and processes are. */
        RecorderSave.Machine machine();
    }

    private static final Logger LOGGER = LoggerFactory.getLogger(TriggeredSaves.class);
    private static final int WAIT_MILLIS = 500;
    /** What wakes the agent that saves when it shall end. */
    private static final String NOTHING = "";

    private final RecorderChoice choice;
    private final Kernel kernel;
    private final MonotonicClock clock;
    private final SaveFolder folder;
    private final BlockingQueue<String> due = new ArrayBlockingQueue<>(1);
    private final AtomicLong unsaved = new AtomicLong();
    private final AgentRunner saver;
    private final @Nullable AgentRunner listener;

    /**
     * Begins to wait for what happens.
     *
     * @param clock monotonic
     * @param wall the wall clock
     * @param health hears of the agents
     */
    public TriggeredSaves(
            RecorderChoice choice, Kernel kernel, MonotonicClock clock, InstantSource wall, AgentHealth health) {
        this.choice = choice;
        this.kernel = kernel;
        this.clock = clock;
        this.folder = new SaveFolder(
                choice.directory(),
                choice.recorder(),
                new SaveFolder.Bounds(choice.traces(), choice.bytes(), choice.freeBytes()),
                wall);
        this.saver = AgentRunner.start(new Saver(), health);
        this.listener =
                choice.when().contains(RecorderChoice.When.URGENT) ? AgentRunner.start(new Listener(), health) : null;
    }

    /** A metric crossed its bound, and more is published now. Never waits. */
    public void raised() {
        if (choice.when().contains(RecorderChoice.When.RAISED)) {
            happened("the level was raised");
        }
    }

    /** How often something happened since the last save that was not saved. */
    long unsaved() {
        return unsaved.get();
    }

    private void happened(String what) {
        if (!due.offer(what)) {
            unsaved.incrementAndGet();
        }
    }

    @Override
    public void close() {
        if (listener != null) {
            listener.close();
        }
        saver.close();
    }

    private final class Saver implements Agent {
        private final SavePause pause = new SavePause(clock, choice.pause());

        @Override
        public String roleName() {
            return "magnet-record";
        }

        @Override
        public int doWork() throws InterruptedException {
            String what = due.poll(WAIT_MILLIS, TimeUnit.MILLISECONDS);
            if (what == null || what.equals(NOTHING)) {
                return 0;
            }
            if (pause.goesOn()) {
                unsaved.incrementAndGet();
                return 0;
            }
            save(what);
            pause.begin();
            return 1;
        }

        private void save(String what) {
            long before = unsaved.getAndSet(0);
            String since = before == 0
                    ? ""
                    : " (" + before + (before == 1 ? " time" : " times") + " more since the last trace)";
            try (MagnetControl control = kernel.control()) {
                Saved saved = folder.save(new RecorderSave(control, kernel.machine()));
                LOGGER.info("{}{}: flight recorder {}: {}", what, since, choice.recorder(), saved.text());
            } catch (IOException e) {
                LOGGER.warn(
                        "{}{}: flight recorder {} is not saved: {}", what, since, choice.recorder(), e.getMessage());
            }
        }

        @Override
        public void wakeUp() {
            boolean unused = due.offer(NOTHING);
        }
    }

    private final class Listener implements Agent {
        private @Nullable NoticeListener notices;

        @Override
        public String roleName() {
            return "magnet-urgent";
        }

        @Override
        public void onStart() throws IOException {
            notices = kernel.notices();
        }

        @Override
        public int doWork() throws IOException {
            NoticeListener from = notices;
            if (from == null) {
                return OVER;
            }
            try {
                return take(from);
            } catch (OsException e) {
                if (e.errno() != Errno.ENOBUFS) {
                    throw e;
                }
                happened("notices were missed, perhaps of an urgent event");
                return 0;
            }
        }

        private int take(NoticeListener from) throws IOException {
            int urgent = 0;
            for (Notice notice : from.next(WAIT_MILLIS)) {
                if (notice instanceof UrgentNotice its && its.buffer().equals(choice.recorder())) {
                    happened("an urgent event of " + its.point());
                    urgent++;
                }
            }
            return urgent;
        }

        @Override
        public void onClose() {
            NoticeListener from = notices;
            if (from != null) {
                from.close();
            }
        }
    }
}
