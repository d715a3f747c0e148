// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import java.util.Arrays;
import magnet.metric.JobColumn;

/** Which thread each CPU runs, and since when: CPU time and time slices of jobs. Grows with CPUs. For one thread. */
final class JobSlices implements JobRows.Moved {
    private static final int NOBODY = -1;

    private final JobRows rows;
    /** By CPU: the thread, or {@link #NOBODY} if it is not known. */
    private int[] tids;

    private int[] tgids;
    private int[] rowOf;
    private long[] begins;
    private boolean[] seen;
    private int cpus;

    JobSlices(int cpus, JobRows rows) {
        this.rows = rows;
        this.tids = new int[cpus];
        this.tgids = new int[cpus];
        this.rowOf = new int[cpus];
        this.begins = new long[cpus];
        this.seen = new boolean[cpus];
        Arrays.fill(tids, NOBODY);
    }

    /** A CPU runs a thread from now on; 0 is idle. */
    void begin(int cpu, int tid, int tgid, int row, long timer) {
        if (cpu >= tids.length) {
            grow(cpu);
        }
        cpus += seen[cpu] ? 0 : 1;
        seen[cpu] = true;
        tids[cpu] = tid;
        tgids[cpu] = tgid;
        rowOf[cpu] = row;
        begins[cpu] = timer;
    }

    /** A thread leaves its CPU. */
    void end(int cpu, int tid, long timer) {
        if (isRunning(cpu, tid) && tid != 0) {
            count(cpu, timer);
            rows.add(rowOf[cpu], JobColumn.SLICES, 1);
        }
    }

    boolean isRunning(int cpu, long tid) {
        return cpu >= 0 && cpu < tids.length && tids[cpu] == tid;
    }

    /** CPUs that have run anything. */
    int cpus() {
        return cpus;
    }

    /** What runs does so for nobody knows whom since then. What a CPU runs that is idle is known. */
    void lose(long timer, JobWaits waits) {
        for (int cpu = 0; cpu < tids.length; cpu++) {
            if (tids[cpu] > 0) {
                run(cpu, JobRows.UNKNOWN, timer, waits);
            }
        }
    }

    /** It is not known what a CPU runs. */
    void forget(int cpu) {
        if (cpu < tids.length) {
            tids[cpu] = NOBODY;
        }
    }

    /** The timer began anew. */
    void newEpoch() {
        Arrays.fill(tids, NOBODY);
    }

    /** Threads of a process that run do so for another row from now on. */
    void move(int tgid, int row, long timer, JobWaits waits) {
        for (int cpu = 0; cpu < tids.length; cpu++) {
            if (tids[cpu] > 0 && tgids[cpu] == tgid) {
                run(cpu, row, timer, waits);
            }
        }
    }

    /** What runs for the rest does so for its own job again, if that has a row by now. To be called after {@link #cut}. */
    void takeBack(JobRows.OfProcess rowOfProcess, long timer, JobWaits waits) {
        for (int cpu = 0; cpu < tids.length; cpu++) {
            if (tids[cpu] > 0 && rowOf[cpu] == JobRows.REST) {
                run(cpu, rowOfProcess.row(tgids[cpu]), timer, waits);
            }
        }
    }

    /** Keeps the rows for which something runs. */
    void keepRows() {
        for (int cpu = 0; cpu < tids.length; cpu++) {
            if (tids[cpu] > 0) {
                rows.keep(rowOf[cpu]);
            }
        }
    }

    private void run(int cpu, int row, long timer, JobWaits waits) {
        count(cpu, timer);
        rowOf[cpu] = row;
        waits.run(cpu, row, timer);
    }

    /** Counts what CPUs have run up to now. */
    void cut(long timer) {
        for (int cpu = 0; cpu < tids.length; cpu++) {
            if (tids[cpu] > 0) {
                count(cpu, timer);
            }
        }
    }

    @Override
    public void onRest(int row) {
        for (int cpu = 0; cpu < tids.length; cpu++) {
            if (rowOf[cpu] == row) {
                rowOf[cpu] = JobRows.REST;
            }
        }
    }

    private void count(int cpu, long timer) {
        rows.add(rowOf[cpu], JobColumn.CPU, Math.max(0, timer - begins[cpu]));
        begins[cpu] = Math.max(timer, begins[cpu]);
    }

    private void grow(int cpu) {
        int before = tids.length;
        int length = Math.max(cpu + 1, 2 * before);
        tids = Arrays.copyOf(tids, length);
        tgids = Arrays.copyOf(tgids, length);
        rowOf = Arrays.copyOf(rowOf, length);
        begins = Arrays.copyOf(begins, length);
        seen = Arrays.copyOf(seen, length);
        Arrays.fill(tids, before, length, NOBODY);
    }
}
