// SPDX-License-Identifier: Apache-2.0
package magnet.cli.jobs;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import magnet.machine.Cgroup;
import magnet.machine.CgroupHierarchy;
import magnet.machine.CgroupTree;

/** The cgroups that tasks of gtrace are to stay in, which the module knows by their ids in the unified hierarchy. For one thread. */
final class TaskCgroups {
    private final Path root;
    /** Also those that have gone: the kernel does not use an id again. */
    private final Map<Long, Optional<Cgroup>> known = new HashMap<>();

    /** @param root of all files */
    TaskCgroups(Path root) {
        this.root = root;
    }

    /** That of a task; empty if it has gone, or the hierarchy is not mounted. */
    Optional<Cgroup> of(GtraceTask task) throws IOException {
        return evenIfGone(task).filter(Cgroup::isThere);
    }

    /** The same, also if it has gone since it was asked for first: whoever is in the task is elsewhere then. */
    Optional<Cgroup> evenIfGone(GtraceTask task) throws IOException {
        if (!known.containsKey(task.cgroup())) {
            look();
            known.putIfAbsent(task.cgroup(), Optional.empty());
        }
        return known.get(task.cgroup());
    }

    private void look() throws IOException {
        Optional<Path> mount = CgroupHierarchy.UNIFIED.mount(root);
        if (mount.isPresent()) {
            CgroupTree.ids(root, CgroupHierarchy.UNIFIED)
                    .orElse(Map.of())
                    .forEach((path, id) -> known.put(
                            id, Optional.of(new Cgroup(path, mount.get().resolve(path.substring(1))))));
        }
    }

    /** Where a process is; empty if it has ended. */
    static Optional<String> pathOf(Path processes, int pid) {
        return CgroupHierarchy.UNIFIED.pathOf(CgroupHierarchy.places(processes.resolve(Integer.toString(pid))));
    }
}
