// SPDX-License-Identifier: Apache-2.0
package magnet.metric;

import java.util.Collection;
import java.util.Locale;
import magnet.record.EventType;

/** How often the points of a metric are hit, which is what it costs: {@code docs/overhead.md} says what a hit does. */
public enum CostClass {
    NONE("no point in the kernel"),
    LOW("hit rarely: processes, markers, segments that are sent again, memory that is short"),
    MEDIUM("hit once for each packet, disk request or interrupt"),
    HIGH("hit with each context switch, wakeup, page fault or system call");

    private final String description;

    CostClass(String description) {
        this.description = description;
    }

    /** A word for tables. */
    public String key() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Half a sentence for the documentation. */
    public String description() {
        return description;
    }

    /** That of the dearest of these events. */
    public static CostClass of(Collection<EventType> events) {
        CostClass cost = NONE;
        for (EventType event : events) {
            CostClass each = of(event);
            cost = each.compareTo(cost) > 0 ? each : cost;
        }
        return cost;
    }

    private static CostClass of(EventType event) {
        return switch (event) {
            case TCP_RETRANSMIT_SKB,
                    SCHED_PROCESS_FORK,
                    SCHED_PROCESS_EXEC,
                    SCHED_PROCESS_EXIT,
                    MM_VMSCAN_DIRECT_RECLAIM_BEGIN,
                    MM_VMSCAN_DIRECT_RECLAIM_END,
                    MARK_VICTIM,
                    MARKER -> LOW;
            default ->
                switch (event.subsystem()) {
                    case SCHED, MEMORY, SYSCALL -> HIGH;
                    default -> MEDIUM;
                };
        };
    }
}
