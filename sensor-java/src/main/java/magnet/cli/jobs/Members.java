// SPDX-License-Identifier: Apache-2.0
package magnet.cli.jobs;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
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

        /** By its threads, too: in version 1 a thread that has ended is nowhere, and the first one may have. */
        @Override
        public boolean has(int pid) {
            Path process = processes.resolve(Integer.toString(pid));
            if (isInside(process)) {
                return true;
            }
            try (DirectoryStream<Path> threads = Files.newDirectoryStream(process.resolve("task"))) {
                for (Path thread : threads) {
                    if (isInside(thread)) {
                        return true;
                    }
                }
                return false;
            } catch (IOException | DirectoryIteratorException e) {
                return false; // it has ended
            }
        }

        private boolean isInside(Path thread) {
            return CgroupHierarchy.places(thread).stream()
                    .anyMatch(place -> job.cgroups().stream().anyMatch(own -> own.contains(place.path())));
        }
    }
}
