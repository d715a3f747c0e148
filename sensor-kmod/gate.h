/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * KernEveSub in the logging path: what stands between a hit and its record
 * when a subscription wants more than every event as it is.
 *
 * A point whose subscriptions all want that is not slowed down: magnet_emit()
 * finds them in point->subs. As soon as one of them has a gate, or the point a
 * storm guard or a custom handler, point->subs is NULL, and magnet_emit_gated() asks the gates of
 * all that are in point->chain.
 */
#ifndef _MAGNET_GATE_H
#define _MAGNET_GATE_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/types.h>
#include <asm/local.h>

#include <uapi/magnet.h>

struct magnet_point;
struct magnet_sub;
struct netlink_ext_ack;
struct sk_buff;

/* Words of an address, and those of magnet_view.packet. */
enum {
	MAGNET_PACKET_PORTS,	/* protocol, source port << 16, destination port << 32 */
	MAGNET_PACKET_SADDR,	/* two words, the first has the upper bits */
	MAGNET_PACKET_DADDR = MAGNET_PACKET_SADDR + 2,
	MAGNET_PACKET_WORDS = MAGNET_PACKET_DADDR + 2,
};

/**
 * struct magnet_view - an event as rules see it, in words
 * @who: tid, and above it tgid: magnet_current_ids()
 * @id: abstract id
 * @cpu: CPU
 * @packet: from the packet's headers, if a rule asks for them; zero where the
 *	packet has none
 * @payload: the fields, then what follows them in an event of any size
 */
struct magnet_view {
	u64	who;
	u64	id;
	u64	cpu;
	u64	packet[MAGNET_PACKET_WORDS];
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
 * enum magnet_action - what a rule does with the events that match it
 * @MAGNET_ACTION_LOG: they are logged, whatever the rules after it say
 * @MAGNET_ACTION_DROP: they are not
 * @MAGNET_ACTION_SAMPLE: one of N is
 * @MAGNET_ACTION_EVERY: at most one in a time is
 * @MAGNET_ACTION_URGENT: they are, and wake the reader at once
 */
enum magnet_action {
	MAGNET_ACTION_LOG,
	MAGNET_ACTION_DROP,
	MAGNET_ACTION_SAMPLE,
	MAGNET_ACTION_EVERY,
	MAGNET_ACTION_URGENT,
};

/**
 * struct magnet_rule_cpu - a rule's share of a CPU
 * @matched: events that it matched
 * @left: events until the next one that SAMPLE lets through
 */
struct magnet_rule_cpu {
	local_t matched;
	local_t left;
};

/* What a rule asks for beside who and cpu, which every event has at once. */
#define MAGNET_ASKS_PAYLOAD	BIT(0)
#define MAGNET_ASKS_PACKET	BIT(1)
#define MAGNET_ASKS_ID		BIT(2)

#define MAGNET_RULE_TEXT_SIZE	512
#define MAGNET_TESTS_MAX	16
#define MAGNET_RANGES_MAX	32

/* A range of values of a field; of an address a prefix, whose second word it has too. */
struct magnet_range {
	u64	lo;
	u64	span;
	u64	mask;
	u64	lo2;
	u64	mask2;
};

/**
 * struct magnet_test - FIELD OP VALUE of a rule
 * @word: as in struct magnet_step
 * @address: two words are compared
 * @negated: it is true when no range fits
 * @first: index of its first range
 * @nr: how many ranges
 */
struct magnet_test {
	u32	word;
	bool	address;
	bool	negated;
	u16	first;
	u16	nr;
};

/**
 * struct magnet_rule - a rule of a chain
 * @node: in the chain
 * @id: given out when it was made
 * @action: what it does
 * @argument: N of SAMPLE, timer ticks of EVERY
 * @asks: MAGNET_ASKS_*
 * @passed: timer of the last event that EVERY let through
 * @cpu: counters
 * @nr_tests: all must be true; none: it matches everything
 * @nr_ranges: of all tests
 * @test: the tests
 * @range: their ranges
 * @text: as it was given
 */
struct magnet_rule {
	struct list_head		node;
	u32				id;
	enum magnet_action		action;
	u64				argument;
	unsigned int			asks;
	atomic64_t			passed;
	struct magnet_rule_cpu __percpu	*cpu;
	unsigned int			nr_tests;
	unsigned int			nr_ranges;
	struct magnet_test		test[MAGNET_TESTS_MAX];
	struct magnet_range		range[MAGNET_RANGES_MAX];
	char				text[MAGNET_RULE_TEXT_SIZE];
};

/**
 * struct magnet_wish - what a subscription wants beside every event as it is
 * @sample_count: one event of N; 0, 1: every
 * @sample_us: at most one in this time; 0: every
 * @snap_len: bytes of the packet; 0: none
 * @counters: enum magnet_counter, read with each event
 * @rules: chain of struct magnet_rule
 * @nr_rules: its length
 */
struct magnet_wish {
	u32			sample_count;
	u32			sample_us;
	u32			snap_len;
	u32			counters;
	struct list_head	rules;
	unsigned int		nr_rules;
};

/**
 * struct magnet_gate - a wish as handlers want it; never changed, but replaced
 * @sample_count: as in struct magnet_wish, 0 for every
 * @sample_ticks: timer ticks; 0: every
 * @passed: timer of the last event that @sample_ticks let through
 * @snap_len: bytes
 * @counters: read with each event that is logged; or NULL
 * @packet: a rule asks for headers of the packet
 * @rule: the chain; NULL: there are no rules
 * @nr_rules: its length
 * @step: the chain's comparisons
 * @quick: those of the rules in front of the first that asks for headers of
 *	the packet; NULL: there are none, or other things come first. Who gets to
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
	bool			packet;
	struct magnet_rule	**rule;
	unsigned int		nr_rules;
	const struct magnet_step *step;
	const struct magnet_step *quick;
	const struct magnet_step *early;
};

/**
 * struct magnet_storm_guard - a token bucket for each CPU
 * @rate: events per second that are let through; 0: all
 * @burst: and this many at once
 * @interval: timer ticks from one to the next
 * @tolerance: timer ticks that they may come earlier, in all
 * @due: when the next one is due, had they come one by one
 */
struct magnet_storm_guard {
	u32		rate;
	u32		burst;
	u64		interval;
	u64		tolerance;
	local_t __percpu *due;
};

void magnet_gate_init(void);
int notrace magnet_ask_gates(struct magnet_point *point, struct magnet_view *view, u32 size,
			     const struct sk_buff *skb);
void notrace magnet_emit_gated(struct magnet_point *point, struct magnet_view *view, u32 size,
			       const struct sk_buff *skb, int guard);

/* ---- control requests; magnet_mutex held ---- */

struct magnet_rule *magnet_rule_parse(const struct magnet_point *point, const char *text,
				      struct netlink_ext_ack *extack);
void magnet_rule_free(struct magnet_rule *rule);
u64 magnet_rule_matched(const struct magnet_rule *rule);
int magnet_rules_parse(const struct magnet_point *point, const char *text,
		       struct magnet_wish *wish, struct netlink_ext_ack *extack);
void magnet_rules_free(struct magnet_wish *wish);
void magnet_rules_move(struct magnet_wish *to, struct magnet_wish *from);

struct magnet_gate *magnet_gate_new(struct magnet_sub *sub, const struct magnet_wish *wish,
				    struct netlink_ext_ack *extack);
void magnet_gate_free(struct magnet_gate *gate);

/* ---- the packet of an event ---- */

bool magnet_packet_headers(const struct magnet_point *point, const struct sk_buff *skb,
			   u64 words[MAGNET_PACKET_WORDS]);
u32 magnet_packet_captured(const struct magnet_point *point, const struct sk_buff *skb,
			   u32 most, int *start);
void magnet_packet_capture(const struct sk_buff *skb, int start, u32 captured, void *payload,
			   void *to);

#endif /* _MAGNET_GATE_H */
