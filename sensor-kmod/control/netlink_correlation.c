// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests about correlating filters, and how messages describe them.
 */
#include "kernevesub/correlate.h"
#include "netlink.h"
#include "owner.h"
#include "ring/buffer.h"

static int put_correlation(struct sk_buff *skb, const struct magnet_correlation *c)
{
	return nla_put_u32(skb, MAGNET_A_CORRELATION_ID, c->id) ||
	       nla_put_string(skb, MAGNET_A_DEFINITION, c->definition) ||
	       nla_put_string(skb, MAGNET_A_BUFFER, c->target->name) ||
	       nla_put_u32(skb, MAGNET_A_FLAGS, c->flags) ||
	       magnet_put_u64(skb, MAGNET_A_MATCHED, READ_ONCE(c->matched)) ||
	       magnet_put_u64(skb, MAGNET_A_LOST_BEFORE, READ_ONCE(c->lost_before)) ||
	       magnet_put_u64(skb, MAGNET_A_FORGOTTEN, READ_ONCE(c->forgotten)) ||
	       magnet_put_u64(skb, MAGNET_A_DROPPED, READ_ONCE(c->dropped)) ||
	       (c->client && nla_put_u32(skb, MAGNET_A_OWNER, c->client->portid));
}

/* The new filter is described in @reply. */
int magnet_correlation_make(struct sk_buff *reply, struct genl_info *info)
{
	const struct nlattr *definition = info->attrs[MAGNET_A_DEFINITION];
	const u32 flags = magnet_flags_of(info);
	struct magnet_correlation *c;
	struct magnet_client *owner;
	struct magnet_buffer *target;
	int err;

	if (!definition) {
		NL_SET_ERR_MSG(info->extack, "the request has no definition of a correlating filter; it needs the attribute DEFINITION");
		return -EINVAL;
	}
	target = magnet_target_of(info);
	if (IS_ERR(target))
		return PTR_ERR(target);
	err = magnet_owner_of(info, flags, &owner);
	if (err)
		return err;
	c = magnet_correlation_new(nla_data(definition), target, flags, owner, info->extack);
	if (IS_ERR(c))
		return PTR_ERR(c);
	return put_correlation(reply, c) ? -EMSGSIZE : 0;
}

static bool has_id(const struct magnet_correlation *c, const void *id)
{
	return c->id == *(const u32 *)id;
}

int magnet_correlation_del(struct sk_buff *reply, struct genl_info *info)
{
	const struct nlattr *attr = info->attrs[MAGNET_A_CORRELATION_ID];
	u32 id;

	if (!attr) {
		NL_SET_ERR_MSG(info->extack, "the request does not name a correlating filter; it needs the attribute CORRELATION_ID");
		return -EINVAL;
	}
	id = nla_get_u32(attr);
	if (magnet_end_correlations(has_id, &id))
		return 0;
	NL_SET_ERR_MSG(info->extack, "there is no correlating filter of this id; control/filters lists them");
	return -ENOENT;
}

static int dump_correlation(struct sk_buff *skb, struct magnet_cursor *at)
{
	const struct magnet_correlation *c = magnet_correlation_nth(at->item);

	if (!c)
		return -ENOENT;
	return put_correlation(skb, c) ? -EMSGSIZE : 0;
}

int magnet_correlation_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return magnet_dump(skb, cb, MAGNET_CMD_CORRELATION_GET, dump_correlation);
}
