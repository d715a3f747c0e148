// SPDX-License-Identifier: Apache-2.0
package magnet.perfetto;

import java.io.OutputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import magnet.record.EventType;
import magnet.record.Payload;
import magnet.record.RecordFlyweight;
import magnet.record.RecordHandler;
import magnet.record.Subsystem;
import magnet.record.Words;
import magnet.trace.EventFormat;
import magnet.trace.TraceClock;
import magnet.trace.TraceReader;
import org.jspecify.annotations.Nullable;

/**
 * Makes a Perfetto trace of the records of a saved trace, as they come: memory does not depend on how many there are. Times
 * are nanoseconds of the timer at its nominal frequency, from CLOCK_MONOTONIC of the first CLOCK record on if the trace
 * begins with one; they stand for CLOCK_BOOTTIME, Perfetto's clock of traces, and CLOCK records tie them to the other clocks.
 * For one thread. What cannot be written is an {@link java.io.UncheckedIOException}.
 */
public final class PerfettoTrace implements RecordHandler {
    private static final String MONOTONIC = "CLOCK_MONOTONIC";
    private static final long SNAPSHOT_NS_MIN = 1_000_000_000;
    private static final long UNKNOWN = -1;

    private final TraceReader trace;
    private final TraceTime time;
    private final PacketWriter packets;
    private final Groups groups;
    private final Bundles bundles;
    private final Threads threads;
    private final Rates rates;
    private final SchedulerTracks scheduler;
    private final InterruptTracks interrupts;
    private final CallTracks calls;
    private final BlockTracks block;
    private final JourneyTracks journeys;
    private final MarkerTracks markers;
    private final PointTracks points;
    private final OwnerLabels owners;
    private final Map<Integer, EventFormat> formats = new HashMap<>();
    private final Map<Integer, Lanes> losses = new HashMap<>();
    private long events;
    private long lost;
    private long lastSnapshotNs = UNKNOWN;
    private long beginNs = UNKNOWN;
    private long beginTimer;
    private long newestNs;
    /** CPUs of which nothing is known from the newest record to the next one. */
    private final List<Integer> gaps = new ArrayList<>();

    private boolean namesLost;

    /**
     * Begins one.
     *
     * @param trace tells of names and clocks; somebody else reads it
     * @param words for numbers, system calls too
     * @param owners whose a process is, as of the record that is handed over; empty if that is not known
     * @param out is not closed
     */
    public PerfettoTrace(TraceReader trace, Words words, IntFunction<String> owners, OutputStream out) {
        this.trace = trace;
        this.time = new TraceTime(trace.clock().ticksPerMilli());
        this.packets = new PacketWriter(out);
        this.groups = new Groups(packets);
        this.bundles = new Bundles(packets);
        this.threads = new Threads(packets, trace.sureNames());
        this.rates = new Rates(packets, groups);
        this.scheduler = new SchedulerTracks(bundles, threads, rates);
        this.interrupts = new InterruptTracks(bundles);
        this.calls = new CallTracks(packets, bundles, threads, words);
        this.block = new BlockTracks(packets, groups, words);
        this.journeys = new JourneyTracks(packets, groups, threads, words);
        this.markers = new MarkerTracks(packets, groups, threads);
        this.points = new PointTracks(packets, threads, time);
        this.owners = new OwnerLabels(packets, threads, owners);
        for (EventFormat format : trace.events()) {
            if (EventType.ofId(format.id()) == null) {
                formats.put(format.id(), format);
            }
        }
        writeSystem();
    }

    @Override
    public void onRecord(RecordFlyweight record) {
        EventType type = EventType.ofId(record.event());
        if (lastSnapshotNs == UNKNOWN) {
            begin(type, record);
        }
        long ns = time.ns(record.timer());
        if (!gaps.isEmpty()) {
            gaps.forEach(cpu -> forget(cpu, newestNs, Math.max(newestNs, ns), ns));
            gaps.clear();
            if (namesLost) {
                threads.onGap();
                namesLost = false;
            }
        }
        newestNs = Math.max(newestNs, ns);
        if (type == null || type.subsystem() != Subsystem.SENSOR) {
            onEvent(type, record, ns);
        } else {
            onSensor(type, record, ns);
            // What ends with a loss has the name from before.
            threads.learn(record);
        }
    }

    @Override
    public void onGap(int cpu) {
        gaps.add(cpu);
        namesLost = true;
    }

    /** The CLOCK record that comes first in the new epoch says what CLOCK_MONOTONIC is then. */
    @Override
    public void onNewEpoch(int cpus) {
        for (int cpu = 0; cpu < cpus; cpu++) {
            gaps.add(cpu);
        }
        lastSnapshotNs = UNKNOWN;
    }

    /** Writes what is left; there are no more records. */
    public void finish() {
        calls.finish();
        rates.finish();
        bundles.flush();
        packets.flush();
    }

    /** Events so far; what the sensor says of itself is none. */
    public long events() {
        return events;
    }

    /** Events that were lost, as the trace tells. */
    public long lost() {
        return lost;
    }

    /** Switches from one thread to another. */
    public long switches() {
        return scheduler.switches();
    }

    /** Journeys of packets whose end the trace has. */
    public long journeys() {
        return journeys.ended();
    }

    /** The timer of the first record. */
    public long beginTimer() {
        return beginTimer;
    }

    /** The time that the first record has in the export: nanoseconds of what stands for CLOCK_BOOTTIME. */
    public long beginNs() {
        return Math.max(0, beginNs);
    }

    /** Slices of which so many others were under way that there was no room for them. */
    public long unwritten() {
        return journeys.unwritten() + block.unwritten();
    }

    private void onEvent(@Nullable EventType type, RecordFlyweight record, long ns) {
        events++;
        rates.onEvent(record.cpu(), type, ns);
        threads.learn(record);
        int tid = threads.tid(record);
        threads.seen(tid, record.tgid(), ns);
        owners.seen(record.tgid(), ns);
        if (type == null) {
            EventFormat format = formats.get(record.event());
            if (format != null) {
                points.onRecord(format, record, tid, ns);
            }
            return;
        }
        switch (type.subsystem()) {
            case NET -> onNet(type, record, tid, ns);
            case SCHED -> onSched(type, record, tid, ns);
            case MEMORY -> onMemory(type, record, tid, ns);
            case IRQ -> interrupts.onRecord(type, record, tid, ns);
            case BLOCK -> block.onRecord(type, record, ns);
            case SYSCALL -> calls.onRecord(type, record, tid, ns);
            default -> markers.onRecord(record, tid, ns);
        }
    }

    private void onNet(EventType type, RecordFlyweight record, int tid, long ns) {
        switch (type) {
            case TCP_RETRANSMIT_SKB -> {
                packets.annotations()
                        .with("socket", record.abstractId())
                        .with("bytes", record.payloadU32(Payload.RETRANSMIT_LEN_OFFSET));
                instant("TCP retransmit", ns);
            }
            case TCP_CONSUME -> {
                packets.annotations()
                        .with("socket", record.abstractId())
                        .with("bytes", record.payloadU32(Payload.SOCK_LEN_OFFSET));
                packets.instant(threads.track(tid, record.tgid()), "received from TCP", ns);
            }
            default -> journeys.onRecord(type, record, ns);
        }
    }

    private void onSched(EventType type, RecordFlyweight record, int tid, long ns) {
        switch (type) {
            case SCHED_SWITCH -> scheduler.onSwitch(record, ns);
            case SCHED_WAKEUP -> scheduler.onWakeup(record, ns);
            case SCHED_PROCESS_FORK -> {
                scheduler.onFork(record, ns);
                owners.begins((int) record.abstractId());
            }
            case SCHED_PROCESS_EXIT -> calls.onRecord(type, record, tid, ns);
            case SCHED_PROCESS_EXEC -> threads.renamed((int) record.abstractId(), record.tgid(), ns);
            case TASK_RENAME ->
                threads.renamed((int) record.abstractId(), (int) record.payloadU32(Payload.RENAME_TGID_OFFSET), ns);
            default -> {
                // Counted, and part of nothing else.
            }
        }
    }

    private void onMemory(EventType type, RecordFlyweight record, int tid, long ns) {
        switch (type) {
            case MM_VMSCAN_DIRECT_RECLAIM_BEGIN, MM_VMSCAN_DIRECT_RECLAIM_END -> calls.onRecord(type, record, tid, ns);
            case MAJOR_FAULT -> {
                long begin = time.ns(record.timer() - record.payloadU64(Payload.MAJOR_FAULT_LATENCY_OFFSET));
                packets.annotations().with("tries", record.payloadU32(Payload.MAJOR_FAULT_TRIES_OFFSET));
                packets.slice(threads.track(tid, record.tgid()), "major fault", Math.min(begin, ns), ns);
            }
            case MARK_VICTIM -> {
                packets.annotations().with("thread", record.abstractId());
                instant("killed for want of memory", ns);
            }
            default -> {
                // Page faults are counted.
            }
        }
    }

    private void onSensor(EventType type, RecordFlyweight record, long ns) {
        switch (type) {
            case CLOCK -> onClock(record, ns);
            case LOST -> {
                long count = record.payloadU64(Payload.LOST_COUNT_OFFSET);
                lost += count;
                onLost(
                        record,
                        "lost events",
                        count,
                        record.payloadU64(Payload.LOST_FIRST_TIMER_OFFSET),
                        record.payloadU64(Payload.LOST_LAST_TIMER_OFFSET));
                bundles.lost(record.cpu());
            }
            case STORM ->
                onLost(
                        record,
                        "refused: " + Names.ofBytes(trace.eventName((int) record.abstractId() & 0xffff)),
                        record.payloadU64(Payload.STORM_REFUSED_OFFSET),
                        record.payloadU64(Payload.STORM_FIRST_TIMER_OFFSET),
                        record.payloadU64(Payload.STORM_LAST_TIMER_OFFSET));
            case CORRELATED -> {
                events++;
                rates.onEvent(record.cpu(), type, ns);
                packets.annotations()
                        .with("filter", record.payloadU32(Payload.CORRELATED_CORRELATION_OFFSET))
                        .with("events", record.payloadU32(Payload.CORRELATED_COUNT_OFFSET))
                        .with("id", record.abstractId());
                instant("correlated events", ns);
            }
            default -> {
                // Counters of an event.
            }
        }
    }

    private void onLost(RecordFlyweight record, String name, long count, long firstTimer, long lastTimer) {
        int cpu = record.cpu();
        long now = time.ns(record.timer());
        long begin = Math.min(time.ns(firstTimer), now);
        long end = Math.max(begin, Math.min(time.ns(lastTimer), now));
        packets.annotations().with("count", count);
        Lanes lanes = losses.computeIfAbsent(cpu, key -> groups.lanes(Group.LOSSES, "lost events, CPU " + key, key));
        if (begin == end) {
            lanes.instant(name, begin);
        } else {
            lanes.slice(name, begin, end);
        }
        forget(cpu, begin, end, now);
    }

    /** Nothing that was under way can be told to its end. */
    private void forget(int cpu, long begin, long end, long now) {
        scheduler.onGap(cpu, begin, end);
        interrupts.onLost(cpu);
        calls.onLost();
        block.onLost(now);
        journeys.onLost();
        markers.onLost();
    }

    /** An instant of the node's, with the packets' annotations. */
    private void instant(String name, long ns) {
        packets.instant(groups.track(Group.EVENTS), name, ns);
    }

    private void onClock(RecordFlyweight record, long ns) {
        if (ns - lastSnapshotNs >= SNAPSHOT_NS_MIN) {
            writeClocks(
                    ns,
                    record.payloadU64(Payload.CLOCK_MONOTONIC_NS_OFFSET),
                    record.payloadU64(Payload.CLOCK_REALTIME_NS_OFFSET));
        }
    }

    /** The first record is a CLOCK record, if the trace has the beginning of what it is of. */
    private void begin(@Nullable EventType type, RecordFlyweight record) {
        TraceClock clock = trace.clock();
        boolean isFirst = beginNs == UNKNOWN;
        beginTimer = isFirst ? record.timer() : beginTimer;
        if (type == EventType.CLOCK) {
            long monotonic = record.payloadU64(Payload.CLOCK_MONOTONIC_NS_OFFSET);
            time.set(record.timer(), monotonic);
            beginNs = isFirst ? time.ns(record.timer()) : beginNs;
            writeClocks(Math.max(0, monotonic), monotonic, record.payloadU64(Payload.CLOCK_REALTIME_NS_OFFSET));
            return;
        }
        long ns = time.ns(record.timer());
        beginNs = isFirst ? ns : beginNs;
        writeClocks(ns, clock.description().equals(MONOTONIC) ? ns : UNKNOWN, clock.realtimeNs(record.timer()));
    }

    private void writeClocks(long ns, long monotonic, long realtime) {
        lastSnapshotNs = ns;
        ProtoWriter packet = packets.begin(ns);
        packet.begin(Schema.PACKET_CLOCK_SNAPSHOT);
        writeClock(packet, Schema.CLOCK_BOOTTIME, ns);
        if (monotonic >= 0) {
            writeClock(packet, Schema.CLOCK_MONOTONIC, monotonic);
        }
        if (realtime >= 0) {
            writeClock(packet, Schema.CLOCK_REALTIME, realtime);
        }
        packet.number(Schema.SNAPSHOT_PRIMARY_CLOCK, Schema.CLOCK_BOOTTIME);
        packet.end();
        packets.end();
    }

    private static void writeClock(ProtoWriter packet, int id, long ns) {
        packet.begin(Schema.SNAPSHOT_CLOCKS);
        packet.number(Schema.CLOCK_ID, id);
        packet.number(Schema.CLOCK_TIMESTAMP, ns);
        packet.end();
    }

    /** Names of system calls go by the processor. Traces of older versions do not name it; who has a TSC is an x86. */
    private void writeSystem() {
        ProtoWriter packet = packets.begin();
        packet.begin(Schema.PACKET_SYSTEM_INFO);
        packet.begin(Schema.SYSTEM_UTSNAME);
        packet.text(Schema.UTSNAME_SYSNAME, "Linux");
        if (!trace.machine().isEmpty()) {
            packet.text(Schema.UTSNAME_MACHINE, Names.ofBytes(trace.machine()));
        } else if (!trace.clock().description().equals(MONOTONIC)) {
            packet.text(Schema.UTSNAME_MACHINE, "x86_64");
        }
        packet.end();
        if (!trace.host().isEmpty()) {
            packet.text(Schema.SYSTEM_MACHINE_NAME, Names.ofBytes(trace.host()));
        }
        packet.end();
        packets.end();
    }
}
