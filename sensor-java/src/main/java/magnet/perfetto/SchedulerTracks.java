// SPDX-License-Identifier: Apache-2.0
package magnet.perfetto;

import java.util.Arrays;
import magnet.record.Payload;
import magnet.record.RecordFlyweight;

/**
 * Who ran on which CPU, and what threads waited for: switches, wake-ups and new threads as the kernel's own tracer tells
 * them. For one thread.
 *
 * <p>Where events of a CPU were lost, who ran is not known from the first lost event to the last: the CPU idles there, as
 * far as the trace can say it.
 */
final class SchedulerTracks {
    private static final int IDLE = 0;
    private static final int UNKNOWN = -1;
    private static final int WAITING_MOST = 1 << 15;
    /** From the kernel's sched.h. */
    private static final long CLONE_THREAD = 0x0001_0000;

    // Bits of the kernel's task states.
    private static final long REPORTED = 0x3f;
    private static final long PARKED = 0x40;
    private static final long DEAD = 0x80;
    private static final long IDLE_STATE = 0x402;
    private static final long UNINTERRUPTIBLE = 2;
    private static final long LOCK_OR_FROZEN = 0x9000;
    // Bits by which Perfetto knows them of a kernel whose version it is not told.
    private static final long SHOWN_DEAD = 0x10;
    private static final long SHOWN_PARKED = 0x200;
    private static final long SHOWN_PREEMPTED = 0x800;

    private final Bundles bundles;
    private final Threads threads;
    private final Rates rates;
    private final Bounded<Integer, Long> waiting = new Bounded<>(WAITING_MOST);
    private int[] running = {};
    private long[] since = {};
    private long[] gapEnds = {};
    private long switches;

    SchedulerTracks(Bundles bundles, Threads threads, Rates rates) {
        this.bundles = bundles;
        this.threads = threads;
        this.rates = rates;
    }

    /** Switches that the trace has. */
    long switches() {
        return switches;
    }

    void onSwitch(RecordFlyweight record, long ns) {
        int cpu = record.cpu();
        grow(cpu);
        int leaving = threads.tid(record);
        int entering = (int) record.abstractId();
        long state = record.payloadU32(Payload.SCHED_SWITCH_PREV_STATE_OFFSET);
        threads.seen(entering, (int) record.payloadU32(Payload.SCHED_SWITCH_NEXT_TGID_OFFSET), ns);
        if (gapEnds[cpu] > 0 && leaving != IDLE) {
            write(cpu, Math.min(ns, gapEnds[cpu]), IDLE, 0, leaving);
        }
        gapEnds[cpu] = 0;
        write(cpu, ns, leaving, shown(state), entering);
        switches++;
        threads.runs(cpu, entering);
        running[cpu] = entering;
        since[cpu] = ns;
        noteWait(cpu, leaving, state == 0 || (state & Payload.SCHED_PREEMPTED) != 0, entering, ns);
    }

    void onWakeup(RecordFlyweight record, long ns) {
        int woken = (int) record.abstractId();
        threads.seen(woken, (int) record.payloadU32(Payload.SCHED_WAKEUP_TGID_OFFSET), ns);
        waiting.putIfAbsent(woken, ns);
        ProtoWriter event = bundles.begin(record.cpu(), ns, threads.tid(record), Schema.FTRACE_SCHED_WAKING);
        putName(event, Schema.WAKING_COMM, woken);
        event.number(Schema.WAKING_PID, woken);
        event.number(Schema.WAKING_TARGET_CPU, record.payloadU32(Payload.SCHED_WAKEUP_TARGET_CPU_OFFSET));
        bundles.end();
    }

    void onFork(RecordFlyweight record, long ns) {
        int child = (int) record.abstractId();
        int process = (int) record.payloadU32(Payload.FORK_CHILD_TGID_OFFSET);
        ProtoWriter event = bundles.begin(record.cpu(), ns, threads.tid(record), Schema.FTRACE_TASK_NEWTASK);
        event.number(Schema.NEWTASK_PID, child);
        putName(event, Schema.NEWTASK_COMM, child);
        event.number(Schema.NEWTASK_CLONE_FLAGS, child == process ? 0 : CLONE_THREAD);
        bundles.end();
        threads.begins(child);
    }

    /**
     * Of this CPU nothing is known for a while.
     *
     * @param endNs not before {@code beginNs}
     */
    void onGap(int cpu, long beginNs, long endNs) {
        grow(cpu);
        waiting.clear();
        if (running[cpu] != UNKNOWN && gapEnds[cpu] == 0 && running[cpu] != IDLE) {
            write(cpu, Math.max(since[cpu], beginNs), running[cpu], 0, IDLE);
        }
        if (running[cpu] != UNKNOWN) {
            gapEnds[cpu] = Math.max(since[cpu], endNs);
        }
        threads.runsUnknown(cpu);
    }

    private void write(int cpu, long ns, int leaving, long state, int entering) {
        ProtoWriter event = bundles.begin(cpu, ns, leaving, Schema.FTRACE_SCHED_SWITCH);
        putName(event, Schema.SWITCH_PREV_COMM, leaving);
        event.number(Schema.SWITCH_PREV_PID, leaving);
        event.number(Schema.SWITCH_PREV_STATE, state);
        putName(event, Schema.SWITCH_NEXT_COMM, entering);
        event.number(Schema.SWITCH_NEXT_PID, entering);
        bundles.end();
    }

    private void putName(ProtoWriter event, int field, int tid) {
        String name = threads.name(tid);
        if (!name.isEmpty()) {
            event.text(field, name);
        }
    }

    private void noteWait(int cpu, int leaving, boolean couldRunOn, int entering, long ns) {
        if (couldRunOn && leaving != IDLE) {
            waiting.put(leaving, ns);
        } else {
            waiting.remove(leaving);
        }
        Long began = waiting.remove(entering);
        if (began != null && entering != IDLE) {
            rates.waited(cpu, ns - began);
        }
    }

    /** The state of a thread that left its CPU. */
    private static long shown(long state) {
        if ((state & Payload.SCHED_PREEMPTED) != 0) {
            return SHOWN_PREEMPTED;
        }
        if ((state & IDLE_STATE) == IDLE_STATE) {
            return IDLE_STATE;
        }
        if ((state & DEAD) != 0) {
            return SHOWN_DEAD;
        }
        if ((state & PARKED) != 0) {
            return SHOWN_PARKED;
        }
        return (state & LOCK_OR_FROZEN) != 0 ? UNINTERRUPTIBLE : Long.highestOneBit(state & REPORTED);
    }

    private void grow(int cpu) {
        int before = running.length;
        if (cpu >= before) {
            int length = Math.max(cpu + 1, 2 * before);
            running = Arrays.copyOf(running, length);
            Arrays.fill(running, before, length, UNKNOWN);
            since = Arrays.copyOf(since, length);
            gapEnds = Arrays.copyOf(gapEnds, length);
        }
    }
}
