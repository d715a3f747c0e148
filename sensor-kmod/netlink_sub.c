// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests about subscriptions, and how messages describe them.
 */
#include "magnet_internal.h"
#include "netlink.h"

static int put_sub(struct sk_buff *skb, const struct magnet_sub *sub)
{
	return nla_put_u32(skb, MAGNET_A_SUB_ID, sub->id) ||
	       nla_put_string(skb, MAGNET_A_POINT, sub->point->name) ||
	       nla_put_u16(skb, MAGNET_A_EVENT, sub->point->event) ||
	       nla_put_string(skb, MAGNET_A_BUFFER, sub->buffer->name) ||
	       nla_put_u32(skb, MAGNET_A_FLAGS, sub->flags) ||
	       (sub->client && nla_put_u32(skb, MAGNET_A_OWNER, sub->client->portid));
}

/*
 * Kprobes do not say on which CPU they missed a hit: all are told with the
 * first one, so that the sum is right.
 */
static u64 missed_on(const struct magnet_sub *sub, int cpu)
{
	return cpu == cpumask_first(cpu_possible_mask) ? magnet_sub_missed(sub) : 0;
}

static int put_sub_cpu(struct sk_buff *skb, const struct magnet_sub *sub, int cpu)
{
	const struct magnet_sub_cpu *sc = per_cpu_ptr(sub->cpu, cpu);
	struct nlattr *nest = nla_nest_start(skb, MAGNET_A_CPU_STATS);

	if (nest && !nla_put_u32(skb, MAGNET_A_CPU, cpu) &&
	    !magnet_put_u64(skb, MAGNET_A_HITS, local_read(&sc->hits)) &&
	    !magnet_put_u64(skb, MAGNET_A_COMMITTED, local_read(&sc->committed)) &&
	    !magnet_put_u64(skb, MAGNET_A_FILTERED, local_read(&sc->filtered)) &&
	    !magnet_put_u64(skb, MAGNET_A_SAMPLED_OUT, local_read(&sc->sampled_out)) &&
	    !magnet_put_u64(skb, MAGNET_A_DROPPED_FULL, local_read(&sc->dropped_full)) &&
	    !magnet_put_u64(skb, MAGNET_A_DROPPED_BIG, local_read(&sc->dropped_big)) &&
	    !magnet_put_u64(skb, MAGNET_A_DROPPED_RECURSION, local_read(&sc->dropped_recursion)) &&
	    !magnet_put_u64(skb, MAGNET_A_MISSED, missed_on(sub, cpu))) {
		nla_nest_end(skb, nest);
		return 0;
	}
	nla_nest_cancel(skb, nest);
	return -EMSGSIZE;
}

static bool sub_has_cpu(const struct magnet_sub *sub, int cpu)
{
	return per_cpu_ptr(sub->cpu, cpu)->ring;
}

/* A new subscription is described in @reply. */
int magnet_sub_new(struct sk_buff *reply, struct genl_info *info)
{
	struct magnet_point *point = magnet_point_of(info);
	struct magnet_buffer *buffer;
	const u32 flags = magnet_flags_of(info);
	struct magnet_client *owner;
	struct magnet_sub *sub;
	int err;

	if (IS_ERR(point))
		return PTR_ERR(point);
	buffer = magnet_buffer_of(info);
	if (IS_ERR(buffer))
		return PTR_ERR(buffer);
	err = magnet_owner_of(info, flags, &owner);
	if (err)
		return err;
	sub = magnet_subscribe(point, buffer, flags, owner, info->extack);
	if (IS_ERR(sub))
		return PTR_ERR(sub);
	return put_sub(reply, sub) ? -EMSGSIZE : 0;
}

/* The subscription that a request names, or an ERR_PTR and the extack says why. */
static struct magnet_sub *sub_of(const struct genl_info *info)
{
	const struct nlattr *id = info->attrs[MAGNET_A_SUB_ID];
	struct magnet_sub *sub;

	if (!id) {
		NL_SET_ERR_MSG(info->extack, "the request does not name a subscription");
		return ERR_PTR(-EINVAL);
	}
	sub = magnet_sub_find(nla_get_u32(id));
	if (sub)
		return sub;
	NL_SET_ERR_MSG(info->extack, "there is no subscription of this id");
	return ERR_PTR(-ENOENT);
}

/* Nothing is lost on the way out: @reply has the final counters. */
int magnet_sub_del(struct sk_buff *reply, struct genl_info *info)
{
	struct magnet_sub *sub = sub_of(info);
	int cpu;

	if (IS_ERR(sub))
		return PTR_ERR(sub);
	magnet_sub_detach(sub);
	magnet_sub_quiesce();
	if (!put_sub(reply, sub))
		for_each_possible_cpu(cpu)
			if (sub_has_cpu(sub, cpu) && put_sub_cpu(reply, sub, cpu))
				break;
	magnet_sub_free(sub);
	return 0;
}

/*
 * When its CPUs do not fit, it goes on in another message for the same
 * subscription. Return: true when it is through.
 */
static bool dump_sub(struct sk_buff *skb, struct netlink_callback *cb,
		     struct magnet_sub *sub)
{
	struct magnet_cursor *at = magnet_cursor_of(cb);
	void *hdr = magnet_dump_header(skb, cb, MAGNET_CMD_SUB_GET);
	int first = at->cpu;

	if (!hdr)
		return false;
	if (put_sub(skb, sub))
		goto cancel;
	for (; at->cpu < nr_cpu_ids; at->cpu++)
		if (cpu_possible(at->cpu) && sub_has_cpu(sub, at->cpu) &&
		    put_sub_cpu(skb, sub, at->cpu))
			break;
	if (at->cpu == first)
		goto cancel;
	genlmsg_end(skb, hdr);
	return at->cpu == nr_cpu_ids;

cancel:
	genlmsg_cancel(skb, hdr);
	return false;
}

int magnet_sub_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct magnet_cursor *at = magnet_cursor_of(cb);
	struct magnet_sub *sub;

	mutex_lock(&magnet_mutex);
	cb->seq = magnet_generation;
	while ((sub = magnet_sub_nth(at->item)) && dump_sub(skb, cb, sub)) {
		at->item++;
		at->cpu = 0;
	}
	mutex_unlock(&magnet_mutex);
	return skb->len;
}
