// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import static magnet.record.EventType.SCHED_PROCESS_EXIT;
import static magnet.record.EventType.SCHED_SWITCH;
import static magnet.record.EventType.SCHED_WAKEUP;

import java.util.EnumSet;
import java.util.Set;
import magnet.metric.MetricSnapshot;
import magnet.metric.SchedulerMetrics;
import magnet.record.EventType;
import magnet.record.Payload;
import magnet.record.RecordFlyweight;

/**
 * Waiting, running, idling. For one thread.
 *
 * <p>A thread's wait begins when it is made or wakes, or when it is taken off a CPU while it could run on, and ends
 * when it enters a CPU. A slice is the time from entering to leaving a CPU; of thread 0, idle, it is an idle gap. Times that were
 * under way when the service started, or when events were lost, are not measured.
 */
final class SchedulerSummary extends BuiltInHandler {
    private static final long IDLE = 0;
    private static final int WAITING = 1;
    private static final int WAITING_CAPACITY = 8_192;

    private final Quality quality;
    private final OpenIntervals waiting = new OpenIntervals(WAITING_CAPACITY);
    private final PerCpu running;
    private final WindowedCount switches;
    private final WindowedCount preemptions;
    private final WindowedDistribution waits;
    private final WindowedDistribution slices;
    private final WindowedDistribution idleGaps;

    SchedulerSummary(int cpus, int slots, TimerScale scale, Quality quality) {
        this.quality = quality;
        this.running = new PerCpu(cpus);
        this.switches = new WindowedCount(slots);
        this.preemptions = new WindowedCount(slots);
        this.waits = new WindowedDistribution(slots, scale);
        this.slices = new WindowedDistribution(slots, scale);
        this.idleGaps = new WindowedDistribution(slots, scale);
    }

    @Override
    Set<EventType> events() {
        return EnumSet.of(SCHED_SWITCH, SCHED_WAKEUP, SCHED_PROCESS_EXIT);
    }

    @Override
    void onRecord(EventType type, RecordFlyweight record) {
        if (type == SCHED_SWITCH) {
            onSwitch(record.cpu(), record.tid(), couldRunOn(record), record.abstractId(), record.timer());
        } else if (type == SCHED_WAKEUP) {
            onWakeup(record.abstractId(), record.timer());
        } else {
            // The thread is still on its CPU, and leaves it later.
            forget(record.tid());
        }
    }

    @Override
    void onRecords(PutOffRecords records) {
        records.handTo(this);
    }

    /** Whether the thread that leaves its CPU in this switch could run on. */
    static boolean couldRunOn(RecordFlyweight record) {
        long state = record.payloadU32(Payload.SCHED_SWITCH_PREV_STATE_OFFSET);
        return state == 0 || (state & Payload.SCHED_PREEMPTED) != 0;
    }

    /**
     * A CPU changes from one thread to another.
     *
     * @param runnable whether the leaving thread could run on
     */
    private void onSwitch(int cpu, long leaving, boolean runnable, long entering, long timer) {
        switches.increment();
        endSlice(cpu, leaving, timer);
        if (leaving != IDLE) {
            if (runnable) {
                preemptions.increment();
                waiting.open(leaving, 0, timer, WAITING);
            } else {
                forget(leaving);
            }
        }
        if (entering != IDLE) {
            endWait(entering, timer);
        }
        running.begin(cpu, entering, timer);
    }

    /** A thread can run from now on. */
    private void onWakeup(long tid, long timer) {
        if (tid != IDLE && waiting.find(tid, 0) == OpenIntervals.NONE) {
            waiting.open(tid, 0, timer, WAITING);
        }
    }

    /** This CPU's slice may have ended unseen, and so may any wait: its thread can have entered this CPU. */
    @Override
    void onLost(int cpu) {
        quality.dropByLoss(waiting.closeAll());
        if (running.isOpen(cpu)) {
            running.close(cpu);
            quality.dropByLoss(1);
        }
    }

    @Override
    void put(MetricSnapshot.Builder snapshot) {
        quality.evict(waiting.takeEvicted());
        snapshot.putRate(SchedulerMetrics.CONTEXT_SWITCHES, switches.sum());
        snapshot.putRate(SchedulerMetrics.PREEMPTIONS, preemptions.sum());
        waits.put(SchedulerMetrics.RUN_QUEUE_WAIT, snapshot);
        waits.put(SchedulerMetrics.RUN_QUEUE_WAIT_BUCKETS, snapshot);
        slices.put(SchedulerMetrics.TIME_SLICE, snapshot);
        slices.put(SchedulerMetrics.TIME_SLICE_BUCKETS, snapshot);
        idleGaps.put(SchedulerMetrics.IDLE_GAP, snapshot);
        idleGaps.put(SchedulerMetrics.IDLE_GAP_BUCKETS, snapshot);
    }

    @Override
    public void advance() {
        switches.advance();
        preemptions.advance();
        waits.advance();
        slices.advance();
        idleGaps.advance();
    }

    private void forget(long tid) {
        int place = waiting.find(tid, 0);
        if (place != OpenIntervals.NONE) {
            waiting.close(place);
        }
    }

    private void endSlice(int cpu, long leaving, long timer) {
        if (!running.isOpen(cpu)) {
            return;
        }
        if (running.key(cpu) != leaving) {
            quality.unpair();
        } else if (leaving == IDLE) {
            idleGaps.record(quality.length(timer - running.begin(cpu)));
        } else {
            slices.record(quality.length(timer - running.begin(cpu)));
        }
    }

    private void endWait(long entering, long timer) {
        int place = waiting.find(entering, 0);
        if (place != OpenIntervals.NONE) {
            long ticks = quality.length(timer - waiting.begin(place));
            waits.record(ticks);
            waiting.close(place);
        }
    }
}
