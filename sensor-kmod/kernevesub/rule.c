// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rules as people write them:
 *
 *   ACTION [if TEST [and TEST]...]
 *
 *   ACTION: log, drop, urgent, sample N, every TIME
 *   TEST: FIELD OP VALUE; OP: == != < <= > >= & in
 *
 * A rule is taken apart once, into tests of ranges; chain.c makes a program of
 * them.
 */
#include <linux/ctype.h>
#include <linux/inet.h>
#include <linux/in.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/netlink.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "cgroup.h"
#include "gate.h"
#include "monisub/point.h"
#include "packet.h"
#include "ring/clock.h"
#include "rule.h"
#include "written_time.h"

/**
 * struct field - what a test compares
 * @word: as in struct magnet_step
 * @shift: where in the word it begins
 * @bits: how long it is
 * @is_signed: negative numbers are smaller than others
 * @address: two words of an address
 * @packet: it is a header of the packet
 * @cgroup: it is a cgroup
 */
struct field {
	u32	word;
	u8	shift;
	u8	bits;
	bool	is_signed;
	bool	address;
	bool	packet;
	bool	cgroup;
};

#define HEADER(member_, shift_, bits_)						\
	{ .word = offsetof(struct magnet_view, member_), .shift = shift_, .bits = bits_ }
#define PACKET(index_, shift_, bits_)						\
	{ .word = offsetof(struct magnet_view, packet) + (index_) * sizeof(u64),	\
	  .shift = shift_, .bits = bits_, .packet = true }

static const struct {
	const char	*name;
	struct field	field;
} known_fields[] = {
	{ "tgid", HEADER(who, 32, 32) },
	{ "tid", HEADER(who, 0, 32) },
	{ "id", HEADER(id, 0, 64) },
	{ "cpu", HEADER(cpu, 0, 64) },
	{ "cgroup", { .word = offsetof(struct magnet_view, cgroup), .bits = 64,
		      .cgroup = true } },
	{ "protocol", PACKET(MAGNET_PACKET_PORTS, 0, 8) },
	{ "sport", PACKET(MAGNET_PACKET_PORTS, 16, 16) },
	{ "dport", PACKET(MAGNET_PACKET_PORTS, 32, 16) },
	{ "saddr", { .word = offsetof(struct magnet_view, packet[MAGNET_PACKET_SADDR]),
		     .bits = 128, .address = true, .packet = true } },
	{ "daddr", { .word = offsetof(struct magnet_view, packet[MAGNET_PACKET_DADDR]),
		     .bits = 128, .address = true, .packet = true } },
};

/* The rest of a rule's text, and what was wrong with it. */
struct parser {
	const struct magnet_point	*point;
	struct magnet_rule		*rule;
	char				*rest;
	struct netlink_ext_ack		*extack;
};

static const char *next_word(struct parser *p)
{
	char *word;

	do {
		word = strsep(&p->rest, " \t\n");
	} while (word && !*word);
	return word;
}

/* ---- fields ---- */

static bool payload_field(const struct magnet_point *point, const char *name,
			  struct field *field, struct netlink_ext_ack *extack)
{
	const struct magnet_field *f;
	unsigned int bits;

	for (f = point->fields; f && f->name; f++)
		if (!strcmp(f->name, name))
			break;
	if (!f || !f->name)
		return false;
	*field = (struct field){
		.word = offsetof(struct magnet_view, payload) + ALIGN_DOWN(f->offset, 8),
	};
	if (!strchr("usx", f->type[0]) || kstrtouint(f->type + 1, 10, &bits)) {
		NL_SET_ERR_MSG(extack, "this field is a text; rules compare numbers; control/format shows each field's type");
		return true;
	}
	field->bits = bits;
	field->is_signed = f->type[0] == 's';
	field->shift = f->offset % 8 * 8;
	if (IS_ENABLED(CONFIG_CPU_BIG_ENDIAN))
		field->shift = 64 - bits - field->shift;
	return true;
}

static int find_field(struct parser *p, const char *name, struct field *field)
{
	size_t i;

	if (payload_field(p->point, name, field, p->extack))
		return field->bits ? 0 : -EINVAL;
	for (i = 0; i < ARRAY_SIZE(known_fields); i++) {
		if (strcmp(known_fields[i].name, name))
			continue;
		*field = known_fields[i].field;
		if (!field->packet ||
		    (p->point->packet && p->point->packet != MAGNET_PACKET_BARE))
			return 0;
		NL_SET_ERR_MSG(p->extack, "this point has no packet whose headers a rule could ask for; ask for fields of the point (control/format), or take a point whose packet has its headers");
		return -EINVAL;
	}
	NL_SET_ERR_MSG(p->extack, "the point has no field of this name; control/format lists them, and every event has cpu, tgid, tid, cgroup and id");
	return -EINVAL;
}

/* ---- values ---- */

static u64 value_max(const struct field *field)
{
	return field->bits == 64 ? U64_MAX : BIT_ULL(field->bits) - 1;
}

static const struct {
	const char	*name;
	u8		number;
} protocols[] = {
	{ "icmp", IPPROTO_ICMP }, { "tcp", IPPROTO_TCP }, { "udp", IPPROTO_UDP },
	{ "icmpv6", IPPROTO_ICMPV6 }, { "sctp", IPPROTO_SCTP },
};

static int parse_number(struct parser *p, const struct field *field, const char *text, s64 *value)
{
	const u64 max = value_max(field);
	size_t i;
	u64 u;

	for (i = 0; field->packet && field->bits == 8 && i < ARRAY_SIZE(protocols); i++) {
		if (strcmp(protocols[i].name, text))
			continue;
		*value = protocols[i].number;
		return 0;
	}
	if (text[0] == '-' && !kstrtos64(text, 0, value)) {
		if (field->is_signed && *value >= -(s64)(max / 2) - 1)
			return 0;
	} else if (!kstrtou64(text, 0, &u) && u <= (field->is_signed ? max / 2 : max)) {
		*value = u;
		return 0;
	}
	NL_SET_ERR_MSG(p->extack, "a value is no number, or not one that the field can have; give it in decimal or with 0x, within the field's type (control/format)");
	return -EINVAL;
}

static int accept_range(struct parser *p, struct magnet_test *test, struct magnet_range range)
{
	struct magnet_rule *rule = p->rule;

	if (rule->nr_ranges == MAGNET_RANGES_MAX) {
		NL_SET_ERR_MSG(p->extack, "a rule has at most 32 values and ranges; put the others into another rule");
		return -E2BIG;
	}
	rule->range[rule->nr_ranges++] = range;
	test->nr++;
	return 0;
}

/* @lo to @hi as the bits of the field, where the word has them. */
static int add_bits(struct parser *p, struct magnet_test *test, const struct field *field,
		    u64 lo, u64 hi)
{
	const u64 max = value_max(field);

	return accept_range(p, test, (struct magnet_range){
		.lo = (lo & max) << field->shift,
		.span = ((hi & max) - (lo & max)) << field->shift,
		.mask = max << field->shift,
	});
}

/* Of signed numbers the negative ones have the larger bits. */
static int add_values(struct parser *p, struct magnet_test *test, const struct field *field,
		      s64 lo, s64 hi)
{
	const bool crosses = field->is_signed && lo < 0 && hi >= 0;

	if (field->is_signed ? lo > hi : (u64)lo > (u64)hi) {
		NL_SET_ERR_MSG(p->extack, "a range begins with its smaller value; nothing can be smaller than the smallest; write it as SMALLER-LARGER");
		return -EINVAL;
	}
	if (!crosses)
		return add_bits(p, test, field, lo, hi);
	return add_bits(p, test, field, lo, -1) ?: add_bits(p, test, field, 0, hi);
}

static u64 prefix_mask(unsigned int bits)
{
	return bits >= 64 ? U64_MAX : bits ? ~(U64_MAX >> bits) : 0;
}

/* ADDRESS or ADDRESS/BITS, of either family. */
static int add_address(struct parser *p, struct magnet_test *test, char *text)
{
	struct magnet_range range = {};
	char *slash = strchr(text, '/');
	unsigned int bits = 128, before = 0;
	const char *end;
	u8 address[16] = { [10] = 0xff, [11] = 0xff };

	if (slash)
		*slash++ = '\0';
	if (in4_pton(text, -1, address + 12, '\0', &end) && !*end)
		before = 96;
	else if (!in6_pton(text, -1, address, '\0', &end) || *end)
		goto bad;
	if (slash) {
		if (kstrtouint(slash, 10, &bits) || bits > 128 - before)
			goto bad;
		bits += before;
	}
	range.mask = prefix_mask(bits);
	range.mask2 = bits > 64 ? prefix_mask(bits - 64) : 0;
	range.lo = be64_to_cpup((__be64 *)address) & range.mask;
	range.lo2 = be64_to_cpup((__be64 *)(address + 8)) & range.mask2;
	return accept_range(p, test, range);

bad:
	NL_SET_ERR_MSG(p->extack, "an address is IPv4 or IPv6, with a prefix length if wanted: 10.0.0.0/8, fe80::/10");
	return -EINVAL;
}

/* The cgroup itself, or with @below also those in it. */
static int add_cgroup(struct parser *p, struct magnet_test *test, const char *text, bool below)
{
	struct magnet_range range = { .mask = U64_MAX };
	int word = magnet_cgroup_find(text, below, &range.lo, p->extack);

	if (word < 0)
		return word;
	range.beyond = word * sizeof(u64);
	return accept_range(p, test, range);
}

/* A,B,C: cgroups. */
static int add_cgroups(struct parser *p, struct magnet_test *test, const char *op, char *list)
{
	char *item;
	int err = 0;

	while (!err && (item = strsep(&list, ",")))
		err = add_cgroup(p, test, item, !strcmp(op, "in"));
	return err;
}

/* A,B,C-D: values, ranges or addresses. */
static int add_list(struct parser *p, struct magnet_test *test, const struct field *field,
		    char *list)
{
	char *item, *dash;
	s64 lo, hi;
	int err = 0;

	while (!err && (item = strsep(&list, ","))) {
		if (field->address) {
			err = add_address(p, test, item);
			continue;
		}
		dash = item[0] ? strchr(item + 1, '-') : NULL;
		if (dash)
			*dash++ = '\0';
		err = parse_number(p, field, item, &lo);
		hi = lo;
		if (!err && dash)
			err = parse_number(p, field, dash, &hi);
		if (!err)
			err = add_values(p, test, field, lo, hi);
	}
	return err;
}

/* ---- tests ---- */

static s64 smallest(const struct field *field)
{
	return field->is_signed ? -(s64)(value_max(field) / 2) - 1 : 0;
}

static s64 largest(const struct field *field)
{
	return field->is_signed ? value_max(field) / 2 : value_max(field);
}

static int add_comparison(struct parser *p, struct magnet_test *test, const struct field *field,
			  const char *op, const char *value)
{
	s64 v;
	int err = parse_number(p, field, value, &v);

	if (err)
		return err;
	/* Of the smallest and largest value there is nothing beyond. */
	if ((!strcmp(op, "<") && v == smallest(field)) ||
	    (!strcmp(op, ">") && v == largest(field))) {
		NL_SET_ERR_MSG(p->extack, "no value of the field is beyond its smallest or largest one, so that the test would never match; compare with another");
		return -EINVAL;
	}
	if (op[0] == '<')
		return add_values(p, test, field, smallest(field), op[1] ? v : v - 1);
	return add_values(p, test, field, op[1] ? v : v + 1, largest(field));
}

/* FIELD & MASK: one of these bits is set, that is, not all of them are clear. */
static int add_mask(struct parser *p, struct magnet_test *test, const struct field *field,
		    const char *value)
{
	s64 v;
	int err = parse_number(p, field, value, &v);

	if (err)
		return err;
	test->negated = true;
	return accept_range(p, test, (struct magnet_range){
		.mask = ((u64)v & value_max(field)) << field->shift,
	});
}

static int add_operation(struct parser *p, struct magnet_test *test, const struct field *field,
			 const char *op, char *value)
{
	test->negated = !strcmp(op, "!=");
	if (test->negated || !strcmp(op, "==") || !strcmp(op, "in"))
		return field->cgroup ? add_cgroups(p, test, op, value) :
				       add_list(p, test, field, value);
	if (field->cgroup) {
		NL_SET_ERR_MSG(p->extack, "cgroups are compared with == and !=, and by in with those that are in them, too");
		return -EINVAL;
	}
	if (field->address) {
		NL_SET_ERR_MSG(p->extack, "addresses are compared with ==, != and in");
		return -EINVAL;
	}
	if (!strcmp(op, "<") || !strcmp(op, "<=") || !strcmp(op, ">") || !strcmp(op, ">="))
		return add_comparison(p, test, field, op, value);
	if (!strcmp(op, "&"))
		return add_mask(p, test, field, value);
	NL_SET_ERR_MSG(p->extack, "a test is FIELD OP VALUE, with spaces between; OP is ==, !=, <, <=, >, >=, & or in");
	return -EINVAL;
}

static int parse_test(struct parser *p)
{
	struct magnet_rule *rule = p->rule;
	const char *name = next_word(p), *op = next_word(p), *value = next_word(p);
	struct magnet_test *test = &rule->test[rule->nr_tests];
	struct field field;
	int err;

	if (!value) {
		NL_SET_ERR_MSG(p->extack, "a test is FIELD OP VALUE, with spaces between");
		return -EINVAL;
	}
	if (rule->nr_tests == MAGNET_TESTS_MAX) {
		NL_SET_ERR_MSG(p->extack, "a rule has at most 16 tests; leave some out, or let a rule before it drop what it is not to match");
		return -E2BIG;
	}
	err = find_field(p, name, &field);
	if (err)
		return err;
	*test = (struct magnet_test){
		.word = field.word, .address = field.address, .first = rule->nr_ranges,
	};
	if (field.packet)
		rule->asks |= MAGNET_ASKS_PACKET;
	else if (field.cgroup)
		rule->asks |= MAGNET_ASKS_CGROUP;
	else if (field.word >= offsetof(struct magnet_view, payload))
		rule->asks |= MAGNET_ASKS_PAYLOAD;
	else if (field.word == offsetof(struct magnet_view, id))
		rule->asks |= MAGNET_ASKS_ID;
	rule->nr_tests++;
	return add_operation(p, test, &field, op, (char *)value);
}

/* ---- actions ---- */

static int parse_time(struct parser *p, const char *text, u64 *us)
{
	*us = text ? magnet_written_us(text) : 0;
	if (*us)
		return 0;
	NL_SET_ERR_MSG(p->extack, "every wants a time of at most an hour: 500us, 20ms, 1s, 5m; a number alone is seconds");
	return -EINVAL;
}

static int parse_action(struct parser *p)
{
	struct magnet_rule *rule = p->rule;
	const char *word = next_word(p);
	u64 us;
	int err;

	if (word && !strcmp(word, "log")) {
		rule->action = MAGNET_ACTION_LOG;
	} else if (word && !strcmp(word, "drop")) {
		rule->action = MAGNET_ACTION_DROP;
	} else if (word && !strcmp(word, "urgent")) {
		rule->action = MAGNET_ACTION_URGENT;
	} else if (word && !strcmp(word, "sample")) {
		rule->action = MAGNET_ACTION_SAMPLE;
		word = next_word(p);
		if (!word || kstrtou64(word, 10, &rule->argument) || !rule->argument ||
		    rule->argument > S32_MAX) {
			NL_SET_ERR_MSG(p->extack, "sample wants a number N, one event of N is logged: sample 10");
			return -EINVAL;
		}
	} else if (word && !strcmp(word, "every")) {
		rule->action = MAGNET_ACTION_EVERY;
		err = parse_time(p, next_word(p), &us);
		if (err)
			return err;
		rule->argument = magnet_clock_ticks(us);
	} else {
		NL_SET_ERR_MSG(p->extack, "a rule begins with log, drop, urgent, sample N or every TIME");
		return -EINVAL;
	}
	return 0;
}

static int parse(struct parser *p)
{
	const char *word;
	int err = parse_action(p);

	if (err)
		return err;
	word = next_word(p);
	if (!word)
		return 0;
	if (strcmp(word, "if")) {
		NL_SET_ERR_MSG(p->extack, "after the action comes the end, or: if TEST and TEST ...");
		return -EINVAL;
	}
	do {
		err = parse_test(p);
		if (err)
			return err;
		word = next_word(p);
		if (word && strcmp(word, "and")) {
			NL_SET_ERR_MSG(p->extack, "tests are joined by: and; for or, write a rule more");
			return -EINVAL;
		}
	} while (word);
	return 0;
}

/**
 * magnet_rule_parse() - make a rule of its text
 * @point: whose events it is about
 * @text: the rule
 * @extack: what was wrong
 *
 * Context: may sleep; magnet_mutex held.
 * Return: the rule, or an ERR_PTR.
 */
struct magnet_rule *magnet_rule_parse(const struct magnet_point *point, const char *text,
				      struct netlink_ext_ack *extack)
{
	static u32 last_id;
	struct parser p = { .point = point, .extack = extack };
	struct magnet_rule *rule;
	char *copy;
	int err = -ENOMEM;

	if (strlen(text) >= MAGNET_RULE_TEXT_SIZE) {
		NL_SET_ERR_MSG(extack, "a rule has at most 511 characters; make it shorter, or two of it");
		return ERR_PTR(-E2BIG);
	}
	rule = kzalloc(sizeof(*rule), GFP_KERNEL_ACCOUNT);
	copy = kstrdup(text, GFP_KERNEL);
	if (!rule || !copy)
		goto out;
	rule->cpu = alloc_percpu_gfp(struct magnet_rule_cpu, GFP_KERNEL_ACCOUNT);
	if (!rule->cpu)
		goto out;
	strscpy(rule->text, strim(copy), sizeof(rule->text));
	p.rule = rule;
	p.rest = copy + strspn(copy, " \t\n");
	err = parse(&p);
	if (err)
		goto out;
	/* The first event is let through, whenever it comes. */
	atomic64_set(&rule->passed, S64_MIN / 2);
	rule->id = ++last_id ?: ++last_id;
out:
	kfree(copy);
	if (!err)
		return rule;
	if (rule)
		magnet_rule_free(rule);
	return ERR_PTR(err);
}

/* No handler has it any more. */
void magnet_rule_free(struct magnet_rule *rule)
{
	free_percpu(rule->cpu);
	kfree(rule);
}

/* Events that it matched, on all CPUs. */
u64 magnet_rule_matched(const struct magnet_rule *rule)
{
	u64 matched = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		matched += local_read(&per_cpu_ptr(rule->cpu, cpu)->matched);
	return matched;
}
