// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import magnet.metric.MetricSnapshot;
import magnet.metric.Metrics;

/**
 * Time in interrupt handlers. For one thread.
 *
 * <p>A handler's time runs from its entry to its exit on one CPU. A hard interrupt that breaks into a soft one is not
 * part of the soft one's time. Hard interrupts do not nest on Linux; an entry while one is open means that an exit was
 * missed, and the open one is discarded. Percent is of the time of all CPUs in the window.
 */
final class InterruptSummary implements Windowed {
    private final int cpus;
    private final TimerScale scale;
    private final Quality quality;
    private final PerCpu hard;
    private final PerCpu soft;
    private final WindowedCount hardTicks;
    private final WindowedCount softTicks;
    private final WindowedMax hardMax;
    private final WindowedMax softMax;

    InterruptSummary(int cpus, int slots, TimerScale scale, Quality quality) {
        this.cpus = cpus;
        this.scale = scale;
        this.quality = quality;
        this.hard = new PerCpu(cpus);
        this.soft = new PerCpu(cpus);
        this.hardTicks = new WindowedCount(slots);
        this.softTicks = new WindowedCount(slots);
        this.hardMax = new WindowedMax(slots);
        this.softMax = new WindowedMax(slots);
    }

    void onHardEntry(int cpu, long irq, long timer) {
        begin(hard, cpu, irq, timer);
    }

    void onHardExit(int cpu, long irq, long timer) {
        if (pairs(hard, cpu, irq)) {
            long ticks = quality.length(timer - hard.begin(cpu));
            hardTicks.add(ticks);
            hardMax.record(ticks);
            if (soft.isOpen(cpu)) {
                soft.shorten(cpu, ticks);
            }
        }
        hard.close(cpu);
    }

    void onSoftEntry(int cpu, long vector, long timer) {
        begin(soft, cpu, vector, timer);
    }

    void onSoftExit(int cpu, long vector, long timer) {
        if (pairs(soft, cpu, vector)) {
            long ticks = quality.length(timer - soft.begin(cpu));
            softTicks.add(ticks);
            softMax.record(ticks);
        }
        soft.close(cpu);
    }

    /** This CPU's handlers may have ended unseen. */
    void onLost(int cpu) {
        quality.dropByLoss((hard.isOpen(cpu) ? 1 : 0) + (soft.isOpen(cpu) ? 1 : 0));
        hard.close(cpu);
        soft.close(cpu);
    }

    void put(MetricSnapshot.Builder snapshot) {
        double allNanos = snapshot.windowSeconds() * 1e9 * cpus;
        snapshot.put(Metrics.HARD_INTERRUPT_TIME, percent(hardTicks.sum(), allNanos));
        snapshot.put(Metrics.HARD_INTERRUPT_MAX, scale.toMicros(hardMax.max()));
        snapshot.put(Metrics.SOFT_INTERRUPT_TIME, percent(softTicks.sum(), allNanos));
        snapshot.put(Metrics.SOFT_INTERRUPT_MAX, scale.toMicros(softMax.max()));
    }

    @Override
    public void advance() {
        hardTicks.advance();
        softTicks.advance();
        hardMax.advance();
        softMax.advance();
    }

    private void begin(PerCpu handlers, int cpu, long key, long timer) {
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

    private double percent(long ticks, double allNanos) {
        return allNanos > 0 ? 100 * scale.toMicros(ticks) * 1_000 / allNanos : 0;
    }
}
