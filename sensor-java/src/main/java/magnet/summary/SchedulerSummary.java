// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import magnet.metric.MetricSnapshot;
import magnet.metric.Metrics;

/**
 * Waiting, running, idling. For one thread.
 *
 * <p>A thread's wait begins when it is made or wakes, or when it is taken off a CPU while it could run on, and ends
 * when it enters a CPU. A slice is the time from entering to leaving a CPU; of thread 0, idle, it is an idle gap. Times that were
 * under way when the service started, or when events were lost, are not measured.
 */
final class SchedulerSummary implements Windowed {
    private static final long IDLE = 0;
    private static final int WAITING = 1;
    private static final int WAITING_CAPACITY = 8_192;

    private final Quality quality;
    private final OpenIntervals waiting = new OpenIntervals(WAITING_CAPACITY);
    private final PerCpu running;
    private final WindowedCount switches;
    private final WindowedDistribution waits;
    private final WindowedDistribution slices;
    private final WindowedMax idleGap;
    private final TimerScale scale;

    SchedulerSummary(int cpus, int slots, TimerScale scale, Quality quality) {
        this.quality = quality;
        this.running = new PerCpu(cpus);
        this.switches = new WindowedCount(slots);
        this.waits = new WindowedDistribution(slots, scale);
        this.slices = new WindowedDistribution(slots, scale);
        this.idleGap = new WindowedMax(slots);
        this.scale = scale;
    }

    /**
     * A CPU changes from one thread to another.
     *
     * @param runnable whether the leaving thread could run on
     */
    void onSwitch(int cpu, long leaving, boolean runnable, long entering, long timer) {
        switches.increment();
        endSlice(cpu, leaving, timer);
        if (leaving != IDLE) {
            if (runnable) {
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
    void onWakeup(long tid, long timer) {
        if (tid != IDLE && waiting.find(tid, 0) == OpenIntervals.NONE) {
            waiting.open(tid, 0, timer, WAITING);
        }
    }

    /** A thread ends; it is still on its CPU and leaves it later. */
    void onExit(long tid) {
        forget(tid);
    }

    /** This CPU's slice may have ended unseen, and so may any wait: its thread can have entered this CPU. */
    void onLost(int cpu) {
        quality.dropByLoss(waiting.closeAll());
        if (running.isOpen(cpu)) {
            running.close(cpu);
            quality.dropByLoss(1);
        }
    }

    void put(MetricSnapshot.Builder snapshot) {
        quality.evict(waiting.takeEvicted());
        snapshot.putRate(Metrics.CONTEXT_SWITCHES, switches.sum());
        waits.put(Metrics.RUN_QUEUE_WAIT, snapshot);
        slices.put(Metrics.TIME_SLICE, snapshot);
        snapshot.put(Metrics.IDLE_GAP_MAX, scale.toMicros(idleGap.max()));
    }

    @Override
    public void advance() {
        switches.advance();
        waits.advance();
        slices.advance();
        idleGap.advance();
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
            idleGap.record(quality.length(timer - running.begin(cpu)));
        } else {
            slices.record(quality.length(timer - running.begin(cpu)));
        }
    }

    private void endWait(long entering, long timer) {
        int place = waiting.find(entering, 0);
        if (place != OpenIntervals.NONE) {
            waits.record(quality.length(timer - waiting.begin(place)));
            waiting.close(place);
        }
    }
}
