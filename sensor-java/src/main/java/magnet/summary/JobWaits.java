// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import java.util.Arrays;
import magnet.metric.JobColumn;
import org.jspecify.annotations.Nullable;

/**
 * Which threads wait for which CPU, and whose threads run there meanwhile. For one thread.
 *
 * <p>A thread waits on one CPU at a time: where it was woken, where it was taken off while it could run on, or where it was
 * moved to. Each time that something changes on a CPU, the time since the last change is booked: for each thread that waits
 * there, to its job, and to whose thread ran. So what a job waited is, tick by tick, the sum of what others ran meanwhile.
 *
 * <p>Rows are those of {@link JobRows}. Allocates only when a CPU is new or many jobs wait for one.
 */
final class JobWaits implements JobRows.Moved {
    private static final int CAPACITY = 8_192;
    private static final int WAITING = 1;
    private static final int FIRST_ROOM = 4;

    private static final int ROW_BITS = 8;
    private static final int CPU_BITS = 16;

    /** One CPU. */
    private static final class Queue {
        /** The rows that have threads here, in any order. */
        private int[] rows = new int[FIRST_ROOM];
        /** How many each of them has. */
        private int[] counts = new int[FIRST_ROOM];

        private int size;
        private int runner = JobRows.UNKNOWN;
        /** What happened before this is booked. */
        private long booked;

        private void add(int row) {
            int at = find(row);
            if (at == size) {
                if (size == rows.length) {
                    rows = Arrays.copyOf(rows, 2 * size);
                    counts = Arrays.copyOf(counts, 2 * size);
                }
                rows[size] = row;
                counts[size++] = 0;
            }
            counts[at]++;
        }

        private void remove(int row) {
            int at = find(row);
            if (at < size && --counts[at] == 0) {
                size--;
                rows[at] = rows[size];
                counts[at] = counts[size];
            }
        }

        private int find(int row) {
            int at = 0;
            while (at < size && rows[at] != row) {
                at++;
            }
            return at;
        }
    }

    private final JobRows rows;
    private final Quality quality;
    /** By thread; of each is noted its process, its CPU and its row. */
    private final OpenIntervals waiting = new OpenIntervals(CAPACITY);

    /** By CPU; null where nothing has happened yet. */
    private @Nullable Queue[] queues;
    /** By row: threads that wait on any CPU. */
    private final int[] threads = new int[JobRows.ROWS];
    /** By row that has such: since when it is not booked that there are any. */
    private final long[] since = new long[JobRows.ROWS];

    JobWaits(int cpus, JobRows rows, Quality quality) {
        this.rows = rows;
        this.quality = quality;
        this.queues = new Queue[cpus];
    }

    /** Whose thread a CPU runs from now on. */
    void run(int cpu, int row, long timer) {
        Queue queue = queue(cpu);
        book(queue, timer);
        queue.runner = row;
    }

    boolean isWaiting(long tid) {
        return waiting.find(tid, 0) != OpenIntervals.NONE;
    }

    /** A thread waits from now on; if it did before it goes on where it is. */
    void begin(long tid, int tgid, int row, int cpu, long timer) {
        if (!isCpu(cpu) || isWaiting(tid)) {
            return;
        }
        Queue queue = queue(cpu);
        book(queue, timer);
        int place = waiting.open(tid, 0, timer, WAITING);
        long evicted = waiting.takeEvicted();
        if (evicted > 0) {
            quality.evict(evicted);
            leave(waiting.note(place), timer);
        }
        waiting.note(place, note(tgid, cpu, row));
        enter(queue, row, timer);
    }

    /** A thread's wait is over, if it did: it runs, and this was a wait. */
    void end(long tid, long timer) {
        int place = waiting.find(tid, 0);
        if (place != OpenIntervals.NONE) {
            rows.waited(row(waiting.note(place)), Math.max(0, timer - waiting.begin(place)));
            leave(waiting.note(place), timer);
            waiting.close(place);
        }
    }

    /** A thread waits no more, and how long it did is not to be counted as a wait. */
    void forget(long tid, long timer) {
        int place = waiting.find(tid, 0);
        if (place != OpenIntervals.NONE) {
            leave(waiting.note(place), timer);
            waiting.close(place);
        }
    }

    /** A thread, if it waits, does so on another CPU from now on. */
    void migrate(long tid, int cpu, long timer) {
        int place = waiting.find(tid, 0);
        if (place != OpenIntervals.NONE && isCpu(cpu)) {
            long note = waiting.note(place);
            leave(note, timer);
            Queue queue = queue(cpu);
            book(queue, timer);
            enter(queue, row(note), timer);
            waiting.note(place, note(tgid(note), cpu, row(note)));
        }
    }

    /** The threads of a process that wait do so for another row from now on. Walks all that wait. */
    void move(int tgid, int row, long timer) {
        for (int place = waiting.next(0); place != OpenIntervals.NONE; place = waiting.next(place + 1)) {
            long note = waiting.note(place);
            if (tgid(note) == tgid) {
                pass(place, row, timer);
            }
        }
    }

    /** The threads that wait for the rest do so for their own jobs again, if those have rows by now. */
    void takeBack(JobRows.OfProcess rowOfProcess, long timer) {
        if (threads[JobRows.REST] == 0) {
            return;
        }
        for (int place = waiting.next(0); place != OpenIntervals.NONE; place = waiting.next(place + 1)) {
            long note = waiting.note(place);
            if (row(note) == JobRows.REST) {
                pass(place, rowOfProcess.row(tgid(note)), timer);
            }
        }
    }

    private void pass(int place, int row, long timer) {
        long note = waiting.note(place);
        leave(note, timer);
        enter(queue(cpu(note)), row, timer);
        waiting.note(place, note(tgid(note), cpu(note), row));
    }

    /** Keeps the rows that have threads which wait, or for which a CPU runs. */
    void keepRows() {
        for (int row = 0; row < threads.length; row++) {
            if (threads[row] > 0) {
                rows.keep(row);
            }
        }
        for (Queue queue : queues) {
            if (queue != null) {
                rows.keep(queue.runner);
            }
        }
    }

    /** Nothing is known of who waits. What was not booked is lost. */
    void forgetAll() {
        if (waiting.closeAll() > 0) {
            Arrays.fill(threads, 0);
            for (Queue queue : queues) {
                if (queue != null) {
                    queue.size = 0;
                }
            }
        }
    }

    /** Nothing is known of who runs on a CPU. */
    void forgetRunner(int cpu) {
        queue(cpu).runner = JobRows.UNKNOWN;
    }

    /** Books all that happened before. */
    void bookAll(long timer) {
        for (Queue queue : queues) {
            if (queue != null) {
                book(queue, timer);
            }
        }
        for (int row = 0; row < threads.length; row++) {
            if (threads[row] > 0) {
                bookAny(row, timer);
            }
        }
    }

    /** The timer began anew: nothing that is noted has a length. */
    void newEpoch() {
        forgetAll();
        for (Queue queue : queues) {
            if (queue != null) {
                queue.booked = 0;
            }
        }
    }

    @Override
    public void onRest(int row) {
        for (int place = waiting.next(0); place != OpenIntervals.NONE; place = waiting.next(place + 1)) {
            long note = waiting.note(place);
            if (row(note) == row) {
                Queue queue = queue(cpu(note));
                queue.remove(row);
                queue.add(JobRows.REST);
                if (threads[JobRows.REST]++ == 0) {
                    since[JobRows.REST] = since[row];
                }
                threads[row]--;
                waiting.note(place, note(tgid(note), cpu(note), JobRows.REST));
            }
        }
        for (Queue queue : queues) {
            if (queue != null && queue.runner == row) {
                queue.runner = JobRows.REST;
            }
        }
    }

    private void enter(Queue queue, int row, long timer) {
        queue.add(row);
        if (threads[row]++ == 0) {
            since[row] = timer;
        }
    }

    private void leave(long note, long timer) {
        Queue queue = queue(cpu(note));
        book(queue, timer);
        queue.remove(row(note));
        if (--threads[row(note)] == 0) {
            bookAny(row(note), timer);
        }
    }

    /** Late records book nothing twice. */
    private void book(Queue queue, long timer) {
        long ticks = timer - queue.booked;
        if (ticks <= 0) {
            return;
        }
        queue.booked = timer;
        for (int i = 0; i < queue.size; i++) {
            long waited = queue.counts[i] * ticks;
            rows.cause(queue.rows[i], queue.runner, waited);
            rows.add(queue.rows[i], JobColumn.WAIT_THREADS, waited);
        }
    }

    /** Time in which at least one thread waited. */
    private void bookAny(int row, long timer) {
        long ticks = timer - since[row];
        if (ticks > 0) {
            rows.add(row, JobColumn.WAIT, ticks);
            since[row] = timer;
        }
    }

    private Queue queue(int cpu) {
        if (cpu >= queues.length) {
            queues = Arrays.copyOf(queues, Math.max(cpu + 1, 2 * queues.length));
        }
        Queue queue = queues[cpu];
        if (queue == null) {
            queue = new Queue();
            queues[cpu] = queue;
        }
        return queue;
    }

    /** Whether a number in a record may be that of a CPU. */
    private static boolean isCpu(int cpu) {
        return cpu >= 0 && cpu < 1 << CPU_BITS;
    }

    private static long note(int tgid, int cpu, int row) {
        return (long) tgid << (CPU_BITS + ROW_BITS) | (long) cpu << ROW_BITS | row;
    }

    private static int tgid(long note) {
        return (int) (note >> (CPU_BITS + ROW_BITS));
    }

    private static int cpu(long note) {
        return (int) (note >> ROW_BITS) & ((1 << CPU_BITS) - 1);
    }

    private static int row(long note) {
        return (int) note & ((1 << ROW_BITS) - 1);
    }
}
