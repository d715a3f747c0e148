// SPDX-License-Identifier: Apache-2.0
package magnet.cli.jobs;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import magnet.machine.Cgroup;
import magnet.machine.ProcessStatus;

/**
 * A job that is on this node: a task of gtrace, or the processes of some cgroups and of those below.
 *
 * @param name the job's
 * @param cgroups its topmost ones; none if it is a task
 * @param task the task, as it was when somebody looked
 * @param home the cgroup that the task is to stay in, unless that is the topmost one
 */
record PresentJob(String name, List<Cgroup> cgroups, Optional<GtraceTask> task, Optional<Cgroup> home) {
    private static final String STOPPED = "stopped";
    private static final String RUNNING = "running";
    private static final String FROZEN = "frozen";

    PresentJob {
        cgroups = List.copyOf(cgroups);
    }

    /** Of cgroups. */
    static PresentJob ofCgroups(String name, List<Cgroup> cgroups) {
        return new PresentJob(name, cgroups, Optional.empty(), Optional.empty());
    }

    /** Of a task, which is to stay in a cgroup. */
    static PresentJob ofTask(GtraceTask task, Optional<Cgroup> home) {
        return new PresentJob(
                PresentJobs.GTRACE + task.name(),
                List.of(),
                Optional.of(task),
                home.filter(cgroup -> !cgroup.path().equals("/")));
    }

    /** Numbers of its processes: of cgroups as they are now. */
    List<Integer> numbers() throws IOException {
        if (task.isPresent()) {
            return task.get().processes().stream().map(GtraceTask.Node::pid).toList();
        }
        List<Integer> all = new ArrayList<>();
        for (Cgroup cgroup : cgroups) {
            all.addAll(cgroup.allProcesses());
        }
        return all;
    }

    /** What its processes are, of those that are still there. */
    List<ProcessStatus> processes(Path proc) throws IOException {
        return numbers().stream()
                .flatMap(pid -> ProcessStatus.of(proc, pid).stream())
                .filter(process -> !process.hasEnded())
                .toList();
    }

    /** Whether it stands still, and who sees to it: running, frozen, stopped, or ending; "-" if it has no processes. */
    String state(List<ProcessStatus> processes) throws IOException {
        if (task.isPresent()) {
            return stateOf(task.get());
        }
        if (isFrozen()) {
            return FROZEN;
        }
        if (processes.isEmpty()) {
            return "-";
        }
        return processes.stream().allMatch(ProcessStatus::isStopped) ? STOPPED : RUNNING;
    }

    private String stateOf(GtraceTask present) throws IOException {
        return switch (present.state()) {
            case "stop" -> STOPPED;
            case "kill" -> "ending";
            default -> home.isPresent() && home.get().isFrozen().orElse(false) ? FROZEN : RUNNING;
        };
    }

    /** Whether a cgroup lies within one of its own. */
    boolean isAbove(Cgroup cgroup) {
        return cgroups.stream().anyMatch(own -> cgroup.folder().startsWith(own.folder()));
    }

    /** Whether the freezer holds all of it. */
    boolean isFrozen() throws IOException {
        for (Cgroup cgroup : cgroups) {
            if (!cgroup.isFrozen().orElse(false)) {
                return false;
            }
        }
        return !cgroups.isEmpty();
    }

    /** Whether the freezer holds a part of it, or what is in the cgroup that the task is to stay in. */
    boolean isFrozenAnywhere() throws IOException {
        for (Cgroup cgroup : home.isPresent() ? List.of(home.get()) : cgroups) {
            if (cgroup.isFrozen().orElse(false)) {
                return true;
            }
        }
        return false;
    }

    /** CPU time of all who have been in its cgroups, in microseconds; empty if nobody counts it. */
    OptionalLong cpuMicros() throws IOException {
        return sum(Cgroup::cpuMicros);
    }

    /** Bytes of memory; empty if nobody counts them. */
    OptionalLong memoryBytes() throws IOException {
        return sum(Cgroup::memoryBytes);
    }

    /** What a cgroup is asked for. */
    private interface Figure {
        OptionalLong of(Cgroup cgroup) throws IOException;
    }

    private OptionalLong sum(Figure figure) throws IOException {
        long sum = 0;
        for (Cgroup cgroup : cgroups) {
            OptionalLong one = figure.of(cgroup);
            if (one.isEmpty()) {
                return OptionalLong.empty();
            }
            sum += one.getAsLong();
        }
        return cgroups.isEmpty() ? OptionalLong.empty() : OptionalLong.of(sum);
    }
}
