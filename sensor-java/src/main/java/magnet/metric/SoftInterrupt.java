// SPDX-License-Identifier: Apache-2.0
package magnet.metric;

import static magnet.record.EventType.SOFTIRQ_ENTRY;
import static magnet.record.EventType.SOFTIRQ_EXIT;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The kinds of soft interrupts, in the order of the kernel's vectors. Immutable. */
// The checker does not see that the records in it hold copies only.
@SuppressWarnings("ImmutableEnumChecker")
public enum SoftInterrupt {
    HI(0),
    TIMER(1),
    NET_TX(2),
    NET_RX(3),
    BLOCK(4),
    IRQ_POLL(5),
    TASKLET(6),
    SCHED(7),
    HRTIMER(8),
    RCU(9);

    private final int vector;
    private final Metric rate;
    private final Metric time;
    private final Metric max;

    SoftInterrupt(int vector) {
        this.vector = vector;
        MetricMaker make = MetricMaker.of(MetricGroup.INTERRUPTS, SOFTIRQ_ENTRY, SOFTIRQ_EXIT)
                .at(Level.FULL);
        String stem = "magnet_irq_soft_" + name().toLowerCase(Locale.ROOT);
        String title = "Soft interrupt " + name();
        this.rate = make.rate(
                stem + "_rate", "handlers/sec", title + " rate", "Runs of the handler of " + name() + " per second");
        this.time = make.percent(
                stem + "_time_percent",
                title + " time",
                "Time in the handler of " + name()
                        + " without the hard interrupts that broke in, as a share of the time of all CPUs");
        this.max = make.micros(
                stem + "_handler_max",
                title + " longest",
                "The longest run of the handler of " + name()
                        + " in the window, without the hard interrupts that broke in");
    }

    /** The kernel's number, from 0 on without a gap. */
    public int vector() {
        return vector;
    }

    public Metric rate() {
        return rate;
    }

    public Metric time() {
        return time;
    }

    public Metric max() {
        return max;
    }

    static List<Metric> all() {
        List<Metric> all = new ArrayList<>();
        for (SoftInterrupt kind : values()) {
            all.addAll(List.of(kind.rate, kind.time, kind.max));
        }
        return all;
    }
}
