// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import magnet.job.JobListener;
import magnet.metric.JobColumn;
import magnet.metric.JobTable;
import org.jspecify.annotations.Nullable;

/**
 * What jobs did in the trailing window: a row for each, of sums by {@link JobColumn}, its waits, and who ran meanwhile.
 *
 * <p><b>Rows.</b> {@value #IDLE} to {@value #REST} stand for what is no job. A job gets one of {@value #JOBS_MAX} others when
 * it is first asked for, and gives it back when its window is empty and nobody keeps it. When there is no free row, jobs count
 * as the rest, until the slot ends: then those with the least CPU time join the rest, so that newcomers find room. Somebody
 * who keeps a row beyond the slot keeps a {@link #reference} of it, and says so ({@link #keep}).
 *
 * <p><b>Parts.</b> A part of what a job did may be the rest's if the job gets its row while the rest has anything. It is
 * partial until a whole window has passed.
 *
 * <p>For one thread. Allocates only for a job's row, and 256 bytes where a wait differs much from all before.
 */
final class JobRows implements JobListener, Windowed {
    static final int IDLE = 0;
    static final int UNKNOWN = 1;
    static final int NO_JOB = 2;
    static final int REST = 3;
    static final int FIRST = 4;
    /** Jobs that are told apart. */
    static final int JOBS_MAX = 64;

    static final int ROWS = FIRST + JOBS_MAX;

    /** What a number of no job says. */
    static final int NONE = -1;

    private static final JobColumn[] ALL_COLUMNS = JobColumn.values();
    private static final int COLUMNS = ALL_COLUMNS.length;
    /** Rows that are made free when there was no room. */
    private static final int MADE_FREE = JOBS_MAX / 8;

    private static final int REFERENCE_BITS = 32;
    private static final int ROW_BITS = 8;

    /** Says whose a process is. */
    interface OfProcess {
        /** The row that a process's job has by now; the rest if it has none. */
        int row(int tgid);
    }

    /** Told when what a row stands for joins the rest. */
    interface Moved {
        void onRest(int row);
    }

    private final int slots;
    private final TimerScale scale;
    private final String[] names = new String[ROWS];
    private final int[] generations = new int[ROWS];
    private final Map<String, Integer> byName = new HashMap<>();
    /** By number of the job: its row, or {@link #NONE}. */
    private int[] rowOfJob = new int[64];
    /** By number of the job: its name while it has it. */
    private String[] nameOfJob = new String[64];
    /** By number of the job: how often it has ceased to be a job's. */
    private int[] endsOfJob = new int[64];

    /** By slot, row and column. */
    private final long[][] sums;
    /** By slot, row of who waited, and row of who ran. */
    private final long[][] causes;

    private final @Nullable WindowedDistribution[] waits = new WindowedDistribution[ROWS];
    /** By row: slots that have to end until the window has all of its job. */
    private final int[] partial = new int[ROWS];
    /** By row: whether something goes on for it. */
    private final boolean[] kept = new boolean[ROWS];

    private int current;
    /** Slots that the window has. */
    private int begun = 1;

    private boolean wasFull;
    /** Whether the rest had anything in the window, or anything went on for it, when the slot began. */
    private boolean restUsed;

    JobRows(int slots, TimerScale scale) {
        this.slots = slots;
        this.scale = scale;
        this.sums = new long[slots][ROWS * COLUMNS];
        this.causes = new long[slots][ROWS * ROWS];
        Arrays.fill(rowOfJob, NONE);
        Arrays.fill(nameOfJob, "");
        Arrays.fill(names, "");
        names[IDLE] = JobTable.IDLE;
        names[UNKNOWN] = JobTable.UNKNOWN;
        names[NO_JOB] = JobTable.NO_JOB;
        names[REST] = JobTable.REST;
    }

    @Override
    public void onJob(int job, String name) {
        if (job >= rowOfJob.length) {
            int length = Math.max(job + 1, 2 * rowOfJob.length);
            int before = rowOfJob.length;
            rowOfJob = Arrays.copyOf(rowOfJob, length);
            nameOfJob = Arrays.copyOf(nameOfJob, length);
            endsOfJob = Arrays.copyOf(endsOfJob, length);
            Arrays.fill(rowOfJob, before, length, NONE);
            Arrays.fill(nameOfJob, before, length, "");
        }
        nameOfJob[job] = name;
        rowOfJob[job] = NONE;
    }

    @Override
    public void onEnd(int job) {
        rowOfJob[job] = NONE;
        nameOfJob[job] = "";
        endsOfJob[job]++;
    }

    /** The row that a job has; the rest if it has none. */
    int rowIfAny(int job) {
        return rowOfJob[job] != NONE ? rowOfJob[job] : REST;
    }

    /** What {@link #rowOfUser} finds a job by, however long it is kept. */
    long user(int job) {
        return (long) endsOfJob[job] << REFERENCE_BITS | job;
    }

    /** The same of what stands for no job. */
    static long userOfRow(int row) {
        return -row;
    }

    /** The row of a user as of now; {@link #NONE} if that job is forgotten. */
    int rowOfUser(long user) {
        int job = (int) user;
        if (job <= 0) {
            return -job;
        }
        return user(job) == user ? row(job) : NONE;
    }

    /** The row of a job that has a number. */
    int row(int job) {
        int row = rowOfJob[job];
        return row != NONE ? row : enter(job);
    }

    private int enter(int job) {
        String name = nameOfJob[job];
        Integer known = byName.get(name);
        int row = known != null ? known : free();
        if (row == NONE) {
            wasFull = true;
            return REST;
        }
        if (known == null) {
            names[row] = name;
            byName.put(name, row);
            partial[row] = restUsed || wasFull ? slots : 0;
        }
        rowOfJob[job] = row;
        return row;
    }

    /** Whether a part of what its job did in the window may be the rest's. */
    boolean isPartial(int row) {
        return partial[row] > 0;
    }

    private int free() {
        for (int row = FIRST; row < ROWS; row++) {
            if (names[row].isEmpty()) {
                return row;
            }
        }
        return NONE;
    }

    /** What {@link #resolve} finds a row by, however long it is kept: 32 bits. */
    long reference(int row) {
        return (long) (generations[row] << ROW_BITS | row) & (1L << REFERENCE_BITS) - 1;
    }

    /** The row of a reference, or the rest if that row is another job's by now. */
    int resolve(long reference) {
        int row = (int) reference & (1 << ROW_BITS) - 1;
        return reference(row) == reference ? row : REST;
    }

    void add(int row, JobColumn column, long amount) {
        sums[current][row * COLUMNS + column.index()] += amount;
    }

    /** While a thread of one row waited, a CPU ran one of the other. */
    void cause(int waiter, int runner, long ticks) {
        causes[current][waiter * ROWS + runner] += ticks;
    }

    /** A wait has ended. The rest's are not told. */
    void waited(int row, long ticks) {
        if (row == REST) {
            return;
        }
        WindowedDistribution of = waits[row];
        if (of == null) {
            of = WindowedDistribution.ofMany(slots, scale);
            waits[row] = of;
        }
        of.record(ticks);
    }

    /** The waits of a row that ended; null if there never were any. */
    @Nullable
    WindowedDistribution waits(int row) {
        return waits[row];
    }

    String name(int row) {
        return names[row];
    }

    /** The sum of a column over the window. */
    long sum(int row, JobColumn column) {
        long sum = 0;
        for (long[] slot : sums) {
            sum += slot[row * COLUMNS + column.index()];
        }
        return sum;
    }

    /** How long threads of one row waited while those of the other ran, over the window. */
    long cause(int waiter, int runner) {
        long sum = 0;
        for (long[] slot : causes) {
            sum += slot[waiter * ROWS + runner];
        }
        return sum;
    }

    /** Whether there is nothing in the window. */
    boolean isEmpty(int row) {
        for (JobColumn column : ALL_COLUMNS) {
            if (sum(row, column) != 0) {
                return false;
            }
        }
        WindowedDistribution of = waits[row];
        return of == null || of.count() == 0;
    }

    /** Makes room if there was none. To be called where a slot ends, before {@link #advance}. */
    void makeRoom(Moved moved) {
        if (!wasFull) {
            return;
        }
        wasFull = false;
        for (int i = 0; i < MADE_FREE; i++) {
            int least = FIRST;
            for (int row = FIRST; row < ROWS; row++) {
                if (!names[row].isEmpty() && (names[least].isEmpty() || weight(row) < weight(least))) {
                    least = row;
                }
            }
            join(least);
            moved.onRest(least);
            release(least);
        }
    }

    /** CPU time for each slot; of a newcomer half of it, so that those that have as much do not take turns. */
    private double weight(int row) {
        double sum = sum(row, JobColumn.CPU);
        return partial[row] == 0 ? sum / begun : sum / (slots - partial[row] + 1) / 2;
    }

    /** All that a row has becomes the rest's, but for what does not add up. */
    private void join(int row) {
        for (int slot = 0; slot < slots; slot++) {
            for (JobColumn column : ALL_COLUMNS) {
                int index = column.index();
                sums[slot][REST * COLUMNS + index] += column.addsUp() ? sums[slot][row * COLUMNS + index] : 0;
            }
            for (int other = 0; other < ROWS; other++) {
                causes[slot][REST * ROWS + other] += causes[slot][row * ROWS + other];
                causes[slot][row * ROWS + other] = 0;
            }
            for (int other = 0; other < ROWS; other++) {
                causes[slot][other * ROWS + REST] += causes[slot][other * ROWS + row];
                causes[slot][other * ROWS + row] = 0;
            }
        }
    }

    private void release(int row) {
        byName.remove(names[row]);
        names[row] = "";
        generations[row]++;
        partial[row] = 0;
        waits[row] = null;
        for (long[] slot : sums) {
            Arrays.fill(slot, row * COLUMNS, (row + 1) * COLUMNS, 0);
        }
        for (int job = 0; job < rowOfJob.length; job++) {
            if (rowOfJob[job] == row) {
                rowOfJob[job] = NONE;
            }
        }
    }

    /** Something goes on for a row: it stays through the next {@link #advance}. */
    void keep(int row) {
        kept[row] = true;
    }

    @Override
    public void advance() {
        current = (current + 1) % slots;
        begun = Math.min(begun + 1, slots);
        Arrays.fill(sums[current], 0);
        Arrays.fill(causes[current], 0);
        for (WindowedDistribution of : waits) {
            if (of != null) {
                of.advance();
            }
        }
        for (int row = FIRST; row < ROWS; row++) {
            partial[row] = Math.max(0, partial[row] - 1);
            if (!names[row].isEmpty() && !isUsed(row)) {
                release(row);
            }
        }
        restUsed = isUsed(REST);
        Arrays.fill(kept, false);
    }

    private boolean isUsed(int row) {
        return kept[row] || !isEmpty(row) || causes(row);
    }

    /** Whether others wait for it in the window. */
    private boolean causes(int row) {
        for (int waiter = 0; waiter < ROWS; waiter++) {
            if (cause(waiter, row) != 0) {
                return true;
            }
        }
        return false;
    }
}
