// SPDX-License-Identifier: Apache-2.0
package magnet.cli.jobs;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.time.Duration;
import magnet.cli.world.Counted;
import magnet.cli.world.Failure;
import magnet.machine.Cgroup;
import magnet.os.FileReason;
import magnet.os.MonotonicClock;
import magnet.unit.TimeSpan;

/** The freezer of cgroups and {@code cgroup.kill}: neither a debugger nor SIGCONT gets around them. */
final class CgroupHand implements JobHand {
    private final Duration timeout;
    private final MonotonicClock clock;

    /** @param timeout how long the kernel may take */
    CgroupHand(Duration timeout, MonotonicClock clock) {
        this.timeout = timeout;
        this.clock = clock;
    }

    /** Whether all cgroups of a job can do it. */
    static boolean can(JobOrder order, PresentJob job) {
        return job.task().isEmpty()
                && job.cgroups().stream().allMatch(order == JobOrder.KILL ? Cgroup::hasKill : Cgroup::hasFreezer);
    }

    @Override
    public String by() {
        return "cgroup";
    }

    @Override
    public int carryOut(JobOrder order, PresentJob job) throws IOException {
        int before = job.numbers().size();
        for (Cgroup cgroup : job.cgroups()) {
            write(order, cgroup);
        }
        Patience patience = new Patience(timeout, clock);
        switch (order) {
            case STOP -> {
                if (!patience.await(job::isFrozen)) {
                    throw new Failure(late(job) + " is not frozen yet; try again, or undo it by \"magnet jobs cont "
                            + job.name() + "\"");
                }
            }
            case CONT -> {
                if (!patience.await(() -> !job.isFrozenAnywhere())) {
                    throw new Failure(late(job) + " is still frozen: a cgroup above it is, too");
                }
            }
            case KILL -> {
                if (!patience.await(() -> job.numbers().isEmpty())) {
                    throw new Failure(
                            late(job) + " still has " + Counted.of(job.numbers().size(), "process", "processes")
                                    + " of " + before + ": " + Left.of(job.numbers()));
                }
                return before;
            }
        }
        return job.numbers().size();
    }

    private String late(PresentJob job) {
        return "after " + new TimeSpan(timeout) + " " + job.name();
    }

    private static void write(JobOrder order, Cgroup cgroup) throws IOException {
        try {
            if (order == JobOrder.KILL) {
                cgroup.kill();
            } else {
                cgroup.freeze(order == JobOrder.STOP);
            }
        } catch (AccessDeniedException e) {
            throw new Failure("only root and the owner of " + cgroup.folder() + " may " + order.word()
                    + " what is in it; --signals reaches your own processes");
        } catch (FileSystemException e) {
            throw new Failure(cgroup.folder() + ": " + FileReason.of(e));
        }
    }
}
