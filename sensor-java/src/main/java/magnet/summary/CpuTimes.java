// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import java.util.Arrays;
import java.util.Set;
import magnet.metric.GmondMetrics;
import magnet.metric.Metric;
import magnet.metric.MetricSnapshot;
import magnet.record.CpuMode;
import magnet.record.EventType;
import magnet.record.Payload;
import magnet.record.RecordFlyweight;

/**
 * What the CPUs spent their time with, in percent of the time that is known of them, so that it always adds up to 100.
 *
 * <p>Records carry sums since the point was hooked, so only differences count, and no loss makes them wrong. Where a CPU
 * was silent up to the end of a slot, it is taken to have gone on as its last record says; the next one puts that right.
 * For one thread.
 */
final class CpuTimes extends BuiltInHandler {
    private static final int[] OFFSETS = {
        Payload.CPU_TIME_USER_OFFSET,
        Payload.CPU_TIME_NICE_OFFSET,
        Payload.CPU_TIME_SYSTEM_OFFSET,
        Payload.CPU_TIME_IDLE_OFFSET,
        Payload.CPU_TIME_IRQ_OFFSET,
        Payload.CPU_TIME_SOFTIRQ_OFFSET,
    };
    private static final int IRQ = 4;
    private static final int SOFTIRQ = 5;

    private final WindowedCount[] ticks = new WindowedCount[OFFSETS.length];
    /** By CPU and mode: the sums of its last record. */
    private long[] sums;
    /** By CPU: the timer of that; 0 if there was none. */
    private long[] timers;
    /** By CPU: the mode that it went on with. */
    private int[] modes;
    /** By CPU: ticks after its last record, if there was one, that have been counted for that mode. */
    private long[] ahead;

    /**
     * @param cpus CPUs to make room for at once
     * @param slots slots of the window
     */
    CpuTimes(int cpus, int slots) {
        for (int i = 0; i < ticks.length; i++) {
            ticks[i] = new WindowedCount(slots);
        }
        this.sums = new long[cpus * OFFSETS.length];
        this.timers = new long[cpus];
        this.modes = new int[cpus];
        this.ahead = new long[cpus];
    }

    @Override
    Set<EventType> events() {
        return Set.of(EventType.CPU_TIME);
    }

    @Override
    void onRecord(EventType type, RecordFlyweight record) {
        int cpu = record.cpu();
        if (cpu >= timers.length) {
            grow(cpu);
        }
        int first = cpu * OFFSETS.length;
        boolean goesOn = timers[cpu] != 0 && hasGrown(record, first);
        if (goesOn) {
            ticks[modes[cpu]].add(-ahead[cpu]);
        }
        for (int i = 0; i < OFFSETS.length; i++) {
            long sum = record.payloadU64(OFFSETS[i]);
            if (goesOn) {
                ticks[i].add(sum - sums[first + i]);
            }
            sums[first + i] = sum;
        }
        CpuMode mode = CpuMode.ofNumber(record.payloadU32(Payload.CPU_TIME_MODE_OFFSET));
        modes[cpu] = (mode == null ? CpuMode.SYSTEM : mode).number();
        timers[cpu] = record.timer();
        ahead[cpu] = 0;
    }

    /** A sum that goes back was made with a timer that began anew. */
    private boolean hasGrown(RecordFlyweight record, int first) {
        for (int i = 0; i < OFFSETS.length; i++) {
            if (record.payloadU64(OFFSETS[i]) < sums[first + i]) {
                return false;
            }
        }
        return true;
    }

    @Override
    void onRecords(PutOffRecords records) {
        records.handTo(this);
    }

    @Override
    void onNewEpoch() {
        Arrays.fill(timers, 0);
    }

    @Override
    void endSlot(long began, long newestTimer) {
        for (int cpu = 0; cpu < timers.length; cpu++) {
            long counted = timers[cpu] + ahead[cpu];
            // What was silent before the slot was counted where that ended: of an older one the timer is false.
            long silent = newestTimer - Math.max(began, counted);
            if (timers[cpu] != 0 && silent > 0) {
                ticks[modes[cpu]].add(silent);
                ahead[cpu] += silent;
            }
        }
    }

    @Override
    void put(MetricSnapshot.Builder snapshot) {
        long all = 0;
        for (WindowedCount each : ticks) {
            all += inWindow(each);
        }
        long interrupts = inWindow(ticks[IRQ]) + inWindow(ticks[SOFTIRQ]);
        percent(snapshot, GmondMetrics.CPU_USER, inWindow(ticks[CpuMode.USER.number()]), all);
        percent(snapshot, GmondMetrics.CPU_NICE, inWindow(ticks[CpuMode.NICE.number()]), all);
        percent(snapshot, GmondMetrics.CPU_SYSTEM, inWindow(ticks[CpuMode.SYSTEM.number()]) + interrupts, all);
        percent(snapshot, GmondMetrics.CPU_IDLE, inWindow(ticks[CpuMode.IDLE.number()]), all);
        percent(snapshot, GmondMetrics.CPU_INTR, inWindow(ticks[IRQ]), all);
        percent(snapshot, GmondMetrics.CPU_SINTR, inWindow(ticks[SOFTIRQ]), all);
    }

    @Override
    public void advance() {
        for (WindowedCount each : ticks) {
            each.advance();
        }
    }

    /** What was put right after its slot had left the window would be negative. */
    private static long inWindow(WindowedCount count) {
        return Math.max(0, count.sum());
    }

    private static void percent(MetricSnapshot.Builder snapshot, Metric metric, long part, long all) {
        snapshot.put(metric, all > 0 ? 100.0 * part / all : 0);
    }

    private void grow(int cpu) {
        int length = Math.max(cpu + 1, timers.length * 2);
        sums = Arrays.copyOf(sums, length * OFFSETS.length);
        timers = Arrays.copyOf(timers, length);
        modes = Arrays.copyOf(modes, length);
        ahead = Arrays.copyOf(ahead, length);
    }
}
