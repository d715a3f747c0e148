// SPDX-License-Identifier: Apache-2.0
package magnet.cli.jobs;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import magnet.machine.CgroupHierarchy;

/** Who belongs to a job at a moment. */
interface Members {
    /** Its processes, each with its parent; the parent may be none of them. */
    Map<Integer, Integer> now() throws IOException;

    /** Whether the process that has a number now is one of those that there were. */
    boolean has(int pid);

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
}
