// SPDX-License-Identifier: GPL-2.0-only
/*
 * Network: a packet is handed to its device's driver.
 */
#include <trace/events/net.h>

#include "probes/net.h"

static void on_net_dev_start_xmit(void *data, const struct sk_buff *skb,
				  const struct net_device *dev)
{
	int guard;

	if (!magnet_probe_enter(data, &guard))
		return;
	magnet_emit_packet(data, guard, skb, magnet_cookie_of_skb(skb), dev->ifindex,
			   ntohs(skb->protocol));
}

MAGNET_NET_TRACEPOINT(net_dev_start_xmit, MAGNET_EVENT_NET_DEV_START_XMIT, "cookie",
		      magnet_packet, magnet_packet_fields, on_net_dev_start_xmit,
		      .packet = MAGNET_PACKET_AT_NETWORK);

/* The driver may have freed the packet: its address is all that is left of it. */
static void on_net_dev_xmit(void *data, struct sk_buff *skb, int rc,
			    struct net_device *dev, unsigned int len)
{
	struct magnet_xmit payload = {};
	int guard;

	if (!magnet_probe_enter(data, &guard))
		return;
	payload.packet_id = magnet_identity(skb);
	payload.len = len;
	payload.ifindex = dev->ifindex;
	payload.ret = rc;
	magnet_emit(data, guard, 0, &payload, sizeof(payload));
}

static const struct magnet_field xmit_fields[] = {
	{ "packet_id", "u64", offsetof(struct magnet_xmit, packet_id) },
	{ "len", "u32", offsetof(struct magnet_xmit, len) },
	{ "ifindex", "u32", offsetof(struct magnet_xmit, ifindex) },
	{ "ret", "u32", offsetof(struct magnet_xmit, ret) },
	{}
};

MAGNET_NET_TRACEPOINT(net_dev_xmit, MAGNET_EVENT_NET_DEV_XMIT, "none",
		      magnet_xmit, xmit_fields, on_net_dev_xmit);

/* A handler that no longer fits its tracepoint must not compile. */
static void __maybe_unused check_device_types(void)
{
	check_trace_callback_type_net_dev_start_xmit(on_net_dev_start_xmit);
	check_trace_callback_type_net_dev_xmit(on_net_dev_xmit);
}
