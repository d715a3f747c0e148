// SPDX-License-Identifier: Apache-2.0
package magnet.cli.record;

import java.io.IOException;
import java.util.List;
import magnet.cli.world.Complaint;
import magnet.cli.world.Counted;
import magnet.cli.world.Output;
import magnet.cli.world.World;
import magnet.control.ControlException;
import magnet.control.MagnetControl;
import magnet.control.Notice;
import magnet.control.NoticeListener;
import magnet.control.UrgentNotice;
import magnet.os.Errno;
import magnet.os.OsException;
import magnet.recorder.Recorder;
import magnet.recorder.RecorderException;
import magnet.recorder.RecorderSave;
import magnet.recorder.SaveFolder;
import magnet.recorder.SavePause;
import magnet.recorder.Saved;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ExitCode;

/**
 * Saves a flight recorder whenever the module tells of an urgent event in it, but not too soon after the last save, until there
 * were enough traces, the time is over, the user interrupts, or the recorder or the module goes. For one run.
 */
final class UrgentSaving {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final int LONGEST_WAIT_MS = 500;

    private final World world;
    private final String recorder;
    private final SaveFolder folder;
    private final SavePause pause;
    private final SaveReport report;
    private volatile boolean interrupted;
    private long saved;
    private long passedOver;
    private String refusal = "";

    UrgentSaving(World world, String recorder, SaveFolder folder, SavePause pause, SaveReport report) {
        this.world = world;
        this.recorder = recorder;
        this.folder = folder;
        this.pause = pause;
        this.report = report;
    }

    /**
     * Waits and saves.
     *
     * @param wanted traces after which it ends; null if it does not matter how many
     * @param seconds longest time; infinite if it does not matter
     * @return the exit code
     */
    int run(@Nullable Long wanted, double seconds) throws IOException {
        world.interruption().onInterrupt(() -> interrupted = true);
        boolean gone;
        try (MagnetControl control = world.control().open();
                NoticeListener listener = world.notices().open()) {
            Recorder.named(recorder, control);
            world.tell("waiting for urgent events in flight recorder " + recorder);
            gone = isGoneAfter(control, listener, wanted == null ? Long.MAX_VALUE : wanted, seconds);
        }
        String more = passedOver == 0
                ? ""
                : "; urgent events that came too soon after a save (--pause) and have no trace of their own: "
                        + passedOver;
        if (gone && wanted != null) {
            world.tell("only " + saved + " of " + Counted.of(wanted, "trace") + " saved" + more);
            return ExitCode.SOFTWARE;
        }
        world.tell(Counted.of(saved, "trace") + " saved" + more);
        return ExitCode.OK;
    }

    /** Whether it ended since there is nothing to save any more. */
    private boolean isGoneAfter(MagnetControl control, NoticeListener listener, long most, double seconds)
            throws IOException {
        RecorderSave save = new RecorderSave(control, RecordCommand.machine(world));
        long start = world.clock().nanos();
        while (!interrupted && saved < most) {
            double left = seconds * NANOS_PER_SECOND - (world.clock().nanos() - start);
            if (left <= 0) {
                return false;
            }
            long urgent = urgent(listener, (int) Math.min(LONGEST_WAIT_MS, left / NANOS_PER_MILLI + 1));
            if (urgent > 0) {
                save(save, urgent);
            } else if (isGone(control)) {
                return true;
            }
        }
        return false;
    }

    /** How many urgent events were told of. */
    private long urgent(NoticeListener listener, int waitMs) throws IOException {
        try {
            List<Notice> notices = listener.next(waitMs);
            return notices.stream()
                    .filter(notice -> notice instanceof UrgentNotice urgent
                            && urgent.buffer().equals(recorder))
                    .count();
        } catch (OsException e) {
            if (e.errno() != Errno.ENOBUFS) {
                throw e;
            }
            return 1; // some are gone: one of them may have been of this recorder
        }
    }

    /** What keeps it from this trace need not keep it from the next: somebody makes room, or has saved it by then. */
    private void save(RecorderSave save, long urgent) throws Output.ClosedException {
        if (pause.goesOn()) {
            passedOver += urgent;
            return;
        }
        passedOver += urgent - 1;
        Saved trace;
        try {
            trace = folder.save(save);
        } catch (IOException e) {
            world.tell("nothing saved: " + Complaint.about(e));
            return;
        } finally {
            pause.begin();
        }
        saved++;
        report.tell(trace);
    }

    /** A family that has gone does not end its listeners' sockets: it has to be asked for. */
    private boolean isGone(MagnetControl control) throws IOException {
        try {
            Recorder.named(recorder, control);
            return false;
        } catch (ControlException e) {
            if (e.errno() != Errno.ENOENT) {
                complainOnce(
                        "whether flight recorder " + recorder + " is still there is not known: " + Complaint.about(e));
                return false;
            }
            world.tell("the kernel module was unloaded");
        } catch (RecorderException e) {
            world.tell("flight recorder " + recorder + " was ended");
        }
        return true;
    }

    private void complainOnce(String line) throws Output.ClosedException {
        if (!line.equals(refusal)) {
            refusal = line;
            world.tell(line);
        }
    }
}
