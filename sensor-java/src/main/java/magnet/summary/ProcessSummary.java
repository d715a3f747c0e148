// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import static magnet.record.EventType.SCHED_PROCESS_EXEC;
import static magnet.record.EventType.SCHED_PROCESS_EXIT;
import static magnet.record.EventType.SCHED_PROCESS_FORK;

import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import magnet.metric.MetricSnapshot;
import magnet.metric.ProcessMetrics;
import magnet.record.ClockModel;
import magnet.record.EventType;
import magnet.record.Payload;
import magnet.record.RecordFlyweight;
import org.jspecify.annotations.Nullable;

/**
 * Processes made, programs started, processes ended, processes alive. For one thread.
 *
 * <p>How many are alive is counted once and then kept up by events. If one of these happened while it was counted, or
 * events were lost since, it is counted anew with the next window. Who builds that window's snapshot counts, perhaps on
 * another thread, and later than windows end that follow, which then have the same count; what happens until the count is known is remembered, {@value #REMEMBERED} changes at most, and after more
 * of them it is counted once again.
 */
final class ProcessSummary extends BuiltInHandler {
    private final ClockModel clockModel;
    private final Machine machine;
    private final WindowedCount forks;
    private final WindowedCount threads;
    private final WindowedCount execs;
    private final WindowedCount exits;
    private static final int REMEMBERED = 1_024;

    /** Comes from whoever counts; taken where the records are read. */
    private final AtomicReference<Machine.@Nullable Processes> fresh = new AtomicReference<>();

    /** Whoever builds snapshots has counted this last. */
    private volatile Machine.Processes newest = new Machine.Processes(0, 0, 0);

    private final long[] changeNanos = new long[REMEMBERED];
    private final int[] changes = new int[REMEMBERED];
    private Machine.Processes counted = new Machine.Processes(0, 0, 0);
    private boolean unsure = true;
    private boolean counting;
    private boolean lostMeanwhile;
    private int remembered;
    private long since;

    ProcessSummary(SummarySetup setup) {
        this.clockModel = setup.clockModel();
        this.machine = setup.machine();
        this.forks = new WindowedCount(setup.slots());
        this.threads = new WindowedCount(setup.slots());
        this.execs = new WindowedCount(setup.slots());
        this.exits = new WindowedCount(setup.slots());
    }

    @Override
    Set<EventType> events() {
        return EnumSet.of(SCHED_PROCESS_FORK, SCHED_PROCESS_EXEC, SCHED_PROCESS_EXIT);
    }

    @Override
    void onRecord(EventType type, RecordFlyweight record) {
        if (type == SCHED_PROCESS_EXEC) {
            execs.increment();
        } else if (type == SCHED_PROCESS_FORK) {
            onFork(record);
        } else if (record.payloadU32(Payload.EXIT_GROUP_DEAD_OFFSET) != 0) {
            exits.increment();
            change(-1, record.timer());
        }
    }

    @Override
    void onRecords(PutOffRecords records) {
        records.handTo(this);
    }

    /** A thread was made; it is a new process if it leads its own thread group. */
    private void onFork(RecordFlyweight record) {
        if (record.abstractId() == record.payloadU32(Payload.FORK_CHILD_TGID_OFFSET)) {
            forks.increment();
            change(1, record.timer());
        } else {
            threads.increment();
        }
    }

    private void change(int by, long timer) {
        long nanos = clockModel.monotonicNs(timer);
        if (counting) {
            takeCount();
        }
        if (!counting) {
            apply(by, nanos);
        } else if (remembered < REMEMBERED) {
            changeNanos[remembered] = nanos;
            changes[remembered++] = by;
        } else {
            lostMeanwhile = true;
        }
    }

    private void apply(int by, long nanos) {
        if (unsure) {
            return;
        }
        if (nanos >= counted.endNanos()) {
            since += by;
        } else if (nanos >= counted.beginNanos()) {
            unsure = true;
        }
    }

    /** The count that was asked for, if it is there. */
    private void takeCount() {
        Machine.Processes processes = fresh.getAndSet(null);
        if (processes == null) {
            return;
        }
        counting = false;
        counted = processes;
        since = 0;
        unsure = lostMeanwhile;
        for (int i = 0; i < remembered; i++) {
            apply(changes[i], changeNanos[i]);
        }
        remembered = 0;
        lostMeanwhile = false;
    }

    @Override
    void onLost(int cpu) {
        unsure = true;
        lostMeanwhile = counting;
    }

    @Override
    void put(MetricSnapshot.Builder snapshot) {
        snapshot.putRate(ProcessMetrics.FORKS, forks.sum());
        snapshot.putRate(ProcessMetrics.THREADS, threads.sum());
        snapshot.putRate(ProcessMetrics.EXECS, execs.sum());
        snapshot.putRate(ProcessMetrics.EXITS, exits.sum());
        if (snapshot.wants(ProcessMetrics.ALIVE)) {
            if (counting) {
                takeCount();
            }
            if (counting) {
                snapshot.later(this::putCount);
            } else if (unsure) {
                counting = true;
                remembered = 0;
                lostMeanwhile = false;
                snapshot.later(this::count);
            } else {
                snapshot.put(ProcessMetrics.ALIVE, (double) (counted.count() + since));
            }
        }
    }

    /** For the thread that builds the snapshot. */
    private void count(MetricSnapshot.Builder snapshot) {
        Machine.Processes processes = machine.processes();
        newest = processes;
        putCount(snapshot);
        fresh.set(processes);
    }

    /**
     * For the same thread: the window ended while a count was still to be made, which was for the one before. It is made now,
     * and what happened until this window's end is in it.
     */
    private void putCount(MetricSnapshot.Builder snapshot) {
        snapshot.put(ProcessMetrics.ALIVE, (double) newest.count());
    }

    @Override
    public void advance() {
        forks.advance();
        threads.advance();
        execs.advance();
        exits.advance();
    }
}
