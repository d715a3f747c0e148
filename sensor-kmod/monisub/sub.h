/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A subscription: a point's events go to a buffer. What its handlers have of it, and the rest.
 */
#ifndef _MAGNET_SUB_H
#define _MAGNET_SUB_H

#include <asm/local.h>
#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/percpu.h>
#include <linux/types.h>

#include "kernevesub/gate.h"
#include "kernevesub/rule.h"
#include "kernevesub/storm.h"
#include "ring/buffer.h"

struct magnet_client;
struct magnet_point;

/**
 * struct magnet_sub_cpu - a subscription's share of one CPU
 * @scratch: where a handler that interrupts no other puts what its plan's rules
 *	look at; in front, so that it needs no pointer of its own
 * @ring: where this CPU logs
 * @word: what is constant in its headers, magnet_header_word()
 * @next: the next subscription of the same point, on the same CPU
 * @more: logging is not all: @next or @urgent is set
 * @urgent: MAGNET_F_URGENT
 * @gate: the subscription's; NULL: every event is wanted as it is
 * @sample_left: events until the next one that sampling lets through
 * @storm: what the storm guard refused
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
	local_t			sample_left;
	struct magnet_storm_untold storm;
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
 * @urgent_told: urgent events as of the last notice; of who sends them
 * @next: the next subscription of the same point
 * @node: in the list of subscriptions
 * @writer: the same to @buffer
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
	struct magnet_writer		writer;
	struct magnet_sub_cpu __percpu	*cpu;
};

#endif /* _MAGNET_SUB_H */
