// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import static magnet.record.EventType.IRQ_HANDLER_ENTRY;
import static magnet.record.EventType.IRQ_HANDLER_EXIT;
import static magnet.record.EventType.SOFTIRQ_ENTRY;
import static magnet.record.EventType.SOFTIRQ_EXIT;

import java.util.BitSet;
import java.util.EnumSet;
import java.util.Set;
import magnet.metric.InterruptMetrics;
import magnet.metric.MetricSnapshot;
import magnet.metric.SoftInterrupt;
import magnet.record.EventType;
import magnet.record.RecordFlyweight;

/**
 * Time in interrupt handlers. For one thread.
 *
 * <p>A handler's time runs from its entry to its exit on one CPU. A hard interrupt that breaks into a soft one is not
 * part of the soft one's time. Hard interrupts do not nest on Linux; an entry while one is open means that an exit was
 * missed, and the open one is discarded. Percent is of the time of all CPUs in the window.
 */
final class InterruptSummary extends BuiltInHandler {
    /** CPUs that there are; more may come under way. */
    private int cpus;

    private final BitSet seen = new BitSet();
    private final TimerScale scale;
    private final Quality quality;
    private final PerCpu hard;
    private final PerCpu soft;
    private final WindowedCount hardRuns;
    private final WindowedCount hardTicks;
    private final WindowedDistribution hardTimes;
    private final WindowedDistribution softTimes;
    private final WindowedCount[] runs = new WindowedCount[SoftInterrupt.values().length];
    private final WindowedCount[] ticks = new WindowedCount[runs.length];
    private final WindowedMax[] longest = new WindowedMax[runs.length];

    InterruptSummary(int cpus, int slots, TimerScale scale, Quality quality) {
        this.cpus = cpus;
        this.scale = scale;
        this.quality = quality;
        this.hard = new PerCpu(cpus);
        this.soft = new PerCpu(cpus);
        this.hardRuns = new WindowedCount(slots);
        this.hardTicks = new WindowedCount(slots);
        this.hardTimes = new WindowedDistribution(slots, scale);
        this.softTimes = new WindowedDistribution(slots, scale);
        for (int kind = 0; kind < runs.length; kind++) {
            runs[kind] = new WindowedCount(slots);
            ticks[kind] = new WindowedCount(slots);
            longest[kind] = new WindowedMax(slots);
        }
    }

    @Override
    Set<EventType> events() {
        return EnumSet.of(IRQ_HANDLER_ENTRY, IRQ_HANDLER_EXIT, SOFTIRQ_ENTRY, SOFTIRQ_EXIT);
    }

    @Override
    void onRecord(EventType type, RecordFlyweight record) {
        int cpu = record.cpu();
        long id = record.abstractId();
        long timer = record.timer();
        switch (type) {
            case IRQ_HANDLER_ENTRY -> onHardEntry(cpu, id, timer);
            case IRQ_HANDLER_EXIT -> onHardExit(cpu, id, timer);
            case SOFTIRQ_ENTRY -> onSoftEntry(cpu, id, timer);
            default -> onSoftExit(cpu, id, timer);
        }
    }

    @Override
    void onRecords(PutOffRecords records) {
        records.handTo(this);
    }

    private void onHardEntry(int cpu, long irq, long timer) {
        hardRuns.increment();
        begin(hard, cpu, irq, timer);
    }

    private void onHardExit(int cpu, long irq, long timer) {
        if (pairs(hard, cpu, irq)) {
            long length = quality.length(timer - hard.begin(cpu));
            hardTicks.add(length);
            hardTimes.record(length);
            if (soft.isOpen(cpu)) {
                soft.shorten(cpu, length);
            }
        }
        hard.close(cpu);
    }

    private void onSoftEntry(int cpu, long vector, long timer) {
        runs[kind(vector)].increment();
        begin(soft, cpu, vector, timer);
    }

    private void onSoftExit(int cpu, long vector, long timer) {
        if (pairs(soft, cpu, vector)) {
            long length = quality.length(timer - soft.begin(cpu));
            softTimes.record(length);
            ticks[kind(vector)].add(length);
            longest[kind(vector)].record(length);
        }
        soft.close(cpu);
    }

    /** Linux has these ten, and has had them for long; what came after them would count as the last one. */
    private int kind(long vector) {
        return vector >= 0 && vector < runs.length ? (int) vector : runs.length - 1;
    }

    /** This CPU's handlers may have ended unseen. */
    @Override
    void onLost(int cpu) {
        quality.dropByLoss((hard.isOpen(cpu) ? 1 : 0) + (soft.isOpen(cpu) ? 1 : 0));
        hard.close(cpu);
        soft.close(cpu);
    }

    @Override
    void put(MetricSnapshot.Builder snapshot) {
        snapshot.putRate(InterruptMetrics.HARD_RATE, hardRuns.sum());
        snapshot.put(InterruptMetrics.HARD_TIME, percent(hardTicks.sum(), snapshot));
        hardTimes.put(InterruptMetrics.HARD_HANDLER, snapshot);
        hardTimes.put(InterruptMetrics.HARD_BUCKETS, snapshot);
        long softRuns = 0;
        long softTicks = 0;
        for (SoftInterrupt kind : SoftInterrupt.values()) {
            int index = kind.vector();
            softRuns += runs[index].sum();
            softTicks += ticks[index].sum();
            snapshot.putRate(kind.rate(), runs[index].sum());
            snapshot.put(kind.time(), percent(ticks[index].sum(), snapshot));
            snapshot.put(kind.max(), scale.toMicros(longest[index].max()));
        }
        snapshot.putRate(InterruptMetrics.SOFT_RATE, softRuns);
        snapshot.put(InterruptMetrics.SOFT_TIME, percent(softTicks, snapshot));
        softTimes.put(InterruptMetrics.SOFT_HANDLER, snapshot);
        softTimes.put(InterruptMetrics.SOFT_BUCKETS, snapshot);
    }

    @Override
    public void advance() {
        hardRuns.advance();
        hardTicks.advance();
        hardTimes.advance();
        softTimes.advance();
        for (int kind = 0; kind < runs.length; kind++) {
            runs[kind].advance();
            ticks[kind].advance();
            longest[kind].advance();
        }
    }

    private void begin(PerCpu handlers, int cpu, long key, long timer) {
        if (!seen.get(cpu)) {
            seen.set(cpu);
            cpus = Math.max(cpus, seen.cardinality());
        }
        if (handlers.isOpen(cpu)) {
            quality.unpair();
        }
        handlers.begin(cpu, key, timer);
    }

    private boolean pairs(PerCpu handlers, int cpu, long key) {
        if (!handlers.isOpen(cpu)) {
            return false;
        }
        if (handlers.key(cpu) != key) {
            quality.unpair();
            return false;
        }
        return true;
    }

    private double percent(long sum, MetricSnapshot.Builder snapshot) {
        double all = snapshot.seconds() * cpus;
        // A handler may have begun before the window, and a timer have jumped by so little that nobody can tell.
        return all > 0 ? Math.min(100, 100 * scale.toSeconds(sum) / all) : 0;
    }
}
