// SPDX-License-Identifier: GPL-2.0-only
/*
 * Control by generic netlink, family "magnet": magnet.yaml describes it.
 *
 * parallel_ops, because hooking waits for grace periods and must not hold up
 * other families; requests are ordered by magnet_mutex instead.
 */
#include <linux/module.h>

#include "client.h"
#include "kernevesub/rule.h"
#include "monisub/point.h"
#include "monisub/sub.h"
#include "netlink.h"
#include "owner.h"
#include "probes/dynamic.h"
#include "probes/ftrace_state.h"
#include "probes/kprobe_state.h"
#include "ring/buffer.h"
#include "ring/clock.h"
#include "ring/record.h"
#include "turn.h"

static struct genl_family family;

/* ---- requests ---- */

static struct sk_buff *message_new(u32 portid, u32 seq, u8 cmd, void **hdr)
{
	struct sk_buff *skb = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);

	if (!skb)
		return NULL;
	*hdr = genlmsg_put(skb, portid, seq, &family, 0, cmd);
	if (*hdr)
		return skb;
	nlmsg_free(skb);
	return NULL;
}

/* One message to a skb: its length is that of the skb. */
static int reply_send(struct sk_buff *skb, struct genl_info *info)
{
	nlmsg_end(skb, nlmsg_hdr(skb));
	return genlmsg_reply(skb, info);
}

static struct sk_buff *reply_new(const struct genl_info *info, u8 cmd)
{
	void *hdr;

	return message_new(info->snd_portid, info->snd_seq, cmd, &hdr);
}

static int put_info(struct sk_buff *skb)
{
	struct magnet_clock_pair pair;

	magnet_clock_pair_now(&pair);
	return nla_put_u32(skb, MAGNET_A_ABI_VERSION, MAGNET_ABI_VERSION) ||
	       nla_put_string(skb, MAGNET_A_MODULE_VERSION, THIS_MODULE->version) ||
	       nla_put_u32(skb, MAGNET_A_LAYOUT, magnet_classic ?
			   MAGNET_LAYOUT_CLASSIC : MAGNET_LAYOUT_WIDE) ||
	       nla_put_u32(skb, MAGNET_A_CLOCK, magnet_clock_source()) ||
	       nla_put_u32(skb, MAGNET_A_CLOCK_KHZ, magnet_clock_khz()) ||
	       magnet_put_u64(skb, MAGNET_A_CLOCK_TIMER, pair.timer) ||
	       magnet_put_u64(skb, MAGNET_A_CLOCK_REALTIME_NS, pair.realtime_ns) ||
	       magnet_put_u64(skb, MAGNET_A_CLOCK_MONOTONIC_NS, pair.monotonic_ns) ||
	       nla_put_u32(skb, MAGNET_A_CLOCK_EPOCH, pair.epoch) ||
	       nla_put_u32(skb, MAGNET_A_CLOCK_FLAGS, magnet_clock_flags()) ||
	       nla_put_u32(skb, MAGNET_A_FTRACE_DISABLED, magnet_ftrace_disabled()) ||
	       nla_put_u32(skb, MAGNET_A_DYNAMIC_DISABLED, magnet_dynamic_disabled()) ||
	       nla_put_u32(skb, MAGNET_A_KPROBES_DISABLED, magnet_kprobes_disabled());
}

static int info_get(struct sk_buff *request, struct genl_info *info)
{
	struct sk_buff *skb = reply_new(info, MAGNET_CMD_INFO_GET);

	if (!skb)
		return -ENOMEM;
	if (put_info(skb)) {
		nlmsg_free(skb);
		return -EMSGSIZE;
	}
	return reply_send(skb, info);
}

/* The owner of what a request makes: NULL when it is to be persistent. */
int magnet_owner_of(const struct genl_info *info, u32 flags, struct magnet_client **owner)
{
	*owner = NULL;
	if (flags & MAGNET_F_PERSISTENT)
		return 0;
	*owner = magnet_client_of(info->snd_portid);
	return *owner ? 0 : -ENOMEM;
}

/* Return: true when the item that the dump is at has all been told. */
static bool dump_item(struct sk_buff *skb, struct netlink_callback *cb, u8 cmd,
		      magnet_dump_t *put)
{
	struct magnet_cursor *at = magnet_cursor_of(cb);
	const int first = at->part;
	void *hdr;
	int err;

	hdr = genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq, &family,
			  NLM_F_MULTI, cmd);
	if (!hdr)
		return false;
	genl_dump_check_consistent(cb, hdr);
	err = put(skb, at);
	if (err && at->part == first)
		genlmsg_cancel(skb, hdr);
	else
		genlmsg_end(skb, hdr);
	return !err;
}

/**
 * magnet_dump() - tell of all things of a kind, each in a message of its own
 * @skb: as many messages as there is room for
 * @cb: the dump
 * @cmd: of the messages
 * @put: what tells of one
 *
 * What does not fit into a message goes on in another one for the same thing.
 *
 * Context: may sleep.
 * Return: bytes in @skb; none: that was all.
 */
int magnet_dump(struct sk_buff *skb, struct netlink_callback *cb, u8 cmd, magnet_dump_t *put)
{
	struct magnet_cursor *at = magnet_cursor_of(cb);

	mutex_lock(&magnet_mutex);
	cb->seq = magnet_generation;
	while (dump_item(skb, cb, cmd, put)) {
		at->item++;
		at->part = 0;
	}
	mutex_unlock(&magnet_mutex);
	return skb->len;
}

static int shutdown(struct sk_buff *reply, struct genl_info *info)
{
	magnet_end_all();
	return 0;
}

/**
 * struct change - a command that changes something
 * @prepare: what can be done before, without magnet_mutex: it may take long and
 *	would hold up all others; NULL: nothing. What it has made @run takes out
 *	of info->user_ptr[0]
 * @run: does it
 * @replies: it has an answer beside the acknowledgment
 * @cpus: and there is room in it for the counters of every CPU
 */
struct change {
	int			(*prepare)(struct genl_info *info);
	magnet_request_t	*run;
	bool			replies;
	bool			cpus;
};

static const struct change changes[] = {
	[MAGNET_CMD_BUFFER_NEW] = { .run = magnet_buffer_new, .replies = true },
	[MAGNET_CMD_BUFFER_DEL] = { .run = magnet_buffer_del },
	[MAGNET_CMD_BUFFER_RESIZE] = { .run = magnet_buffer_set_size, .replies = true },
	[MAGNET_CMD_BUFFER_SNAPSHOT] = { .run = magnet_buffer_take, .replies = true },
	[MAGNET_CMD_SUB_NEW] = { .run = magnet_sub_new, .replies = true },
	[MAGNET_CMD_SUB_DEL] = { .run = magnet_sub_del, .replies = true,
				.cpus = true },
	[MAGNET_CMD_SHUTDOWN] = { .run = shutdown },
	[MAGNET_CMD_POINT_INSERT] = { .prepare = magnet_point_prepare, .run = magnet_point_insert,
				      .replies = true },
	[MAGNET_CMD_POINT_REMOVE] = { .run = magnet_point_remove },
	[MAGNET_CMD_POINT_SET] = { .run = magnet_point_set, .replies = true },
	[MAGNET_CMD_SUB_SET] = { .run = magnet_sub_set, .replies = true },
	[MAGNET_CMD_RULE_NEW] = { .run = magnet_rule_new, .replies = true },
	[MAGNET_CMD_RULE_DEL] = { .run = magnet_rule_del, .replies = true },
	[MAGNET_CMD_CORRELATION_NEW] = { .run = magnet_correlation_make, .replies = true },
	[MAGNET_CMD_CORRELATION_DEL] = { .run = magnet_correlation_del },
};

static unsigned int nr_replies(const struct change *c)
{
	if (!c->replies)
		return 0;
	return c->cpus ? DIV_ROUND_UP(num_possible_cpus(), MAGNET_REPLY_CPUS) : 1;
}

/* After a change there may be no memory to tell of it. */
static int make_replies(struct magnet_exchange *x, const struct genl_info *info, unsigned int n)
{
	struct sk_buff *skb;

	while (n--) {
		skb = reply_new(info, info->genlhdr->cmd);
		if (!skb)
			return -ENOMEM;
		__skb_queue_tail(&x->replies, skb);
	}
	return 0;
}

static int send_replies(struct magnet_exchange *x, struct genl_info *info)
{
	struct sk_buff *skb;
	int err = 0;

	while (!err && (skb = __skb_dequeue(&x->replies))) {
		if (skb->len > NLMSG_HDRLEN + GENL_HDRLEN)
			err = reply_send(skb, info);
		else
			nlmsg_free(skb);
	}
	return err;
}

static int carry_out(const struct change *c, struct magnet_exchange *x, struct genl_info *info)
{
	int err;

	err = make_replies(x, info, nr_replies(c));
	if (!err && c->prepare)
		err = c->prepare(info);
	if (err)
		return err;
	mutex_lock(&magnet_mutex);
	err = c->run(skb_peek(&x->replies), info);
	/* -EAGAIN: half of it may have been done. */
	if (!err || err == -EAGAIN)
		magnet_generation++;
	mutex_unlock(&magnet_mutex);
	return err ?: send_replies(x, info);
}

/* What all changes have in common. */
static int change(struct sk_buff *request, struct genl_info *info)
{
	struct magnet_exchange x = { .request = request };
	int err;

	err = magnet_refuse_change(request, info->extack);
	if (err)
		return err;
	__skb_queue_head_init(&x.replies);
	info->user_ptr[1] = &x;
	err = carry_out(&changes[info->genlhdr->cmd], &x, info);
	__skb_queue_purge(&x.replies);
	return err;
}

/* ---- notices ---- */

enum { GROUP_EVENTS };

static const struct genl_multicast_group groups[] = {
	[GROUP_EVENTS] = { .name = MAGNET_GENL_MCGRP },
};

/* The family can be sent to; magnet_mutex. */
static bool registered;

static struct sk_buff *notice_new(u8 cmd, void **hdr)
{
	return registered ? message_new(0, 0, cmd, hdr) : NULL;
}

/* With @err it is not whole, and nobody gets it. */
static void notice_send(struct sk_buff *skb, void *hdr, int err)
{
	if (err) {
		nlmsg_free(skb);
		return;
	}
	genlmsg_end(skb, hdr);
	/* -ESRCH only says that nobody listens. */
	genlmsg_multicast(&family, skb, 0, GROUP_EVENTS, GFP_KERNEL);
}

/**
 * magnet_netlink_listened() - does anybody wait for notices?
 *
 * Context: any but NMI.
 */
bool magnet_netlink_listened(void)
{
	return genl_has_listeners(&family, &init_net, GROUP_EVENTS);
}

/**
 * magnet_netlink_loss() - tell the multicast group that a buffer lost events
 * @name: the buffer
 * @lost: since it was made
 *
 * Context: may sleep; magnet_mutex held.
 */
void magnet_netlink_loss(const char *name, u64 lost)
{
	void *hdr;
	struct sk_buff *skb = notice_new(MAGNET_CMD_LOSS_NTF, &hdr);
	int err;

	if (!skb)
		return;
	err = nla_put_string(skb, MAGNET_A_BUFFER, name) ||
	      magnet_put_u64(skb, MAGNET_A_LOST, lost);
	notice_send(skb, hdr, err);
}

/**
 * magnet_netlink_urgent() - tell it that a subscription logged urgent events
 * @sub: the subscription
 * @urgents: how many so far
 *
 * Context: may sleep; magnet_mutex held.
 */
void magnet_netlink_urgent(const struct magnet_sub *sub, u64 urgents)
{
	void *hdr;
	struct sk_buff *skb = notice_new(MAGNET_CMD_URGENT_NTF, &hdr);
	int err;

	if (!skb)
		return;
	err = nla_put_string(skb, MAGNET_A_POINT, sub->point->name) ||
	      nla_put_u16(skb, MAGNET_A_EVENT, sub->point->event) ||
	      nla_put_string(skb, MAGNET_A_BUFFER, sub->buffer->name) ||
	      nla_put_u32(skb, MAGNET_A_SUB_ID, sub->id) ||
	      magnet_put_u64(skb, MAGNET_A_URGENT, urgents);
	notice_send(skb, hdr, err);
}

/* ---- the family ---- */

#define NAME_POLICY		{ .type = NLA_NUL_STRING, .len = MAGNET_NAME_SIZE - 1 }
#define DEFINITION_POLICY	{ .type = NLA_NUL_STRING, .len = MAGNET_DEFINITION_SIZE - 1 }

static const struct nla_policy none_policy[MAGNET_A_MAX + 1] = {};

static const struct nla_policy buffer_new_policy[MAGNET_A_MAX + 1] = {
	[MAGNET_A_BUFFER] = NAME_POLICY,
	[MAGNET_A_BUFFER_SIZE] = { .type = NLA_U64 },
	[MAGNET_A_FLAGS] = NLA_POLICY_MASK(NLA_U32, MAGNET_F_PERSISTENT | MAGNET_F_OVERWRITE),
};

static const struct nla_policy buffer_resize_policy[MAGNET_A_MAX + 1] = {
	[MAGNET_A_BUFFER] = NAME_POLICY,
	[MAGNET_A_BUFFER_SIZE] = { .type = NLA_U64 },
};

static const struct nla_policy buffer_snapshot_policy[MAGNET_A_MAX + 1] = {
	[MAGNET_A_BUFFER] = NAME_POLICY,
	[MAGNET_A_SNAPSHOT] = NAME_POLICY,
	[MAGNET_A_FLAGS] = NLA_POLICY_MASK(NLA_U32, MAGNET_F_PERSISTENT),
};

static const struct nla_policy buffer_del_policy[MAGNET_A_MAX + 1] = {
	[MAGNET_A_BUFFER] = NAME_POLICY,
};

/* All of enum magnet_counter. */
#define MAGNET_COUNTERS	(2 * MAGNET_COUNTER_CONTEXT_SWITCHES - 1)

/* What a subscription wants beside every event as it is. */
#define WISH_POLICY								\
	[MAGNET_A_SAMPLE_COUNT] = NLA_POLICY_FULL_RANGE(NLA_U32, &count_range),	\
	[MAGNET_A_SAMPLE_INTERVAL_US] = NLA_POLICY_FULL_RANGE(NLA_U32, &interval_range),	\
	[MAGNET_A_SNAP_LEN] = NLA_POLICY_MAX(NLA_U32, MAGNET_SNAP_LEN_MAX),	\
	[MAGNET_A_COUNTERS] = NLA_POLICY_MASK(NLA_U32, MAGNET_COUNTERS),	\
	[MAGNET_A_RULES] = { .type = NLA_NUL_STRING, .len = MAGNET_RULES_SIZE - 1 }

/* Too large for a policy's own numbers. */
static struct netlink_range_validation count_range = {
	.max = S32_MAX,
};

static struct netlink_range_validation interval_range = {
	.max = MAGNET_SAMPLE_INTERVAL_MAX_US,
};

static const struct nla_policy sub_new_policy[MAGNET_A_MAX + 1] = {
	[MAGNET_A_POINT] = NAME_POLICY,
	[MAGNET_A_BUFFER] = NAME_POLICY,
	[MAGNET_A_FLAGS] = NLA_POLICY_MASK(NLA_U32, MAGNET_F_PERSISTENT | MAGNET_F_URGENT),
	WISH_POLICY,
};

static const struct nla_policy sub_del_policy[MAGNET_A_MAX + 1] = {
	[MAGNET_A_SUB_ID] = { .type = NLA_U32 },
};

static const struct nla_policy sub_set_policy[MAGNET_A_MAX + 1] = {
	[MAGNET_A_SUB_ID] = { .type = NLA_U32 },
	WISH_POLICY,
};

static const struct nla_policy rule_new_policy[MAGNET_A_MAX + 1] = {
	[MAGNET_A_SUB_ID] = { .type = NLA_U32 },
	[MAGNET_A_RULE_TEXT] = { .type = NLA_NUL_STRING, .len = MAGNET_RULE_TEXT_SIZE - 1 },
	[MAGNET_A_RULE_BEFORE] = { .type = NLA_U32 },
};

static const struct nla_policy rule_del_policy[MAGNET_A_MAX + 1] = {
	[MAGNET_A_SUB_ID] = { .type = NLA_U32 },
	[MAGNET_A_RULE_ID] = { .type = NLA_U32 },
};

static const struct nla_policy point_set_policy[MAGNET_A_MAX + 1] = {
	[MAGNET_A_POINT] = NAME_POLICY,
	[MAGNET_A_ENABLED] = NLA_POLICY_MAX(NLA_U32, 1),
	[MAGNET_A_STORM_RATE] = { .type = NLA_U32 },
	[MAGNET_A_STORM_BURST] = { .type = NLA_U32 },
};

static const struct nla_policy point_insert_policy[MAGNET_A_MAX + 1] = {
	[MAGNET_A_POINT] = NAME_POLICY,
	[MAGNET_A_FLAGS] = NLA_POLICY_MASK(NLA_U32, MAGNET_F_PERSISTENT),
	[MAGNET_A_DEFINITION] = DEFINITION_POLICY,
};

static const struct nla_policy point_remove_policy[MAGNET_A_MAX + 1] = {
	[MAGNET_A_POINT] = NAME_POLICY,
};

static const struct nla_policy correlation_new_policy[MAGNET_A_MAX + 1] = {
	[MAGNET_A_BUFFER] = NAME_POLICY,
	[MAGNET_A_FLAGS] = NLA_POLICY_MASK(NLA_U32, MAGNET_F_PERSISTENT),
	[MAGNET_A_DEFINITION] = DEFINITION_POLICY,
};

static const struct nla_policy correlation_del_policy[MAGNET_A_MAX + 1] = {
	[MAGNET_A_CORRELATION_ID] = { .type = NLA_U32 },
};

#define MAGNET_DO(cmd_, policy_, func_)				\
	{ .cmd = cmd_, .policy = policy_, .maxattr = MAGNET_A_MAX, .doit = func_ }
#define MAGNET_CHANGE(cmd_, policy_)	MAGNET_DO(cmd_, policy_, change)
#define MAGNET_DUMP(cmd_, func_)				\
	{ .cmd = cmd_, .policy = none_policy, .maxattr = MAGNET_A_MAX, .dumpit = func_ }

static const struct genl_ops ops[] = {
	MAGNET_DO(MAGNET_CMD_INFO_GET, none_policy, info_get),
	MAGNET_DUMP(MAGNET_CMD_POINT_GET, magnet_point_dump),
	MAGNET_CHANGE(MAGNET_CMD_BUFFER_NEW, buffer_new_policy),
	MAGNET_CHANGE(MAGNET_CMD_BUFFER_DEL, buffer_del_policy),
	MAGNET_CHANGE(MAGNET_CMD_BUFFER_RESIZE, buffer_resize_policy),
	MAGNET_CHANGE(MAGNET_CMD_BUFFER_SNAPSHOT, buffer_snapshot_policy),
	MAGNET_DUMP(MAGNET_CMD_BUFFER_GET, magnet_buffer_dump),
	MAGNET_CHANGE(MAGNET_CMD_SUB_NEW, sub_new_policy),
	MAGNET_CHANGE(MAGNET_CMD_SUB_DEL, sub_del_policy),
	MAGNET_DUMP(MAGNET_CMD_SUB_GET, magnet_sub_dump),
	MAGNET_CHANGE(MAGNET_CMD_SHUTDOWN, none_policy),
	MAGNET_CHANGE(MAGNET_CMD_POINT_INSERT, point_insert_policy),
	MAGNET_CHANGE(MAGNET_CMD_POINT_REMOVE, point_remove_policy),
	MAGNET_CHANGE(MAGNET_CMD_POINT_SET, point_set_policy),
	MAGNET_CHANGE(MAGNET_CMD_SUB_SET, sub_set_policy),
	MAGNET_CHANGE(MAGNET_CMD_RULE_NEW, rule_new_policy),
	MAGNET_CHANGE(MAGNET_CMD_RULE_DEL, rule_del_policy),
	MAGNET_DUMP(MAGNET_CMD_RULE_GET, magnet_rule_dump),
	MAGNET_CHANGE(MAGNET_CMD_CORRELATION_NEW, correlation_new_policy),
	MAGNET_CHANGE(MAGNET_CMD_CORRELATION_DEL, correlation_del_policy),
	MAGNET_DUMP(MAGNET_CMD_CORRELATION_GET, magnet_correlation_dump),
	MAGNET_DUMP(MAGNET_CMD_DROP_REASON_GET, magnet_drop_reason_dump),
};

static struct genl_family family __ro_after_init = {
	.name = MAGNET_GENL_NAME,
	.version = MAGNET_GENL_VERSION,
	.maxattr = MAGNET_A_MAX,
	.module = THIS_MODULE,
	.parallel_ops = true,
	.ops = ops,
	.n_ops = ARRAY_SIZE(ops),
	.mcgrps = groups,
	.n_mcgrps = ARRAY_SIZE(groups),
};

int magnet_netlink_init(void)
{
	int err;

	err = magnet_clients_init();
	if (err)
		return err;
	err = genl_register_family(&family);
	if (err) {
		magnet_clients_exit();
		return err;
	}
	registered = true;
	return 0;
}

void magnet_netlink_exit(void)
{
	/* Nobody is in magnet_netlink_loss() after this, nor comes there again. */
	mutex_lock(&magnet_mutex);
	registered = false;
	mutex_unlock(&magnet_mutex);
	genl_unregister_family(&family);
	magnet_clients_exit();
}
