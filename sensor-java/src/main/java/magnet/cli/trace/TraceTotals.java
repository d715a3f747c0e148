// SPDX-License-Identifier: Apache-2.0
package magnet.cli.trace;

import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.function.IntFunction;
import magnet.record.ClockModel;
import magnet.record.EventType;
import magnet.record.Payload;
import magnet.record.RecordFlyweight;
import magnet.record.RecordHandler;
import magnet.record.Subsystem;
import magnet.trace.ThreadNames;
import magnet.trace.TraceClock;
import org.jspecify.annotations.Nullable;

/** What a report needs beside the summaries: when, how much was lost where, and what processes did. Not thread-safe. */
public final class TraceTotals implements RecordHandler {
    private final long ticksPerMilli;
    private final RecordHandler next;
    private final ProcessCounts processes = new ProcessCounts();
    private final ThreadNames names;
    private final IntFunction<String> owners;
    private final @Nullable JobCounts jobs;
    private long[] lost = new long[8];
    private long[] refused = new long[8];
    private long[] sliceBegins = new long[8];
    private boolean[] sliceOpen = new boolean[8];
    private boolean any;
    private long firstTimer;
    private long lastTimer;
    /** Of the epochs before the last. */
    private long ticksBefore;

    private boolean anyOfEpoch;
    private long firstOfEpoch;
    private boolean jumped;
    private @Nullable ClockModel clock;

    /**
     * @param ticksPerMilli frequency of the timer
     * @param names of processes, each character a byte, whose every other name the trace's records tell
     * @param owners whose a process is, as of the record that is handed over; empty if that is not known
     * @param jobs gets what it is to count, and sees records before; null if nobody asks for jobs
     * @param next gets the records as well
     */
    TraceTotals(
            long ticksPerMilli,
            Map<Integer, String> names,
            IntFunction<String> owners,
            @Nullable JobCounts jobs,
            RecordHandler next) {
        this.ticksPerMilli = ticksPerMilli;
        this.owners = owners;
        this.jobs = jobs;
        this.names = ThreadNames.ofSaved(names);
        this.next = next;
    }

    @Override
    public void onRecord(RecordFlyweight record) {
        int cpu = record.cpu();
        if (cpu >= lost.length) {
            grow(cpu);
        }
        names.onRecord(record);
        EventType type = EventType.ofId(record.event());
        if (type == null || type.subsystem() != Subsystem.SENSOR) {
            onEvent(record, cpu, type == EventType.SCHED_SWITCH);
        } else if (type == EventType.CLOCK && jumped && clock == null) {
            clock = new ClockModel(
                    ticksPerMilli,
                    record.timer(),
                    record.payloadU64(Payload.CLOCK_REALTIME_NS_OFFSET),
                    record.payloadU64(Payload.CLOCK_MONOTONIC_NS_OFFSET));
        } else if (type == EventType.LOST) {
            lost[cpu] += record.payloadU64(Payload.LOST_COUNT_OFFSET);
            endSlice(cpu);
        } else if (type == EventType.STORM) {
            refused[cpu] += record.payloadU64(Payload.STORM_REFUSED_OFFSET);
            endSlice(cpu);
        }
        next.onRecord(record);
    }

    @Override
    public void onGap(int cpu) {
        names.onGap(cpu);
        endSlice(cpu);
        next.onGap(cpu);
    }

    @Override
    public void onNewEpoch(int cpus) {
        Arrays.fill(sliceOpen, false);
        ticksBefore = ticks();
        anyOfEpoch = false;
        jumped = true;
        clock = null;
        next.onNewEpoch(cpus);
    }

    long firstTimer() {
        return firstTimer;
    }

    /** When the last event was, in nanoseconds since 1970, by the clock of the trace, or of the epoch if the timer jumped. */
    long lastRealtimeNs(TraceClock traceClock) {
        return clock == null ? traceClock.realtimeNs(lastTimer) : clock.realtimeNs(lastTimer);
    }

    /** Ticks from the first event to the last; of each epoch for itself if the timer jumped. */
    long ticks() {
        return ticksBefore + (anyOfEpoch ? Math.max(0, lastTimer - firstOfEpoch) : 0);
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

    /** Of a report that is by job. */
    JobCounts jobs() {
        return Objects.requireNonNull(jobs);
    }

    /** What the records say that threads are called. */
    ThreadNames names() {
        return names;
    }

    private void onEvent(RecordFlyweight record, int cpu, boolean isSwitch) {
        long timer = record.timer();
        if (!any) {
            any = true;
            firstTimer = timer;
        }
        if (!anyOfEpoch) {
            anyOfEpoch = true;
            firstOfEpoch = timer;
        }
        lastTimer = timer;
        processes.addEvent(record.tgid(), names.losses(), owners.apply(record.tgid()));
        if (jobs != null) {
            jobs.addEvent(record.tgid());
        }
        if (isSwitch) {
            if (jobs != null) {
                jobs.onSwitch(record);
            }
            if (sliceOpen[cpu]) {
                processes.addSlice(record.tgid(), Math.max(0, timer - sliceBegins[cpu]));
            }
            sliceOpen[cpu] = true;
            sliceBegins[cpu] = timer;
        }
    }

    /** How long it was nobody knows. */
    private void endSlice(int cpu) {
        if (cpu < sliceOpen.length) {
            sliceOpen[cpu] = false;
        }
        if (jobs != null) {
            jobs.lose(cpu);
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
