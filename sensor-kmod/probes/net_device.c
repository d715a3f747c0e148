// SPDX-License-Identifier: GPL-2.0-only
/*
 * Network: a packet is handed to its device's driver, and a driver hands one
 * up. /proc/net/dev counts the same two, in the driver.
 */
#include <trace/events/net.h>

#include "monisub/eventdb.h"
#include "probes/net.h"

/* What /proc/PID/ns/net shows: that of the device, wherever the packet came from. */
static __always_inline u32 netns_of(const struct net_device *dev)
{
	return dev_net(dev)->ns.inum;
}

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
struct xmit_seen {
	u64				packet_id;
	const struct net_device		*dev;
	int				rc;
	unsigned int			len;
};

static __always_inline void fill_xmit(void *payload, const void *what)
{
	const struct xmit_seen *seen = what;
	struct magnet_xmit *xmit = payload;

	xmit->packet_id = seen->packet_id;
	xmit->len = seen->len;
	xmit->ifindex = seen->dev->ifindex;
	xmit->ret = seen->rc;
	xmit->netns = netns_of(seen->dev);
}

/* Where not every event is wanted as it is; leaves the handler. */
static noinline notrace void
emit_xmit_other(unsigned long plan, int guard, const struct sk_buff *skb, int rc,
		const struct net_device *dev, unsigned int len)
{
	const struct xmit_seen seen = { magnet_identity(guard, skb), dev, rc, len };
	struct magnet_xmit payload;

	fill_xmit(&payload, &seen);
	magnet_emit_other(plan, guard, 0, &payload, sizeof(payload), NULL);
}

static void on_net_dev_xmit(void *data, struct sk_buff *skb, int rc,
			    struct net_device *dev, unsigned int len)
{
	struct magnet_point *point = data;
	unsigned long plan;
	int guard;

	if (!magnet_probe_enter(point, &guard))
		return;
	plan = READ_ONCE(point->plans.now);
	if (likely(magnet_plan_is_plain(plan))) {
		const struct xmit_seen seen = { magnet_identity(guard, skb), dev, rc, len };

		magnet_emit_filled(plan, 0, &seen, sizeof(struct magnet_xmit), fill_xmit);
		magnet_probe_leave(guard);
	} else {
		emit_xmit_other(plan, guard, skb, rc, dev, len);
	}
}

static const struct magnet_field xmit_fields[] = {
	{ "packet_id", "u64", offsetof(struct magnet_xmit, packet_id) },
	{ "len", "u32", offsetof(struct magnet_xmit, len) },
	{ "ifindex", "u32", offsetof(struct magnet_xmit, ifindex) },
	{ "ret", "u32", offsetof(struct magnet_xmit, ret) },
	{ "netns", "u32", offsetof(struct magnet_xmit, netns) },
	{}
};

MAGNET_NET_TRACEPOINT(net_dev_xmit, MAGNET_EVENT_NET_DEV_XMIT, "none",
		      magnet_xmit, xmit_fields, on_net_dev_xmit);

/* Drivers hand a packet up with its link header taken off, and count it with it. */
static __always_inline u32 len_with_link_header(const struct sk_buff *skb)
{
	const int taken = skb_mac_header_was_set(skb) ? -skb_mac_offset(skb) : 0;

	return skb->len + (taken > 0 ? taken : 0);
}

struct receive_seen {
	u64				packet_id;
	const struct sk_buff		*skb;
	const struct net_device		*dev;
};

static __always_inline void fill_receive(void *payload, const void *what)
{
	const struct receive_seen *seen = what;
	struct magnet_dev_receive *receive = payload;

	receive->packet_id = seen->packet_id;
	receive->len = len_with_link_header(seen->skb);
	receive->ifindex = seen->dev->ifindex;
	receive->netns = netns_of(seen->dev);
	receive->reserved = 0;
}

/* Where not every event is wanted as it is; leaves the handler. */
static noinline notrace void
emit_receive_other(unsigned long plan, int guard, const struct sk_buff *skb,
		   const struct net_device *dev)
{
	const struct receive_seen seen = { magnet_identity(guard, skb), skb, dev };
	struct magnet_dev_receive payload;

	fill_receive(&payload, &seen);
	magnet_emit_other(plan, guard, 0, &payload, sizeof(payload), NULL);
}

static void on_net_dev_receive(void *data, const struct sk_buff *skb)
{
	const struct net_device *dev = skb->dev;
	struct magnet_point *point = data;
	unsigned long plan;
	int guard;

	if (!dev || !magnet_probe_enter(point, &guard))
		return;
	plan = READ_ONCE(point->plans.now);
	if (likely(magnet_plan_is_plain(plan))) {
		const struct receive_seen seen = { magnet_identity(guard, skb), skb, dev };

		magnet_emit_filled(plan, 0, &seen, sizeof(struct magnet_dev_receive),
				   fill_receive);
		magnet_probe_leave(guard);
	} else {
		emit_receive_other(plan, guard, skb, dev);
	}
}

static const struct magnet_field dev_receive_fields[] = {
	{ "packet_id", "u64", offsetof(struct magnet_dev_receive, packet_id) },
	{ "len", "u32", offsetof(struct magnet_dev_receive, len) },
	{ "ifindex", "u32", offsetof(struct magnet_dev_receive, ifindex) },
	{ "netns", "u32", offsetof(struct magnet_dev_receive, netns) },
	{}
};

/*
 * Every way in which a driver hands up a packet, before GRO makes one of several:
 * each packet passes one of them, once for each
 * device that it comes by: a bridge's port and the bridge, a tunnel and what is below.
 */
static struct magnet_tp net_dev_receive_tps[] = {
	{ "napi_gro_receive_entry", on_net_dev_receive },
	{ "napi_gro_frags_entry", on_net_dev_receive },
	{ "netif_receive_skb_entry", on_net_dev_receive },
	{ "netif_receive_skb_list_entry", on_net_dev_receive },
	{ "netif_rx_entry", on_net_dev_receive },
};

MAGNET_TRACEPOINTS_POINT("net", net_dev_receive, MAGNET_EVENT_NET_DEV_RECEIVE, "none",
			 sizeof(struct magnet_dev_receive), dev_receive_fields);

/* A handler that no longer fits its tracepoint must not compile. */
static void __maybe_unused check_device_types(void)
{
	check_trace_callback_type_net_dev_start_xmit(on_net_dev_start_xmit);
	check_trace_callback_type_net_dev_xmit(on_net_dev_xmit);
	check_trace_callback_type_napi_gro_receive_entry(on_net_dev_receive);
	check_trace_callback_type_napi_gro_frags_entry(on_net_dev_receive);
	check_trace_callback_type_netif_receive_skb_entry(on_net_dev_receive);
	check_trace_callback_type_netif_receive_skb_list_entry(on_net_dev_receive);
	check_trace_callback_type_netif_rx_entry(on_net_dev_receive);
}
