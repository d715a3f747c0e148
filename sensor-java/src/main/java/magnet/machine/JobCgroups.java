// SPDX-License-Identifier: Apache-2.0
package magnet.machine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import magnet.job.JobNames;
import magnet.job.JobPaths;

/** Which jobs there are now, by their cgroups. Stateless. */
public final class JobCgroups {
    private static final List<String> UNIFIED = List.of("unified", "");
    /** Of version 1, those in which batch systems and systemd keep processes. */
    private static final List<String> OTHERS = List.of("freezer", "pids", "memory", "systemd");

    private static final String PROCESSES = "cgroup.procs";
    /** Each cgroup of version 2 has it, and none of version 1. */
    private static final String CONTROLLERS = "cgroup.controllers";

    private JobCgroups() {}

    /**
     * By job, sorted by name, its topmost cgroups. A job that several hierarchies have counts in the first of these.
     *
     * @param root of all files
     */
    public static NavigableMap<String, List<Cgroup>> present(JobNames names, Path root) throws IOException {
        NavigableMap<String, List<Cgroup>> jobs = new TreeMap<>();
        for (Path mount : mounts(root.resolve("sys/fs/cgroup"))) {
            in(new Cgroup("/", mount), names).forEach(jobs::putIfAbsent);
        }
        return jobs;
    }

    private static List<Path> mounts(Path folder) {
        return Stream.concat(
                        UNIFIED.stream().map(folder::resolve).filter(JobCgroups::isUnified),
                        OTHERS.stream().map(folder::resolve).filter(each -> !isUnified(each)))
                .filter(each -> Files.exists(each.resolve(PROCESSES)))
                .toList();
    }

    private static boolean isUnified(Path mount) {
        return Files.exists(mount.resolve(CONTROLLERS));
    }

    private static Map<String, List<Cgroup>> in(Cgroup top, JobNames names) throws IOException {
        Map<String, Cgroup> byPath = new LinkedHashMap<>();
        top.tree().forEach(each -> byPath.put(each.path(), each));
        Map<String, List<Cgroup>> jobs = new LinkedHashMap<>();
        JobPaths.of(names, byPath.keySet()).forEach((job, paths) -> {
            List<Cgroup> cgroups = new ArrayList<>();
            paths.forEach(path -> cgroups.add(byPath.get(path)));
            jobs.put(job, cgroups);
        });
        return jobs;
    }
}
