// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests about the rules of a subscription, and how messages describe them.
 */
#include "kernevesub/rule.h"
#include "monisub/monisub.h"
#include "monisub/point.h"
#include "monisub/sub.h"
#include "netlink.h"
#include "ring/buffer.h"

static int put_rule(struct sk_buff *skb, const struct magnet_rule *rule)
{
	struct nlattr *nest = nla_nest_start(skb, MAGNET_A_RULE);

	if (nest && !nla_put_u32(skb, MAGNET_A_RULE_ID, rule->id) &&
	    !nla_put_string(skb, MAGNET_A_RULE_TEXT, rule->text) &&
	    !magnet_put_u64(skb, MAGNET_A_MATCHED, magnet_rule_matched(rule))) {
		nla_nest_end(skb, nest);
		return 0;
	}
	nla_nest_cancel(skb, nest);
	return -EMSGSIZE;
}

/* The rule of a chain that an attribute names; NULL and the extack says so. */
static struct magnet_rule *find_rule(const struct magnet_sub *sub, const struct genl_info *info,
				     int attr)
{
	struct magnet_rule *rule;

	list_for_each_entry(rule, &sub->wish.rules, node)
		if (info->attrs[attr] && rule->id == nla_get_u32(info->attrs[attr]))
			return rule;
	NL_SET_ERR_MSG(info->extack, "the subscription has no rule of this id; control/filters lists them");
	return NULL;
}

/* The subscription's wish, with its own rules in a list of their own. */
static void borrow_wish(struct magnet_wish *wish, struct magnet_sub *sub)
{
	*wish = sub->wish;
	magnet_rules_move(wish, &sub->wish);
}

static int add_rule(struct magnet_sub *sub, struct magnet_rule *rule,
		    const struct magnet_rule *before, struct netlink_ext_ack *extack)
{
	struct magnet_wish wish;
	int err;

	borrow_wish(&wish, sub);
	list_add_tail(&rule->node, before ? (struct list_head *)&before->node : &wish.rules);
	wish.nr_rules++;
	err = magnet_sub_change(sub, &wish, extack);
	if (err) {
		list_del(&rule->node);
		wish.nr_rules--;
		magnet_rules_move(&sub->wish, &wish);
	}
	return err;
}

/* The new rule is described in @reply. */
int magnet_rule_new(struct sk_buff *reply, struct genl_info *info)
{
	const struct nlattr *text = info->attrs[MAGNET_A_RULE_TEXT];
	struct magnet_sub *sub = magnet_sub_of(info);
	const struct magnet_rule *before = NULL;
	struct magnet_rule *rule;
	int err;

	if (IS_ERR(sub))
		return PTR_ERR(sub);
	if (!text) {
		NL_SET_ERR_MSG(info->extack, "the request has no text of a rule; it needs the attribute RULE_TEXT");
		return -EINVAL;
	}
	if (info->attrs[MAGNET_A_RULE_BEFORE]) {
		before = find_rule(sub, info, MAGNET_A_RULE_BEFORE);
		if (!before)
			return -ENOENT;
	}
	if (sub->wish.nr_rules == MAGNET_RULES_MAX) {
		NL_SET_ERR_MSG(info->extack, "a chain has at most 64 rules; take one out first, or join values by in");
		return -E2BIG;
	}
	rule = magnet_rule_parse(sub->point, nla_data(text), info->extack);
	if (IS_ERR(rule))
		return PTR_ERR(rule);
	err = add_rule(sub, rule, before, info->extack);
	if (err) {
		magnet_rule_free(rule);
		return err;
	}
	return nla_put_u32(reply, MAGNET_A_SUB_ID, sub->id) || put_rule(reply, rule) ?
	       -EMSGSIZE : 0;
}

/* The removed rule is described in @reply, with its final counter. */
int magnet_rule_del(struct sk_buff *reply, struct genl_info *info)
{
	struct magnet_sub *sub = magnet_sub_of(info);
	struct magnet_rule *rule, *after;
	struct magnet_wish wish;
	int err;

	if (IS_ERR(sub))
		return PTR_ERR(sub);
	rule = find_rule(sub, info, MAGNET_A_RULE_ID);
	if (!rule)
		return -ENOENT;
	borrow_wish(&wish, sub);
	after = list_is_last(&rule->node, &wish.rules) ? NULL : list_next_entry(rule, node);
	list_del(&rule->node);
	wish.nr_rules--;
	err = magnet_sub_change(sub, &wish, info->extack);
	if (err) {
		list_add_tail(&rule->node, after ? &after->node : &wish.rules);
		wish.nr_rules++;
		magnet_rules_move(&sub->wish, &wish);
		return err;
	}
	err = nla_put_u32(reply, MAGNET_A_SUB_ID, sub->id) || put_rule(reply, rule) ? -EMSGSIZE : 0;
	magnet_rule_free(rule);
	return err;
}

static int dump_rules(struct sk_buff *skb, struct magnet_cursor *at)
{
	const struct magnet_sub *sub = magnet_sub_nth(at->item);
	const struct magnet_rule *rule;
	int i = 0;

	if (!sub)
		return -ENOENT;
	if (nla_put_u32(skb, MAGNET_A_SUB_ID, sub->id) ||
	    nla_put_string(skb, MAGNET_A_POINT, sub->point->name) ||
	    nla_put_string(skb, MAGNET_A_BUFFER, sub->buffer->name))
		return -EMSGSIZE;
	list_for_each_entry(rule, &sub->wish.rules, node) {
		if (i++ < at->part)
			continue;
		if (put_rule(skb, rule))
			return -EMSGSIZE;
		at->part = i;
	}
	return 0;
}

int magnet_rule_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return magnet_dump(skb, cb, MAGNET_CMD_RULE_GET, dump_rules);
}
