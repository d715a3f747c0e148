// SPDX-License-Identifier: Apache-2.0
package magnet.record;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The events that have a fixed id, {@code enum magnet_event} of the kernel's header: ids come in blocks per
 * subsystem and never change their meaning. Ids that are given out at run time are not here.
 */
public enum EventType {
    INET_SENDMSG(0x003, Subsystem.NET, "cookie", Payload.SOCK),
    SKB_CONSUME_UDP(0x004, Subsystem.NET, "cookie", Payload.PACKET),
    UDP_SENDMSG(0x010, Subsystem.NET, "cookie", Payload.SOCK),
    TCP_SENDMSG(0x011, Subsystem.NET, "cookie", Payload.SOCK),
    TCP_RETRANSMIT_SKB(0x012, Subsystem.NET, "cookie", Payload.RETRANSMIT),
    IP_SEND_SKB(0x020, Subsystem.NET, "cookie", Payload.PACKET),
    IP_QUEUE_XMIT(0x021, Subsystem.NET, "cookie", Payload.PACKET),
    DEV_QUEUE_XMIT(0x030, Subsystem.NET, "cookie", Payload.PACKET),
    NET_DEV_START_XMIT(0x031, Subsystem.NET, "cookie", Payload.PACKET),
    NET_DEV_XMIT(0x032, Subsystem.NET, "none", Payload.XMIT),
    NETIF_RECEIVE_SKB(0x040, Subsystem.NET, "none", Payload.PACKET),
    NET_DEV_RECEIVE(0x041, Subsystem.NET, "none", Payload.DEV_RECEIVE),
    IP_LOCAL_DELIVER(0x050, Subsystem.NET, "none", Payload.PACKET),
    UDP_RCV(0x060, Subsystem.NET, "none", Payload.PACKET),
    UDP_ENQUEUE(0x061, Subsystem.NET, "cookie", Payload.PACKET),
    TCP_RCV(0x062, Subsystem.NET, "none", Payload.PACKET),
    TCP_RCV_ESTABLISHED(0x063, Subsystem.NET, "cookie", Payload.PACKET),
    TCP_CONSUME(0x064, Subsystem.NET, "cookie", Payload.SOCK),
    KFREE_SKB(0x070, Subsystem.NET, "cookie", Payload.DROP),

    /** Reserved for MUSE clients; no module writes it. */
    TASK_CTX_IN(0x102, Subsystem.SCHED, "none", Payload.NONE),
    /** Reserved for MUSE clients; no module writes it. */
    TASK_CTX_OUT(0x103, Subsystem.SCHED, "none", Payload.NONE),
    SCHED_SWITCH(0x110, Subsystem.SCHED, "next_tid", Payload.SCHED_SWITCH),
    SCHED_WAKEUP(0x111, Subsystem.SCHED, "woken_tid", Payload.SCHED_WAKEUP),
    SCHED_MIGRATE_TASK(0x112, Subsystem.SCHED, "migrated_tid", Payload.MIGRATE),
    CPU_TIME(0x113, Subsystem.SCHED, "none", Payload.CPU_TIME),
    SCHED_PROCESS_FORK(0x120, Subsystem.SCHED, "child_tid", Payload.FORK),
    SCHED_PROCESS_EXEC(0x121, Subsystem.SCHED, "tid", Payload.EXEC),
    SCHED_PROCESS_EXIT(0x122, Subsystem.SCHED, "tid", Payload.EXIT),
    TASK_RENAME(0x123, Subsystem.SCHED, "renamed_tid", Payload.RENAME),
    TASK_ATTACH(0x124, Subsystem.SCHED, "tgid", Payload.TASK_ATTACH),
    CGROUP_MKDIR(0x128, Subsystem.SCHED, "cgroup", Payload.CGROUP),
    CGROUP_RMDIR(0x129, Subsystem.SCHED, "cgroup", Payload.CGROUP),

    PAGE_FAULT_USER(0x180, Subsystem.MEMORY, "none", Payload.PAGE_FAULT),
    PAGE_FAULT_KERNEL(0x181, Subsystem.MEMORY, "none", Payload.PAGE_FAULT),
    MAJOR_FAULT(0x182, Subsystem.MEMORY, "none", Payload.MAJOR_FAULT),
    MM_VMSCAN_DIRECT_RECLAIM_BEGIN(0x190, Subsystem.MEMORY, "none", Payload.RECLAIM_BEGIN),
    MM_VMSCAN_DIRECT_RECLAIM_END(0x191, Subsystem.MEMORY, "none", Payload.RECLAIM_END),
    MARK_VICTIM(0x1a0, Subsystem.MEMORY, "victim_tid", Payload.VICTIM),

    IRQ_HANDLER_ENTRY(0x1c0, Subsystem.IRQ, "irq", Payload.NONE),
    IRQ_HANDLER_EXIT(0x1c1, Subsystem.IRQ, "irq", Payload.IRQ_EXIT),
    SOFTIRQ_ENTRY(0x1c2, Subsystem.IRQ, "vector", Payload.NONE),
    SOFTIRQ_EXIT(0x1c3, Subsystem.IRQ, "vector", Payload.NONE),

    BLOCK_RQ_ISSUE(0x200, Subsystem.BLOCK, "request", Payload.BLOCK),
    BLOCK_RQ_COMPLETE(0x201, Subsystem.BLOCK, "request", Payload.BLOCK),

    SYS_ENTER(0x2c0, Subsystem.SYSCALL, "nr", Payload.SYS_ENTER),
    SYS_EXIT(0x2c1, Subsystem.SYSCALL, "nr", Payload.SYS_EXIT),

    MARKER(0x3c0, Subsystem.USER, "number", Payload.MARKER),

    CORRELATED(0x3f0, Subsystem.SENSOR, "id", Payload.CORRELATED),
    COUNTERS(0x3f1, Subsystem.SENSOR, "id", Payload.COUNTERS),
    STORM(0x3f2, Subsystem.SENSOR, "event", Payload.STORM),
    CLOCK(0x3fe, Subsystem.SENSOR, "none", Payload.CLOCK),
    LOST(0x3ff, Subsystem.SENSOR, "none", Payload.LOST);

    /** Fixed ids are below this one. */
    public static final int ID_END = 0x400;

    private static final @Nullable EventType[] BY_ID = new EventType[ID_END];
    private static final short[] PAYLOAD_SIZES = new short[ID_END];

    static {
        for (EventType type : values()) {
            BY_ID[type.id] = type;
            PAYLOAD_SIZES[type.id] = (short) type.payload.leastSize();
        }
    }

    private final int id;
    private final Subsystem subsystem;
    private final String abstractId;
    private final Payload payload;
    private final String label = name().toLowerCase(Locale.ROOT);

    EventType(int id, Subsystem subsystem, String abstractId, Payload payload) {
        this.id = id;
        this.subsystem = subsystem;
        this.abstractId = abstractId;
        this.payload = payload;
    }

    /** The type of an event id, or null when the id is not a fixed one that this version knows. */
    public static @Nullable EventType ofId(int id) {
        return id >= 0 && id < ID_END ? BY_ID[id] : null;
    }

    /** Least bytes of payload that an event of this id has: 0 for an unknown one. */
    static int payloadSizeOf(int id) {
        return id < ID_END ? PAYLOAD_SIZES[id] : 0;
    }

    /** The id in a record's header. */
    public int id() {
        return id;
    }

    /** The name of the event, and of the point that it comes from: {@code udp_sendmsg}. */
    public String label() {
        return label;
    }

    /** The part of the kernel that it comes from. */
    public Subsystem subsystem() {
        return subsystem;
    }

    /**
     * What the header's abstract id is: {@code cookie} (the socket's, as {@code ss -e} shows it), a thread's id
     * ({@code tid}, {@code next_tid}, {@code woken_tid}, {@code migrated_tid}, {@code child_tid},
     * {@code renamed_tid}, {@code victim_tid}), {@code irq}, {@code vector}, {@code request} (a hash), {@code nr} (of the system call),
     * {@code number} (that a marker begins with), {@code event} (id of the one that is refused), {@code id} (that of
     * other events), or {@code none}.
     */
    public String abstractId() {
        return abstractId;
    }

    /** What kind of number its abstract id is; of system calls that of the machine's own programs. */
    public WordKind abstractIdWords() {
        return switch (this) {
            case SOFTIRQ_ENTRY, SOFTIRQ_EXIT -> WordKind.SOFTIRQ;
            case SYS_ENTER, SYS_EXIT -> WordKind.SYSTEM_CALL;
            default -> WordKind.NUMBER;
        };
    }

    /** What kind of number a record's abstract id is. */
    public WordKind abstractIdWords(RecordFlyweight record) {
        return switch (this) {
            case SYS_ENTER -> systemCall(record.payloadU32(Payload.SYS_ENTER_COMPAT_OFFSET));
            case SYS_EXIT -> systemCall(record.payloadU32(Payload.SYS_EXIT_COMPAT_OFFSET));
            default -> abstractIdWords();
        };
    }

    private static WordKind systemCall(long compat) {
        return compat == 0 ? WordKind.SYSTEM_CALL : WordKind.COMPAT_SYSTEM_CALL;
    }

    /** What follows the header. */
    public Payload payload() {
        return payload;
    }

    /** Whether its records may carry a packet. */
    public boolean isOfPacket() {
        return switch (payload) {
            case PACKET, RETRANSMIT, DROP -> true;
            default -> false;
        };
    }

    /** The payload's fields in their order. */
    public List<PayloadField> fields() {
        return payload.fields();
    }
}
