// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests about subscriptions, and how messages describe them.
 */
#include "kernevesub/correlate.h"
#include "kernevesub/rule.h"
#include "monisub/monisub.h"
#include "monisub/point.h"
#include "monisub/sub.h"
#include "monisub/urgent.h"
#include "netlink.h"
#include "owner.h"
#include "ring/buffer.h"

static int put_sub(struct sk_buff *skb, const struct magnet_sub *sub)
{
	return nla_put_u32(skb, MAGNET_A_SUB_ID, sub->id) ||
	       nla_put_string(skb, MAGNET_A_POINT, sub->point->name) ||
	       nla_put_u16(skb, MAGNET_A_EVENT, sub->point->event) ||
	       nla_put_string(skb, MAGNET_A_BUFFER, sub->buffer->name) ||
	       nla_put_u32(skb, MAGNET_A_FLAGS, sub->flags) ||
	       nla_put_u32(skb, MAGNET_A_SAMPLE_COUNT, sub->wish.sample_count) ||
	       nla_put_u32(skb, MAGNET_A_SAMPLE_INTERVAL_US, sub->wish.sample_us) ||
	       nla_put_u32(skb, MAGNET_A_SNAP_LEN, sub->wish.snap_len) ||
	       nla_put_u32(skb, MAGNET_A_COUNTERS, sub->wish.counters) ||
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
	    !magnet_put_u64(skb, MAGNET_A_HITS, magnet_sub_cpu_hits(sc)) &&
	    !magnet_put_u64(skb, MAGNET_A_COMMITTED, local_read(&sc->committed)) &&
	    !magnet_put_u64(skb, MAGNET_A_FILTERED, magnet_sub_cpu_filtered(sc)) &&
	    !magnet_put_u64(skb, MAGNET_A_SAMPLED_OUT, local_read(&sc->sampled_out)) &&
	    !magnet_put_u64(skb, MAGNET_A_DROPPED_FULL, local_read(&sc->dropped_full)) &&
	    !magnet_put_u64(skb, MAGNET_A_DROPPED_BIG, local_read(&sc->dropped_big)) &&
	    !magnet_put_u64(skb, MAGNET_A_DROPPED_RECURSION, local_read(&sc->dropped_recursion)) &&
	    !magnet_put_u64(skb, MAGNET_A_DROPPED_STORM, local_read(&sc->dropped_storm)) &&
	    !magnet_put_u64(skb, MAGNET_A_MISSED, missed_on(sub, cpu))) {
		nla_nest_end(skb, nest);
		return 0;
	}
	nla_nest_cancel(skb, nest);
	return -EMSGSIZE;
}

static bool sub_has_cpu(const struct magnet_sub *sub, int cpu)
{
	return READ_ONCE(per_cpu_ptr(sub->cpu, cpu)->ring);
}

/*
 * What a request wants of a subscription; what it does not name stays as it is
 * in @wish, but for the rules: there it has none.
 */
static int read_wish(const struct genl_info *info, const struct magnet_point *point,
		     struct magnet_wish *wish)
{
	const struct nlattr *rules = info->attrs[MAGNET_A_RULES];
	int err;

	INIT_LIST_HEAD(&wish->rules);
	wish->nr_rules = 0;
	wish->sample_count = magnet_u32_of(info, MAGNET_A_SAMPLE_COUNT, wish->sample_count);
	wish->sample_us = magnet_u32_of(info, MAGNET_A_SAMPLE_INTERVAL_US, wish->sample_us);
	wish->snap_len = magnet_u32_of(info, MAGNET_A_SNAP_LEN, wish->snap_len);
	wish->counters = magnet_u32_of(info, MAGNET_A_COUNTERS, wish->counters);
	if (wish->snap_len && !point->packet) {
		NL_SET_ERR_MSG(info->extack, "this point has no packet that a record could carry; leave the snap length out, or take one of the points that docs/control.md lists");
		return -EINVAL;
	}
	err = magnet_refuse_snap(info, magnet_u32_of(info, MAGNET_A_SNAP_LEN, 0));
	if (err)
		return err;
	return rules ? magnet_rules_parse(point, nla_data(rules), wish, info->extack) : 0;
}

/* A new subscription is described in @reply. */
int magnet_sub_new(struct sk_buff *reply, struct genl_info *info)
{
	struct magnet_point *point = magnet_point_of(info);
	struct magnet_buffer *buffer;
	const u32 flags = magnet_flags_of(info);
	struct magnet_client *owner;
	struct magnet_wish wish = {};
	struct magnet_sub *sub;
	int err;

	if (IS_ERR(point))
		return PTR_ERR(point);
	buffer = magnet_target_of(info);
	if (IS_ERR(buffer))
		return PTR_ERR(buffer);
	err = magnet_owner_of(info, flags, &owner);
	if (err)
		return err;
	err = read_wish(info, point, &wish);
	if (err)
		return err;
	sub = magnet_subscribe(point, buffer, flags, &wish, owner, info->extack);
	magnet_rules_free(&wish);
	if (IS_ERR(sub))
		return PTR_ERR(sub);
	return put_sub(reply, sub) ? -EMSGSIZE : 0;
}

/**
 * magnet_sub_of() - the subscription that a request names, to change or end it
 * @info: the request
 *
 * What a correlating filter subscribed for itself is nobody else's to change:
 * it would go on without seeing all events.
 *
 * Context: magnet_mutex held.
 * Return: the subscription, or an ERR_PTR and the extack says why.
 */
struct magnet_sub *magnet_sub_of(const struct genl_info *info)
{
	const struct nlattr *id = info->attrs[MAGNET_A_SUB_ID];
	struct magnet_sub *sub;

	if (!id) {
		NL_SET_ERR_MSG(info->extack, "the request does not name a subscription; it needs the attribute SUB_ID");
		return ERR_PTR(-EINVAL);
	}
	sub = magnet_sub_find(nla_get_u32(id));
	if (!sub) {
		NL_SET_ERR_MSG(info->extack, "there is no subscription of this id; control/filters lists them");
		return ERR_PTR(-ENOENT);
	}
	if (magnet_correlation_reads(sub->buffer)) {
		NL_SET_ERR_MSG(info->extack, "this subscription is a correlating filter's own, that of the id in its buffer's name, correlation-ID; CORRELATION_DEL (magnet filters --remove-correlation ID) ends both");
		return ERR_PTR(-EBUSY);
	}
	return sub;
}

/* From CPU *@from on, as many as fit. */
static void put_cpus(struct sk_buff *skb, const struct magnet_sub *sub, int *from)
{
	for (; *from < nr_cpu_ids; ++*from)
		if (cpu_possible(*from) && sub_has_cpu(sub, *from) &&
		    put_sub_cpu(skb, sub, *from))
			return;
}

/* Nothing is lost on the way out: the answer has the final counters. */
int magnet_sub_del(struct sk_buff *reply, struct genl_info *info)
{
	struct magnet_sub *sub = magnet_sub_of(info);
	int cpu = 0;

	if (IS_ERR(sub))
		return PTR_ERR(sub);
	magnet_sub_detach(sub);
	magnet_sub_quiesce();
	for (; reply && cpu < nr_cpu_ids; reply = magnet_next_reply(info, reply))
		if (!put_sub(reply, sub))
			put_cpus(reply, sub, &cpu);
	magnet_sub_free(sub);
	return 0;
}

/* The changed subscription is described in @reply. */
int magnet_sub_set(struct sk_buff *reply, struct genl_info *info)
{
	struct magnet_sub *sub = magnet_sub_of(info);
	struct magnet_wish wish;
	int err;

	if (IS_ERR(sub))
		return PTR_ERR(sub);
	wish = sub->wish;
	err = read_wish(info, sub->point, &wish);
	if (err)
		return err;
	if (!info->attrs[MAGNET_A_RULES])
		magnet_rules_move(&wish, &sub->wish);
	err = magnet_sub_change(sub, &wish, info->extack);
	if (err && !info->attrs[MAGNET_A_RULES])
		magnet_rules_move(&sub->wish, &wish);
	magnet_rules_free(&wish);
	if (err)
		return err;
	return put_sub(reply, sub) ? -EMSGSIZE : 0;
}

static int dump_sub(struct sk_buff *skb, struct magnet_cursor *at)
{
	const struct magnet_sub *sub = magnet_sub_nth(at->item);

	if (!sub)
		return -ENOENT;
	if (put_sub(skb, sub))
		return -EMSGSIZE;
	put_cpus(skb, sub, &at->part);
	return at->part < nr_cpu_ids ? -EMSGSIZE : 0;
}

int magnet_sub_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return magnet_dump(skb, cb, MAGNET_CMD_SUB_GET, dump_sub);
}
