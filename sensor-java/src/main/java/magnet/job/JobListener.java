// SPDX-License-Identifier: Apache-2.0
package magnet.job;

/** Told when a job's number begins and ceases to be that job's, so that sums by number do not mix two jobs. */
public interface JobListener {
    /** Wants to know nothing. */
    JobListener NONE = new JobListener() {
        @Override
        public void onJob(int job, String name) {
            // Nothing to do.
        }

        @Override
        public void onEnd(int job) {
            // Nothing to do.
        }
    };

    /** From now on a number means this job. */
    void onJob(int job, String name);

    /** The number is free: the next job may have it. {@link Owners#name(int)} still has the old name during the call. */
    void onEnd(int job);
}
