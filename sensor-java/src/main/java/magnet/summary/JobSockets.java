// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import magnet.metric.JobColumn;

/**
 * Which job used a socket last: what happens to its packets in interrupts is that job's. Sockets that have been used by nobody
 * for longest give way where there is no room. For one thread; allocates only where {@link OpenIntervals} grows.
 */
final class JobSockets {
    private static final int CAPACITY = 16_384;
    private static final int USED = 1;

    private final JobRows rows;
    private final OpenIntervals used = new OpenIntervals(CAPACITY);

    JobSockets(JobRows rows) {
        this.rows = rows;
    }

    /**
     * Somebody sends or receives at a socket.
     *
     * @param user reference of a job's number, or of what stands for no job
     */
    void use(long cookie, long user, long timer) {
        if (cookie == 0) {
            return;
        }
        int place = used.find(cookie, 0);
        if (place == OpenIntervals.NONE) {
            place = used.open(cookie, 0, timer, USED);
        } else {
            used.step(place, timer, USED);
        }
        used.note(place, user);
    }

    /** Something happened at a socket; if nobody is known to have used it, or that job is forgotten, nobody has it. */
    void count(long cookie, JobColumn column, long amount) {
        int place = cookie == 0 ? OpenIntervals.NONE : used.find(cookie, 0);
        int row = place == OpenIntervals.NONE ? JobRows.NONE : rows.rowOfUser(used.note(place));
        if (row != JobRows.NONE) {
            rows.add(row, column, amount);
        }
    }
}
