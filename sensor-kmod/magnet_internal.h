/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the subsystems of the module share: the event database (points), the
 * buffers, and the subscriptions that tie the two.
 */
#ifndef _MAGNET_INTERNAL_H
#define _MAGNET_INTERNAL_H

#ifdef pr_fmt
#undef pr_fmt
#endif
#define pr_fmt(fmt) "magnet: " fmt

#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/ftrace.h>
#include <linux/irq_work.h>
#include <linux/kref.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/netlink.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/types.h>
#include <linux/wait.h>

#include <magnet.h>
#include <uapi/magnet.h>

#include "gate.h"
#include "ring.h"

struct dentry;
struct device;
struct kiocb;
struct magnet_point;
struct magnet_reader;
struct seq_file;

/* ---- clients: the netlink sockets that own things (client.c) ---- */

/**
 * struct magnet_client - a netlink socket that made a buffer or subscription
 * @ref: one for the list, one for each thing it owns
 * @node: in the list of living clients
 * @portid: netlink port id
 * @nr_subs: subscriptions that it has; magnet_mutex
 * @dead: the socket is closed; magnetk ends what it owned
 */
struct magnet_client {
	struct kref		ref;
	struct list_head	node;
	u32			portid;
	unsigned int		nr_subs;
	bool			dead;
};

/* ---- buffers ---- */

/**
 * struct magnet_data_file - what is behind a data file and its node
 * @buffer: whose records it has
 * @cb: those of this CPU; NULL: of all, merged in one order
 * @node: /dev/magnet/<buffer>/<name>
 */
struct magnet_data_file {
	struct magnet_buffer		*buffer;
	struct magnet_cpu_buffer	*cb;
	struct device			*node;
};

/**
 * struct magnet_cpu_buffer - a ring with what the reader's side needs
 * @ring: the ring itself
 * @pages: of @ring.data
 * @memory: held while records are copied out of @ring.data, or other memory
 *	takes its place
 * @peek: the same for a look at the oldest record, which may not sleep
 * @begin: position of the first record that this ring ever had
 * @buffer: the buffer it is a part of
 * @wait: sleeping readers and pollers
 * @wake_work: wakes @wait, outside of the probe
 * @reader: 1 while the data file or the character node is open
 * @ring_records_read: records of the ring that were read; of a flight recorder:
 *	that snapshots took
 * @told_read: LOST records that were made for a reader who had read all
 * @bytes_read: bytes of both
 * @clock_at: @ring.commit when the last CLOCK record was written
 * @epoch: of that record
 * @border: where the first CLOCK record of @epoch begins: what is below is of an
 *	older one
 * @flush: position below which everything is readable
 * @whole: position up to which no record is missing, nor will be, that is no
 *	younger than @whole_timer; the reader's @state orders both
 * @whole_timer: the clock when that was found
 * @met: when its CPU was last interrupted for the reader, CLOCK_MONOTONIC in ns
 * @seen_bytes: unread, when the reader last set its wake points
 * @seen_records: likewise
 * @file: cpuN
 */
struct magnet_cpu_buffer {
	struct magnet_ring	ring;
	struct page		**pages;
	struct mutex		memory; /* who copies, or exchanges it */
	raw_spinlock_t		peek; /* who looks at it */
	unsigned long		begin;
	struct magnet_buffer	*buffer;
	wait_queue_head_t	wait;
	struct irq_work		wake_work;
	unsigned long		reader;
	unsigned long		ring_records_read;
	u64			told_read;
	u64			bytes_read;
	unsigned long		clock_at;
	u32			epoch;
	unsigned long		border;
	unsigned long		flush;
	unsigned long		whole;
	u64			whole_timer;
	u64			met;
	unsigned long		seen_bytes;
	u64			seen_records;
	struct magnet_data_file	file;
};

/**
 * struct magnet_buffer - one ring for each CPU that has been online
 * @ref: one for the list, one for each subscription and open file
 * @node: in the list of buffers
 * @name: as in data/<name>
 * @size: bytes of each ring
 * @flags: MAGNET_F_*
 * @client: owner; NULL when persistent
 * @dead: removed, or a snapshot: nothing is logged any more, readers read to
 *	the end, then 0
 * @dir: data/<name>
 * @subs: subscriptions that log here
 * @nr_subs: how many
 * @loss_told: lost events as of the last notice
 * @merged: the file of all rings
 * @wait: its sleeping readers and pollers
 * @readers: open cpuN files; -1 while @merged is open
 * @merged_late: records that a read of @merged returned after a younger one
 * @cpu: a ring for each CPU, NULL where it has never been online
 */
struct magnet_buffer {
	struct kref			ref;
	struct list_head		node;
	char				name[MAGNET_NAME_SIZE];
	unsigned long			size;
	u32				flags;
	struct magnet_client		*client;
	bool				dead;
	struct dentry			*dir;
	struct list_head		subs;
	unsigned int			nr_subs;
	u64				loss_told;
	struct magnet_data_file		merged;
	wait_queue_head_t		wait;
	atomic_t			readers;
	u64				merged_late;
	struct magnet_cpu_buffer	*cpu[];
};

/* ---- subscriptions (monisub.c) ---- */

/**
 * struct magnet_sub_cpu - a subscription's share of one CPU
 * @scratch: where a handler that interrupts no other puts what @quick looks at;
 *	in front, so that it needs no pointer of its own
 * @ring: where this CPU logs
 * @word: what is constant in its headers, magnet_header_word()
 * @next: the next subscription of the same point, on the same CPU
 * @more: logging is not all: @next or @urgent is set
 * @urgent: MAGNET_F_URGENT
 * @gate: the subscription's; NULL: every event is wanted as it is
 * @only_sampled: it samples by count and does nothing else, and is its point's
 *	only one
 * @quick: its gate's; for its point's @quick_sub
 * @early: its gate's, for its point's @early_sub; NULL: it has none
 * @sample_left: events until the next one that sampling lets through
 * @storm_untold: events that the storm guard refused and no STORM record told of
 * @storm_first: timer of the first of them
 * @storm_last: timer of the last of them
 * @urgents: urgent events that were logged
 * @rejected: hits that a rule refused without the gate; in no other counter
 * @hits: how often the point was hit otherwise; the sum of all below
 * @committed: logged
 * @filtered: refused by a rule that the gate was asked for
 * @sampled_out: left out by sampling
 * @dropped_full: no space
 * @dropped_big: larger than a record may be
 * @dropped_recursion: hit inside a handler of the same context
 * @dropped_storm: refused by the point's storm guard
 */
struct magnet_sub_cpu {
	struct magnet_scratch	scratch;
	struct magnet_ring	*ring;
	u64			word;
	struct magnet_sub_cpu	*next;
	bool			more;
	bool			urgent;
	struct magnet_gate	*gate;
	bool			only_sampled;
	const struct magnet_step *quick;
	const struct magnet_step *early;
	local_t			sample_left;
	local_t			storm_untold;
	u64			storm_first;
	u64			storm_last;
	local_t			urgents;
	local_t			rejected;
	local_t			hits;
	local_t			committed;
	local_t			filtered;
	local_t			sampled_out;
	local_t			dropped_full;
	local_t			dropped_big;
	local_t			dropped_recursion;
	local_t			dropped_storm;
};

static inline unsigned long magnet_sub_cpu_hits(const struct magnet_sub_cpu *sc)
{
	return local_read(&sc->hits) + local_read(&sc->rejected);
}

static inline unsigned long magnet_sub_cpu_filtered(const struct magnet_sub_cpu *sc)
{
	return local_read(&sc->filtered) + local_read(&sc->rejected);
}

/**
 * struct magnet_sub - a point's events go to a buffer
 * @id: given out at SUB_NEW
 * @flags: MAGNET_F_*
 * @point: which events
 * @buffer: where to
 * @client: owner; NULL when persistent
 * @missed_before: what its point had missed when it began
 * @wish: what it wants beside every event as it is
 * @gate: the same, as handlers want it; NULL: nothing
 * @passed: timer of the last event that sampling by time let through
 * @urgent_told: urgent events as of the last notice
 * @next: the next subscription of the same point
 * @node: in the list of subscriptions
 * @buffer_node: in @buffer->subs
 * @cpu: counters and rings
 */
struct magnet_sub {
	u32				id;
	u32				flags;
	struct magnet_point		*point;
	struct magnet_buffer		*buffer;
	struct magnet_client		*client;
	u64				missed_before;
	struct magnet_wish		wish;
	struct magnet_gate		*gate;
	atomic64_t			passed;
	u64				urgent_told;
	struct magnet_sub		*next;
	struct list_head		node;
	struct list_head		buffer_node;
	struct magnet_sub_cpu __percpu	*cpu;
};

/* ---- the event database (eventdb.c) ---- */

/**
 * struct magnet_alternative - one way to see an event
 * @symbol: kernel function or tracepoint
 * @func: its ftrace handler; knows where the arguments are
 */
struct magnet_alternative {
	const char	*symbol;
	ftrace_func_t	func;
};

#define MAGNET_ALTERNATIVES_MAX	3

/**
 * struct magnet_fn - a function that is part of a point
 * @family: "ipv4", "ipv6", or "" where there is one for all
 * @alternatives: ordered; the first that this kernel has is taken
 * @taken: index of that one, or -1
 * @addr: its ftrace location
 * @ops: the hook
 * @active: hooked
 * @movable: looked up each time, since its module may be loaded anew
 * @waits: its module is not there
 * @untold: hits that its handler could make no event of
 */
struct magnet_fn {
	const char			*family;
	struct magnet_alternative	alternatives[MAGNET_ALTERNATIVES_MAX];
	int				taken;
	unsigned long			addr;
	struct ftrace_ops		ops;
	bool				active;
	bool				movable;
	bool				waits;
	atomic64_t			untold;
};

#define MAGNET_FNS_MAX	2

/**
 * struct magnet_tp - a tracepoint that is part of a point
 * @name: the kernel's
 * @probe: the handler; knows where the arguments are
 * @tp: itself; NULL while not found, or its module is not there
 * @active: hooked
 * @module: whose it is; NULL: the kernel's own
 */
struct magnet_tp {
	const char		*name;
	void			*probe;
	struct tracepoint	*tp;
	bool			active;
	const char		*module;
};

/**
 * enum magnet_packet_at - where a point's packet begins
 * @MAGNET_PACKET_NONE: its events are not about a packet, or its headers are
 *	not there
 * @MAGNET_PACKET_AT_NETWORK: at the network header
 * @MAGNET_PACKET_AT_DATA: at the data, where the network header is still to be
 *	found
 * @MAGNET_PACKET_BARE: at the data, and a network header is still to be made
 */
enum magnet_packet_at {
	MAGNET_PACKET_NONE,
	MAGNET_PACKET_AT_NETWORK,
	MAGNET_PACKET_AT_DATA,
	MAGNET_PACKET_BARE,
};

/**
 * enum magnet_reads - what the fields of a dynamic point show of the kernel
 * @MAGNET_READS_NOTHING: it has none, but a latency
 * @MAGNET_READS_REGISTERS: arguments, return values, registers
 * @MAGNET_READS_MEMORY: what is where these point to
 */
enum magnet_reads {
	MAGNET_READS_NOTHING,
	MAGNET_READS_REGISTERS,
	MAGNET_READS_MEMORY,
};

/**
 * struct magnet_point - a place where events come from
 * @name: unique
 * @subsystem: net, sched, irq, memory, block, syscall, user
 * @id_means: what abstract_id is
 * @event: enum magnet_event
 * @mechanism: enum magnet_mechanism
 * @payload_size: bytes
 * @fields: of the payload, ended by one without name
 * @fns: the functions, with mechanism ftrace
 * @nr_fns: how many
 * @tps: the tracepoints, with mechanism tracepoint
 * @nr_tps: how many
 * @kprobe: the probe, with mechanism kprobe and kretprobe
 * @told: with mechanism tracepoint: called with true when the point has
 *	been hooked, with false before it is unhooked and when that failed; may
 *	sleep, magnet_mutex held; NULL for most
 * @hooked: with mechanism kprobe and kretprobe; with mechanism module:
 *	subscribed
 * @subs: who wants the events, as the handler sees it: the first of a chain;
 *	NULL when nobody does, or somebody not every event as it is
 * @chain: the same in any case
 * @quick_sub: its only subscription, if handlers can look at its rules by
 *	themselves; or NULL
 * @early_sub: likewise, if they may do so before they look what the event is about
 * @first: the same, for control requests
 * @nr_subs: how many
 * @nr_gates: how many of them have a gate
 * @storm: the storm guard, or NULL
 * @disabled: unhooked although there are subscriptions
 * @packet: where the packet of an event begins
 * @definition: of a dynamic point; NULL for others
 * @shown: the same without an address; @definition itself, if it has none
 * @reads: what its fields show of the kernel
 * @target: its function or tracepoint, where it is not named so
 * @client: its owner; NULL when persistent
 * @node: in the list of dynamic points
 * @owner: the module whose event it is; NULL for this one's
 * @custom: the handler that filters it, or NULL
 * @pinned: attached, so that @owner and that of @custom are held
 */
struct magnet_point {
	const char			*name;
	const char			*subsystem;
	const char			*id_means;
	u16				event;
	u8				mechanism;
	u16				payload_size;
	const struct magnet_field	*fields;
	struct magnet_fn		*fns;
	unsigned int			nr_fns;
	struct magnet_tp		*tps;
	unsigned int			nr_tps;
	struct magnet_kprobe		*kprobe;
	void				(*told)(struct magnet_point *point, bool on);
	bool				hooked;
	struct magnet_sub_cpu __percpu	*subs;
	struct magnet_sub_cpu __percpu	*chain;
	struct magnet_sub_cpu __percpu	*quick_sub;
	struct magnet_sub_cpu __percpu	*early_sub;
	struct magnet_sub		*first;
	unsigned int			nr_subs;
	unsigned int			nr_gates;
	struct magnet_storm_guard	*storm;
	bool				disabled;
	enum magnet_packet_at		packet;
	const char			*definition;
	const char			*shown;
	enum magnet_reads		reads;
	const char			*target;
	struct magnet_client		*client;
	struct list_head		node;
	struct module			*owner;
	struct magnet_custom		*custom;
	bool				pinned;
};

extern struct magnet_point *const magnet_points[];
extern const unsigned int magnet_nr_points;

extern struct magnet_point magnet_point_inet_sendmsg;
extern struct magnet_point magnet_point_udp_sendmsg;
extern struct magnet_point magnet_point_ip_send_skb;
extern struct magnet_point magnet_point_dev_queue_xmit;
extern struct magnet_point magnet_point_netif_receive_skb;
extern struct magnet_point magnet_point_net_dev_receive;
extern struct magnet_point magnet_point_ip_local_deliver;
extern struct magnet_point magnet_point_udp_rcv;
extern struct magnet_point magnet_point_udp_enqueue;
extern struct magnet_point magnet_point_skb_consume_udp;
extern struct magnet_point magnet_point_tcp_sendmsg;
extern struct magnet_point magnet_point_tcp_retransmit_skb;
extern struct magnet_point magnet_point_ip_queue_xmit;
extern struct magnet_point magnet_point_net_dev_start_xmit;
extern struct magnet_point magnet_point_net_dev_xmit;
extern struct magnet_point magnet_point_tcp_rcv;
extern struct magnet_point magnet_point_tcp_rcv_established;
extern struct magnet_point magnet_point_tcp_consume;
extern struct magnet_point magnet_point_kfree_skb;
extern struct magnet_point magnet_point_sched_switch;
extern struct magnet_point magnet_point_sched_wakeup;
extern struct magnet_point magnet_point_sched_migrate_task;
extern struct magnet_point magnet_point_cpu_time;
extern struct magnet_point magnet_point_sched_process_fork;
extern struct magnet_point magnet_point_sched_process_exec;
extern struct magnet_point magnet_point_sched_process_exit;
extern struct magnet_point magnet_point_irq_handler_entry;
extern struct magnet_point magnet_point_irq_handler_exit;
extern struct magnet_point magnet_point_softirq_entry;
extern struct magnet_point magnet_point_softirq_exit;
extern struct magnet_point magnet_point_page_fault_user;
extern struct magnet_point magnet_point_page_fault_kernel;
extern struct magnet_point magnet_point_major_fault;
extern struct magnet_point magnet_point_mm_vmscan_direct_reclaim_begin;
extern struct magnet_point magnet_point_mm_vmscan_direct_reclaim_end;
extern struct magnet_point magnet_point_mark_victim;
extern struct magnet_point magnet_point_block_rq_issue;
extern struct magnet_point magnet_point_block_rq_complete;
extern struct magnet_point magnet_point_sys_enter;
extern struct magnet_point magnet_point_sys_exit;
extern struct magnet_point magnet_point_marker;

void magnet_eventdb_init(void);
void magnet_eventdb_exit(void);
struct magnet_point *magnet_point_find(const char *name);
struct magnet_point *magnet_point_nth(unsigned int n);
int magnet_point_add(struct magnet_point *point, struct netlink_ext_ack *extack);
void magnet_point_del(struct magnet_point *point);
bool magnet_is_name(const char *name);
void magnet_events_show(struct seq_file *m);
void magnet_format_show(struct seq_file *m);

/* ---- point.c ---- */

void magnet_point_resolve(struct magnet_point *point);
int magnet_point_attach(struct magnet_point *point, struct netlink_ext_ack *extack);
void magnet_point_detach(struct magnet_point *point);
int magnet_point_enable(struct magnet_point *point, bool enabled,
			struct netlink_ext_ack *extack);
int magnet_point_guard(struct magnet_point *point, u32 rate, u32 burst);
enum magnet_hook magnet_point_hook(const struct magnet_point *point);
u64 magnet_point_missed(const struct magnet_point *point);
unsigned int magnet_point_parts(const struct magnet_point *point);
const char *magnet_part_name(const struct magnet_point *point, unsigned int i);
enum magnet_fn_state magnet_fn_state(const struct magnet_point *point,
				     unsigned int i);
void magnet_mechanism_show(struct seq_file *m, const struct magnet_point *point);
void magnet_point_module_comes(struct magnet_point *point, const struct module *module);
void magnet_point_module_goes(struct magnet_point *point, const struct module *module);

/* ---- mechanisms (probes/) ---- */

void magnet_tracepoint_resolve(struct magnet_point *point);
int magnet_tracepoint_attach(struct magnet_point *point);
void magnet_tracepoint_detach(struct magnet_point *point);
void magnet_tracepoint_module_comes(struct magnet_point *point, const struct module *module);
void magnet_tracepoint_module_goes(struct magnet_point *point, const struct module *module);
bool magnet_ftrace_has(unsigned long addr);
void magnet_ftrace_resolve(struct magnet_point *point);
int magnet_ftrace_attach(struct magnet_point *point);
void magnet_ftrace_detach(struct magnet_point *point);
u64 magnet_ftrace_missed(const struct magnet_point *point);
void magnet_ftrace_module_comes(struct magnet_point *point, const struct module *module);
void magnet_ftrace_module_goes(struct magnet_point *point, const struct module *module);
void magnet_kprobe_resolve(struct magnet_point *point);
int magnet_kprobe_attach(struct magnet_point *point);
void magnet_kprobe_detach(struct magnet_point *point);
enum magnet_hook magnet_kprobe_hook(const struct magnet_point *point);
u64 magnet_kprobe_missed(const struct magnet_point *point);
void magnet_kprobe_module_comes(struct magnet_point *point, const struct module *module);
void magnet_kprobe_module_goes(struct magnet_point *point, const struct module *module);
int magnet_modules_init(void);
void magnet_modules_exit(void);
struct tracepoint *magnet_module_tracepoint(const char *module, const char *name,
					    const char **owner);
bool magnet_module_is_known(const char *module);
struct magnet_point *magnet_dynamic_new(const char *name, const char *definition,
					struct netlink_ext_ack *extack);
void magnet_dynamic_free(struct magnet_point *point);
bool magnet_dynamic_disabled(void);
void magnet_identity_init(void);

/**
 * struct magnet_drop_reason - why the running kernel throws a packet away
 * @number: as in struct magnet_drop
 * @name: the kernel's, without SKB_DROP_REASON_
 */
struct magnet_drop_reason {
	u32		number;
	const char	*name;
};

const struct magnet_drop_reason *magnet_drop_reason_nth(unsigned int n);

/* ---- own_event.c, custom.c: other modules, include/magnet.h ---- */

/**
 * struct magnet_custom - a handler of another module that filters a point
 * @fn: the handler
 * @arg: handed to it
 * @owner: its module
 * @point: what it filters; NULL once that is no more
 */
struct magnet_custom {
	magnet_custom_fn	*fn;
	void			*arg;
	struct module		*owner;
	struct magnet_point	*point;
};

int magnet_own_event_attach(struct magnet_point *point);
void magnet_own_event_detach(struct magnet_point *point);
int magnet_point_pin(struct magnet_point *point, struct netlink_ext_ack *extack);
void magnet_point_unpin(struct magnet_point *point);
bool magnet_custom_logs(const struct magnet_point *point, u64 id, const void *payload, u32 size);
void magnet_custom_orphan(struct magnet_point *point);

/* ---- main.c ---- */

/* Control requests, one at a time. First in the lock order (main.c). */
extern struct mutex magnet_mutex;

/* ---- buffer.c ---- */

int magnet_buffers_init(void);
void magnet_buffers_exit(void);
struct magnet_buffer *magnet_buffer_create(const char *name, u64 size, u32 flags,
					   struct magnet_client *client,
					   struct netlink_ext_ack *extack);
struct magnet_buffer *magnet_buffer_find(const char *name);
struct magnet_buffer *magnet_buffer_alloc(const char *name, unsigned long size, u32 flags,
					  struct magnet_client *client);
struct magnet_cpu_buffer *magnet_buffer_new_ring(struct magnet_buffer *buffer, int cpu);
void magnet_buffer_add(struct magnet_buffer *buffer);
int magnet_buffer_check_name(const char *name, struct netlink_ext_ack *extack);
int magnet_buffer_check_size(u64 *size, struct netlink_ext_ack *extack);
int magnet_buffer_check_memory(u64 size, unsigned int rings, struct netlink_ext_ack *extack);
void magnet_buffer_remove(struct magnet_buffer *buffer);
void magnet_buffer_put(struct magnet_buffer *buffer);
void magnet_buffer_bind(struct magnet_buffer *buffer, struct magnet_sub *sub);
void magnet_buffer_unbind(struct magnet_sub *sub);
struct magnet_buffer *magnet_buffer_nth(unsigned int n);
bool magnet_buffers_exist(void);
void magnet_buffers_write_clock(void);
bool magnet_buffers_write_epoch(void);
void magnet_buffers_write_epoch_here(void);
void magnet_log_clock(struct magnet_cpu_buffer *cb);
void magnet_buffers_tell_storms(void);
void magnet_buffers_tell_loss(void);
u64 magnet_ring_lost(struct magnet_ring *r);
u64 magnet_buffer_lost(struct magnet_buffer *buffer);
u64 magnet_buffer_overwritten(struct magnet_buffer *buffer);
void magnet_buffers_show(struct seq_file *m);
void magnet_stats_show(struct seq_file *m);

static inline bool magnet_buffer_dead(const struct magnet_buffer *buffer)
{
	/* Pairs with the releases in magnet_buffer_remove() and magnet_buffer_snapshot(). */
	return smp_load_acquire(&buffer->dead);
}

/* A buffer's next ring; @i counts on and begins with 0. NULL at the end. */
static inline struct magnet_cpu_buffer *magnet_buffer_next(const struct magnet_buffer *buffer,
							   unsigned int *i)
{
	while (*i < nr_cpu_ids) {
		/* Pairs with the release in buffer.c: a CPU may just come up. */
		struct magnet_cpu_buffer *cb = smp_load_acquire(&buffer->cpu[(*i)++]);

		if (cb)
			return cb;
	}
	return NULL;
}

static inline struct magnet_cpu_buffer *magnet_cpu_buffer(struct magnet_ring *r)
{
	return container_of(r, struct magnet_cpu_buffer, ring);
}

/* Has the ring a CLOCK record of this epoch? Below cb->border is what is older. */
static inline bool magnet_epoch_told(const struct magnet_cpu_buffer *cb)
{
	/* Pairs with magnet_log_clock(). */
	return smp_load_acquire(&cb->epoch) == magnet_clock_epoch();
}

/**
 * struct magnet_ring_counts - what went into a ring, and what came out
 * @records_written: with the LOST records that were made for a reader
 * @records_read: likewise
 * @bytes_written: of the former
 * @bytes_read: of the latter
 *
 * The records that are in the ring, and those that were overwritten, are the
 * difference.
 */
struct magnet_ring_counts {
	u64	records_written;
	u64	records_read;
	u64	bytes_written;
	u64	bytes_read;
};

struct magnet_ring_counts magnet_ring_counts(struct magnet_cpu_buffer *cb);

/* ---- exchange.c ---- */

int magnet_buffer_resize(struct magnet_buffer *buffer, u64 size, struct netlink_ext_ack *extack);
struct magnet_buffer *magnet_buffer_snapshot(struct magnet_buffer *from, const char *name,
					     u32 flags, struct magnet_client *client,
					     struct netlink_ext_ack *extack);

/* ---- ring_memory.c ---- */

/**
 * struct magnet_memory - memory for a ring
 * @at: where it is mapped, twice in a row
 * @pages: its pages; NULL: there is none
 */
struct magnet_memory {
	struct magnet_ring_memory	at;
	struct page			**pages;
};

int magnet_memory_alloc(struct magnet_memory *memory, unsigned long size, int cpu);
void magnet_memory_free(struct magnet_memory *memory);
int magnet_ring_alloc(struct magnet_cpu_buffer *cb, unsigned long size, int cpu);
void magnet_ring_free(struct magnet_cpu_buffer *cb);
unsigned long magnet_ring_memory(void);
bool magnet_ring_write_clock(struct magnet_ring *r,
			     const struct magnet_clock_pair *pair, unsigned long *pos);

/* ---- reader.c, magnetfs.c, chardev.c, control_files.c ---- */

extern const struct file_operations magnet_debugfs_data_fops;
extern const struct file_operations magnet_chardev_fops;
extern const struct file_operations magnet_marker_fops;

void magnet_reader_init_work(struct magnet_cpu_buffer *cb);
struct magnet_reader *magnet_reader_open(struct magnet_data_file *data);
void magnet_reader_close(struct magnet_reader *rd);
ssize_t magnet_reader_read(struct magnet_reader *rd, struct iov_iter *to,
			   bool nonblock);
ssize_t magnet_reader_read_later(struct magnet_reader *rd, struct kiocb *iocb,
				 struct iov_iter *to);
int magnet_reader_fasync(struct magnet_reader *rd, int fd, struct file *file, int on);
int magnet_reader_wait(struct magnet_reader *rd, ktime_t latest);
__poll_t magnet_reader_poll(struct magnet_reader *rd, struct file *file,
			    struct poll_table_struct *wait);
long long magnet_reader_set(struct magnet_reader *rd, unsigned int option,
			    u64 value);
long long magnet_reader_get(struct magnet_reader *rd, unsigned int option);

struct magnet_buffer *magnet_reader_buffer(const struct magnet_reader *rd);
int magnet_data_open(struct file *file, struct magnet_data_file *data);

void magnet_magnetfs_init(void);
void magnet_magnetfs_exit(void);
void magnet_magnetfs_add_buffer(struct magnet_buffer *buffer);
void magnet_magnetfs_add_ring(struct magnet_cpu_buffer *cb);
void magnet_magnetfs_remove_buffer(struct magnet_buffer *buffer);
extern struct dentry *magnet_debugfs_root;

/* Below /dev/magnet, so no buffer can have this name. */
#define MAGNET_MARKER_NODE	"marker"

int magnet_chardev_open(struct inode *inode, struct file *file);
int magnet_chardev_init(void);
void magnet_chardev_exit(void);
void magnet_chardev_add(struct magnet_data_file *data, const char *name);
void magnet_chardev_remove(struct magnet_data_file *data);

void magnet_control_files_init(struct dentry *root);

/* ---- lockdown.c ---- */

int magnet_lockdown_point(const struct magnet_point *point, struct netlink_ext_ack *extack);
int magnet_lockdown_counters(struct netlink_ext_ack *extack);

/* ---- monisub.c ---- */

struct magnet_sub *magnet_subscribe(struct magnet_point *point,
				    struct magnet_buffer *buffer, u32 flags,
				    struct magnet_wish *wish, struct magnet_client *client,
				    struct netlink_ext_ack *extack);
int magnet_sub_change(struct magnet_sub *sub, struct magnet_wish *wish,
		      struct netlink_ext_ack *extack);
void magnet_point_publish(struct magnet_point *point);
u64 magnet_sub_urgents(const struct magnet_sub *sub);
void magnet_subs_tell_urgent(void);
void magnet_sub_detach(struct magnet_sub *sub);
void magnet_sub_free(struct magnet_sub *sub);
void magnet_sub_tell_storms(struct magnet_sub *sub);
struct magnet_sub *magnet_sub_find(u32 id);
struct magnet_sub *magnet_sub_nth(unsigned int n);
u64 magnet_sub_missed(const struct magnet_sub *sub);
void magnet_sub_cpu_init(struct magnet_sub *sub, int cpu,
			 struct magnet_cpu_buffer *cb);
void magnet_sub_quiesce(void);
void magnet_end_subs(bool (*match)(const struct magnet_sub *sub, const void *arg),
		     const void *arg);
bool magnet_sub_of_point(const struct magnet_sub *sub, const void *point);
void magnet_filters_show(struct seq_file *m);
void magnet_sub_stats_show(struct seq_file *m);

/* ---- correlate.c ---- */

bool magnet_correlation_reads(const struct magnet_buffer *buffer);
bool magnet_correlations_lose_buffer(const struct magnet_buffer *buffer);
void magnet_correlations_lose_point(const struct magnet_point *point);
void magnet_correlations_show(struct seq_file *m);

/* ---- client.c ---- */

int magnet_clients_init(void);
void magnet_clients_exit(void);
struct magnet_client *magnet_client_of(u32 portid);
void magnet_client_get(struct magnet_client *client);
void magnet_client_put(struct magnet_client *client);
void magnet_reap_clients(void);
void magnet_end_all(void);

/* ---- netlink.c ---- */

int magnet_netlink_init(void);
void magnet_netlink_exit(void);
void magnet_netlink_loss(const char *name, u64 lost);
bool magnet_netlink_listened(void);
void magnet_netlink_urgent(const struct magnet_sub *sub, u64 urgents);

/* ---- magnetk.c ---- */

int magnetk_start(void);
void magnetk_stop(void);
void magnetk_reap(void);
void magnetk_buffer_made(void);
void magnetk_urgent(void);
void magnetk_epoch(void);

/* ---- ftrace_state.c ---- */

bool magnet_ftrace_disabled(void);

/* ---- probes/kprobe_state.c ---- */

void magnet_kprobes_watch(void);
void magnet_kprobes_unwatch(void);
bool magnet_kprobes_disabled(void);

#endif /* _MAGNET_INTERNAL_H */
