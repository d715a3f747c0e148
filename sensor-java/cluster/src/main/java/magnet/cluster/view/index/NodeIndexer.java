// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.view.index;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import magnet.cli.world.VisibleText;
import magnet.job.Owners;
import magnet.record.EventType;
import magnet.record.Payload;
import magnet.record.RecordFlyweight;
import magnet.record.RecordHandler;
import magnet.record.Subsystem;
import magnet.trace.ThreadNames;
import magnet.trace.TraceClock;
import magnet.trace.TraceReader;
import org.jspecify.annotations.Nullable;

/**
 * Makes the index of one node, of the records of its trace in the order of time. Memory does not depend on how many there are,
 * but for threads and markers. For one thread. What cannot be written is an {@link UncheckedIOException}.
 */
final class NodeIndexer implements RecordHandler {
    private static final int MARKERS_MOST = 1 << 16;
    /** A trace does not last longer than this. */
    private static final long SECONDS_MOST = 100_000_000;

    private static final long NANOS = 1_000_000_000;

    /** As many as a trace may have. */
    private static final int CPUS_MOST = 1_024;

    private static final long NONE = ThreadStates.NEVER;

    private final PagedFile file;
    private final long ticksPerSecond;
    private final Owners owners;
    private final ThreadNames names;
    private final ThreadTable threads = new ThreadTable();
    private final ThreadStates states = new ThreadStates();
    private final SocketQueues sockets = new SocketQueues();
    /** By number. */
    private @Nullable CpuBuilder[] cpus = new CpuBuilder[8];

    private final List<Integer> gaps = new ArrayList<>();
    private final List<Marker> markers = new ArrayList<>();
    private final PacketLog packets;
    private final boolean withPackets;

    private final TraceClock clock;
    private boolean any;
    private long beginNs;
    private long baseTimer;
    private long baseTicks;
    private boolean newEpoch;
    private long newest;
    private long events;
    private long switches;
    private long lost;
    private long markersLeftOut;
    private long impossible;

    /**
     * @param trace tells of names and clocks; somebody else reads it
     * @param owners whose processes are; somebody else hands records to them first
     * @param withPackets whether somebody will ask which packets it sent and received
     */
    NodeIndexer(PagedFile file, TraceReader trace, Owners owners, boolean withPackets) {
        this.file = file;
        this.ticksPerSecond = trace.clock().ticksPerSecond();
        this.owners = owners;
        this.names = ThreadNames.ofSaved(trace.sureNames());
        this.clock = trace.clock();
        this.packets = new PacketLog(file);
        this.withPackets = withPackets;
    }

    @Override
    public void onRecord(RecordFlyweight record) {
        try {
            take(record);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void onGap(int cpu) {
        gaps.add(cpu);
        names.onGap(cpu);
    }

    @Override
    public void onNewEpoch(int cpusEnd) {
        newEpoch = true;
    }

    private void take(RecordFlyweight record) throws IOException {
        EventType type = EventType.ofId(record.event());
        if (!any) {
            any = true;
            baseTimer = record.timer();
            beginNs = clock.realtimeNs(baseTimer);
        }
        if (newEpoch) {
            enterEpoch(type, record);
        }
        long at = ticks(record.timer());
        if (at < 0 || at / ticksPerSecond > SECONDS_MOST) {
            impossible++;
            return;
        }
        newest = Math.max(newest, at);
        at = newest;
        names.onRecord(record);
        CpuBuilder cpu = cpu(record.cpu());
        if (!gaps.isEmpty()) {
            closeGaps(at);
        }
        cpu.seen(at);
        if (type == null || type.subsystem() != Subsystem.SENSOR) {
            events++;
            if (type != null) {
                onEvent(type, cpu, record, at);
            }
        } else if (type == EventType.LOST) {
            lost += record.payloadU64(Payload.LOST_COUNT_OFFSET);
            lose(cpu, ticks(record.payloadU64(Payload.LOST_FIRST_TIMER_OFFSET)), at);
        } else if (type == EventType.STORM) {
            lost += record.payloadU64(Payload.STORM_REFUSED_OFFSET);
            lose(cpu, ticks(record.payloadU64(Payload.STORM_FIRST_TIMER_OFFSET)), at);
        }
    }

    private long ticks(long timer) {
        return timer - baseTimer + baseTicks;
    }

    /** The first record of an epoch is a CLOCK record, which says when it was. */
    private void enterEpoch(@Nullable EventType type, RecordFlyweight record) throws IOException {
        newEpoch = false;
        long later = newest;
        if (type == EventType.CLOCK) {
            long ns = record.payloadU64(Payload.CLOCK_REALTIME_NS_OFFSET) - beginNs;
            long bounded = Math.max(0, Math.min(ns, SECONDS_MOST * NANOS));
            later = Math.max(
                    newest, TimeAxis.of(ticksPerSecond, beginNs, beginNs).ticks(bounded));
        }
        baseTimer = record.timer();
        baseTicks = later;
        for (CpuBuilder cpu : cpus) {
            if (cpu != null) {
                cpu.onLoss(newest, later);
            }
        }
        states.forget();
        sockets.forget();
    }

    private CpuBuilder cpu(int number) throws IOException {
        CpuBuilder known = number < cpus.length ? cpus[number] : null;
        if (known == null) {
            known = new CpuBuilder(number, file);
            if (number >= cpus.length) {
                cpus = Arrays.copyOf(cpus, Math.max(number + 1, 2 * cpus.length));
            }
            cpus[number] = known;
        }
        return known;
    }

    private void closeGaps(long at) throws IOException {
        for (int number : gaps) {
            CpuBuilder cpu = cpu(number);
            lose(cpu, cpu.newest(), at);
        }
        gaps.clear();
    }

    /** Where events are missing, nobody knows what any thread waits for. */
    private void lose(CpuBuilder cpu, long from, long to) throws IOException {
        cpu.onLoss(Math.min(Math.max(0, from), to), to);
        states.forget();
        sockets.forget();
        for (CpuBuilder each : cpus) {
            if (each != null) {
                each.late().forget(to);
            }
        }
    }

    private void onEvent(EventType type, CpuBuilder cpu, RecordFlyweight record, long at) throws IOException {
        switch (type) {
            case SCHED_SWITCH -> onSwitch(cpu, record, at);
            case SCHED_WAKEUP -> onWakeup(cpu, record, at);
            case SCHED_MIGRATE_TASK -> onMigrate(record, at);
            case SCHED_PROCESS_FORK -> {
                int child = (int) record.abstractId();
                threads.begins(child);
                states.remove(child);
                threads.number(child, (int) record.payloadU32(Payload.FORK_CHILD_TGID_OFFSET));
            }
            case IRQ_HANDLER_ENTRY -> cpu.onHardEntry(at, record.abstractId());
            case IRQ_HANDLER_EXIT -> cpu.onHardExit(at, record.abstractId());
            case SOFTIRQ_ENTRY -> cpu.onSoftEntry(at, record.abstractId());
            case SOFTIRQ_EXIT -> cpu.onSoftExit(at, record.abstractId());
            case NET_DEV_START_XMIT -> {
                if (withPackets) {
                    packets.onSend(record, at, subject(cpu, record));
                }
            }
            case NETIF_RECEIVE_SKB -> {
                cpu.onReceive(at);
                if (withPackets) {
                    packets.onReceive(record, at);
                }
            }
            case UDP_ENQUEUE -> onEnqueue(record, at);
            case SKB_CONSUME_UDP -> onConsume(cpu, record);
            case MARKER -> onMarker(cpu, record, at);
            default -> {}
        }
    }

    /** The thread that was running. Layout classic does not say: the one that last got the CPU, else the process's first one. */
    private static int tid(CpuBuilder cpu, RecordFlyweight record) {
        if (record.layout().hasTid()) {
            return record.tid();
        }
        return cpu.running() >= 0 ? cpu.running() : record.tgid();
    }

    private int subject(CpuBuilder cpu, RecordFlyweight record) {
        int tid = tid(cpu, record);
        return tid == 0 ? Subject.IDLE : threads.number(tid, record.tgid());
    }

    private void onSwitch(CpuBuilder cpu, RecordFlyweight record, long at) throws IOException {
        switches++;
        int leaves = tid(cpu, record);
        int leaving = subject(cpu, record);
        int enters = (int) record.abstractId();
        int entering = enters == 0
                ? Subject.IDLE
                : threads.number(enters, (int) record.payloadU32(Payload.SCHED_SWITCH_NEXT_TGID_OFFSET));
        SliceEnd why = SliceEnd.of(record.payloadU32(Payload.SCHED_SWITCH_PREV_STATE_OFFSET));
        threads.look(leaving, names, owners);
        if (leaves != 0) {
            leave(cpu, states.of(leaves), leaving, why, entering, at);
        }
        long waited = NONE;
        Cause cause = Cause.NONE;
        if (enters != 0) {
            ThreadStates.State next = states.of(enters);
            waited = next.runnableSince == NONE ? NONE : at - next.runnableSince;
            cause = next.cause;
            enter(cpu, next, at);
        }
        cpu.onSwitch(at, leaving, why, enters, entering, waited, cause);
    }

    private void leave(CpuBuilder cpu, ThreadStates.State state, int leaving, SliceEnd why, int entering, long at)
            throws IOException {
        state.running = false;
        state.runnableSince = NONE;
        if (why == SliceEnd.PREEMPTED) {
            state.cause = new Cause(Cause.Kind.PREEMPTED, entering);
            becomeRunnable(state, cpu.cpu(), leaving, at);
        }
    }

    private void enter(CpuBuilder cpu, ThreadStates.State state, long at) throws IOException {
        if (state.lateSince != NONE) {
            cpu(state.cpu).late().leave(at);
            cpu.late().add(cpu.nextSlice(), state.lateSince, at, state.packetSince);
            state.lateSince = NONE;
        }
        if (state.packetByWakeup) {
            state.packetSince = NONE;
            state.packetByWakeup = false;
        }
        state.running = true;
        state.runnableSince = NONE;
        state.cause = Cause.NONE;
    }

    private void becomeRunnable(ThreadStates.State state, int cpu, int subject, long at) throws IOException {
        state.runnableSince = at;
        state.cpu = cpu;
        lateFrom(state, subject, at);
    }

    /** From now on it is late if it can run, does not, and has a packet. */
    private void lateFrom(ThreadStates.State state, int subject, long at) throws IOException {
        if (state.packetSince != NONE && state.runnableSince != NONE && state.lateSince == NONE) {
            state.lateSince = at;
            cpu(state.cpu).late().enter(at, subject);
        }
    }

    private void onWakeup(CpuBuilder cpu, RecordFlyweight record, long at) throws IOException {
        int woken = (int) record.abstractId();
        if (woken == 0) {
            return;
        }
        int subject = threads.number(woken, (int) record.payloadU32(Payload.SCHED_WAKEUP_TGID_OFFSET));
        ThreadStates.State state = states.of(woken);
        if (state.running || state.runnableSince != NONE) {
            return;
        }
        Cause interrupt = cpu.interrupt();
        int waker = tid(cpu, record);
        if (interrupt.kind() != Cause.Kind.UNKNOWN) {
            state.cause = interrupt;
        } else {
            state.cause = waker == 0 ? Cause.NONE : new Cause(Cause.Kind.THREAD, subject(cpu, record));
        }
        if (interrupt.kind() == Cause.Kind.PACKET && state.packetSince == NONE) {
            state.packetSince = cpu.received();
            state.packetByWakeup = true;
        }
        becomeRunnable(state, cpuIn(record.payloadU32(Payload.SCHED_WAKEUP_TARGET_CPU_OFFSET)), subject, at);
    }

    /** A CPU that a record names; the trace may be damaged. */
    private static int cpuIn(long number) {
        return number < CPUS_MOST ? (int) number : 0;
    }

    private void onMigrate(RecordFlyweight record, long at) throws IOException {
        int moved = (int) record.abstractId();
        ThreadStates.State state = states.of(moved);
        int to = cpuIn(record.payloadU32(Payload.MIGRATE_DEST_CPU_OFFSET));
        if (state.lateSince != NONE && state.cpu != to) {
            cpu(state.cpu).late().leave(at);
            cpu(to).late().enter(at, threads.number(moved, 0));
        }
        state.cpu = to;
    }

    private void onEnqueue(RecordFlyweight record, long at) throws IOException {
        int reader = sockets.put(record.abstractId(), record.payloadU64(Payload.PACKET_PACKET_ID_OFFSET), at);
        if (reader != 0) {
            ThreadStates.State state = states.of(reader);
            if (state.packetSince == NONE) {
                state.packetSince = at;
                state.packetByWakeup = false;
                lateFrom(state, threads.number(reader, 0), at);
            }
        }
    }

    private void onConsume(CpuBuilder cpu, RecordFlyweight record) {
        int reader = tid(cpu, record);
        if (reader != 0) {
            ThreadStates.State state = states.of(reader);
            state.packetSince =
                    sockets.take(record.abstractId(), record.payloadU64(Payload.PACKET_PACKET_ID_OFFSET), reader);
            state.packetByWakeup = false;
        }
    }

    private void onMarker(CpuBuilder cpu, RecordFlyweight record, long at) {
        if (markers.size() == MARKERS_MOST) {
            markersLeftOut++;
            return;
        }
        int fixed = EventType.MARKER.payload().size();
        int length = (int) Math.min(record.payloadU32(Payload.MARKER_LEN_OFFSET), record.payloadSize() - fixed);
        byte[] bytes = new byte[length];
        record.buffer().get(record.payloadOffset() + fixed, bytes);
        markers.add(new Marker(
                at,
                cpu.cpu(),
                subject(cpu, record),
                record.abstractId(),
                VisibleText.of(new String(bytes, StandardCharsets.ISO_8859_1).strip())));
    }

    /** There are no more records. */
    NodeIndex finish(String name, String host) throws IOException {
        closeGaps(newest);
        List<CpuIndex> finished = new ArrayList<>();
        for (CpuBuilder cpu : cpus) {
            if (cpu != null) {
                finished.add(cpu.finish(newest));
            }
        }
        for (int number = Subject.FIRST; number < Subject.FIRST + threads.size(); number++) {
            threads.look(number, names, owners);
        }
        packets.finish();
        file.map();
        return new NodeIndex(
                name,
                host,
                TimeAxis.of(ticksPerSecond, beginNs, beginNs),
                newest,
                finished,
                threads,
                List.copyOf(markers),
                packets,
                new NodeIndex.Counts(events, lost, switches, markersLeftOut, impossible));
    }
}
