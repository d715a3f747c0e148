// SPDX-License-Identifier: Apache-2.0
package magnet.cli.jobs;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import magnet.cli.world.Counted;
import magnet.cli.world.Failure;
import magnet.machine.Cgroup;
import magnet.os.FileReason;
import magnet.os.MonotonicClock;
import magnet.os.OsException;
import magnet.unit.TimeSpan;

/** The freezer of cgroups and {@code cgroup.kill}: neither a debugger nor SIGCONT gets around them. */
final class CgroupHand implements JobHand {
    private final Path processes;
    private final Duration timeout;
    private final MonotonicClock clock;
    private final Escapes.Killer killer;

    /**
     * A hand.
     *
     * @param processes the folder with a folder for each process
     * @param timeout how long the kernel may take
     * @param killer kills whom {@code cgroup.kill} leaves
     */
    CgroupHand(Path processes, Duration timeout, MonotonicClock clock, Escapes.Killer killer) {
        this.processes = processes;
        this.timeout = timeout;
        this.clock = clock;
        this.killer = killer;
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
                if (!patience.await(() -> isKilled(job))) {
                    throw new Failure(
                            late(job) + " still has " + Counted.of(job.numbers().size(), "process", "processes")
                                    + " of " + before + ": " + Left.of(job.numbers()));
                }
                return before;
            }
        }
        return job.numbers().size();
    }

    /**
     * Whether nobody is left. {@code cgroup.kill} sends SIGKILL to the first thread of each process, and a process whose first
     * thread has ended does not get it (Linux 6.1). A signal to the process does.
     */
    private boolean isKilled(PresentJob job) throws IOException {
        List<Integer> left = job.numbers();
        Members members = new Members.OfCgroups(job, processes);
        for (int pid : left) {
            try {
                killer.kill(pid, () -> members.has(pid));
            } catch (OsException e) {
                // Whose cgroup it is need not be whose process it is. It is told if it stays.
            }
        }
        return left.isEmpty();
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
