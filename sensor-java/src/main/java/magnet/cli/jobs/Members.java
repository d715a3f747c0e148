// SPDX-License-Identifier: Apache-2.0
package magnet.cli.jobs;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import magnet.cli.world.World;
import magnet.machine.CgroupHierarchy;
import magnet.machine.ProcessStat;
import magnet.machine.ProcessStatus;

/** Who belongs to a job at a moment. */
interface Members {
    /** Its processes, each with its parent; the parent may be none of them. */
    Map<Integer, Integer> now() throws IOException;

    /** Whether the process that has a number now is one of those that there were. */
    boolean has(int pid);

    /** Of a job. */
    static Members of(PresentJob job, Gtrace gtrace, World world) {
        return job.task().isPresent()
                ? new OfTask(job.task().get().name(), gtrace, world.processes())
                : new OfCgroups(job, world.processes());
    }

    /** Of cgroups. */
    final class OfCgroups implements Members {
        private final PresentJob job;
        private final Path processes;

        OfCgroups(PresentJob job, Path processes) {
            this.job = job;
            this.processes = processes;
        }

        @Override
        public Map<Integer, Integer> now() throws IOException {
            Map<Integer, Integer> now = new LinkedHashMap<>();
            job.processes(processes).forEach(process -> now.put(process.pid(), process.parent()));
            return now;
        }

        @Override
        public boolean has(int pid) {
            return CgroupHierarchy.places(processes.resolve(Integer.toString(pid))).stream()
                    .anyMatch(place -> job.cgroups().stream().anyMatch(own -> own.contains(place.path())));
        }
    }

    /** Of a task. */
    final class OfTask implements Members {
        private final String task;
        private final Gtrace gtrace;
        private final Path processes;
        private final Map<Integer, Long> starts = new LinkedHashMap<>();

        OfTask(String task, Gtrace gtrace, Path processes) {
            this.task = task;
            this.gtrace = gtrace;
            this.processes = processes;
        }

        @Override
        public Map<Integer, Integer> now() throws IOException {
            Map<Integer, Integer> now = new LinkedHashMap<>();
            Optional<GtraceTask> there = GtraceTask.named(task, gtrace.tasks());
            there.ifPresent(found -> found.processes().forEach(process -> {
                boolean ended = ProcessStatus.of(processes, process.pid())
                        .map(ProcessStatus::hasEnded)
                        .orElse(true);
                if (!ended) {
                    now.put(process.pid(), process.parent());
                    starts.put(process.pid(), process.start());
                }
            }));
            return now;
        }

        @Override
        public boolean has(int pid) {
            return ProcessStat.isOf(processes, pid, starts.getOrDefault(pid, -1L));
        }
    }
}
