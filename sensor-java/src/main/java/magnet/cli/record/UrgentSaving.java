// SPDX-License-Identifier: Apache-2.0
package magnet.cli.record;

import java.io.IOException;
import java.util.List;
import magnet.cli.world.Complaint;
import magnet.cli.world.Counted;
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

/**
 * Saves a flight recorder whenever the module tells of an urgent event in it, until there were enough traces, the time is over,
 * the user interrupts, or the recorder or the module goes. For one run.
 */
final class UrgentSaving {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final int LONGEST_WAIT_MS = 500;

    private final World world;
    private final String recorder;
    private final SaveFolder folder;
    private final SaveReport report;
    private volatile boolean interrupted;
    private long saved;

    UrgentSaving(World world, String recorder, SaveFolder folder, SaveReport report) {
        this.world = world;
        this.recorder = recorder;
        this.folder = folder;
        this.report = report;
    }

    /**
     * Waits and saves.
     *
     * @param most traces after which it ends
     * @param seconds longest time; infinite if it does not matter
     */
    void run(long most, double seconds) throws IOException {
        world.interruption().onInterrupt(() -> interrupted = true);
        try (MagnetControl control = world.control().open();
                NoticeListener listener = world.notices().open()) {
            Recorder.named(recorder, control);
            world.tell("waiting for urgent events in flight recorder " + recorder);
            follow(control, listener, most, seconds);
        }
        world.tell(Counted.of(saved, "trace") + " saved");
    }

    private void follow(MagnetControl control, NoticeListener listener, long most, double seconds) throws IOException {
        RecorderSave save = new RecorderSave(control, RecordCommand.machine(world));
        long start = world.clock().nanos();
        while (!interrupted && saved < most) {
            double left = seconds * NANOS_PER_SECOND - (world.clock().nanos() - start);
            if (left <= 0) {
                return;
            }
            if (isUrgent(listener, (int) Math.min(LONGEST_WAIT_MS, left / NANOS_PER_MILLI + 1))) {
                save(save);
            } else if (isGone(control)) {
                return;
            }
        }
    }

    private boolean isUrgent(NoticeListener listener, int waitMs) throws IOException {
        try {
            List<Notice> notices = listener.next(waitMs);
            return notices.stream()
                    .anyMatch(notice -> notice instanceof UrgentNotice urgent
                            && urgent.buffer().equals(recorder));
        } catch (OsException e) {
            if (e.errno() != Errno.ENOBUFS) {
                throw e;
            }
            return true; // some are gone: one of them may have been of this recorder
        }
    }

    /** The next urgent event may find more room, or nobody else who saves. */
    private void save(RecorderSave save) throws IOException {
        try {
            report.tell(folder.save(save));
            saved++;
        } catch (RecorderException e) {
            world.tell("nothing saved: " + Complaint.about(e));
        }
    }

    /** A family that has gone does not end its listeners' sockets: it has to be asked for. */
    private boolean isGone(MagnetControl control) throws IOException {
        try {
            Recorder.named(recorder, control);
            return false;
        } catch (ControlException e) {
            world.tell("the kernel module was unloaded");
        } catch (RecorderException e) {
            world.tell("flight recorder " + recorder + " was ended");
        }
        return true;
    }
}
