// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import static magnet.record.EventType.SCHED_PROCESS_EXEC;
import static magnet.record.EventType.SCHED_PROCESS_EXIT;
import static magnet.record.EventType.SCHED_PROCESS_FORK;

import java.util.EnumSet;
import java.util.Set;
import magnet.metric.MetricSnapshot;
import magnet.metric.ProcessMetrics;
import magnet.record.ClockModel;
import magnet.record.EventType;
import magnet.record.Payload;
import magnet.record.RecordFlyweight;

/**
 * Processes made, programs started, processes ended, processes alive. For one thread.
 *
 * <p>How many are alive is counted once and then kept up by events. If one of these happened while it was counted, or
 * events were lost since, it is counted anew with the next window.
 */
final class ProcessSummary extends Handler {
    private final ClockModel clockModel;
    private final Machine machine;
    private final WindowedCount forks;
    private final WindowedCount threads;
    private final WindowedCount execs;
    private final WindowedCount exits;
    private Machine.Processes counted = new Machine.Processes(0, 0, 0);
    private boolean unsure = true;
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
        if (unsure) {
            return;
        }
        long nanos = clockModel.monotonicNs(timer);
        if (nanos >= counted.endNanos()) {
            since += by;
        } else if (nanos >= counted.beginNanos()) {
            unsure = true;
        }
    }

    @Override
    void onLost(int cpu) {
        unsure = true;
    }

    @Override
    void put(MetricSnapshot.Builder snapshot) {
        snapshot.putRate(ProcessMetrics.FORKS, forks.sum());
        snapshot.putRate(ProcessMetrics.THREADS, threads.sum());
        snapshot.putRate(ProcessMetrics.EXECS, execs.sum());
        snapshot.putRate(ProcessMetrics.EXITS, exits.sum());
        if (snapshot.wants(ProcessMetrics.ALIVE)) {
            if (unsure) {
                counted = machine.processes();
                since = 0;
                unsure = false;
            }
            snapshot.put(ProcessMetrics.ALIVE, (double) (counted.count() + since));
        }
    }

    @Override
    public void advance() {
        forks.advance();
        threads.advance();
        execs.advance();
        exits.advance();
    }
}
