/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * The ABI of magnet: records, lseek attributes, generic netlink.
 *
 * This file is the only definition of it. The module, the C tools and the
 * tests of the Java service read it; docs/record-format.md and
 * docs/control.md explain it.
 */
#ifndef _UAPI_MAGNET_H
#define _UAPI_MAGNET_H

#include <linux/types.h>

/* Raised when a reader of version n could misread what version n+1 writes. */
#define MAGNET_ABI_VERSION	1

/*
 * ---- Records ----
 *
 * Native endian, 8-byte aligned, size a multiple of 8. A reader skips an
 * event that it does not know by its size. control/format names the layout
 * in force and every event's payload fields.
 */

/**
 * struct magnet_record - header of a record in layout "wide", the default
 * @size: bytes of the whole record, header included
 * @cpu: CPU that the event happened on
 * @event: enum magnet_event, or an id given at run time from
 *	MAGNET_EVENT_DYNAMIC_WIDE up
 * @tgid: process that was running
 * @tid: thread that was running
 * @abstract_id: what joins events: see enum magnet_event for each event's
 * @timer: TSC, or nanoseconds of CLOCK_MONOTONIC with clock=mono
 */
struct magnet_record {
	__u32 size;
	__u16 cpu;
	__u16 event;
	__u32 tgid;
	__u32 tid;
	__u64 abstract_id;
	__u64 timer;
};

/**
 * struct magnet_record_classic - header of a record in layout "classic"
 * @header: bits 0-5 CPU, 6-15 event id, 16-31 size in bytes
 * @pid: process (tgid) that was running
 * @abstract_id: as in struct magnet_record
 * @timer: as in struct magnet_record
 *
 * The fields of figure 4 of the MAGNET paper, reordered to need no padding.
 */
struct magnet_record_classic {
	__u32 header;
	__u32 pid;
	__u64 abstract_id;
	__u64 timer;
};

#define MAGNET_CLASSIC_CPU_BITS		6
#define MAGNET_CLASSIC_EVENT_SHIFT	6
#define MAGNET_CLASSIC_EVENT_BITS	10
#define MAGNET_CLASSIC_SIZE_SHIFT	16
#define MAGNET_CLASSIC_CPUS		64

#define MAGNET_RECORD_ALIGN		8
/* No record is larger, header included. */
#define MAGNET_RECORD_SIZE_MAX		8192

/**
 * enum magnet_event - event ids, in blocks per subsystem
 *
 * Ids are stable: one that is given up is never given out again. 0x003,
 * 0x004, 0x102 and 0x103 are the ids that MUSE clients know.
 *
 * "cookie" is the socket's cookie, the one that SO_COOKIE and ss -e show.
 */
enum magnet_event {
	/* 0x000 network */
	MAGNET_EVENT_INET_SENDMSG	= 0x003, /* cookie; magnet_sock */
	MAGNET_EVENT_SKB_CONSUME_UDP	= 0x004, /* cookie; magnet_packet */
	MAGNET_EVENT_UDP_SENDMSG	= 0x010, /* cookie; magnet_sock */
	MAGNET_EVENT_TCP_SENDMSG	= 0x011, /* cookie; magnet_sock */
	MAGNET_EVENT_TCP_RETRANSMIT_SKB	= 0x012, /* cookie; magnet_retransmit */
	MAGNET_EVENT_IP_SEND_SKB	= 0x020, /* cookie; magnet_packet */
	MAGNET_EVENT_IP_QUEUE_XMIT	= 0x021, /* cookie; magnet_packet */
	MAGNET_EVENT_DEV_QUEUE_XMIT	= 0x030, /* cookie; magnet_packet */
	MAGNET_EVENT_NET_DEV_START_XMIT	= 0x031, /* cookie; magnet_packet */
	MAGNET_EVENT_NET_DEV_XMIT	= 0x032, /* 0; magnet_xmit */
	MAGNET_EVENT_NETIF_RECEIVE_SKB	= 0x040, /* 0; magnet_packet */
	MAGNET_EVENT_NET_DEV_RECEIVE	= 0x041, /* 0; magnet_dev_receive */
	MAGNET_EVENT_IP_LOCAL_DELIVER	= 0x050, /* 0; magnet_packet */
	MAGNET_EVENT_UDP_RCV		= 0x060, /* 0; magnet_packet */
	MAGNET_EVENT_UDP_ENQUEUE	= 0x061, /* cookie; magnet_packet */
	MAGNET_EVENT_TCP_RCV		= 0x062, /* 0; magnet_packet */
	MAGNET_EVENT_TCP_RCV_ESTABLISHED = 0x063, /* cookie; magnet_packet */
	MAGNET_EVENT_TCP_CONSUME	= 0x064, /* cookie; magnet_sock */
	MAGNET_EVENT_KFREE_SKB		= 0x070, /* cookie or 0; magnet_drop */

	/* 0x100 scheduler and processes */
	MAGNET_EVENT_TASK_CTX_IN	= 0x102, /* reserved for MUSE */
	MAGNET_EVENT_TASK_CTX_OUT	= 0x103, /* reserved for MUSE */
	MAGNET_EVENT_SCHED_SWITCH	= 0x110, /* next tid; magnet_sched_switch */
	MAGNET_EVENT_SCHED_WAKEUP	= 0x111, /* woken tid; magnet_sched_wakeup */
	MAGNET_EVENT_SCHED_MIGRATE_TASK	= 0x112, /* migrated tid; magnet_migrate */
	MAGNET_EVENT_CPU_TIME		= 0x113, /* 0; magnet_cpu_time */
	MAGNET_EVENT_SCHED_PROCESS_FORK	= 0x120, /* child tid; magnet_fork */
	MAGNET_EVENT_SCHED_PROCESS_EXEC	= 0x121, /* tid; magnet_exec */
	MAGNET_EVENT_SCHED_PROCESS_EXIT	= 0x122, /* tid; magnet_exit */
	MAGNET_EVENT_TASK_RENAME	= 0x123, /* renamed tid; magnet_rename */
	MAGNET_EVENT_TASK_ATTACH	= 0x124, /* tgid; magnet_task_attach */
	MAGNET_EVENT_CGROUP_MKDIR	= 0x128, /* cgroup's id; magnet_cgroup */
	MAGNET_EVENT_CGROUP_RMDIR	= 0x129, /* cgroup's id; magnet_cgroup */

	/* 0x180 memory */
	MAGNET_EVENT_PAGE_FAULT_USER	= 0x180, /* 0; magnet_page_fault */
	MAGNET_EVENT_PAGE_FAULT_KERNEL	= 0x181, /* 0; magnet_page_fault */
	MAGNET_EVENT_MAJOR_FAULT	= 0x182, /* 0; magnet_major_fault */
	MAGNET_EVENT_MM_VMSCAN_DIRECT_RECLAIM_BEGIN = 0x190, /* 0; magnet_reclaim_begin */
	MAGNET_EVENT_MM_VMSCAN_DIRECT_RECLAIM_END = 0x191, /* 0; magnet_reclaim_end */
	MAGNET_EVENT_MARK_VICTIM	= 0x1a0, /* victim's tid; magnet_victim */

	/* 0x1c0 interrupts */
	MAGNET_EVENT_IRQ_HANDLER_ENTRY	= 0x1c0, /* irq; no payload */
	MAGNET_EVENT_IRQ_HANDLER_EXIT	= 0x1c1, /* irq; magnet_irq_exit */
	MAGNET_EVENT_SOFTIRQ_ENTRY	= 0x1c2, /* vector; no payload */
	MAGNET_EVENT_SOFTIRQ_EXIT	= 0x1c3, /* vector; no payload */

	/* 0x200 block devices */
	MAGNET_EVENT_BLOCK_RQ_ISSUE	= 0x200, /* request; magnet_block */
	MAGNET_EVENT_BLOCK_RQ_COMPLETE	= 0x201, /* request; magnet_block */

	/* 0x2c0 system calls */
	MAGNET_EVENT_SYS_ENTER		= 0x2c0, /* nr; magnet_sys_enter */
	MAGNET_EVENT_SYS_EXIT		= 0x2c1, /* nr; magnet_sys_exit */

	/* 0x3c0 programs */
	MAGNET_EVENT_MARKER		= 0x3c0, /* number; magnet_marker */

	/* 0x3f0 what the sensor says of itself */
	MAGNET_EVENT_CORRELATED		= 0x3f0, /* what both events have; magnet_correlated */
	MAGNET_EVENT_COUNTERS		= 0x3f1, /* of the record before; magnet_counters */
	MAGNET_EVENT_STORM		= 0x3f2, /* event id; magnet_storm */
	MAGNET_EVENT_CLOCK		= 0x3fe, /* 0; magnet_clock */
	MAGNET_EVENT_LOST		= 0x3ff, /* 0; magnet_lost */
};

/* Ids given at run time: in "wide" from here up, in "classic" 0x300-0x3bf. */
#define MAGNET_EVENT_DYNAMIC_WIDE		0x400
#define MAGNET_EVENT_DYNAMIC_CLASSIC		0x300
#define MAGNET_EVENT_DYNAMIC_CLASSIC_END	0x3c0

/**
 * struct magnet_sock - payload of a call on a socket
 * @len: bytes that the caller asked to send; with tcp_consume, bytes that it
 *	was given
 * @family: AF_INET or AF_INET6, the socket's
 * @protocol: IPPROTO_*, the socket's
 */
struct magnet_sock {
	__u32 len;
	__u16 family;
	__u16 protocol;
};

/**
 * struct magnet_packet - payload of a packet on its way
 * @packet_id: keyed hash of the packet buffer's address: equal from hop to
 *	hop while the kernel carries the same buffer, and reused after it
 * @len: bytes of the packet as this layer sees it
 * @ifindex: device, or 0 where none is set yet
 * @ethertype: ETH_P_*, 0 where the layer has not set it yet
 * @captured: bytes of the packet itself that follow the payload, from its
 *	network header on; before it has one, from what it begins with:
 *	ip_queue_xmit TCP's header, tcp_retransmit_skb the data. 0 unless the
 *	subscription asks for them
 * @network_len: if it does: bytes that the packet has from there on
 */
struct magnet_packet {
	__u64 packet_id;
	__u32 len;
	__u32 ifindex;
	__u16 ethertype;
	__u16 captured;
	__u32 network_len;
};

/**
 * struct magnet_retransmit - payload of a packet that TCP sends again
 * @packet_id: as in struct magnet_packet
 * @len: bytes of data
 * @ifindex: 0
 * @ethertype: 0
 * @captured: as in struct magnet_packet
 * @network_len: as in struct magnet_packet
 * @segments: segments that the data takes: a device, or the kernel in front of
 *	it, cuts a large packet up
 * @reserved: zero
 */
struct magnet_retransmit {
	__u64 packet_id;
	__u32 len;
	__u32 ifindex;
	__u16 ethertype;
	__u16 captured;
	__u32 network_len;
	__u32 segments;
	__u32 reserved;
};

/**
 * struct magnet_xmit - payload of a packet that the driver was given
 * @packet_id: as in struct magnet_packet
 * @len: bytes of the packet, link header included
 * @ifindex: device
 * @ret: the driver's answer, NETDEV_TX_* or NET_XMIT_*; 0 = it took the packet
 * @netns: inode of the device's network namespace, that of /proc/PID/ns/net
 */
struct magnet_xmit {
	__u64 packet_id;
	__u32 len;
	__u32 ifindex;
	__u32 ret;
	__u32 netns;
};

/**
 * struct magnet_dev_receive - payload of a packet that a driver handed up
 * @packet_id: as in struct magnet_packet
 * @len: bytes of the packet, link header included
 * @ifindex: device
 * @netns: as in struct magnet_xmit
 * @reserved: zero
 */
struct magnet_dev_receive {
	__u64 packet_id;
	__u32 len;
	__u32 ifindex;
	__u32 netns;
	__u32 reserved;
};

/**
 * struct magnet_drop - payload of a packet that is thrown away
 * @packet_id: as in struct magnet_packet
 * @len: bytes of the packet as the layer that drops it sees it
 * @ifindex: device that it came from; 0 for a packet of this node's own
 * @ethertype: ETH_P_*, 0 where the layer has not set it yet
 * @captured: as in struct magnet_packet
 * @network_len: as in struct magnet_packet
 * @reason: the running kernel's enum skb_drop_reason; MAGNET_CMD_DROP_REASON_GET
 *	and control/drop_reasons name them
 * @reserved: zero
 */
struct magnet_drop {
	__u64 packet_id;
	__u32 len;
	__u32 ifindex;
	__u16 ethertype;
	__u16 captured;
	__u32 network_len;
	__u32 reason;
	__u32 reserved;
};

/* In magnet_sched_switch.prev_state: taken off the CPU while it could run on. */
#define MAGNET_SCHED_PREEMPTED	0x80000000u

/**
 * struct magnet_sched_switch - the header's tid leaves the CPU, abstract_id enters
 * @prev_state: TASK_* bits of the leaving thread; 0 = still runnable;
 *	MAGNET_SCHED_PREEMPTED is set when it was preempted
 * @next_tgid: process of the entering thread
 */
struct magnet_sched_switch {
	__u32 prev_state;
	__u32 next_tgid;
};

/**
 * struct magnet_sched_wakeup - a thread became runnable: it woke, or was made
 * @target_cpu: CPU on whose run queue it was put
 * @tgid: its process
 */
struct magnet_sched_wakeup {
	__u32 target_cpu;
	__u32 tgid;
};

/**
 * struct magnet_migrate - a thread goes to another CPU's run queue
 * @orig_cpu: from there
 * @dest_cpu: to there
 */
struct magnet_migrate {
	__u32 orig_cpu;
	__u32 dest_cpu;
};

/* magnet_cpu_time.mode: what a CPU does while no interrupt keeps it from that. */
enum magnet_cpu_mode {
	MAGNET_CPU_USER,	/* runs a program */
	MAGNET_CPU_NICE,	/* the same, of a thread that is nice to others */
	MAGNET_CPU_SYSTEM,	/* a system call, or a thread of the kernel */
	MAGNET_CPU_IDLE,	/* its idle thread */
};

/**
 * struct magnet_cpu_time - what the record's CPU has spent its time with
 * @user: ticks of the header's timer in mode user, added up while the point
 *	was on; likewise
 * @nice: in mode nice,
 * @system: system,
 * @idle: idle,
 * @irq: in handlers of hard interrupts,
 * @softirq: and of soft interrupts
 * @mode: enum magnet_cpu_mode: what it goes on with
 * @reserved: zero
 *
 * Sums: a reader takes the difference of two records of a CPU, and is right
 * whatever was lost between them.
 */
struct magnet_cpu_time {
	__u64 user;
	__u64 nice;
	__u64 system;
	__u64 idle;
	__u64 irq;
	__u64 softirq;
	__u32 mode;
	__u32 reserved;
};

/*
 * Bytes of texts in records. A text ends with NUL and is filled up with NULs;
 * what does not fit is cut off.
 */
#define MAGNET_COMM_SIZE	16
#define MAGNET_PATH_SIZE	128
#define MAGNET_ARGV_SIZE	128

/**
 * struct magnet_fork - a thread was made
 * @child_tgid: its process; equal to its tid for a new process
 * @parent: process that is its parent
 * @comm: its name
 *
 * Records of the module's first versions end behind @child_tgid and four bytes
 * that are zero.
 */
struct magnet_fork {
	__u32 child_tgid;
	__u32 parent;
	char comm[MAGNET_COMM_SIZE];
};

/**
 * struct magnet_exec - a new program runs
 * @old_tid: the thread's id before (differs when another thread than the
 *	group leader called execve)
 * @parent: process that is its parent
 * @path_len: bytes that the path has in whole
 * @argv_len: bytes that the arguments have in whole
 * @argv_kept: of these, how many are in @argv. Fewer than would fit: they could
 *	not be read without waiting
 * @reserved: zero
 * @comm: its name, by which the kernel knows it now
 * @path: the path that execve was given; a script's own
 * @argv: the arguments, a space between two of them
 *
 * Records of the module's first versions end behind @old_tid and four bytes
 * that are zero.
 */
struct magnet_exec {
	__u32 old_tid;
	__u32 parent;
	__u32 path_len;
	__u32 argv_len;
	__u32 argv_kept;
	__u32 reserved;
	char comm[MAGNET_COMM_SIZE];
	char path[MAGNET_PATH_SIZE];
	char argv[MAGNET_ARGV_SIZE];
};

/**
 * struct magnet_exit - a thread ends
 * @exit_code: as wait(2) reports it
 * @group_dead: 1 when no other thread of its process was left: once for each
 *	process (docs/record-format.md has the exception)
 * @parent: process that is its parent
 * @reserved: zero
 * @comm: its name
 *
 * Records of the module's first versions end behind @group_dead.
 */
struct magnet_exit {
	__u32 exit_code;
	__u32 group_dead;
	__u32 parent;
	__u32 reserved;
	char comm[MAGNET_COMM_SIZE];
};

/**
 * struct magnet_rename - a thread gets another name
 * @tgid: its process
 * @parent: process that is its parent
 * @old_comm: its name so far
 * @comm: its new one
 *
 * execve names the thread after its program, too. Another thread of the process
 * may give the name.
 */
struct magnet_rename {
	__u32 tgid;
	__u32 parent;
	char old_comm[MAGNET_COMM_SIZE];
	char comm[MAGNET_COMM_SIZE];
};

/* magnet_task_attach.how: why the process is in the cgroup from here on. */
enum magnet_attach {
	MAGNET_ATTACH_PRESENT,	/* it was there when the subscription began */
	MAGNET_ATTACH_FORK,	/* it was made there */
	MAGNET_ATTACH_EXEC,	/* it runs a new program, where it was */
	MAGNET_ATTACH_MOVE,	/* somebody moved it there */
};

/**
 * struct magnet_task_attach - a process is in a cgroup
 * @cgroup: the cgroup's id in the hierarchy that the module watches: the inode
 *	number of its folder. This is the unified hierarchy (cgroup v2), or the
 *	one of version 1 that has the controller which the module's parameter
 *	job_hierarchy names
 * @how: enum magnet_attach
 * @reserved: zero
 *
 * The abstract id is the process (tgid). Each new subscription gets one record
 * for each process that is there, @how MAGNET_ATTACH_PRESENT, while the others
 * come as they happen. So a process may be told twice, and the last record
 * before an event says where its process was, which is where its first thread
 * was. Threads that are in another cgroup than their process are not told.
 */
struct magnet_task_attach {
	__u64 cgroup;
	__u32 how;
	__u32 reserved;
};

#define MAGNET_CGROUP_PATH_SIZE	256

/**
 * struct magnet_cgroup - a cgroup of the watched hierarchy comes or goes
 * @parent: id of the one that it is in; 0 for the root
 * @level: 0 for the root
 * @path_len: bytes that the path has in whole
 * @path: from the root of the hierarchy, as /proc/PID/cgroup shows it to who is
 *	in the first cgroup namespace. In version 1 it may be renamed, which no
 *	record tells
 *
 * The abstract id is the cgroup. Each new subscription of cgroup_mkdir gets one
 * record for each cgroup that is there, parents first.
 */
struct magnet_cgroup {
	__u64 parent;
	__u32 level;
	__u32 path_len;
	char path[MAGNET_CGROUP_PATH_SIZE];
};

/**
 * struct magnet_irq_exit - an interrupt handler returned
 * @ret: irqreturn_t (0 none, 1 handled, 2 wakes its thread)
 * @reserved: zero
 */
struct magnet_irq_exit {
	__u32 ret;
	__u32 reserved;
};

/**
 * struct magnet_page_fault - a page was touched that is not mapped so
 * @address: that was touched; 0 when it is the kernel's
 * @ip: instruction that touched it; 0 when it is the kernel's
 * @error_code: x86's, and on arm64 the same told so; bit 0 protection, 1 write,
 *	2 user, 4 fetch
 * @reserved: zero
 */
struct magnet_page_fault {
	__u64 address;
	__u64 ip;
	__u32 error_code;
	__u32 reserved;
};

/**
 * struct magnet_major_fault - a page fault that had to wait for a device is over
 * @latency: ticks of the timer from the first try to the end of the last
 * @address: that was touched; 0 when it is the kernel's
 * @tries: how often the kernel began with it: again when it gave up its lock to wait
 * @write: 1: it was touched to be written
 *
 * One for each fault that the kernel counts as major for the thread of the
 * header, which is the one that waited, even if the memory is another's.
 */
struct magnet_major_fault {
	__u64 latency;
	__u64 address;
	__u32 tries;
	__u32 write;
};

/**
 * struct magnet_reclaim_begin - a thread that wants memory has to free some first
 * @order: it wants 2^order pages
 * @gfp_flags: the running kernel's GFP flags
 * @cgroup: 1: its control group has no more memory; 0: the machine has not
 * @reserved: zero
 */
struct magnet_reclaim_begin {
	__u32 order;
	__u32 gfp_flags;
	__u32 cgroup;
	__u32 reserved;
};

/**
 * struct magnet_reclaim_end - it goes on
 * @pages: that were freed
 * @cgroup: as in struct magnet_reclaim_begin
 * @reserved: zero
 */
struct magnet_reclaim_end {
	__u64 pages;
	__u32 cgroup;
	__u32 reserved;
};

/**
 * struct magnet_victim - a process is killed because there is no memory
 * @uid: its user; all ones where the kernel does not tell
 * @reserved: zero
 */
struct magnet_victim {
	__u32 uid;
	__u32 reserved;
};

/**
 * struct magnet_block - a request to a block device
 * @sector: first one, of 512 bytes; 0 when it has none
 * @dev: major << 20 | minor of the disk
 * @bytes: of the request, or of the part that is complete
 * @op: the running kernel's REQ_OP_*; 0 read, 1 write, 2 flush, 3 discard
 * @error: errno; 0 = none
 */
struct magnet_block {
	__u64 sector;
	__u32 dev;
	__u32 bytes;
	__u32 op;
	__u32 error;
};

/**
 * struct magnet_sys_enter - a system call begins
 * @arg0: its first argument
 * @arg1: its second
 * @arg2: its third
 * @compat: 1: the number and arguments are those of 32-bit programs
 * @reserved: zero
 */
struct magnet_sys_enter {
	__u64 arg0;
	__u64 arg1;
	__u64 arg2;
	__u32 compat;
	__u32 reserved;
};

/**
 * struct magnet_sys_exit - a system call returns
 * @ret: what it returns; signed, an errno is negative
 * @compat: as in struct magnet_sys_enter
 * @reserved: zero
 */
struct magnet_sys_exit {
	__u64 ret;
	__u32 compat;
	__u32 reserved;
};

/* Longest text of a marker, in bytes. */
#define MAGNET_MARKER_MAX	4000

/**
 * struct magnet_marker - a program wrote to the file "marker"
 * @len: bytes of the text, which follows, filled up with zeros to a multiple of 8
 * @reserved: zero
 *
 * The abstract id is the decimal number that the text begins with, if a space
 * or nothing follows it; else 0.
 */
struct magnet_marker {
	__u32 len;
	__u32 reserved;
};

/**
 * struct magnet_clock - ties the header's timer to the clocks that people know
 * @realtime_ns: CLOCK_REALTIME at that instant
 * @monotonic_ns: CLOCK_MONOTONIC at that instant
 * @epoch: counts up each time that the timer jumped or began anew, as after a
 *	suspend; timers of different epochs can't be compared. What is before the
 *	first record of an epoch, in the same ring, is of the one before
 * @flags: MAGNET_CLOCK_F_*
 */
struct magnet_clock {
	__u64 realtime_ns;
	__u64 monotonic_ns;
	__u32 epoch;
	__u32 flags;
};

/* The kernel called the TSC unstable: timers of different CPUs can't be compared. */
#define MAGNET_CLOCK_F_UNSTABLE	0x1

/**
 * struct magnet_correlated - a correlating filter found what it looks for
 * @correlation: its id, MAGNET_A_CORRELATION_ID
 * @count: events that it consists of
 * @first_timer: timer of the first of them
 * @last_timer: timer of the last of them
 *
 * The abstract id and the header's threads are those of the last event.
 */
struct magnet_correlated {
	__u32 correlation;
	__u32 count;
	__u64 first_timer;
	__u64 last_timer;
};

/* Most counters that a subscription asks for. */
#define MAGNET_COUNTERS_MAX	4

/**
 * struct magnet_counters - counters of the CPU at the record before
 * @which: bits of enum magnet_counter, in whose order the values follow
 * @n: how many values
 *
 * A u64 for each counter follows. A counter that could not be read is all ones.
 */
struct magnet_counters {
	__u32 which;
	__u32 n;
};

/**
 * struct magnet_storm - the storm guard of a point refused events
 * @refused: how many, since the record of this kind before; exact
 * @first_timer: timer of the first of them
 * @last_timer: timer of the last of them
 */
struct magnet_storm {
	__u64 refused;
	__u64 first_timer;
	__u64 last_timer;
};

/**
 * struct magnet_lost - events that were dropped at this place
 * @count: how many, whatever the cause; exact
 * @first_timer: timer of the first of them
 * @last_timer: timer of the last of them
 */
struct magnet_lost {
	__u64 count;
	__u64 first_timer;
	__u64 last_timer;
};

/*
 * ---- Attributes of a data file, set with lseek ----
 *
 * lseek(fd, MAGNET_ATTR(option, value), SEEK_SET) sets and returns 0;
 * lseek(fd, MAGNET_ATTR(option, 0), SEEK_CUR) returns the value. An offset
 * without the magic gets ESPIPE, as on a pipe; an unknown option or a bad
 * value EINVAL.
 */
#define MAGNET_ATTR_MAGIC	0x4d
#define MAGNET_ATTR_VALUE_BITS	48
#define MAGNET_ATTR_VALUE_MASK	((1ULL << MAGNET_ATTR_VALUE_BITS) - 1)
#define MAGNET_ATTR(option, value)				\
	((__s64)((__u64)MAGNET_ATTR_MAGIC << 56 |		\
		 (__u64)(option) << MAGNET_ATTR_VALUE_BITS |	\
		 ((__u64)(value) & MAGNET_ATTR_VALUE_MASK)))

/**
 * enum magnet_attr - what a reader can ask of its file
 * @MAGNET_ATTR_READSIZE_WATERMARK: bytes that must be there; 0 = off
 * @MAGNET_ATTR_READCOUNT_WATERMARK: records that must be there; 0 = off
 * @MAGNET_ATTR_MIN_READ_TIMEOUT: microseconds since the previous read
 *	returned (or open) before the next one returns; 0 = off
 * @MAGNET_ATTR_MAX_READ_WATERMARK: most bytes that one read returns; 0 = as
 *	many as fit
 * @MAGNET_ATTR_MAX_READ_TIMEOUT: microseconds after which whatever is there
 *	is returned; 0 = off
 * @MAGNET_ATTR_FLUSH: what is there now becomes readable; value 0
 * @MAGNET_ATTR_HOLD_BACK: file merged only: microseconds for which a record is
 *	kept back, so that an older one of another CPU can still come before it;
 *	MAGNET_HOLD_BACK_DEFAULT_US at open. What is urgent, flushed, or in a
 *	ring that is three quarters full is not kept back
 * @MAGNET_ATTR_COMPLETE_TO: file of one CPU only, and only to be asked for:
 *	timer up to which all its records have been read, as of the last FLUSH or
 *	read; 0 = that is not known
 */
enum magnet_attr {
	MAGNET_ATTR_READSIZE_WATERMARK	= 1,
	MAGNET_ATTR_READCOUNT_WATERMARK	= 2,
	MAGNET_ATTR_MIN_READ_TIMEOUT	= 3,
	MAGNET_ATTR_MAX_READ_WATERMARK	= 4,
	MAGNET_ATTR_MAX_READ_TIMEOUT	= 5,
	MAGNET_ATTR_FLUSH		= 6,
	MAGNET_ATTR_HOLD_BACK		= 7,
	MAGNET_ATTR_COMPLETE_TO		= 8,
};

/* Longest MIN or MAX_READ_TIMEOUT: one hour. */
#define MAGNET_READ_TIMEOUT_MAX_US	3600000000ULL
/* Longest MAGNET_ATTR_HOLD_BACK: one second. */
#define MAGNET_HOLD_BACK_MAX_US		1000000ULL
#define MAGNET_HOLD_BACK_DEFAULT_US	2000ULL

/* ---- Control: generic netlink ---- */
#define MAGNET_GENL_NAME	"magnet"
#define MAGNET_GENL_VERSION	1
/* Multicast group: MAGNET_CMD_LOSS_NTF, MAGNET_CMD_URGENT_NTF. */
#define MAGNET_GENL_MCGRP	"events"

/**
 * enum magnet_cmd - requests and notices
 * @MAGNET_CMD_INFO_GET: version, layout, clock -> the same with MAGNET_A_*
 * @MAGNET_CMD_POINT_GET: dump of the event database
 * @MAGNET_CMD_BUFFER_NEW: create a buffer (NAME, SIZE, FLAGS) -> NAME, SIZE
 *	as made
 * @MAGNET_CMD_BUFFER_DEL: remove it; its subscriptions end, its readers
 *	read 0
 * @MAGNET_CMD_BUFFER_GET: dump of buffers with their rings
 * @MAGNET_CMD_SUB_NEW: subscribe (POINT, BUFFER, FLAGS) -> SUB_ID
 * @MAGNET_CMD_SUB_DEL: unsubscribe (SUB_ID); its counters stay readable in
 *	the reply
 * @MAGNET_CMD_SUB_GET: dump of subscriptions with their counters
 * @MAGNET_CMD_SHUTDOWN: end every subscription and buffer, so that the
 *	module can be removed
 * @MAGNET_CMD_LOSS_NTF: notice: a buffer lost events
 * @MAGNET_CMD_POINT_INSERT: make a point (DEFINITION, POINT, FLAGS) -> the
 *	point, as in POINT_GET
 * @MAGNET_CMD_POINT_REMOVE: remove it (POINT); its subscriptions end
 * @MAGNET_CMD_POINT_SET: change a point (POINT, ENABLED, STORM_RATE,
 *	STORM_BURST) -> the point, as in POINT_GET
 * @MAGNET_CMD_BUFFER_RESIZE: change a buffer's size (BUFFER, SIZE) while events
 *	flow; what is unread stays -> NAME, SIZE as made
 * @MAGNET_CMD_BUFFER_SNAPSHOT: what a buffer has becomes a buffer of its own
 *	(BUFFER, SNAPSHOT, FLAGS) -> the new buffer, as in BUFFER_NEW
 * @MAGNET_CMD_SUB_SET: change a subscription (SUB_ID, SAMPLE_COUNT,
 *	SAMPLE_INTERVAL_US, SNAP_LEN, COUNTERS, RULES: what is not there stays)
 *	-> the subscription, as in SUB_GET, without counters
 * @MAGNET_CMD_RULE_NEW: put a rule into a subscription's chain (SUB_ID,
 *	RULE_TEXT, RULE_BEFORE) -> RULE_ID
 * @MAGNET_CMD_RULE_DEL: take it out (SUB_ID, RULE_ID) -> its RULE, with the
 *	final counter
 * @MAGNET_CMD_RULE_GET: dump of subscriptions with their rules
 * @MAGNET_CMD_CORRELATION_NEW: make a correlating filter (DEFINITION, BUFFER,
 *	FLAGS) -> CORRELATION_ID
 * @MAGNET_CMD_CORRELATION_DEL: remove it (CORRELATION_ID)
 * @MAGNET_CMD_CORRELATION_GET: dump of correlating filters
 * @MAGNET_CMD_URGENT_NTF: notice: an urgent event was logged (POINT, EVENT,
 *	BUFFER, SUB_ID, URGENT)
 * @MAGNET_CMD_DROP_REASON_GET: dump of the running kernel's reasons to throw a
 *	packet away (DROP_REASON, DROP_REASON_NAME)
 */
enum magnet_cmd {
	MAGNET_CMD_UNSPEC,
	MAGNET_CMD_INFO_GET,
	MAGNET_CMD_POINT_GET,
	MAGNET_CMD_BUFFER_NEW,
	MAGNET_CMD_BUFFER_DEL,
	MAGNET_CMD_BUFFER_GET,
	MAGNET_CMD_SUB_NEW,
	MAGNET_CMD_SUB_DEL,
	MAGNET_CMD_SUB_GET,
	MAGNET_CMD_SHUTDOWN,
	MAGNET_CMD_LOSS_NTF,
	MAGNET_CMD_POINT_INSERT,
	MAGNET_CMD_POINT_REMOVE,
	MAGNET_CMD_POINT_SET,
	MAGNET_CMD_BUFFER_RESIZE,
	MAGNET_CMD_BUFFER_SNAPSHOT,
	MAGNET_CMD_SUB_SET,
	MAGNET_CMD_RULE_NEW,
	MAGNET_CMD_RULE_DEL,
	MAGNET_CMD_RULE_GET,
	MAGNET_CMD_CORRELATION_NEW,
	MAGNET_CMD_CORRELATION_DEL,
	MAGNET_CMD_CORRELATION_GET,
	MAGNET_CMD_URGENT_NTF,
	MAGNET_CMD_DROP_REASON_GET,

	__MAGNET_CMD_MAX,
	MAGNET_CMD_MAX = __MAGNET_CMD_MAX - 1,
};

/* MAGNET_A_FLAGS of a buffer, point or subscription: outlives the socket that made it. */
#define MAGNET_F_PERSISTENT	0x1
/* MAGNET_A_FLAGS of a subscription: its events wake the reader at once. */
#define MAGNET_F_URGENT		0x2
/* MAGNET_A_FLAGS of a buffer: a flight recorder, the newest events overwrite the oldest. */
#define MAGNET_F_OVERWRITE	0x4

/* Bytes, terminating NUL included. */
#define MAGNET_NAME_SIZE	64
/* MAGNET_A_DEFINITION, terminating NUL included. */
#define MAGNET_DEFINITION_SIZE	512
/* MAGNET_A_RULES, terminating NUL included. */
#define MAGNET_RULES_SIZE	4096
/* Largest MAGNET_A_STORM_RATE and MAGNET_A_STORM_BURST. */
#define MAGNET_STORM_RATE_MAX	1000000U
/* Most rules in one chain. */
#define MAGNET_RULES_MAX	64
/* Most subscriptions of a point, of a socket, and in all. */
#define MAGNET_POINT_SUBS_MAX	64
#define MAGNET_CLIENT_SUBS_MAX	1024
#define MAGNET_SUBS_MAX	4096
/* Most dynamic points, and correlating filters. */
#define MAGNET_DYNAMIC_POINTS_MAX	4096
#define MAGNET_CORRELATIONS_MAX	64
/* Most bytes of a packet, MAGNET_A_SNAP_LEN. */
#define MAGNET_SNAP_LEN_MAX	4000
/* Longest MAGNET_A_SAMPLE_INTERVAL_US: one hour. */
#define MAGNET_SAMPLE_INTERVAL_MAX_US	3600000000U
/* Most calls at once that a return point follows. */
#define MAGNET_MAXACTIVE_MAX	4096

/* A buffer's size, bytes per CPU: a power of two, rounded up. */
#define MAGNET_BUFFER_SIZE_DEFAULT	(256 * 1024)
#define MAGNET_BUFFER_SIZE_MIN		(64 * 1024)
#define MAGNET_BUFFER_SIZE_MAX		(256 * 1024 * 1024)

/* MAGNET_A_LAYOUT */
enum magnet_layout {
	MAGNET_LAYOUT_WIDE,
	MAGNET_LAYOUT_CLASSIC,
};

/* MAGNET_A_CLOCK: what a record's timer counts. */
enum magnet_clock_source {
	MAGNET_CLOCK_TSC,	/* the processor's counter; on arm64 CNTVCT_EL0 */
	MAGNET_CLOCK_MONO,
};

/* MAGNET_A_MECHANISM */
enum magnet_mechanism {
	MAGNET_MECHANISM_TRACEPOINT,
	MAGNET_MECHANISM_FTRACE,
	MAGNET_MECHANISM_KPROBE,
	MAGNET_MECHANISM_KRETPROBE,
	MAGNET_MECHANISM_MODULE,	/* the module itself logs it */
};

/* MAGNET_A_HOOK: how the kernel really gets to a point's handler at present. */
enum magnet_hook {
	MAGNET_HOOK_NONE,	/* not at all: nobody subscribes */
	MAGNET_HOOK_TRACEPOINT,
	MAGNET_HOOK_FTRACE,	/* the call at a function's entry; also for kprobes there */
	MAGNET_HOOK_BREAKPOINT,
	MAGNET_HOOK_JUMP,	/* a kprobe's breakpoint, optimised */
};

/* MAGNET_A_FN_STATE */
enum magnet_fn_state {
	MAGNET_FN_UNRESOLVED,	/* this kernel has none of the alternatives */
	MAGNET_FN_RESOLVED,	/* found; not hooked while nobody subscribes */
	MAGNET_FN_ACTIVE,	/* hooked */
	MAGNET_FN_WAITING,	/* its module is not loaded; hooked when it is */
};

/* MAGNET_A_COUNTERS: bits; the kernel's perf events of the same names. */
enum magnet_counter {
	MAGNET_COUNTER_CYCLES		= 0x01,
	MAGNET_COUNTER_INSTRUCTIONS	= 0x02,
	MAGNET_COUNTER_CACHE_REFERENCES	= 0x04,
	MAGNET_COUNTER_CACHE_MISSES	= 0x08,
	MAGNET_COUNTER_BRANCHES		= 0x10,
	MAGNET_COUNTER_BRANCH_MISSES	= 0x20,
	MAGNET_COUNTER_CPU_CLOCK	= 0x40, /* software, ns; needs no PMU */
	MAGNET_COUNTER_CONTEXT_SWITCHES	= 0x80, /* software */
};

/**
 * enum magnet_a - attributes; one set for all commands
 *
 * Types: u32 unless said otherwise in the comment.
 */
enum magnet_a {
	MAGNET_A_UNSPEC,
	MAGNET_A_PAD,

	/* info */
	MAGNET_A_ABI_VERSION,
	MAGNET_A_MODULE_VERSION,	/* string */
	MAGNET_A_LAYOUT,		/* enum magnet_layout */
	MAGNET_A_CLOCK,			/* enum magnet_clock_source */
	MAGNET_A_CLOCK_KHZ,		/* timer ticks per millisecond */
	MAGNET_A_CLOCK_TIMER,		/* u64: a CLOCK record's three values */
	MAGNET_A_CLOCK_REALTIME_NS,	/* u64 */
	MAGNET_A_CLOCK_MONOTONIC_NS,	/* u64 */

	/* points */
	MAGNET_A_POINT,			/* string: its name */
	MAGNET_A_EVENT,			/* u16: event id */
	MAGNET_A_SUBSYSTEM,		/* string */
	MAGNET_A_MECHANISM,		/* enum magnet_mechanism */
	MAGNET_A_FN,			/* nest, one for each function or tracepoint */
	MAGNET_A_FN_FAMILY,		/* string: "", "ipv4", "ipv6" */
	MAGNET_A_FN_NAME,		/* string: the alternative that was taken */
	MAGNET_A_FN_STATE,		/* enum magnet_fn_state */
	MAGNET_A_FN_TRIED,		/* string: the alternatives, comma separated */
	MAGNET_A_SUB_COUNT,		/* subscriptions of this point or buffer */

	/* buffers and subscriptions */
	MAGNET_A_BUFFER,		/* string: its name */
	MAGNET_A_BUFFER_SIZE,		/* u64: bytes per CPU */
	MAGNET_A_FLAGS,			/* MAGNET_F_* */
	MAGNET_A_OWNER,			/* netlink port id of the owner; absent if persistent */
	MAGNET_A_SUB_ID,
	MAGNET_A_CPU_STATS,		/* nest, one for each CPU */

	/* inside MAGNET_A_CPU_STATS */
	MAGNET_A_CPU,
	MAGNET_A_HITS,			/* u64, and so are all below */
	MAGNET_A_COMMITTED,
	MAGNET_A_FILTERED,
	MAGNET_A_SAMPLED_OUT,
	MAGNET_A_DROPPED_FULL,
	MAGNET_A_DROPPED_BIG,
	MAGNET_A_DROPPED_RECURSION,
	MAGNET_A_MISSED,		/* hits that the probe mechanism itself lost */
	MAGNET_A_RECORDS_WRITTEN,	/* ring: with CLOCK and LOST records */
	MAGNET_A_RECORDS_READ,
	MAGNET_A_BYTES_WRITTEN,
	MAGNET_A_BYTES_READ,
	MAGNET_A_LOST,			/* ring: events dropped, whatever the cause */
	MAGNET_A_LOST_REPORTED,		/* ring: of these, told in LOST records */

	/* dynamic points */
	MAGNET_A_DEFINITION,		/* string: docs/control.md */
	MAGNET_A_HOOK,			/* enum magnet_hook; of all points */

	/* changing points */
	MAGNET_A_ENABLED,		/* 0: unhooked although there are subscriptions */
	MAGNET_A_STORM_RATE,		/* events per second and CPU that pass; 0 = all */
	MAGNET_A_STORM_BURST,		/* and this many at once */

	/* filters and sampling of a subscription */
	MAGNET_A_SAMPLE_COUNT,		/* one event of N is logged; 0, 1 = every */
	MAGNET_A_SAMPLE_INTERVAL_US,	/* at most one event in this time; 0 = every */
	MAGNET_A_SNAP_LEN,		/* bytes of the packet that follow the payload; 0 = none */
	MAGNET_A_COUNTERS,		/* enum magnet_counter, read with each event */
	MAGNET_A_RULES,			/* string: a whole chain, rules separated by ';' */
	MAGNET_A_RULE,			/* nest, one for each rule */
	MAGNET_A_RULE_ID,
	MAGNET_A_RULE_BEFORE,		/* RULE_ID in front of which it goes; absent = last */
	MAGNET_A_RULE_TEXT,		/* string: docs/control.md */
	MAGNET_A_MATCHED,		/* u64: events that a rule or correlation matched */
	MAGNET_A_DROPPED_STORM,		/* u64, inside MAGNET_A_CPU_STATS */

	/* buffers */
	MAGNET_A_SNAPSHOT,		/* string: name of the new buffer */
	MAGNET_A_OVERWRITTEN,		/* u64, inside MAGNET_A_CPU_STATS: ring records */
	MAGNET_A_MERGED_LATE,		/* u64: records that merged returned after a younger one */

	/* correlating filters */
	MAGNET_A_CORRELATION_ID,
	MAGNET_A_LOST_BEFORE,		/* u64: events that it never saw, for want of space */
	MAGNET_A_FORGOTTEN,		/* u64: events that it gave up to remember others */

	/* notices */
	MAGNET_A_URGENT,		/* u64: urgent events of the subscription so far */

	/* correlating filters */
	MAGNET_A_DROPPED,		/* u64: matches for whose record there was no room */

	/* reasons to throw a packet away */
	MAGNET_A_DROP_REASON,		/* struct magnet_drop.reason */
	MAGNET_A_DROP_REASON_NAME,	/* string: the kernel's, without SKB_DROP_REASON_ */

	/* info */
	MAGNET_A_CLOCK_EPOCH,		/* struct magnet_clock.epoch */
	MAGNET_A_CLOCK_FLAGS,		/* MAGNET_CLOCK_F_* */
	MAGNET_A_FTRACE_DISABLED,	/* 1: kernel.ftrace_enabled is 0 */
	MAGNET_A_DYNAMIC_DISABLED,	/* 1: loaded with dynamic=off */
	MAGNET_A_KPROBES_DISABLED,	/* 1: a point is a kprobe, and kprobes/enabled is 0 */

	__MAGNET_A_MAX,
	MAGNET_A_MAX = __MAGNET_A_MAX - 1,
};

#endif /* _UAPI_MAGNET_H */
