// SPDX-License-Identifier: Apache-2.0
package magnet.hotpath;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import magnet.hotpath.BusyMachine.Step;
import magnet.record.EventType;

/** Makes up jobs: eight that stay, and others that come, make ten processes, and go when {@value #ALIVE} more have come. */
final class JobChurn {
    /** One comes for so many things that a CPU does: some 170 a second at 100,000 events a second, 10,000 a minute. */
    static final int PLANS_EACH = 250;

    private static final int STAYING = 8;
    private static final int PROCESSES = 10;
    private static final int ALIVE = 100;
    private static final int FIRST_PROCESS = 10_000;
    private static final int PROCESSES_END = 4_000_000;
    private static final int INIT = 1;
    private static final long PRESENT = 0;
    private static final long FORK = 1;

    /** A job that will end. */
    private record Job(long cgroup, int firstProcess) {}

    private final Deque<Job> alive = new ArrayDeque<>();
    private int processes = FIRST_PROCESS;
    private long cgroups = STAYING;

    /** A process belongs to one of those that stay. */
    static void begin(Deque<Step> to, int process) {
        long cgroup = 1L + process % STAYING;
        to.add(mkdir(cgroup));
        to.add(attach(process, cgroup, PRESENT));
    }

    /** One comes, and perhaps one goes. */
    void next(Deque<Step> to) {
        Job job = new Job(++cgroups, processes);
        to.add(mkdir(job.cgroup));
        for (int process = processes; process < processes + PROCESSES; process++) {
            to.add(attach(process, job.cgroup, FORK));
            to.add(new Step(EventType.SCHED_PROCESS_FORK, process, Map.of("child_tgid", (long) process), "", INIT));
        }
        processes = processes + PROCESSES < PROCESSES_END ? processes + PROCESSES : FIRST_PROCESS;
        alive.add(job);
        if (alive.size() > ALIVE) {
            end(to, alive.remove());
        }
    }

    private static void end(Deque<Step> to, Job job) {
        for (int process = job.firstProcess; process < job.firstProcess + PROCESSES; process++) {
            to.add(new Step(EventType.SCHED_PROCESS_EXIT, process, Map.of("group_dead", 1L), "", process));
        }
        to.add(new Step(EventType.CGROUP_RMDIR, job.cgroup));
    }

    private static Step mkdir(long cgroup) {
        String path = "/system.slice/slurmstepd.scope/job_" + cgroup;
        return new Step(EventType.CGROUP_MKDIR, cgroup, Map.of("path_len", (long) path.length()), path, INIT);
    }

    private static Step attach(int process, long cgroup, long how) {
        return new Step(EventType.TASK_ATTACH, process, Map.of("cgroup", cgroup, "how", how), "", INIT);
    }
}
