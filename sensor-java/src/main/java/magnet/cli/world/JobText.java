// SPDX-License-Identifier: Apache-2.0
package magnet.cli.world;

import magnet.job.Owners;

/** The job that a process belongs to, for people. Stateless. */
public final class JobText {
    /** In place of a job: the process's cgroup is none. */
    public static final String NONE = "none";
    /** In place of a job: nobody has told the process's cgroup since it began, or since events were lost. */
    public static final String UNKNOWN = "unknown";

    private JobText() {}

    /** The job's name, or one of these words. Process 0, idle, is no job's. */
    public static String of(Owners owners, int process) {
        if (process == 0) {
            return NONE;
        }
        long cgroup = owners.cgroup(process);
        int job = cgroup == 0 ? 0 : owners.jobOfCgroup(cgroup);
        if (job != 0) {
            return owners.name(job);
        }
        return cgroup == 0 || owners.path(cgroup).isEmpty() ? UNKNOWN : NONE;
    }
}
