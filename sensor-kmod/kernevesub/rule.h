/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rules, as people write them, and what a subscription wishes besides.
 */
#ifndef _MAGNET_RULE_H
#define _MAGNET_RULE_H

#include <asm/local.h>
#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/percpu.h>
#include <linux/types.h>

struct magnet_point;
struct netlink_ext_ack;

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
#define MAGNET_ASKS_CGROUP	BIT(3)
/* Of these, what the gate has to find first. */
#define MAGNET_ASKS_FOUND	(MAGNET_ASKS_PACKET | MAGNET_ASKS_CGROUP)

#define MAGNET_RULE_TEXT_SIZE	512
#define MAGNET_TESTS_MAX	16
#define MAGNET_RANGES_MAX	32

/*
 * A range of values of a field; of an address a prefix, whose second word it has too.
 * @beyond: bytes from the test's word to the range's own, where each has another.
 */
struct magnet_range {
	u32	beyond;
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

struct magnet_rule *magnet_rule_parse(const struct magnet_point *point, const char *text,
				      struct netlink_ext_ack *extack);
void magnet_rule_free(struct magnet_rule *rule);
u64 magnet_rule_matched(const struct magnet_rule *rule);
int magnet_rules_parse(const struct magnet_point *point, const char *text,
		       struct magnet_wish *wish, struct netlink_ext_ack *extack);
void magnet_rules_free(struct magnet_wish *wish);
void magnet_rules_move(struct magnet_wish *to, struct magnet_wish *from);

#endif /* _MAGNET_RULE_H */
