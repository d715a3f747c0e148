// SPDX-License-Identifier: Apache-2.0
package magnet.metric;

import static magnet.record.EventType.BLOCK_RQ_COMPLETE;
import static magnet.record.EventType.BLOCK_RQ_ISSUE;
import static magnet.record.EventType.KFREE_SKB;
import static magnet.record.EventType.MAJOR_FAULT;
import static magnet.record.EventType.MARK_VICTIM;
import static magnet.record.EventType.MM_VMSCAN_DIRECT_RECLAIM_BEGIN;
import static magnet.record.EventType.MM_VMSCAN_DIRECT_RECLAIM_END;
import static magnet.record.EventType.SCHED_MIGRATE_TASK;
import static magnet.record.EventType.SCHED_WAKEUP;
import static magnet.record.EventType.SKB_CONSUME_UDP;
import static magnet.record.EventType.SYS_ENTER;
import static magnet.record.EventType.SYS_EXIT;
import static magnet.record.EventType.TCP_CONSUME;
import static magnet.record.EventType.TCP_RETRANSMIT_SKB;
import static magnet.record.EventType.TCP_SENDMSG;
import static magnet.record.EventType.UDP_SENDMSG;

import java.util.List;
import java.util.Locale;
import magnet.record.EventType;

/** What is said of each job. Immutable. */
// The checker does not see that the lists in it are copies.
@SuppressWarnings("ImmutableEnumChecker")
public enum JobColumn {
    CPU(Kind.SHARE, Level.SUMMARY, "CPU time", "time that its threads ran, all together, as a share of one CPU"),
    WAIT(
            Kind.SHARE,
            Level.SUMMARY,
            "run queue wait",
            "share of the time in which at least one of its threads waited for a CPU",
            SCHED_WAKEUP,
            SCHED_MIGRATE_TASK),
    WAIT_THREADS(
            Kind.SHARE,
            Level.FULL,
            "run queue wait of threads",
            "time that its threads waited for a CPU, all together, as a share of the time",
            SCHED_WAKEUP,
            SCHED_MIGRATE_TASK),
    WAIT_P50(
            Kind.MICROS,
            Level.FULL,
            "run queue wait p50",
            "run queue wait of its threads: half of the waits took no longer",
            SCHED_WAKEUP,
            SCHED_MIGRATE_TASK),
    WAIT_P99(
            Kind.MICROS,
            Level.SUMMARY,
            "run queue wait p99",
            "run queue wait of its threads: 99 percent of the waits took no longer",
            SCHED_WAKEUP,
            SCHED_MIGRATE_TASK),
    WAIT_MAX(
            Kind.MICROS,
            Level.SUMMARY,
            "run queue wait max",
            "the longest run queue wait of one of its threads that ended in the window",
            SCHED_WAKEUP,
            SCHED_MIGRATE_TASK),
    SLICES(Kind.COUNT, Level.FULL, "time slices", "time slices of its threads that ended, per second"),
    PREEMPTIONS(
            Kind.COUNT,
            Level.SUMMARY,
            "involuntary switches",
            "per second: how often one of its threads was taken off a CPU while it could run on"),
    BLOCKED(
            Kind.SHARE,
            Level.FULL,
            "disk wait",
            "time that its threads slept uninterruptibly, which is as a rule for a disk, all together, as a share of the time",
            SCHED_WAKEUP),
    NETWORK_WAIT(
            Kind.SHARE,
            Level.FULL,
            "network wait",
            "time that its threads slept in calls that wait for a socket (accept, connect, recv and send with their kin), all together, as a share of the time",
            SCHED_WAKEUP,
            SYS_ENTER,
            SYS_EXIT),
    DISK_REQUESTS(
            Kind.COUNT,
            Level.FULL,
            "disk requests",
            "requests to block devices that its processes issued themselves, per second",
            BLOCK_RQ_ISSUE,
            BLOCK_RQ_COMPLETE),
    DISK_BYTES(
            Kind.COUNT,
            Level.FULL,
            "disk bytes",
            "bytes of these requests, per second",
            BLOCK_RQ_ISSUE,
            BLOCK_RQ_COMPLETE),
    MAJOR_FAULTS(
            Kind.COUNT,
            Level.FULL,
            "major faults",
            "page faults of its processes that waited for a device, per second",
            MAJOR_FAULT),
    RECLAIM(
            Kind.SHARE,
            Level.FULL,
            "reclaim stalls",
            "time that its threads had to free memory before they got some, all together, as a share of the time",
            MM_VMSCAN_DIRECT_RECLAIM_BEGIN,
            MM_VMSCAN_DIRECT_RECLAIM_END),
    SEND_PACKETS(
            Kind.COUNT,
            Level.FULL,
            "sends",
            "per second: datagrams that its processes handed to UDP, and calls that handed data to TCP",
            UDP_SENDMSG,
            TCP_SENDMSG),
    SEND_BYTES(
            Kind.COUNT,
            Level.SUMMARY,
            "bytes sent",
            "bytes of data that its processes handed to UDP and TCP, per second",
            UDP_SENDMSG,
            TCP_SENDMSG),
    RECEIVE_PACKETS(
            Kind.COUNT,
            Level.FULL,
            "receives",
            "per second: datagrams that its processes took from UDP, and reads that took data from TCP",
            SKB_CONSUME_UDP,
            TCP_CONSUME),
    RECEIVE_BYTES(
            Kind.COUNT,
            Level.SUMMARY,
            "bytes received",
            "bytes of data that its processes took from UDP and TCP, per second",
            SKB_CONSUME_UDP,
            TCP_CONSUME),
    DROPS(
            Kind.COUNT,
            Level.FULL,
            "drops",
            "packets per second that were dropped at sockets which its processes have used",
            KFREE_SKB,
            UDP_SENDMSG,
            TCP_SENDMSG,
            SKB_CONSUME_UDP,
            TCP_CONSUME),
    RETRANSMITS(
            Kind.COUNT,
            Level.FULL,
            "retransmits",
            "segments per second that TCP sent again for sockets which its processes have used",
            TCP_RETRANSMIT_SKB,
            TCP_SENDMSG,
            TCP_CONSUME),
    SYSTEM_CALLS(
            Kind.SHARE,
            Level.FULL,
            "system calls",
            "time that its threads spent in system calls that are not meant to wait, all together, as a share of the time",
            SYS_ENTER,
            SYS_EXIT),
    OOM_KILLS(
            Kind.COUNT,
            Level.FULL,
            "OOM kills",
            "its threads that the kernel chose to kill for want of memory, per second",
            MARK_VICTIM);

    /** What a column's figures are. */
    public enum Kind {
        /** A part of the time, in percent. */
        SHARE("%", "percent"),
        /** Counted, per second. */
        COUNT("", "rate"),
        /** A time in microseconds. */
        MICROS("us", "");

        private final String unit;
        /** At the end of a name; a time has none. */
        private final String suffix;

        Kind(String unit, String suffix) {
            this.unit = unit;
            this.suffix = suffix;
        }
    }

    private final Kind kind;
    private final Level level;
    private final String title;
    private final String what;
    private final List<EventType> events;

    JobColumn(Kind kind, Level level, String title, String what, EventType... events) {
        this.kind = kind;
        this.level = level;
        this.title = title;
        this.what = what;
        this.events = List.of(events);
    }

    /** Where it stands among the others, from 0 on without a gap. */
    // Nothing outside of one run keeps it.
    @SuppressWarnings("EnumOrdinal")
    public int index() {
        return ordinal();
    }

    /** What its figures are. */
    public Kind kind() {
        return kind;
    }

    /** The lowest level that has it, where jobs are switched on. */
    public Level level() {
        return level;
    }

    /**
     * Whether the figures of several jobs add up to that of all: not those of times in which one or another waited, nor those of
     * single waits.
     */
    public boolean addsUp() {
        return this != WAIT && kind != Kind.MICROS;
    }

    /** A few words for people. */
    public String title() {
        return title;
    }

    /** What it says, as a part of a sentence. */
    public String what() {
        return what;
    }

    /** Events without which it cannot be computed, beside those that tell whose a process is. */
    public List<EventType> events() {
        return events;
    }

    /** Its name within a metric's: {@code cpu_percent}, {@code wait_p99}. */
    public String key() {
        String key = name().toLowerCase(Locale.ROOT);
        return kind.suffix.isEmpty() ? key : key + "_" + kind.suffix;
    }

    /** Its name in JSON, where a time has its unit: {@code cpu_percent}, {@code wait_p99_us}. */
    public String jsonKey() {
        return key() + (kind == Kind.MICROS ? "_us" : "");
    }

    /** The unit of its figures. */
    public String unit() {
        if (kind != Kind.COUNT) {
            return kind.unit;
        }
        return switch (this) {
            case DISK_BYTES, SEND_BYTES, RECEIVE_BYTES -> "bytes/sec";
            case SEND_PACKETS, RECEIVE_PACKETS, DROPS -> "packets/sec";
            case RETRANSMITS -> "segments/sec";
            case DISK_REQUESTS -> "requests/sec";
            case MAJOR_FAULTS -> "faults/sec";
            case OOM_KILLS -> "kills/sec";
            case SLICES -> "slices/sec";
            default -> "switches/sec";
        };
    }
}
