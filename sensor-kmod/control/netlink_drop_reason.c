// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the reasons to throw a packet away are called: for who reads records
 * of kfree_skb without debugfs, where control/drop_reasons says the same.
 */
#include "netlink.h"
#include "probes/drop_reason.h"

static int dump_reason(struct sk_buff *skb, struct magnet_cursor *at)
{
	const struct magnet_drop_reason *reason = magnet_drop_reason_nth(at->item);

	if (!reason)
		return -ENOENT;
	if (nla_put_u32(skb, MAGNET_A_DROP_REASON, reason->number) ||
	    nla_put_string(skb, MAGNET_A_DROP_REASON_NAME, reason->name))
		return -EMSGSIZE;
	return 0;
}

int magnet_drop_reason_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return magnet_dump(skb, cb, MAGNET_CMD_DROP_REASON_GET, dump_reason);
}
