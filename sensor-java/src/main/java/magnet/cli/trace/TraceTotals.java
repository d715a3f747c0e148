// SPDX-License-Identifier: Apache-2.0
package magnet.cli.trace;

import java.util.Arrays;
import magnet.record.EventType;
import magnet.record.Payload;
import magnet.record.RecordFlyweight;
import magnet.record.RecordHandler;
import magnet.record.Subsystem;

/** What a report needs beside the summaries: when, how much was lost where, and what processes did. Not thread-safe. */
public final class TraceTotals implements RecordHandler {
    private final RecordHandler next;
    private final ProcessCounts processes = new ProcessCounts();
    private long[] lost = new long[8];
    private long[] refused = new long[8];
    private long[] sliceBegins = new long[8];
    private boolean[] sliceOpen = new boolean[8];
    private boolean any;
    private long firstTimer;
    private long lastTimer;

    /** @param next gets the records as well */
    TraceTotals(RecordHandler next) {
        this.next = next;
    }

    @Override
    public void onRecord(RecordFlyweight record) {
        int cpu = record.cpu();
        if (cpu >= lost.length) {
            grow(cpu);
        }
        EventType type = EventType.ofId(record.event());
        if (type == null || type.subsystem() != Subsystem.SENSOR) {
            onEvent(record, cpu, type == EventType.SCHED_SWITCH);
        } else if (type == EventType.LOST) {
            lost[cpu] += record.payloadU64(Payload.LOST_COUNT_OFFSET);
            sliceOpen[cpu] = false;
        } else if (type == EventType.STORM) {
            refused[cpu] += record.payloadU64(Payload.STORM_REFUSED_OFFSET);
            sliceOpen[cpu] = false;
        }
        next.onRecord(record);
    }

    long firstTimer() {
        return firstTimer;
    }

    /** Ticks from the first event to the last. */
    long ticks() {
        return Math.max(0, lastTimer - firstTimer);
    }

    long lost(int cpu) {
        return cpu < lost.length ? lost[cpu] : 0;
    }

    /** Events that storm guards refused. */
    long refused(int cpu) {
        return cpu < refused.length ? refused[cpu] : 0;
    }

    /** CPUs of which there may be a loss: all below this number. */
    int cpuEnd() {
        return lost.length;
    }

    ProcessCounts processes() {
        return processes;
    }

    private void onEvent(RecordFlyweight record, int cpu, boolean isSwitch) {
        long timer = record.timer();
        if (!any) {
            any = true;
            firstTimer = timer;
        }
        lastTimer = timer;
        processes.addEvent(record.tgid());
        if (isSwitch) {
            if (sliceOpen[cpu]) {
                processes.addSlice(record.tgid(), Math.max(0, timer - sliceBegins[cpu]));
            }
            sliceOpen[cpu] = true;
            sliceBegins[cpu] = timer;
        }
    }

    private void grow(int cpu) {
        int length = Math.max(cpu + 1, 2 * lost.length);
        lost = Arrays.copyOf(lost, length);
        refused = Arrays.copyOf(refused, length);
        sliceBegins = Arrays.copyOf(sliceBegins, length);
        sliceOpen = Arrays.copyOf(sliceOpen, length);
    }
}
