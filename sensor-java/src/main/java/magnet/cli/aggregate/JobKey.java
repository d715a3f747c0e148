// SPDX-License-Identifier: Apache-2.0
package magnet.cli.aggregate;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import magnet.cli.world.JobText;
import magnet.job.Owners;
import magnet.record.RecordFlyweight;

/**
 * The job whose process logged a record, as the number of its name in a pool: the numbers of jobs are used again. Allocates
 * only for a job that it has not seen. Not thread-safe.
 */
final class JobKey implements RecordValue {
    private static final int FIRST_JOBS = 64;

    private final Owners owners;
    private final BytePool pool;
    private final ByteBuffer noJob = bytes(JobText.NONE);
    private final ByteBuffer unknown = bytes(JobText.UNKNOWN);
    private String[] names = new String[FIRST_JOBS];
    private ByteBuffer[] texts = new ByteBuffer[FIRST_JOBS];

    /**
     * By the owners of processes as of the record that is looked at.
     *
     * @param owners has seen that record
     * @param pool gets the names
     */
    JobKey(Owners owners, BytePool pool) {
        this.owners = owners;
        this.pool = pool;
    }

    @Override
    public long in(RecordFlyweight record) {
        ByteBuffer text = text(record.tgid());
        return pool.numberOf(text, 0, text.capacity());
    }

    /** Process 0, idle, is no job's. */
    private ByteBuffer text(int process) {
        if (process == 0) {
            return noJob;
        }
        long cgroup = owners.cgroup(process);
        if (cgroup == 0) {
            return unknown;
        }
        int job = owners.jobOfCgroup(cgroup);
        if (job != 0) {
            return ofJob(job);
        }
        return owners.path(cgroup).isEmpty() ? unknown : noJob;
    }

    private ByteBuffer ofJob(int job) {
        if (job >= names.length) {
            int length = Math.max(job + 1, 2 * names.length);
            names = Arrays.copyOf(names, length);
            texts = Arrays.copyOf(texts, length);
        }
        String name = owners.name(job);
        if (!name.equals(names[job])) {
            names[job] = name;
            texts[job] = bytes(name);
        }
        return texts[job];
    }

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }
}
