// SPDX-License-Identifier: GPL-2.0-only
/*
 * Network: the way of a UDP datagram through the layers, out and in.
 */
#include <linux/if_ether.h>
#include <linux/netdevice.h>
#include <linux/sock_diag.h>
#include <trace/events/net.h>

#include "monisub/eventdb.h"
#include "probes/net.h"

/* Kept out of the handlers: its array would cost each of them a stack frame. */
noinline notrace __cold MAGNET_RARE u64 magnet_new_cookie_of(struct sock *sk)
{
	u32 halves[2];

	sock_diag_save_cookie(sk, halves);
	return halves[0] | (u64)halves[1] << 32;
}

/*
 * The rest of magnet_emit_packet(), out of the handlers' way: here the payload has
 * an address. Leaves the handler.
 */
noinline notrace void
magnet_emit_packet_other(unsigned long plan, int guard, const struct sk_buff *skb,
			 u64 cookie, u32 ifindex, u16 ethertype)
{
	const struct magnet_packet_seen seen = {
		magnet_identity(guard, skb), skb, ifindex, ethertype
	};
	struct magnet_packet payload;

	magnet_packet_fill(&payload, &seen);
	magnet_emit_other(plan, guard, cookie, &payload, sizeof(payload), skb);
}

const struct magnet_field magnet_sock_fields[] = {
	{ "len", "u32", offsetof(struct magnet_sock, len) },
	{ "family", "u16", offsetof(struct magnet_sock, family) },
	{ "protocol", "u16", offsetof(struct magnet_sock, protocol) },
	{}
};

const struct magnet_field magnet_packet_fields[] = {
	{ "packet_id", "u64", offsetof(struct magnet_packet, packet_id) },
	{ "len", "u32", offsetof(struct magnet_packet, len) },
	{ "ifindex", "u32", offsetof(struct magnet_packet, ifindex) },
	{ "ethertype", "u16", offsetof(struct magnet_packet, ethertype) },
	{ "captured", "u16", offsetof(struct magnet_packet, captured) },
	{ "network_len", "u32", offsetof(struct magnet_packet, network_len) },
	{}
};

/* ---- socket: inet_sendmsg(struct socket *, struct msghdr *, size_t) ---- */

static __always_inline struct sock *sock_of_socket(struct ftrace_regs *fregs)
{
	return ((const struct socket *)magnet_arg(fregs, 0))->sk;
}

MAGNET_FTRACE_HANDLER(on_inet_sendmsg)
{
	magnet_emit_call(&magnet_point_inet_sendmsg, fregs, sock_of_socket, 2);
}

static struct magnet_fn inet_sendmsg_fns[] = {
	{ .family = "ipv4", .taken = -1, .alternatives = { { "inet_sendmsg", on_inet_sendmsg } } },
	{ .family = "ipv6", .taken = -1, .alternatives = { { "inet6_sendmsg", on_inet_sendmsg } } },
};

MAGNET_FTRACE_POINT(inet_sendmsg, MAGNET_EVENT_INET_SENDMSG, "cookie",
		    magnet_sock, magnet_sock_fields);

/* ---- transport: udp_sendmsg(struct sock *, struct msghdr *, size_t) ---- */

/* A v4-mapped send comes here from udpv6_sendmsg(), where it was counted. */
MAGNET_FTRACE_HANDLER(on_udp_sendmsg)
{
	if (magnet_sock_is_first(fregs)->sk_family == AF_INET)
		magnet_emit_call(&magnet_point_udp_sendmsg, fregs, magnet_sock_is_first, 2);
}

MAGNET_FTRACE_HANDLER(on_udpv6_sendmsg)
{
	magnet_emit_call(&magnet_point_udp_sendmsg, fregs, magnet_sock_is_first, 2);
}

static struct magnet_fn udp_sendmsg_fns[] = {
	{ .family = "ipv4", .taken = -1,
	  .alternatives = { { "udp_sendmsg", on_udp_sendmsg } } },
	{ .family = "ipv6", .taken = -1,
	  .alternatives = { { "udpv6_sendmsg", on_udpv6_sendmsg } } },
};

MAGNET_FTRACE_POINT(udp_sendmsg, MAGNET_EVENT_UDP_SENDMSG, "cookie",
		    magnet_sock, magnet_sock_fields);

/*
 * ---- network: what ip_push_pending_frames() was ----
 * UDP sends by ip_send_skb(struct net *, skb) and ip6_send_skb(skb); one step
 * before them are udp_send_skb(skb, ...) and udp_v6_send_skb(skb, ...).
 */

static __always_inline void
ip_send(const struct sk_buff *skb, u16 ethertype)
{
	int guard;

	if (!magnet_probe_enter(&magnet_point_ip_send_skb, &guard))
		return;
	magnet_emit_packet(&magnet_point_ip_send_skb, guard, skb, magnet_cookie_of_skb(skb), 0,
			   ethertype);
}

MAGNET_FTRACE_HANDLER(on_ip_send_skb)
{
	ip_send(magnet_arg(fregs, 1), ETH_P_IP);
}

MAGNET_FTRACE_HANDLER(on_udp_send_skb)
{
	ip_send(magnet_arg(fregs, 0), ETH_P_IP);
}

MAGNET_FTRACE_HANDLER(on_ip6_send_skb)
{
	ip_send(magnet_arg(fregs, 0), ETH_P_IPV6);
}

static struct magnet_fn ip_send_skb_fns[] = {
	{ .family = "ipv4", .taken = -1,
	  .alternatives = { { "ip_send_skb", on_ip_send_skb },
			    { "udp_send_skb", on_udp_send_skb } } },
	{ .family = "ipv6", .taken = -1,
	  .alternatives = { { "ip6_send_skb", on_ip6_send_skb },
			    { "udp_v6_send_skb", on_ip6_send_skb } } },
};

MAGNET_FTRACE_POINT(ip_send_skb, MAGNET_EVENT_IP_SEND_SKB, "cookie",
		    magnet_packet, magnet_packet_fields, .packet = MAGNET_PACKET_AT_NETWORK);

/* ---- device: __dev_queue_xmit(skb, ...); dev_queue_xmit() is an inline ---- */

MAGNET_FTRACE_HANDLER(on_dev_queue_xmit)
{
	const struct sk_buff *skb = magnet_arg(fregs, 0);
	int guard;

	if (!magnet_probe_enter(&magnet_point_dev_queue_xmit, &guard))
		return;
	magnet_emit_packet(&magnet_point_dev_queue_xmit, guard, skb, magnet_cookie_of_skb(skb),
			   skb->dev ? skb->dev->ifindex : 0, ntohs(skb->protocol));
}

static struct magnet_fn dev_queue_xmit_fns[] = {
	{ .family = "", .taken = -1,
	  .alternatives = { { "__dev_queue_xmit", on_dev_queue_xmit },
			    { "dev_queue_xmit", on_dev_queue_xmit } } },
};

MAGNET_FTRACE_POINT(dev_queue_xmit, MAGNET_EVENT_DEV_QUEUE_XMIT, "cookie",
		    magnet_packet, magnet_packet_fields, .packet = MAGNET_PACKET_AT_NETWORK);

/* ---- receive, device: tracepoint ---- */

static void on_netif_receive_skb(void *data, struct sk_buff *skb)
{
	int guard;

	if (!magnet_probe_enter(data, &guard))
		return;
	magnet_emit_packet(data, guard, skb, 0, skb->dev->ifindex, ntohs(skb->protocol));
}

MAGNET_NET_TRACEPOINT(netif_receive_skb, MAGNET_EVENT_NETIF_RECEIVE_SKB, "none",
		      magnet_packet, magnet_packet_fields, on_netif_receive_skb,
		      .packet = MAGNET_PACKET_AT_DATA);

/*
 * ---- receive, network: ip_local_deliver(skb), ip6_input(skb) ----
 * ip_rcv() is not it: drivers that hand over lists of packets pass it by.
 */

MAGNET_FTRACE_HANDLER(on_ip_local_deliver)
{
	magnet_receive(&magnet_point_ip_local_deliver, magnet_arg(fregs, 0));
}

static struct magnet_fn ip_local_deliver_fns[] = {
	{ .family = "ipv4", .taken = -1,
	  .alternatives = { { "ip_local_deliver", on_ip_local_deliver } } },
	{ .family = "ipv6", .taken = -1,
	  .alternatives = { { "ip6_input", on_ip_local_deliver } } },
};

MAGNET_FTRACE_POINT(ip_local_deliver, MAGNET_EVENT_IP_LOCAL_DELIVER, "none",
		    magnet_packet, magnet_packet_fields, .packet = MAGNET_PACKET_AT_NETWORK);

/* ---- receive, transport: udp_rcv(skb), udpv6_rcv(skb) ---- */

MAGNET_FTRACE_HANDLER(on_udp_rcv)
{
	magnet_receive(&magnet_point_udp_rcv, magnet_arg(fregs, 0));
}

static struct magnet_fn udp_rcv_fns[] = {
	{ .family = "ipv4", .taken = -1, .alternatives = { { "udp_rcv", on_udp_rcv } } },
	{ .family = "ipv6", .taken = -1, .alternatives = { { "udpv6_rcv", on_udp_rcv } } },
};

MAGNET_FTRACE_POINT(udp_rcv, MAGNET_EVENT_UDP_RCV, "none",
		    magnet_packet, magnet_packet_fields, .packet = MAGNET_PACKET_AT_NETWORK);

/*
 * ---- receive, socket queue: __udp_enqueue_schedule_skb(sk, skb) ----
 * Both families come here. It refuses the packet when the queue is full.
 */

MAGNET_FTRACE_HANDLER(on_udp_enqueue)
{
	magnet_queue(&magnet_point_udp_enqueue, magnet_arg(fregs, 0), magnet_arg(fregs, 1));
}

static struct magnet_fn udp_enqueue_fns[] = {
	{ .family = "", .taken = -1,
	  .alternatives = { { "__udp_enqueue_schedule_skb", on_udp_enqueue } } },
};

MAGNET_FTRACE_POINT(udp_enqueue, MAGNET_EVENT_UDP_ENQUEUE, "cookie",
		    magnet_packet, magnet_packet_fields, .packet = MAGNET_PACKET_AT_NETWORK);

/*
 * ---- receive, the application has it: skb_consume_udp(sk, skb, len) ----
 * A datagram that was only looked at (MSG_PEEK) stays in its queue; the kernel
 * says so by a negative length, which an empty datagram cannot have.
 */

MAGNET_FTRACE_HANDLER(on_skb_consume_udp)
{
	if ((int)(long)magnet_arg(fregs, 2) < 0)
		return;
	magnet_queue(&magnet_point_skb_consume_udp, magnet_arg(fregs, 0), magnet_arg(fregs, 1));
}

static struct magnet_fn skb_consume_udp_fns[] = {
	{ .family = "", .taken = -1,
	  .alternatives = { { "skb_consume_udp", on_skb_consume_udp } } },
};

MAGNET_FTRACE_POINT(skb_consume_udp, MAGNET_EVENT_SKB_CONSUME_UDP, "cookie",
		    magnet_packet, magnet_packet_fields, .packet = MAGNET_PACKET_AT_NETWORK);

/* A handler that no longer fits its tracepoint must not compile. */
static void __maybe_unused check_net_types(void)
{
	check_trace_callback_type_netif_receive_skb(on_netif_receive_skb);
}
