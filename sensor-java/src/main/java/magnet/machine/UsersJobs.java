// SPDX-License-Identifier: Apache-2.0
package magnet.machine;

import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import magnet.job.JobNames;

/**
 * Whose the jobs are: each user's are those in which a process is the user's. Looks when it is asked, but no more often than each
 * second, and so rarely that looking takes no more than a tenth of the time. For one thread.
 */
public final class UsersJobs {
    private static final long LEAST_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int PART_OF_TIME = 10;

    private final JobNames names;
    private final Path root;
    private final LongSupplier nanoClock;
    private Map<UserPrincipal, Set<String>> jobs = Map.of();
    private boolean looked;
    private long againNanos;

    /**
     * @param root of all files
     * @param nanoClock monotonic
     */
    public UsersJobs(JobNames names, Path root, LongSupplier nanoClock) {
        this.names = names;
        this.root = root;
        this.nanoClock = nanoClock;
    }

    /** The names of a user's jobs. */
    public Set<String> of(UserPrincipal user) throws IOException {
        long before = nanoClock.getAsLong();
        if (!looked || before - againNanos >= 0) {
            jobs = look();
            looked = true;
            long now = nanoClock.getAsLong();
            againNanos = now + Math.max(LEAST_NANOS, PART_OF_TIME * (now - before));
        }
        return jobs.getOrDefault(user, Set.of());
    }

    private Map<UserPrincipal, Set<String>> look() throws IOException {
        Map<UserPrincipal, Set<String>> all = new HashMap<>();
        ProcessOwners owners = new ProcessOwners(root.resolve("proc"));
        for (Map.Entry<String, List<Cgroup>> job :
                JobCgroups.present(names, root).entrySet()) {
            for (Cgroup cgroup : job.getValue()) {
                for (int pid : cgroup.allProcesses()) {
                    owners.of(pid)
                            .ifPresent(user -> all.computeIfAbsent(user, any -> new HashSet<>())
                                    .add(job.getKey()));
                }
            }
        }
        return all;
    }
}
