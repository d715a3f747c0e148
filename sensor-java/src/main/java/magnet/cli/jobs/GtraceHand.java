// SPDX-License-Identifier: Apache-2.0
package magnet.cli.jobs;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import magnet.cli.world.Counted;
import magnet.cli.world.Failure;
import magnet.os.Errno;
import magnet.os.MonotonicClock;
import magnet.os.OsException;
import magnet.unit.TimeSpan;

/** Orders to gtrace, which signals a task's processes in one sweep, and those that are born into it later. */
final class GtraceHand implements JobHand {
    private final Gtrace gtrace;
    private final Duration timeout;
    private final MonotonicClock clock;

    /** @param timeout how long processes may take to end */
    GtraceHand(Gtrace gtrace, Duration timeout, MonotonicClock clock) {
        this.gtrace = gtrace;
        this.timeout = timeout;
        this.clock = clock;
    }

    @Override
    public String by() {
        return "gtrace";
    }

    @Override
    public int carryOut(JobOrder order, PresentJob job) throws IOException {
        String task = job.task().map(GtraceTask::name).orElseThrow();
        int before = job.numbers().size();
        order(order, task);
        if (order != JobOrder.KILL) {
            return gtrace.processes(task).size();
        }
        if (!new Patience(timeout, clock).await(() -> gtrace.processes(task).isEmpty())) {
            List<Integer> left = gtrace.processes(task);
            throw new Failure("after " + new TimeSpan(timeout) + " " + job.name() + " still has "
                    + Counted.of(left.size(), "process", "processes") + " of " + before + ": " + Left.of(left));
        }
        return before;
    }

    private void order(JobOrder order, String task) throws IOException {
        try {
            gtrace.order(order.word() + " " + task);
        } catch (OsException e) {
            if (e.errno() == Errno.ENOENT && order == JobOrder.KILL) {
                return; // it has ended by itself, or does so
            }
            throw new Failure("gtrace does not " + order.word() + " " + task + ": " + reason(e));
        }
    }

    private static String reason(OsException e) {
        return switch (e.errno()) {
            case EPERM -> "the task, or some of its processes, are somebody else's; run it as root";
            case ENOENT -> "there is no such task any more, or it is ending";
            default -> Errno.describe(e.number());
        };
    }
}
