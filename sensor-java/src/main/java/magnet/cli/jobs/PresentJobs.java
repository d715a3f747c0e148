// SPDX-License-Identifier: Apache-2.0
package magnet.cli.jobs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import magnet.cli.world.Failure;
import magnet.cli.world.JobChoice;
import magnet.cli.world.World;
import magnet.job.JobNames;
import magnet.machine.Cgroup;
import magnet.machine.JobCgroups;

/** The jobs on this node as they were when somebody looked, sorted by name. Immutable. */
final class PresentJobs {
    /** What names of tasks begin with. */
    static final String GTRACE = "gtrace:";

    private final NavigableMap<String, PresentJob> jobs;

    private PresentJobs(NavigableMap<String, PresentJob> jobs) {
        this.jobs = jobs;
    }

    /** Looks for jobs; says so where tasks of gtrace cannot be seen. */
    static PresentJobs find(JobNames names, Gtrace gtrace, World world) throws IOException {
        NavigableMap<String, PresentJob> jobs = new TreeMap<>();
        JobCgroups.present(names, world.root())
                .forEach((name, cgroups) -> jobs.put(name, PresentJob.ofCgroups(name, cgroups)));
        TaskCgroups homes = new TaskCgroups(world.root());
        for (GtraceTask task : tasks(gtrace, world)) {
            PresentJob job = PresentJob.ofTask(task, homes.of(task));
            jobs.put(job.name(), job);
        }
        return new PresentJobs(jobs);
    }

    private static List<GtraceTask> tasks(Gtrace gtrace, World world) throws IOException {
        try {
            return gtrace.tasks();
        } catch (Failure e) {
            world.tell("the tasks of gtrace are missing: " + e.getMessage());
            return List.of();
        }
    }

    /** All of them. */
    Collection<PresentJob> all() {
        return jobs.values();
    }

    /**
     * The names of other jobs whose cgroups lie within those of a job; and of those of version 1 whose processes are a part of the
     * job's: Slurm's cgroup/v1 leaves them in slurmd's place in the other hierarchies.
     */
    List<String> within(PresentJob job) throws IOException {
        List<String> within = new ArrayList<>();
        Set<Integer> processes = new HashSet<>(job.numbers());
        for (PresentJob other : jobs.values()) {
            if (!other.equals(job)
                    && (other.cgroups().stream().anyMatch(job::isAbove) || isPart(other, job, processes))) {
                within.add(other.name());
            }
        }
        return within;
    }

    private static boolean isPart(PresentJob other, PresentJob job, Set<Integer> processes) throws IOException {
        if (job.cgroups().isEmpty() || other.cgroups().isEmpty()) {
            return false;
        }
        Cgroup its = other.cgroups().get(0);
        if (its.isUnified() || its.isBeside(job.cgroups().get(0))) {
            return false;
        }
        Set<Integer> part = new HashSet<>(other.numbers());
        return !part.isEmpty() && part.size() < processes.size() && processes.containsAll(part);
    }

    /**
     * Those of these names, in the order in which they are named; all if none is.
     *
     * @throws Failure if one is not there; says which are, or which was meant
     */
    List<PresentJob> named(List<String> names) throws Failure {
        if (names.isEmpty()) {
            return List.copyOf(jobs.values());
        }
        List<PresentJob> named = new ArrayList<>();
        for (String name : new LinkedHashSet<>(names)) {
            PresentJob job = jobs.get(name);
            if (job == null) {
                throw new Failure("no job here is called '" + name + "'; "
                        + JobChoice.meant(name, jobs.keySet())
                                .map(meant -> "did you mean " + meant + "?")
                                .orElseGet(() -> JobChoice.known(jobs.keySet())));
            }
            named.add(job);
        }
        return named;
    }
}
