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
    private final Map<Long, Cgroup> known = new HashMap<>();

    /** @param root of all files */
    TaskCgroups(Path root) {
        this.root = root;
    }

    /** That of a task; empty if it has gone, or the hierarchy is not mounted. */
    Optional<Cgroup> of(GtraceTask task) throws IOException {
        Cgroup cgroup = known.get(task.cgroup());
        if (cgroup == null || !cgroup.isThere()) {
            lookAnew();
        }
        return Optional.ofNullable(known.get(task.cgroup()));
    }

    private void lookAnew() throws IOException {
        known.clear();
        Optional<Path> mount = CgroupHierarchy.UNIFIED.mount(root);
        if (mount.isPresent()) {
            CgroupTree.ids(root, CgroupHierarchy.UNIFIED)
                    .orElse(Map.of())
                    .forEach((path, id) ->
                            known.put(id, new Cgroup(path, mount.get().resolve(path.substring(1)))));
        }
    }

    /** Where a process is; empty if it has ended. */
    static Optional<String> pathOf(Path processes, int pid) {
        return CgroupHierarchy.UNIFIED.pathOf(CgroupHierarchy.places(processes.resolve(Integer.toString(pid))));
    }

    /** Whether a path is that of a cgroup or of one in it. */
    static boolean isWithin(Cgroup cgroup, String path) {
        return cgroup.path().equals("/") || path.equals(cgroup.path()) || path.startsWith(cgroup.path() + "/");
    }
}
