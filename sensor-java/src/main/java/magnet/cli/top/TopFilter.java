// SPDX-License-Identifier: Apache-2.0
package magnet.cli.top;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import magnet.job.JobNames;
import magnet.summary.ProcessRanking.Row;

/**
 * Which processes {@code magnet top} shows. No event tells a job: that is what {@code /proc} calls the process's control group
 * at the end of a window, if the process is still there then. Immutable.
 *
 * @param pids these alone; none for all
 * @param name part of their name; empty for all
 * @param job their job, as the list of jobs names it; or their control group, a part of its path between slashes, or all of it;
 *     empty for all
 * @param jobs names jobs
 */
record TopFilter(Set<Integer> pids, String name, String job, JobNames jobs) {
    /** Shows all. */
    static final TopFilter NONE = new TopFilter(Set.of(), "", "", JobNames.DEFAULTS);

    TopFilter {
        pids = Set.copyOf(pids);
    }

    /** The same with another part of a name. */
    TopFilter named(String other) {
        return new TopFilter(pids, other, job, jobs);
    }

    /** Whether all are shown. */
    boolean isNone() {
        return pids.isEmpty() && name.isEmpty() && job.isEmpty();
    }

    /**
     * Whether a process is shown.
     *
     * @param processes the folder with a folder for each process
     */
    boolean keeps(Row row, Path processes) {
        return (pids.isEmpty() || pids.contains(row.process()))
                && row.name().contains(name)
                && (job.isEmpty() || isInJob(processes.resolve(Integer.toString(row.process()))));
    }

    /** Whether a job is shown, or what stands in place of one. */
    boolean keepsJob(String of) {
        return of.contains(name) && (job.isEmpty() || of.equals(job));
    }

    private boolean isInJob(Path process) {
        try {
            return Files.readAllLines(process.resolve("cgroup"), StandardCharsets.ISO_8859_1).stream()
                    .map(TopFilter::path)
                    .anyMatch(path -> path.equals(job)
                            || Arrays.asList(path.split("/")).contains(job)
                            || jobs.nameOf(path).filter(job::equals).isPresent());
        } catch (IOException e) {
            return false;
        }
    }

    /** Lines have a number, controllers and a path, with colons between them; a path may have colons, too. */
    private static String path(String line) {
        String[] parts = line.split(":", 3);
        return parts.length < 3 ? "" : parts[2];
    }

    /** What is shown, for the screen; empty if all are. */
    Optional<String> description() {
        List<String> words = new ArrayList<>();
        if (!pids.isEmpty()) {
            words.add("pid "
                    + String.join(
                            ",",
                            new TreeSet<>(pids).stream().map(String::valueOf).toList()));
        }
        if (!name.isEmpty()) {
            words.add("name " + name);
        }
        if (!job.isEmpty()) {
            words.add("job " + job + " (of processes that are still there)");
        }
        return words.isEmpty() ? Optional.empty() : Optional.of(String.join(", ", words));
    }
}
