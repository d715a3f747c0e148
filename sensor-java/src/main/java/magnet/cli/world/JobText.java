// SPDX-License-Identifier: Apache-2.0
package magnet.cli.world;

import magnet.job.Owners;
import magnet.metric.JobTable;

/** The job that a process belongs to, for people. Stateless. */
public final class JobText {
    /** In place of a job: the process's cgroup is none. */
    public static final String NONE = JobTable.NO_JOB;
    /** In place of a job: nobody has told the process's cgroup since it began, or since events were lost. */
    public static final String UNKNOWN = JobTable.UNKNOWN;

    private JobText() {}

    /** The job's name, or one of these words. Process 0, idle, is no job's. */
    public static String of(Owners owners, int process) {
        if (process == 0) {
            return NONE;
        }
        long cgroup = owners.cgroup(process);
        int job = owners.jobOfCgroup(cgroup);
        if (job != 0) {
            return owners.name(job);
        }
        return owners.isTold(cgroup) ? NONE : UNKNOWN;
    }
}
