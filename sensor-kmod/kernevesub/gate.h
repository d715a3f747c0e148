/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * KernEveSub in the logging path: what stands between a hit and its record
 * when a subscription wants more than every event as it is.
 *
 * A point whose subscriptions all want that is not slowed down: magnet_emit()
 * finds a plain plan. As soon as one of them has a gate, or the point a storm
 * guard or a custom handler, the plan is another, and magnet_emit_gated() asks
 * the gates of all that are in its chain.
 */
#ifndef _MAGNET_GATE_H
#define _MAGNET_GATE_H

#include <linux/atomic.h>
#include <linux/types.h>

#include "cgroup.h"
#include "packet.h"

struct magnet_counters_set;
struct magnet_rule;
struct magnet_sub;
struct sk_buff;

/**
 * struct magnet_view - an event as rules see it, in words
 * @who: tid, and above it tgid: magnet_current_ids()
 * @id: abstract id
 * @cpu: CPU
 * @packet: from the packet's headers, if a rule asks for them; zero where the
 *	packet has none
 * @cgroup: of the thread, if a rule asks for it
 * @payload: the fields, then what follows them in an event of any size
 */
struct magnet_view {
	u64	who;
	u64	id;
	u64	cpu;
	u64	packet[MAGNET_PACKET_WORDS];
	u64	cgroup[MAGNET_CGROUP_WORDS];
	u64	payload[];
};

/**
 * struct magnet_scratch - where handlers put an event that rules look at
 * @view: the event
 * @room: for its payload
 *
 * On the handler's stack it would cost those events, too, that no rule is asked
 * about.
 */
struct magnet_scratch {
	union {
		struct magnet_view	view;
		u8			room[sizeof(struct magnet_view) + 64];
	};
};

/**
 * struct magnet_step - one comparison of a chain of rules
 * @word: offset in struct magnet_view of the word that is compared
 * @rule: index of the rule that it belongs to; the chain's length for none
 * @mask: bits of the word that the field consists of
 * @lo: smallest value that fits, at the field's place in the word
 * @span: largest minus smallest
 * @rejects: counter of its rule, if that matches here and drops the event; or
 *	NULL
 * @then: goes on there if it fits; NULL: the rule matches
 * @otherwise: goes on there if it does not
 *
 * The last step of a chain fits everything, so that no step has to be counted.
 * @otherwise is the cheaper way on: @rejects and @then are not even looked at.
 */
struct magnet_step {
	u32				word;
	u32				rule;
	u64				mask;
	u64				lo;
	u64				span;
	unsigned long __percpu		*rejects;
	const struct magnet_step	*then;
	const struct magnet_step	*otherwise;
};

/**
 * struct magnet_gate - a wish as handlers want it; never changed, but replaced
 * @sample_count: as in struct magnet_wish, 0 for every
 * @sample_ticks: timer ticks; 0: every
 * @passed: timer of the last event that @sample_ticks let through
 * @snap_len: bytes
 * @counters: read with each event that is logged; or NULL
 * @asks: MAGNET_ASKS_PACKET, MAGNET_ASKS_CGROUP: what a rule asks for that the
 *	gate has to find
 * @rule: the chain; NULL: there are no rules
 * @nr_rules: its length
 * @step: the chain's comparisons
 * @quick: those of the rules in front of the first that asks for what the gate
 *	has to find; NULL: there are none, or other things come first. Who gets to
 *	their end asks the gate
 * @early: the same in front of the first that asks for the payload, too, or
 *	for the abstract id where handlers have that no sooner
 */
struct magnet_gate {
	u32			sample_count;
	u32			snap_len;
	u64			sample_ticks;
	atomic64_t		*passed;
	struct magnet_counters_set *counters;
	unsigned int		asks;
	struct magnet_rule	**rule;
	unsigned int		nr_rules;
	const struct magnet_step *step;
	const struct magnet_step *quick;
	const struct magnet_step *early;
};

void magnet_gate_init(void);
int notrace magnet_ask_gate(struct magnet_sub *sub, struct magnet_view *view, u32 size);
int notrace magnet_ask_gates(unsigned long plan, struct magnet_view *view, u32 size,
			     const struct sk_buff *skb);
void notrace magnet_emit_gated(unsigned long plan, struct magnet_view *view, u32 size,
			       const struct sk_buff *skb, int guard);

#endif /* _MAGNET_GATE_H */
