// SPDX-License-Identifier: Apache-2.0
package magnet.cli.jobs;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import magnet.machine.Cgroup;
import magnet.machine.ProcessStatus;
import magnet.os.MonotonicClock;

/**
 * The freezer and {@code cgroup.kill} for a task of gtrace that has a cgroup to itself. gtrace says who belongs to the task, and
 * signals those who left the cgroup.
 */
final class TaskHand implements JobHand {
    private final Gtrace gtrace;
    private final Path processes;
    private final GtraceHand signals;
    private final CgroupHand freezer;

    /**
     * A hand.
     *
     * @param processes the folder with a folder for each process
     * @param timeout how long the kernel may take
     * @param killer kills whom {@code cgroup.kill} leaves
     */
    TaskHand(Gtrace gtrace, Path processes, Duration timeout, MonotonicClock clock, Escapes.Killer killer) {
        this.gtrace = gtrace;
        this.processes = processes;
        this.signals = new GtraceHand(gtrace, processes, timeout, clock);
        this.freezer = new CgroupHand(processes, timeout, clock, killer);
    }

    /**
     * Whether a task has a cgroup that can do it, with no processes but the task's. Strangers who have come into a frozen one do
     * not keep the task from going on.
     */
    boolean can(JobOrder order, PresentJob job) throws IOException {
        if (job.home().isEmpty()) {
            return false;
        }
        Cgroup home = job.home().get();
        boolean able = order == JobOrder.KILL ? home.hasKill() : home.hasFreezer();
        boolean thaws = order == JobOrder.CONT && job.isFrozenAnywhere();
        return able && (thaws || !hasStrangers(home, job));
    }

    /** Who is born in between is in the tree when it is looked at afterwards. */
    private boolean hasStrangers(Cgroup home, PresentJob job) throws IOException {
        List<Integer> inside = home.allProcesses();
        Set<Integer> members = new HashSet<>(members(job));
        return inside.stream()
                .filter(pid -> !members.contains(pid))
                .flatMap(pid -> ProcessStatus.of(processes, pid).stream())
                .anyMatch(process -> !process.hasEnded());
    }

    private List<Integer> members(PresentJob job) throws IOException {
        return gtrace.processes(job.task().orElseThrow().name());
    }

    @Override
    public String by() {
        return "cgroup";
    }

    @Override
    public int carryOut(JobOrder order, PresentJob job) throws IOException {
        PresentJob inside = PresentJob.ofCgroups(job.name(), job.home().stream().toList());
        int before = members(job).size();
        switch (order) {
            case STOP -> {
                freezer.carryOut(order, inside);
                if (hasLeft(job)) {
                    signals.carryOut(order, job);
                }
            }
            case CONT -> {
                signals.carryOut(order, job);
                freezer.carryOut(order, inside);
            }
            case KILL -> {
                // What cannot be killed in the cgroup must not keep gtrace from those who left it.
                signals.carryOut(order, job);
                freezer.carryOut(order, inside);
                return before;
            }
        }
        return members(job).size();
    }

    private boolean hasLeft(PresentJob job) throws IOException {
        Cgroup home = job.home().orElseThrow();
        return members(job).stream()
                .flatMap(pid -> TaskCgroups.pathOf(processes, pid).stream())
                .anyMatch(place -> !home.contains(place));
    }
}
