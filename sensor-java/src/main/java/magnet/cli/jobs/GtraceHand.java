// SPDX-License-Identifier: Apache-2.0
package magnet.cli.jobs;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import magnet.cli.world.Counted;
import magnet.cli.world.Failure;
import magnet.machine.Cgroup;
import magnet.machine.ProcessStatus;
import magnet.os.Errno;
import magnet.os.MonotonicClock;
import magnet.os.OsException;
import magnet.unit.TimeSpan;

/** Orders to gtrace, which signals a task's processes in one sweep, and those that are born into it later. */
final class GtraceHand implements JobHand {
    private final Gtrace gtrace;
    private final Path processes;
    private final Duration timeout;
    private final MonotonicClock clock;

    /**
     * A hand.
     *
     * @param processes the folder with a folder for each process
     * @param timeout how long processes may take to stop or end
     */
    GtraceHand(Gtrace gtrace, Path processes, Duration timeout, MonotonicClock clock) {
        this.gtrace = gtrace;
        this.processes = processes;
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
        Patience patience = new Patience(timeout, clock);
        switch (order) {
            case STOP -> {
                if (!patience.await(() -> running(job).isEmpty())) {
                    List<Integer> left = running(job);
                    throw new Failure("after " + new TimeSpan(timeout) + " " + processes(left) + " of " + job.name()
                            + " " + Counted.are(left.size()) + " not stopped yet: " + Left.of(left));
                }
            }
            case CONT -> {
                // SIGCONT lets a process go on at once, whatever it does with the signal.
            }
            case KILL -> {
                if (!patience.await(() -> gtrace.processes(task).isEmpty())) {
                    List<Integer> left = gtrace.processes(task);
                    throw new Failure("after " + new TimeSpan(timeout) + " " + job.name() + " still has "
                            + processes(left) + " of " + before + ": " + Left.of(left));
                }
                return before;
            }
        }
        return gtrace.processes(task).size();
    }

    private static String processes(List<Integer> some) {
        return Counted.of(some.size(), "process", "processes");
    }

    /** Those that neither a signal has stopped nor the freezer holds. */
    private List<Integer> running(PresentJob job) throws IOException {
        Optional<Cgroup> frozen = job.isFrozenAnywhere() ? job.home() : Optional.empty();
        return gtrace.processes(job.task().orElseThrow().name()).stream()
                .flatMap(pid -> ProcessStatus.of(processes, pid).stream())
                .filter(process -> !process.hasEnded() && !process.isStopped())
                .map(ProcessStatus::pid)
                .filter(pid -> frozen.isEmpty()
                        || !TaskCgroups.pathOf(processes, pid)
                                .filter(frozen.get()::contains)
                                .isPresent())
                .toList();
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
