// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import magnet.metric.JobColumn;

/**
 * What threads are at, one thing at a time, and for which job: how long it took is counted in a column of {@link JobRows}. Where
 * a slot ends, what goes on is counted as far as it has come. For one thread; allocates only where {@link OpenIntervals} grows.
 */
final class JobTimes {
    private static final JobColumn[] COLUMNS = JobColumn.values();
    private static final int REFERENCE_BITS = 32;
    private static final long ROW_MASK = (1L << REFERENCE_BITS) - 1;

    private final JobRows rows;
    private final OpenIntervals open;

    /** @param capacity threads that may be at it */
    JobTimes(int capacity, JobRows rows) {
        this.rows = rows;
        this.open = new OpenIntervals(capacity);
    }

    /** A thread begins with it; what it was at before is forgotten. */
    void begin(long tid, int tgid, int row, JobColumn column, long timer) {
        int place = open.open(tid, 0, timer, column.index() + 1);
        open.note(place, note(tgid, row));
    }

    /** A thread has ended it, if it has begun. */
    void end(long tid, long timer) {
        int place = open.find(tid, 0);
        if (place != OpenIntervals.NONE) {
            count(place, timer);
            open.close(place);
        }
    }

    /** A thread is at nothing, and what was not counted will not be. */
    void forget(long tid) {
        int place = open.find(tid, 0);
        if (place != OpenIntervals.NONE) {
            open.close(place);
        }
    }

    void forgetAll() {
        open.closeAll();
    }

    /** What the threads of a process are at is for another row from now on. */
    void move(int tgid, int row, long timer) {
        for (int place = open.next(0); place != OpenIntervals.NONE; place = open.next(place + 1)) {
            if ((int) (open.note(place) >> REFERENCE_BITS) == tgid) {
                count(place, timer);
                open.rebegin(place, timer);
                open.note(place, note(tgid, row));
            }
        }
    }

    /** What threads are at for the rest is for their own jobs again, if those have rows by now. To be called after {@link #cut}. */
    void takeBack(JobRows.OfProcess rowOfProcess) {
        for (int place = open.next(0); place != OpenIntervals.NONE; place = open.next(place + 1)) {
            if (row(place) == JobRows.REST) {
                int tgid = (int) (open.note(place) >> REFERENCE_BITS);
                open.note(place, note(tgid, rowOfProcess.row(tgid)));
            }
        }
    }

    /** Keeps the rows whose threads are at something. */
    void keepRows() {
        for (int place = open.next(0); place != OpenIntervals.NONE; place = open.next(place + 1)) {
            rows.keep(row(place));
        }
    }

    /** Of how many it was forgotten for want of room, since the last call. */
    long takeEvicted() {
        return open.takeEvicted();
    }

    /** Counts what goes on up to now. */
    void cut(long timer) {
        for (int place = open.next(0); place != OpenIntervals.NONE; place = open.next(place + 1)) {
            count(place, timer);
            open.rebegin(place, Math.max(timer, open.begin(place)));
        }
    }

    private void count(int place, long timer) {
        JobColumn column = COLUMNS[open.stage(place) - 1];
        rows.add(row(place), column, Math.max(0, timer - open.begin(place)));
    }

    private int row(int place) {
        return rows.resolve(open.note(place) & ROW_MASK);
    }

    private long note(int tgid, int row) {
        return (long) tgid << REFERENCE_BITS | rows.reference(row);
    }
}
