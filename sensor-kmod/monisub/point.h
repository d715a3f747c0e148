/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Points: places where events come from.
 */
#ifndef _MAGNET_POINT_H
#define _MAGNET_POINT_H

#include <linux/atomic.h>
#include <linux/ftrace.h>
#include <linux/list.h>
#include <linux/types.h>

#include <magnet.h>
#include <uapi/magnet.h>

#include "plan.h"

struct magnet_client;
struct magnet_custom;
struct magnet_kprobe;
struct magnet_storm_guard;
struct magnet_sub;
struct module;
struct netlink_ext_ack;
struct seq_file;
struct tracepoint;

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
 * @present: tells a new subscription of what is there already; may sleep,
 *	magnet_mutex held; NULL for most
 * @hooked: with mechanism kprobe and kretprobe; with mechanism module:
 *	subscribed
 * @plans: what handlers do with its events; the rest is for control requests
 * @first: who wants the events: the first of a chain
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
	void				(*present)(struct magnet_sub *sub);
	bool				hooked;
	struct magnet_plans		plans;
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

void magnet_point_resolve(struct magnet_point *point);
int magnet_point_attach(struct magnet_point *point, struct netlink_ext_ack *extack);
void magnet_point_detach(struct magnet_point *point);
int magnet_point_enable(struct magnet_point *point, bool enabled,
			struct netlink_ext_ack *extack);
enum magnet_hook magnet_point_hook(const struct magnet_point *point);
u64 magnet_point_missed(const struct magnet_point *point);
unsigned int magnet_point_parts(const struct magnet_point *point);
const char *magnet_part_name(const struct magnet_point *point, unsigned int i);
enum magnet_fn_state magnet_fn_state(const struct magnet_point *point,
				     unsigned int i);
void magnet_mechanism_show(struct seq_file *m, const struct magnet_point *point);
void magnet_point_module_comes(struct magnet_point *point, const struct module *module);
void magnet_point_module_goes(struct magnet_point *point, const struct module *module);

#endif /* _MAGNET_POINT_H */
