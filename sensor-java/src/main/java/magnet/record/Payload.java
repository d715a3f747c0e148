// SPDX-License-Identifier: Apache-2.0
package magnet.record;

import static magnet.record.PayloadField.Style.DECIMAL;
import static magnet.record.PayloadField.Style.HEX;
import static magnet.record.PayloadField.Style.TEXT;
import static magnet.record.PayloadField.Type.CHAR128;
import static magnet.record.PayloadField.Type.CHAR16;
import static magnet.record.PayloadField.Type.CHAR256;
import static magnet.record.PayloadField.Type.U16;
import static magnet.record.PayloadField.Type.U32;
import static magnet.record.PayloadField.Type.U64;

import java.util.List;

/**
 * What follows the header of a record: the structs of the kernel's header. The {@code *_OFFSET} constants are
 * for {@link RecordFlyweight#payloadU32(int)} and its sisters; {@link #fields()} describes the same for printing.
 */
public enum Payload {
    /** The event is all in its header. */
    NONE("", 0),

    /** {@code struct magnet_sock}: a call on a socket. */
    SOCK(
            "magnet_sock",
            8,
            new PayloadField(
                    "len", Payload.SOCK_LEN_OFFSET, U32, DECIMAL, "bytes that the caller asked to send, or got"),
            new PayloadField("family", Payload.SOCK_FAMILY_OFFSET, U16, DECIMAL, WordKind.FAMILY, "AF_* of the socket"),
            new PayloadField(
                    "protocol",
                    Payload.SOCK_PROTOCOL_OFFSET,
                    U16,
                    DECIMAL,
                    WordKind.PROTOCOL,
                    "IPPROTO_* of the socket")),

    /** {@code struct magnet_packet}: a packet on its way. */
    PACKET(
            "magnet_packet",
            24,
            new PayloadField(
                    "packet_id",
                    Payload.PACKET_PACKET_ID_OFFSET,
                    U64,
                    HEX,
                    "equal from hop to hop while the kernel carries the same buffer"),
            new PayloadField(
                    "len", Payload.PACKET_LEN_OFFSET, U32, DECIMAL, "bytes of the packet as this layer sees it"),
            new PayloadField("ifindex", Payload.PACKET_IFINDEX_OFFSET, U32, DECIMAL, "device, 0 where none is set yet"),
            new PayloadField(
                    "ethertype",
                    Payload.PACKET_ETHERTYPE_OFFSET,
                    U16,
                    HEX,
                    WordKind.ETHERTYPE,
                    "ETH_P_*, 0 where it is not set yet"),
            new PayloadField(
                    "captured", Payload.PACKET_CAPTURED_OFFSET, U16, DECIMAL, "bytes of the packet that follow"),
            new PayloadField(
                    "network_len",
                    Payload.PACKET_NETWORK_LEN_OFFSET,
                    U32,
                    DECIMAL,
                    "bytes that the packet has from there on")),

    /** {@code struct magnet_retransmit}: a packet that TCP sends again. */
    RETRANSMIT(
            "magnet_retransmit",
            32,
            new PayloadField("packet_id", Payload.RETRANSMIT_PACKET_ID_OFFSET, U64, HEX, "as in magnet_packet"),
            new PayloadField("len", Payload.RETRANSMIT_LEN_OFFSET, U32, DECIMAL, "bytes of data"),
            new PayloadField("ifindex", Payload.RETRANSMIT_IFINDEX_OFFSET, U32, DECIMAL, "0"),
            new PayloadField("ethertype", Payload.RETRANSMIT_ETHERTYPE_OFFSET, U16, HEX, WordKind.ETHERTYPE, "0"),
            new PayloadField(
                    "captured", Payload.RETRANSMIT_CAPTURED_OFFSET, U16, DECIMAL, "bytes of the packet that follow"),
            new PayloadField(
                    "network_len",
                    Payload.RETRANSMIT_NETWORK_LEN_OFFSET,
                    U32,
                    DECIMAL,
                    "bytes that the packet has from there on"),
            new PayloadField(
                    "segments", Payload.RETRANSMIT_SEGMENTS_OFFSET, U32, DECIMAL, "segments that it is cut into")),

    /** {@code struct magnet_xmit}: a packet that the driver was given. */
    XMIT(
            "magnet_xmit",
            24,
            new PayloadField("packet_id", Payload.XMIT_PACKET_ID_OFFSET, U64, HEX, "as in magnet_packet"),
            new PayloadField("len", Payload.XMIT_LEN_OFFSET, U32, DECIMAL, "bytes, link header included"),
            new PayloadField("ifindex", Payload.XMIT_IFINDEX_OFFSET, U32, DECIMAL, "device"),
            new PayloadField("ret", Payload.XMIT_RET_OFFSET, U32, DECIMAL, "the driver's answer, 0 = taken"),
            new PayloadField(
                    "netns",
                    Payload.XMIT_NETNS_OFFSET,
                    U32,
                    DECIMAL,
                    "inode of the device's network namespace, that of /proc/PID/ns/net")),

    /** {@code struct magnet_dev_receive}: a packet that a driver handed up. */
    DEV_RECEIVE(
            "magnet_dev_receive",
            24,
            new PayloadField("packet_id", Payload.DEV_RECEIVE_PACKET_ID_OFFSET, U64, HEX, "as in magnet_packet"),
            new PayloadField("len", Payload.DEV_RECEIVE_LEN_OFFSET, U32, DECIMAL, "bytes, link header included"),
            new PayloadField("ifindex", Payload.DEV_RECEIVE_IFINDEX_OFFSET, U32, DECIMAL, "device"),
            new PayloadField("netns", Payload.DEV_RECEIVE_NETNS_OFFSET, U32, DECIMAL, "as in magnet_xmit")),

    /** {@code struct magnet_drop}: a packet that is thrown away. */
    DROP(
            "magnet_drop",
            32,
            new PayloadField("packet_id", Payload.DROP_PACKET_ID_OFFSET, U64, HEX, "as in magnet_packet"),
            new PayloadField("len", Payload.DROP_LEN_OFFSET, U32, DECIMAL, "bytes of the packet as the layer sees it"),
            new PayloadField("ifindex", Payload.DROP_IFINDEX_OFFSET, U32, DECIMAL, "device that it came from"),
            new PayloadField(
                    "ethertype",
                    Payload.DROP_ETHERTYPE_OFFSET,
                    U16,
                    HEX,
                    WordKind.ETHERTYPE,
                    "ETH_P_*, 0 where it is not set yet"),
            new PayloadField("captured", Payload.DROP_CAPTURED_OFFSET, U16, DECIMAL, "bytes of the packet that follow"),
            new PayloadField(
                    "network_len",
                    Payload.DROP_NETWORK_LEN_OFFSET,
                    U32,
                    DECIMAL,
                    "bytes that the packet has from there on"),
            new PayloadField(
                    "reason",
                    Payload.DROP_REASON_OFFSET,
                    U32,
                    DECIMAL,
                    WordKind.DROP_REASON,
                    "the running kernel's; control/drop_reasons names them")),

    /** {@code struct magnet_sched_switch}: the header's thread leaves the CPU, that of the abstract id enters. */
    SCHED_SWITCH(
            "magnet_sched_switch",
            8,
            new PayloadField(
                    "prev_state",
                    Payload.SCHED_SWITCH_PREV_STATE_OFFSET,
                    U32,
                    HEX,
                    WordKind.TASK_STATE,
                    "TASK_* bits of the leaving thread, 0 = runnable, bit 31 = preempted"),
            new PayloadField(
                    "next_tgid",
                    Payload.SCHED_SWITCH_NEXT_TGID_OFFSET,
                    U32,
                    DECIMAL,
                    "process of the entering thread")),

    /** {@code struct magnet_sched_wakeup}: a thread became runnable: it woke, or was made. */
    SCHED_WAKEUP(
            "magnet_sched_wakeup",
            8,
            new PayloadField(
                    "target_cpu",
                    Payload.SCHED_WAKEUP_TARGET_CPU_OFFSET,
                    U32,
                    DECIMAL,
                    "CPU on whose run queue it was put"),
            new PayloadField("tgid", Payload.SCHED_WAKEUP_TGID_OFFSET, U32, DECIMAL, "its process")),

    /** {@code struct magnet_migrate}: a thread goes to another CPU's run queue. */
    MIGRATE(
            "magnet_migrate",
            8,
            new PayloadField("orig_cpu", Payload.MIGRATE_ORIG_CPU_OFFSET, U32, DECIMAL, "from there"),
            new PayloadField("dest_cpu", Payload.MIGRATE_DEST_CPU_OFFSET, U32, DECIMAL, "to there")),

    /** {@code struct magnet_cpu_time}: what the record's CPU has spent its time with, in ticks of the timer. */
    CPU_TIME(
            "magnet_cpu_time",
            56,
            new PayloadField("user", Payload.CPU_TIME_USER_OFFSET, U64, DECIMAL, "ticks in programs"),
            new PayloadField("nice", Payload.CPU_TIME_NICE_OFFSET, U64, DECIMAL, "in programs that are nice"),
            new PayloadField("system", Payload.CPU_TIME_SYSTEM_OFFSET, U64, DECIMAL, "in system calls and the kernel"),
            new PayloadField("idle", Payload.CPU_TIME_IDLE_OFFSET, U64, DECIMAL, "idle"),
            new PayloadField("irq", Payload.CPU_TIME_IRQ_OFFSET, U64, DECIMAL, "in handlers of hard interrupts"),
            new PayloadField(
                    "softirq", Payload.CPU_TIME_SOFTIRQ_OFFSET, U64, DECIMAL, "in handlers of soft interrupts"),
            new PayloadField(
                    "mode",
                    Payload.CPU_TIME_MODE_OFFSET,
                    U32,
                    DECIMAL,
                    WordKind.CPU_MODE,
                    "what it goes on with: 0 user, 1 nice, 2 system, 3 idle")),

    /** {@code struct magnet_fork}: a thread was made. */
    FORK(
            "magnet_fork",
            24,
            8,
            new PayloadField(
                    "child_tgid",
                    Payload.FORK_CHILD_TGID_OFFSET,
                    U32,
                    DECIMAL,
                    "its process; equal to its tid for a new process"),
            new PayloadField("parent", Payload.FORK_PARENT_OFFSET, U32, DECIMAL, "process that is its parent"),
            new PayloadField("comm", Payload.FORK_COMM_OFFSET, CHAR16, TEXT, "its name")),

    /** {@code struct magnet_exec}: a new program runs. */
    EXEC(
            "magnet_exec",
            296,
            8,
            new PayloadField("old_tid", Payload.EXEC_OLD_TID_OFFSET, U32, DECIMAL, "the thread's id before"),
            new PayloadField("parent", Payload.EXEC_PARENT_OFFSET, U32, DECIMAL, "process that is its parent"),
            new PayloadField(
                    "path_len", Payload.EXEC_PATH_LEN_OFFSET, U32, DECIMAL, "bytes that the path has in whole"),
            new PayloadField(
                    "argv_len", Payload.EXEC_ARGV_LEN_OFFSET, U32, DECIMAL, "bytes that the arguments have in whole"),
            new PayloadField(
                    "argv_kept",
                    Payload.EXEC_ARGV_KEPT_OFFSET,
                    U32,
                    DECIMAL,
                    "of these, how many are in argv; fewer than would fit: they could not be read"),
            new PayloadField("comm", Payload.EXEC_COMM_OFFSET, CHAR16, TEXT, "its name"),
            new PayloadField("path", Payload.EXEC_PATH_OFFSET, CHAR128, TEXT, "the path that execve was given"),
            new PayloadField(
                    "argv", Payload.EXEC_ARGV_OFFSET, CHAR128, TEXT, "the arguments, a space between two of them")),

    /** {@code struct magnet_exit}: a thread ends. */
    EXIT(
            "magnet_exit",
            32,
            8,
            new PayloadField("exit_code", Payload.EXIT_EXIT_CODE_OFFSET, U32, HEX, "as wait(2) reports it"),
            new PayloadField(
                    "group_dead",
                    Payload.EXIT_GROUP_DEAD_OFFSET,
                    U32,
                    DECIMAL,
                    "1 when it was the last thread of its process"),
            new PayloadField("parent", Payload.EXIT_PARENT_OFFSET, U32, DECIMAL, "process that is its parent"),
            new PayloadField("comm", Payload.EXIT_COMM_OFFSET, CHAR16, TEXT, "its name")),

    /** {@code struct magnet_rename}: a thread gets another name. */
    RENAME(
            "magnet_rename",
            40,
            new PayloadField("tgid", Payload.RENAME_TGID_OFFSET, U32, DECIMAL, "its process"),
            new PayloadField("parent", Payload.RENAME_PARENT_OFFSET, U32, DECIMAL, "process that is its parent"),
            new PayloadField("old_comm", Payload.RENAME_OLD_COMM_OFFSET, CHAR16, TEXT, "its name so far"),
            new PayloadField("comm", Payload.RENAME_COMM_OFFSET, CHAR16, TEXT, "its new one")),

    /** {@code struct magnet_task_attach}: a process, which the abstract id names, is in a cgroup. */
    TASK_ATTACH(
            "magnet_task_attach",
            16,
            new PayloadField(
                    "cgroup",
                    Payload.TASK_ATTACH_CGROUP_OFFSET,
                    U64,
                    DECIMAL,
                    "the inode number of the cgroup's folder"),
            new PayloadField(
                    "how",
                    Payload.TASK_ATTACH_HOW_OFFSET,
                    U32,
                    DECIMAL,
                    WordKind.ATTACH,
                    "0 it was there already, 1 it was made there, 2 it runs a new program, 3 it was moved there")),

    /** {@code struct magnet_cgroup}: a cgroup, which the abstract id names, comes or goes. */
    CGROUP(
            "magnet_cgroup",
            272,
            new PayloadField(
                    "parent", Payload.CGROUP_PARENT_OFFSET, U64, DECIMAL, "the one that it is in, 0 for the root"),
            new PayloadField("level", Payload.CGROUP_LEVEL_OFFSET, U32, DECIMAL, "0 for the root"),
            new PayloadField(
                    "path_len", Payload.CGROUP_PATH_LEN_OFFSET, U32, DECIMAL, "bytes that the path has in whole"),
            new PayloadField("path", Payload.CGROUP_PATH_OFFSET, CHAR256, TEXT, "from the root of the hierarchy")),

    /** {@code struct magnet_irq_exit}: an interrupt handler returned. */
    IRQ_EXIT(
            "magnet_irq_exit",
            8,
            new PayloadField(
                    "ret",
                    Payload.IRQ_EXIT_RET_OFFSET,
                    U32,
                    DECIMAL,
                    WordKind.IRQ_RETURN,
                    "0 none, 1 handled, 2 wakes its thread")),

    /** {@code struct magnet_page_fault}: a page was touched that is not mapped so. */
    PAGE_FAULT(
            "magnet_page_fault",
            24,
            new PayloadField(
                    "address",
                    Payload.PAGE_FAULT_ADDRESS_OFFSET,
                    U64,
                    HEX,
                    "that was touched, 0 when it is the kernel's"),
            new PayloadField(
                    "ip",
                    Payload.PAGE_FAULT_IP_OFFSET,
                    U64,
                    HEX,
                    "instruction that touched it, 0 when it is the kernel's"),
            new PayloadField("error_code", Payload.PAGE_FAULT_ERROR_CODE_OFFSET, U32, HEX, "the processor's")),

    /** {@code struct magnet_major_fault}: a page fault that had to wait for a device is over. */
    MAJOR_FAULT(
            "magnet_major_fault",
            24,
            new PayloadField(
                    "latency",
                    Payload.MAJOR_FAULT_LATENCY_OFFSET,
                    U64,
                    DECIMAL,
                    "ticks from the first try to the end of the last"),
            new PayloadField(
                    "address",
                    Payload.MAJOR_FAULT_ADDRESS_OFFSET,
                    U64,
                    HEX,
                    "that was touched, 0 when it is the kernel's"),
            new PayloadField(
                    "tries", Payload.MAJOR_FAULT_TRIES_OFFSET, U32, DECIMAL, "how often the kernel began with it"),
            new PayloadField(
                    "write", Payload.MAJOR_FAULT_WRITE_OFFSET, U32, DECIMAL, "1: it was touched to be written")),

    /** {@code struct magnet_reclaim_begin}: a thread that wants memory has to free some first. */
    RECLAIM_BEGIN(
            "magnet_reclaim_begin",
            16,
            new PayloadField("order", Payload.RECLAIM_BEGIN_ORDER_OFFSET, U32, DECIMAL, "it wants 2^order pages"),
            new PayloadField(
                    "gfp_flags",
                    Payload.RECLAIM_BEGIN_GFP_FLAGS_OFFSET,
                    U32,
                    HEX,
                    WordKind.GFP_FLAGS,
                    "the running kernel's GFP flags"),
            new PayloadField(
                    "cgroup",
                    Payload.RECLAIM_BEGIN_CGROUP_OFFSET,
                    U32,
                    DECIMAL,
                    "1 its control group has no more memory, 0 the machine has not")),

    /** {@code struct magnet_reclaim_end}: it goes on. */
    RECLAIM_END(
            "magnet_reclaim_end",
            16,
            new PayloadField("pages", Payload.RECLAIM_END_PAGES_OFFSET, U64, DECIMAL, "that were freed"),
            new PayloadField("cgroup", Payload.RECLAIM_END_CGROUP_OFFSET, U32, DECIMAL, "as in magnet_reclaim_begin")),

    /** {@code struct magnet_victim}: a process is killed because there is no memory. */
    VICTIM(
            "magnet_victim",
            8,
            new PayloadField(
                    "uid",
                    Payload.VICTIM_UID_OFFSET,
                    U32,
                    DECIMAL,
                    "its user, all ones where the kernel does not tell")),

    /** {@code struct magnet_block}: a request to a block device. */
    BLOCK(
            "magnet_block",
            24,
            new PayloadField("sector", Payload.BLOCK_SECTOR_OFFSET, U64, DECIMAL, "first one, of 512 bytes"),
            new PayloadField("dev", Payload.BLOCK_DEV_OFFSET, U32, HEX, "major << 20 | minor of the disk"),
            new PayloadField(
                    "bytes",
                    Payload.BLOCK_BYTES_OFFSET,
                    U32,
                    DECIMAL,
                    "of the request, or of the part that is complete"),
            new PayloadField(
                    "op",
                    Payload.BLOCK_OP_OFFSET,
                    U32,
                    DECIMAL,
                    WordKind.BLOCK_OP,
                    "REQ_OP_*: 0 read, 1 write, 2 flush, 3 discard"),
            new PayloadField("error", Payload.BLOCK_ERROR_OFFSET, U32, DECIMAL, "errno, 0 = none")),

    /** {@code struct magnet_sys_enter}: a system call begins. */
    SYS_ENTER(
            "magnet_sys_enter",
            32,
            new PayloadField("arg0", Payload.SYS_ENTER_ARG0_OFFSET, U64, HEX, "its first argument"),
            new PayloadField("arg1", Payload.SYS_ENTER_ARG1_OFFSET, U64, HEX, "its second"),
            new PayloadField("arg2", Payload.SYS_ENTER_ARG2_OFFSET, U64, HEX, "its third"),
            new PayloadField(
                    "compat",
                    Payload.SYS_ENTER_COMPAT_OFFSET,
                    U32,
                    DECIMAL,
                    "1: number and arguments are those of 32-bit programs")),

    /** {@code struct magnet_sys_exit}: a system call returns. */
    SYS_EXIT(
            "magnet_sys_exit",
            16,
            new PayloadField("ret", Payload.SYS_EXIT_RET_OFFSET, U64, HEX, "what it returns, signed"),
            new PayloadField(
                    "compat",
                    Payload.SYS_EXIT_COMPAT_OFFSET,
                    U32,
                    DECIMAL,
                    "1: the number is that of 32-bit programs")),

    /** {@code struct magnet_marker}: a program wrote to the file "marker"; the text follows. */
    MARKER("magnet_marker", 8, new PayloadField("len", Payload.MARKER_LEN_OFFSET, U32, DECIMAL, "bytes of the text")),

    /** {@code struct magnet_correlated}: a correlating filter found what it looks for. */
    CORRELATED(
            "magnet_correlated",
            24,
            new PayloadField("correlation", Payload.CORRELATED_CORRELATION_OFFSET, U32, DECIMAL, "id of the filter"),
            new PayloadField("count", Payload.CORRELATED_COUNT_OFFSET, U32, DECIMAL, "events that it consists of"),
            new PayloadField(
                    "first_timer", Payload.CORRELATED_FIRST_TIMER_OFFSET, U64, DECIMAL, "timer of the first of them"),
            new PayloadField(
                    "last_timer", Payload.CORRELATED_LAST_TIMER_OFFSET, U64, DECIMAL, "timer of the last of them")),

    /** {@code struct magnet_counters}: counters of the CPU at the record before; a u64 for each {@link Counter} follows. */
    COUNTERS(
            "magnet_counters",
            8,
            new PayloadField("which", Payload.COUNTERS_WHICH_OFFSET, U32, HEX, "bits of the counters that follow"),
            new PayloadField("n", Payload.COUNTERS_N_OFFSET, U32, DECIMAL, "how many values")),

    /** {@code struct magnet_storm}: the storm guard of a point refused events. */
    STORM(
            "magnet_storm",
            24,
            new PayloadField(
                    "refused", Payload.STORM_REFUSED_OFFSET, U64, DECIMAL, "how many since the one before, exact"),
            new PayloadField(
                    "first_timer", Payload.STORM_FIRST_TIMER_OFFSET, U64, DECIMAL, "timer of the first of them"),
            new PayloadField("last_timer", Payload.STORM_LAST_TIMER_OFFSET, U64, DECIMAL, "timer of the last of them")),

    /** {@code struct magnet_clock}: ties the timer to the clocks that people know. */
    CLOCK(
            "magnet_clock",
            24,
            new PayloadField(
                    "realtime_ns", Payload.CLOCK_REALTIME_NS_OFFSET, U64, DECIMAL, "CLOCK_REALTIME at that instant"),
            new PayloadField(
                    "monotonic_ns", Payload.CLOCK_MONOTONIC_NS_OFFSET, U64, DECIMAL, "CLOCK_MONOTONIC at that instant"),
            new PayloadField(
                    "epoch",
                    Payload.CLOCK_EPOCH_OFFSET,
                    U32,
                    DECIMAL,
                    "counts up each time that the timer jumped or began anew"),
            new PayloadField("flags", Payload.CLOCK_FLAGS_OFFSET, U32, HEX, "1: the kernel called the TSC unstable")),

    /** {@code struct magnet_lost}: events were dropped at this place. */
    LOST(
            "magnet_lost",
            24,
            new PayloadField("count", Payload.LOST_COUNT_OFFSET, U64, DECIMAL, "how many, exact"),
            new PayloadField(
                    "first_timer", Payload.LOST_FIRST_TIMER_OFFSET, U64, DECIMAL, "timer of the first of them"),
            new PayloadField("last_timer", Payload.LOST_LAST_TIMER_OFFSET, U64, DECIMAL, "timer of the last of them"));

    public static final int SOCK_LEN_OFFSET = 0;
    public static final int SOCK_FAMILY_OFFSET = 4;
    public static final int SOCK_PROTOCOL_OFFSET = 6;

    public static final int PACKET_PACKET_ID_OFFSET = 0;
    public static final int PACKET_LEN_OFFSET = 8;
    public static final int PACKET_IFINDEX_OFFSET = 12;
    public static final int PACKET_ETHERTYPE_OFFSET = 16;
    public static final int PACKET_CAPTURED_OFFSET = 18;
    public static final int PACKET_NETWORK_LEN_OFFSET = 20;

    public static final int RETRANSMIT_PACKET_ID_OFFSET = 0;
    public static final int RETRANSMIT_LEN_OFFSET = 8;
    public static final int RETRANSMIT_IFINDEX_OFFSET = 12;
    public static final int RETRANSMIT_ETHERTYPE_OFFSET = 16;
    public static final int RETRANSMIT_CAPTURED_OFFSET = 18;
    public static final int RETRANSMIT_NETWORK_LEN_OFFSET = 20;
    public static final int RETRANSMIT_SEGMENTS_OFFSET = 24;

    public static final int XMIT_PACKET_ID_OFFSET = 0;
    public static final int XMIT_LEN_OFFSET = 8;
    public static final int XMIT_IFINDEX_OFFSET = 12;
    public static final int XMIT_RET_OFFSET = 16;
    public static final int XMIT_NETNS_OFFSET = 20;

    public static final int DEV_RECEIVE_PACKET_ID_OFFSET = 0;
    public static final int DEV_RECEIVE_LEN_OFFSET = 8;
    public static final int DEV_RECEIVE_IFINDEX_OFFSET = 12;
    public static final int DEV_RECEIVE_NETNS_OFFSET = 16;

    public static final int DROP_PACKET_ID_OFFSET = 0;
    public static final int DROP_LEN_OFFSET = 8;
    public static final int DROP_IFINDEX_OFFSET = 12;
    public static final int DROP_ETHERTYPE_OFFSET = 16;
    public static final int DROP_CAPTURED_OFFSET = 18;
    public static final int DROP_NETWORK_LEN_OFFSET = 20;
    public static final int DROP_REASON_OFFSET = 24;

    public static final int SCHED_SWITCH_PREV_STATE_OFFSET = 0;
    public static final int SCHED_SWITCH_NEXT_TGID_OFFSET = 4;
    /** In prev_state: the thread was taken off the CPU while it could run on. */
    public static final long SCHED_PREEMPTED = 0x8000_0000L;

    public static final int SCHED_WAKEUP_TARGET_CPU_OFFSET = 0;
    public static final int SCHED_WAKEUP_TGID_OFFSET = 4;

    public static final int MIGRATE_ORIG_CPU_OFFSET = 0;
    public static final int MIGRATE_DEST_CPU_OFFSET = 4;

    public static final int CPU_TIME_USER_OFFSET = 0;
    public static final int CPU_TIME_NICE_OFFSET = 8;
    public static final int CPU_TIME_SYSTEM_OFFSET = 16;
    public static final int CPU_TIME_IDLE_OFFSET = 24;
    public static final int CPU_TIME_IRQ_OFFSET = 32;
    public static final int CPU_TIME_SOFTIRQ_OFFSET = 40;
    public static final int CPU_TIME_MODE_OFFSET = 48;

    public static final int FORK_CHILD_TGID_OFFSET = 0;
    public static final int FORK_PARENT_OFFSET = 4;
    public static final int FORK_COMM_OFFSET = 8;

    public static final int EXEC_OLD_TID_OFFSET = 0;
    public static final int EXEC_PARENT_OFFSET = 4;
    public static final int EXEC_PATH_LEN_OFFSET = 8;
    public static final int EXEC_ARGV_LEN_OFFSET = 12;
    public static final int EXEC_ARGV_KEPT_OFFSET = 16;
    public static final int EXEC_COMM_OFFSET = 24;
    public static final int EXEC_PATH_OFFSET = 40;
    public static final int EXEC_ARGV_OFFSET = 168;

    public static final int EXIT_EXIT_CODE_OFFSET = 0;
    public static final int EXIT_GROUP_DEAD_OFFSET = 4;
    public static final int EXIT_PARENT_OFFSET = 8;
    public static final int EXIT_COMM_OFFSET = 16;

    public static final int RENAME_TGID_OFFSET = 0;
    public static final int RENAME_PARENT_OFFSET = 4;
    public static final int RENAME_OLD_COMM_OFFSET = 8;
    public static final int RENAME_COMM_OFFSET = 24;

    public static final int TASK_ATTACH_CGROUP_OFFSET = 0;
    public static final int TASK_ATTACH_HOW_OFFSET = 8;

    public static final int CGROUP_PARENT_OFFSET = 0;
    public static final int CGROUP_LEVEL_OFFSET = 8;
    public static final int CGROUP_PATH_LEN_OFFSET = 12;
    public static final int CGROUP_PATH_OFFSET = 16;

    public static final int IRQ_EXIT_RET_OFFSET = 0;

    public static final int PAGE_FAULT_ADDRESS_OFFSET = 0;
    public static final int PAGE_FAULT_IP_OFFSET = 8;
    public static final int PAGE_FAULT_ERROR_CODE_OFFSET = 16;

    public static final int MAJOR_FAULT_LATENCY_OFFSET = 0;
    public static final int MAJOR_FAULT_ADDRESS_OFFSET = 8;
    public static final int MAJOR_FAULT_TRIES_OFFSET = 16;
    public static final int MAJOR_FAULT_WRITE_OFFSET = 20;

    public static final int RECLAIM_BEGIN_ORDER_OFFSET = 0;
    public static final int RECLAIM_BEGIN_GFP_FLAGS_OFFSET = 4;
    public static final int RECLAIM_BEGIN_CGROUP_OFFSET = 8;

    public static final int RECLAIM_END_PAGES_OFFSET = 0;
    public static final int RECLAIM_END_CGROUP_OFFSET = 8;

    public static final int VICTIM_UID_OFFSET = 0;

    public static final int BLOCK_SECTOR_OFFSET = 0;
    public static final int BLOCK_DEV_OFFSET = 8;
    public static final int BLOCK_BYTES_OFFSET = 12;
    public static final int BLOCK_OP_OFFSET = 16;
    public static final int BLOCK_ERROR_OFFSET = 20;

    public static final int SYS_ENTER_ARG0_OFFSET = 0;
    public static final int SYS_ENTER_ARG1_OFFSET = 8;
    public static final int SYS_ENTER_ARG2_OFFSET = 16;
    public static final int SYS_ENTER_COMPAT_OFFSET = 24;

    public static final int SYS_EXIT_RET_OFFSET = 0;
    public static final int SYS_EXIT_COMPAT_OFFSET = 8;

    public static final int MARKER_LEN_OFFSET = 0;

    public static final int CORRELATED_CORRELATION_OFFSET = 0;
    public static final int CORRELATED_COUNT_OFFSET = 4;
    public static final int CORRELATED_FIRST_TIMER_OFFSET = 8;
    public static final int CORRELATED_LAST_TIMER_OFFSET = 16;

    public static final int COUNTERS_WHICH_OFFSET = 0;
    public static final int COUNTERS_N_OFFSET = 4;

    public static final int STORM_REFUSED_OFFSET = 0;
    public static final int STORM_FIRST_TIMER_OFFSET = 8;
    public static final int STORM_LAST_TIMER_OFFSET = 16;

    public static final int CLOCK_REALTIME_NS_OFFSET = 0;
    public static final int CLOCK_MONOTONIC_NS_OFFSET = 8;
    public static final int CLOCK_EPOCH_OFFSET = 16;
    public static final int CLOCK_FLAGS_OFFSET = 20;

    public static final int LOST_COUNT_OFFSET = 0;
    public static final int LOST_FIRST_TIMER_OFFSET = 8;
    public static final int LOST_LAST_TIMER_OFFSET = 16;

    private final String struct;
    private final int size;
    private final int leastSize;

    @SuppressWarnings("ImmutableEnumChecker") // a List.of is immutable
    private final List<PayloadField> fields;

    Payload(String struct, int size, PayloadField... fields) {
        this(struct, size, size, fields);
    }

    /** One that was shorter in a module's first versions. */
    Payload(String struct, int size, int leastSize, PayloadField... fields) {
        this.struct = struct;
        this.size = size;
        this.leastSize = leastSize;
        this.fields = List.of(fields);
    }

    /** Name of the struct in the kernel's header; empty for {@link #NONE}. */
    public String struct() {
        return struct;
    }

    /** Bytes, those that are reserved included. A module of a later version may append more. */
    public int size() {
        return size;
    }

    /** Bytes that records of all versions have. */
    int leastSize() {
        return leastSize;
    }

    /** The fields in their order, without reserved ones. */
    public List<PayloadField> fields() {
        return fields;
    }
}
