// SPDX-License-Identifier: Apache-2.0
package magnet.measure;

import magnet.job.Owners;
import magnet.measure.PointControl.Doubts;
import magnet.metric.JobTable;
import magnet.metric.SensorMetrics;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says in the log, once each time, when what the kernel does begins to make figures false, and when that is over. For one thread. */
public final class DoubtLog {
    private static final Logger LOGGER = LoggerFactory.getLogger(DoubtLog.class);

    private Doubts before = Doubts.NONE;
    private long jumpsBefore;
    private boolean saidRoom;

    /** An interval ends, and {@link magnet.summary.EventSummary#jumps()} has come to so much. */
    public void jumps(long sinceStart) {
        if (sinceStart > jumpsBefore) {
            LOGGER.warn(
                    "the timer of the events jumped, as after a suspend: times that had begun before are thrown away; until"
                            + " {} is 0 other values are too low",
                    SensorMetrics.LOSSY.name());
        }
        jumpsBefore = sinceStart;
    }

    /** An interval ends, and {@link magnet.summary.EventSummary#ownersWithoutRoom()} has come to so much. */
    public void ownersWithoutRoom(long sinceStart) {
        if (sinceStart > 0 && !saidRoom) {
            saidRoom = true;
            LOGGER.warn(
                    "there are more than {} processes or {} cgroups: what the others do counts as {} in the figures of jobs"
                            + " (said once)",
                    Owners.PROCESSES_MAX,
                    Owners.CGROUPS_MAX,
                    JobTable.UNKNOWN);
        }
    }

    /** An interval ends, in which this was to be doubted. */
    public void interval(Doubts now) {
        if (now.blindPoints() > 0 && before.blindPoints() == 0) {
            LOGGER.warn(
                    "kernel.ftrace_enabled or kprobes/enabled in debugfs is 0: {} points see nothing, and metrics that need"
                            + " them are too low; \"magnet status\" says which",
                    now.blindPoints());
        } else if (now.blindPoints() == 0 && before.blindPoints() > 0) {
            LOGGER.info("all points see again");
        }
        if (now.clockUnstable() && !before.clockUnstable()) {
            LOGGER.warn("the kernel called the TSC unstable: times from one CPU to another are false;"
                    + " load the module with clock=mono");
        }
        before = now;
    }
}
