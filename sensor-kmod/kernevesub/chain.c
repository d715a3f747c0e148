// SPDX-License-Identifier: GPL-2.0-only
/*
 * Chains of rules, and the gates that handlers ask: what a subscription wishes
 * becomes a straight program of comparisons, in which nobody goes back.
 */
#include <linux/netlink.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "chain.h"
#include "counters.h"
#include "gate.h"
#include "monisub/lockdown.h"
#include "monisub/point.h"
#include "monisub/sub.h"
#include "ring/clock.h"
#include "rule.h"

/* ---- a chain's text ---- */

/* Rules are separated by ';' or new lines; empty ones are skipped. */
static int parse_all(const struct magnet_point *point, char *text, struct magnet_wish *wish,
		     struct netlink_ext_ack *extack)
{
	struct magnet_rule *rule;
	char *one;

	while ((one = strsep(&text, ";\n"))) {
		one = strim(one);
		if (!*one)
			continue;
		if (wish->nr_rules == MAGNET_RULES_MAX) {
			NL_SET_ERR_MSG(extack, "a chain has at most 64 rules; take one out first, or join values by in");
			return -E2BIG;
		}
		rule = magnet_rule_parse(point, one, extack);
		if (IS_ERR(rule))
			return PTR_ERR(rule);
		list_add_tail(&rule->node, &wish->rules);
		wish->nr_rules++;
	}
	return 0;
}

/**
 * magnet_rules_parse() - make a chain of its text
 * @point: whose events it is about
 * @text: rules separated by ';'
 * @wish: gets them; its chain is empty
 * @extack: what was wrong
 *
 * Context: may sleep; magnet_mutex held.
 * Return: 0, or an error and the chain is empty.
 */
int magnet_rules_parse(const struct magnet_point *point, const char *text,
		       struct magnet_wish *wish, struct netlink_ext_ack *extack)
{
	char *copy = kstrdup(text, GFP_KERNEL);
	int err;

	if (!copy)
		return -ENOMEM;
	err = parse_all(point, copy, wish, extack);
	kfree(copy);
	if (err)
		magnet_rules_free(wish);
	return err;
}

/* No handler has them any more. */
void magnet_rules_free(struct magnet_wish *wish)
{
	struct magnet_rule *rule, *next;

	list_for_each_entry_safe(rule, next, &wish->rules, node)
		magnet_rule_free(rule);
	INIT_LIST_HEAD(&wish->rules);
	wish->nr_rules = 0;
}

/* The rules of @from, in their order, go to @to, which has none. */
void magnet_rules_move(struct magnet_wish *to, struct magnet_wish *from)
{
	INIT_LIST_HEAD(&to->rules);
	list_splice_init(&from->rules, &to->rules);
	to->nr_rules = from->nr_rules;
	from->nr_rules = 0;
}

/* ---- a chain's program ---- */

/* Fits everything: the end of a rule, and of the chain. */
static const struct magnet_step any = { .span = U64_MAX };

/* Steps of a rule: one for each range, a second for an address, one that ends it. */
static unsigned int steps_of(const struct magnet_rule *rule)
{
	unsigned int i, n = 1;

	for (i = 0; i < rule->nr_tests; i++)
		n += rule->test[i].nr * (rule->test[i].address ? 2 : 1);
	return n;
}

/* What the range does not have, as a range that goes on at 0 after the largest word. */
static void invert(struct magnet_step *step)
{
	const u64 lo = step->lo;

	step->lo = lo + step->span + 1;
	step->span = lo - step->lo - 1;
	swap(step->then, step->otherwise);
}

/*
 * The steps of one test. Any range that fits makes it true, or false when it
 * is negated; of an address both words have to fit. The last one goes on to
 * @then if it fits, where it can be turned round so. It can't where what a range
 * does not have would be nothing, or is in two words.
 *
 * Return: the first step after them.
 */
static struct magnet_step *add_test(struct magnet_step *step, const struct magnet_test *test,
				    const struct magnet_range *range,
				    const struct magnet_step *is_true,
				    const struct magnet_step *is_false,
				    const struct magnet_step *then)
{
	const struct magnet_step *fits = test->negated ? is_false : is_true;
	const struct magnet_step *none = test->negated ? is_true : is_false;
	const unsigned int words = test->address ? 2 : 1;
	unsigned int i;

	for (i = 0; i < test->nr; i++, range++) {
		const struct magnet_step *next = i + 1 < test->nr ? step + words : none;

		*step = (struct magnet_step){
			.word = test->word + range->beyond, .mask = range->mask, .lo = range->lo,
			.span = range->span, .then = fits, .otherwise = next,
		};
		if (test->address) {
			step->then = step + 1;
			step++;
			*step = (struct magnet_step){
				.word = test->word + sizeof(u64), .mask = range->mask2,
				.lo = range->lo2, .then = fits, .otherwise = next,
			};
		} else if (next == then && step->span != U64_MAX) {
			invert(step);
		}
		step++;
	}
	return step;
}

/*
 * A rule that drops is thought to match, and the others not to, so that is
 * their cheaper way; but the last test says by @then that the rule matches.
 *
 * Return: the first step after the rule's.
 */
static struct magnet_step *add_rule(struct magnet_step *step, const struct magnet_rule *rule,
				    u32 index)
{
	const bool drop = rule->action == MAGNET_ACTION_DROP;
	struct magnet_step *end = step + steps_of(rule) - 1;
	unsigned int i;

	for (i = 0; i < rule->nr_tests; i++) {
		const struct magnet_test *test = &rule->test[i];
		struct magnet_step *next = step + test->nr * (test->address ? 2 : 1);

		add_test(step, test, &rule->range[test->first], next, end + 1,
			 next == end || !drop ? next : end + 1);
		step = next;
	}
	*end = any;
	end->rule = index;
	if (drop)
		end->rejects = (unsigned long __percpu *)&rule->cpu->matched;
	return end + 1;
}

/* Who would go on to the end of a rule only to find that all fits is at the end. */
static void end_early(struct magnet_step *step, const struct magnet_step *last)
{
	for (; step < last; step++) {
		if (!step->then || step->then->then || step->then->mask)
			continue;
		step->rule = step->then->rule;
		step->rejects = step->then->rejects;
		step->then = NULL;
	}
}

/* The program of the rules in front of the first that asks for what is in @not. */
static const struct magnet_step *compile(const struct magnet_wish *wish, unsigned int not)
{
	struct magnet_step *first, *step;
	struct magnet_rule *rule;
	unsigned int steps = 1;
	u32 i = 0;

	list_for_each_entry(rule, &wish->rules, node)
		steps += steps_of(rule);
	first = kvcalloc(steps, sizeof(*first), GFP_KERNEL_ACCOUNT);
	if (!first)
		return NULL;
	step = first;
	list_for_each_entry(rule, &wish->rules, node) {
		if (rule->asks & not)
			break;
		step = add_rule(step, rule, i++);
	}
	*step = any;
	step->rule = wish->nr_rules;
	end_early(first, step);
	return first;
}

/* What its handlers do not have yet when they first ask. */
static unsigned int late_of(const struct magnet_point *point)
{
	const bool id_is_first = point->definition || point->owner;

	return MAGNET_ASKS_FOUND | MAGNET_ASKS_PAYLOAD | (id_is_first ? 0 : MAGNET_ASKS_ID);
}

/* For handlers that look by themselves. Without memory for it there is the gate. */
static void compile_quick(struct magnet_gate *gate, const struct magnet_wish *wish,
			  const struct magnet_point *point)
{
	const struct magnet_rule *first = gate->rule[0];

	if (first->asks & MAGNET_ASKS_FOUND)
		return;
	gate->quick = gate->asks ? compile(wish, MAGNET_ASKS_FOUND) : gate->step;
	if (!(first->asks & late_of(point)))
		gate->early = compile(wish, late_of(point));
}

static bool wishes_nothing(const struct magnet_wish *wish)
{
	return wish->sample_count <= 1 && !wish->sample_us && !wish->snap_len &&
	       !wish->counters && !wish->nr_rules;
}

/* Those that the subscription has already go on: a PMU may not have as many again. */
static int add_counters(struct magnet_gate *gate, const struct magnet_sub *sub, u32 which,
			struct netlink_ext_ack *extack)
{
	const bool same = sub->gate && sub->gate->counters && sub->wish.counters == which;
	struct magnet_counters_set *set;
	int err;

	err = same ? 0 : magnet_lockdown_counters(extack);
	if (err)
		return err;
	set = same ? magnet_counters_get(sub->gate->counters) : magnet_counters_new(which, extack);
	if (IS_ERR(set))
		return PTR_ERR(set);
	gate->counters = set;
	return 0;
}

static int add_rules(struct magnet_gate *gate, const struct magnet_wish *wish,
		     const struct magnet_point *point)
{
	struct magnet_rule *rule;
	unsigned int i = 0;

	gate->rule = kcalloc(wish->nr_rules, sizeof(*gate->rule), GFP_KERNEL_ACCOUNT);
	gate->step = gate->rule ? compile(wish, 0) : NULL;
	if (!gate->step)
		return -ENOMEM;
	list_for_each_entry(rule, &wish->rules, node) {
		gate->rule[i++] = rule;
		gate->asks |= rule->asks & MAGNET_ASKS_FOUND;
	}
	if (!gate->sample_count && !gate->sample_ticks)
		compile_quick(gate, wish, point);
	return 0;
}

/**
 * magnet_gate_new() - what handlers ask for a subscription
 * @sub: the subscription
 * @wish: what it wants; its rules belong to the gate from here on as well
 * @extack: what was wrong
 *
 * Context: may sleep; magnet_mutex held.
 * Return: the gate; NULL when every event is wanted as it is; or an ERR_PTR.
 */
struct magnet_gate *magnet_gate_new(struct magnet_sub *sub, const struct magnet_wish *wish,
				    struct netlink_ext_ack *extack)
{
	struct magnet_gate *gate;
	int err;

	if (wishes_nothing(wish))
		return NULL;
	gate = kzalloc(sizeof(*gate), GFP_KERNEL_ACCOUNT);
	if (!gate)
		goto no_memory;
	gate->sample_count = wish->sample_count > 1 ? wish->sample_count : 0;
	gate->sample_ticks = magnet_clock_ticks(wish->sample_us);
	gate->passed = &sub->passed;
	gate->snap_len = wish->snap_len;
	gate->nr_rules = wish->nr_rules;
	err = wish->counters ? add_counters(gate, sub, wish->counters, extack) : 0;
	if (err) {
		magnet_gate_free(gate);
		return ERR_PTR(err);
	}
	if (!wish->nr_rules || !add_rules(gate, wish, sub->point))
		return gate;
	magnet_gate_free(gate);
no_memory:
	NL_SET_ERR_MSG(extack, "no memory for the rules; nothing has changed, ask for fewer values");
	return ERR_PTR(-ENOMEM);
}

/* No handler has it any more. */
void magnet_gate_free(struct magnet_gate *gate)
{
	if (!gate)
		return;
	if (gate->counters)
		magnet_counters_put(gate->counters);
	if (gate->quick != gate->step)
		kvfree(gate->quick);
	kvfree(gate->early);
	kvfree(gate->step);
	kfree(gate->rule);
	kfree(gate);
}
