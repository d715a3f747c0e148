// SPDX-License-Identifier: Apache-2.0
package magnet.machine;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * Jobs that cgroups of a hierarchy name that the module does not watch, so that it does not know whose their events are.
 *
 * @param watched what it watches
 * @param hierarchy where the jobs are
 * @param jobs their names
 */
public record UnwatchedJobs(CgroupHierarchy watched, CgroupHierarchy hierarchy, NavigableSet<String> jobs) {
    /** The jobs of one hierarchy, and those that are worth a remark. */
    private record Found(NavigableSet<String> all, NavigableSet<String> remarkable) {
        Found() {
            this(new TreeSet<>(), new TreeSet<>());
        }
    }

    /**
     * Looks at all processes. Of several hierarchies it takes the one that names the most jobs.
     *
     * <p>systemd's units and users count only where the module watches the unified hierarchy, as it does unless told, and none of its
     * cgroups is a job: whoever has chosen a hierarchy for a batch system's jobs knows that it has no others.
     *
     * @param root of all files
     * @param processes the folder with a folder for each process
     * @param nameOf the job that a cgroup's path names, if it is one
     * @return empty if there are none
     */
    public static Optional<UnwatchedJobs> find(Path root, Path processes, Function<String, Optional<String>> nameOf)
            throws IOException {
        CgroupHierarchy watched = CgroupHierarchy.watched(root);
        Map<String, Found> found = jobs(processes, nameOf);
        Set<String> known = new HashSet<>(found.getOrDefault(watched.name(), new Found()).all);
        boolean all = watched.isUnified() && known.isEmpty();
        found.values()
                .forEach(each -> each.all.stream()
                        .filter(job -> !known.contains(job) && (all || !isOfSystemd(job)))
                        .forEach(each.remarkable::add));
        return found.entrySet().stream()
                .filter(each -> !each.getValue().remarkable.isEmpty())
                .max(Comparator.<Map.Entry<String, Found>>comparingInt(
                                each -> each.getValue().remarkable.size())
                        .thenComparingInt(each -> each.getValue().all.size()))
                .map(each ->
                        new UnwatchedJobs(watched, new CgroupHierarchy(each.getKey()), each.getValue().remarkable));
    }

    /** By hierarchy. */
    private static Map<String, Found> jobs(Path processes, Function<String, Optional<String>> nameOf)
            throws IOException {
        Map<String, Found> jobs = new TreeMap<>();
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(processes, "[0-9]*")) {
            for (Path folder : folders) {
                for (CgroupHierarchy.Place place : CgroupHierarchy.places(folder)) {
                    Optional<String> name = nameOf.apply(place.path());
                    if (name.isPresent()) {
                        place.hierarchies()
                                .forEach(each -> jobs.computeIfAbsent(each.name(), any -> new Found())
                                        .all
                                        .add(name.get()));
                    }
                }
            }
        }
        return jobs;
    }

    /** Units keep their own name, and no other job's name is without a colon. */
    private static boolean isOfSystemd(String job) {
        return !job.contains(":") || job.startsWith("user:");
    }

    /** How the module is made to watch the hierarchy. */
    public String parameter() {
        return "job_hierarchy=" + hierarchy.name();
    }

    /** For people: where the jobs are, and what the module watches. */
    @Override
    public String toString() {
        int more = jobs.size() - 1;
        return jobs.first()
                + (more == 0 ? "" : more == 1 ? " and 1 more job" : " and " + more + " more jobs")
                + (more == 0 ? " is in " : " are in ") + hierarchy + ", and the module watches " + watched;
    }
}
