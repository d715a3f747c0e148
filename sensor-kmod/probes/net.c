// SPDX-License-Identifier: GPL-2.0-only
/*
 * Network: the way of a UDP datagram through the layers, out and in.
 */
#include <linux/if_ether.h>
#include <linux/netdevice.h>
#include <linux/random.h>
#include <linux/siphash.h>
#include <linux/skbuff.h>
#include <linux/sock_diag.h>
#include <net/sock.h>
#include <trace/events/net.h>

#include "compat.h"
#include "probes/probe.h"

static siphash_key_t packet_key __read_mostly;

/* A packet's id says which hops are one packet's, and nothing of addresses. */
static __always_inline u64 packet_id(const struct sk_buff *skb)
{
	return siphash_1u64((unsigned long)skb, &packet_key);
}

/* Kept out of the handlers: its array would cost each of them a stack frame. */
static noinline notrace __cold MAGNET_RARE u64 new_cookie_of(struct sock *sk)
{
	u32 halves[2];

	sock_diag_save_cookie(sk, halves);
	return halves[0] | (u64)halves[1] << 32;
}

/* The cookie that ss -e and SO_COOKIE show; given out when first asked for. */
static __always_inline u64 cookie_of(struct sock *sk)
{
	const u64 cookie = atomic64_read(&sk->sk_cookie);

	return likely(cookie) ? cookie : magnet_rare_u64(new_cookie_of, sk);
}

/* A packet's socket may be a request or time-wait socket, which has none. */
static __always_inline u64 cookie_of_skb(const struct sk_buff *skb)
{
	return skb->sk && sk_fullsock(skb->sk) ? cookie_of(skb->sk) : 0;
}

static __always_inline void
emit_call(struct magnet_point *point, struct sock *sk, size_t len)
{
	struct magnet_sock payload;
	int guard;

	if (!magnet_probe_enter(point, &guard))
		return;
	/* No call takes more than MAX_RW_COUNT bytes, which fits. */
	payload.len = len;
	payload.family = sk->sk_family;
	payload.protocol = sk->sk_protocol;
	magnet_emit(point, cookie_of(sk), &payload, sizeof(payload));
	magnet_probe_leave(guard);
}

/* @sk: whose call or queue this is; NULL on hops before the socket queue. */
static __always_inline void
emit_packet(struct magnet_point *point, const struct sk_buff *skb, u64 cookie,
	    u32 ifindex, u16 ethertype)
{
	struct magnet_packet payload = {
		.packet_id = packet_id(skb),
		.len = skb->len,
		.ifindex = ifindex,
		.ethertype = ethertype,
	};

	magnet_emit(point, cookie, &payload, sizeof(payload));
}

#define MAGNET_FTRACE_HANDLER(name)						\
	static void name(unsigned long ip, unsigned long parent_ip,		\
			 struct ftrace_ops *ops, struct ftrace_regs *fregs)

static const struct magnet_field sock_fields[] = {
	{ "len", "u32", offsetof(struct magnet_sock, len) },
	{ "family", "u16", offsetof(struct magnet_sock, family) },
	{ "protocol", "u16", offsetof(struct magnet_sock, protocol) },
	{}
};

static const struct magnet_field packet_fields[] = {
	{ "packet_id", "u64", offsetof(struct magnet_packet, packet_id) },
	{ "len", "u32", offsetof(struct magnet_packet, len) },
	{ "ifindex", "u32", offsetof(struct magnet_packet, ifindex) },
	{ "ethertype", "u16", offsetof(struct magnet_packet, ethertype) },
	{}
};

/* Its functions are name_fns. */
#define MAGNET_FTRACE_POINT(name_, event_, id_means_, payload_, fields_)		\
	struct magnet_point magnet_point_##name_ = {				\
		.name = #name_,							\
		.subsystem = "net",						\
		.id_means = id_means_,						\
		.event = event_,						\
		.mechanism = MAGNET_MECHANISM_FTRACE,				\
		.payload_size = sizeof(struct payload_),			\
		.fields = fields_,						\
		.fns = name_##_fns,						\
		.nr_fns = ARRAY_SIZE(name_##_fns),				\
	}

/* ---- socket: inet_sendmsg(struct socket *, struct msghdr *, size_t) ---- */

MAGNET_FTRACE_HANDLER(on_inet_sendmsg)
{
	const struct socket *sock = magnet_arg(fregs, 0);

	emit_call(&magnet_point_inet_sendmsg, sock->sk, (size_t)magnet_arg(fregs, 2));
}

static struct magnet_fn inet_sendmsg_fns[] = {
	{ .family = "ipv4", .taken = -1, .alternatives = { { "inet_sendmsg", on_inet_sendmsg } } },
	{ .family = "ipv6", .taken = -1, .alternatives = { { "inet6_sendmsg", on_inet_sendmsg } } },
};

MAGNET_FTRACE_POINT(inet_sendmsg, MAGNET_EVENT_INET_SENDMSG, "cookie",
		    magnet_sock, sock_fields);

/* ---- transport: udp_sendmsg(struct sock *, struct msghdr *, size_t) ---- */

/* A v4-mapped send comes here from udpv6_sendmsg(), where it was counted. */
MAGNET_FTRACE_HANDLER(on_udp_sendmsg)
{
	struct sock *sk = magnet_arg(fregs, 0);

	if (sk->sk_family == AF_INET)
		emit_call(&magnet_point_udp_sendmsg, sk, (size_t)magnet_arg(fregs, 2));
}

MAGNET_FTRACE_HANDLER(on_udpv6_sendmsg)
{
	emit_call(&magnet_point_udp_sendmsg, magnet_arg(fregs, 0),
		  (size_t)magnet_arg(fregs, 2));
}

static struct magnet_fn udp_sendmsg_fns[] = {
	{ .family = "ipv4", .taken = -1,
	  .alternatives = { { "udp_sendmsg", on_udp_sendmsg } } },
	{ .family = "ipv6", .taken = -1,
	  .alternatives = { { "udpv6_sendmsg", on_udpv6_sendmsg } } },
};

MAGNET_FTRACE_POINT(udp_sendmsg, MAGNET_EVENT_UDP_SENDMSG, "cookie",
		    magnet_sock, sock_fields);

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
	emit_packet(&magnet_point_ip_send_skb, skb, cookie_of_skb(skb), 0, ethertype);
	magnet_probe_leave(guard);
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
		    magnet_packet, packet_fields);

/* ---- device: __dev_queue_xmit(skb, ...); dev_queue_xmit() is an inline ---- */

MAGNET_FTRACE_HANDLER(on_dev_queue_xmit)
{
	const struct sk_buff *skb = magnet_arg(fregs, 0);
	int guard;

	if (!magnet_probe_enter(&magnet_point_dev_queue_xmit, &guard))
		return;
	emit_packet(&magnet_point_dev_queue_xmit, skb, cookie_of_skb(skb),
		    skb->dev ? skb->dev->ifindex : 0, ntohs(skb->protocol));
	magnet_probe_leave(guard);
}

static struct magnet_fn dev_queue_xmit_fns[] = {
	{ .family = "", .taken = -1,
	  .alternatives = { { "__dev_queue_xmit", on_dev_queue_xmit },
			    { "dev_queue_xmit", on_dev_queue_xmit } } },
};

MAGNET_FTRACE_POINT(dev_queue_xmit, MAGNET_EVENT_DEV_QUEUE_XMIT, "cookie",
		    magnet_packet, packet_fields);

/* ---- receive, device: tracepoint ---- */

static void on_netif_receive_skb(void *data, struct sk_buff *skb)
{
	int guard;

	if (!magnet_probe_enter(data, &guard))
		return;
	emit_packet(data, skb, 0, skb->dev->ifindex, ntohs(skb->protocol));
	magnet_probe_leave(guard);
}

struct magnet_point magnet_point_netif_receive_skb = {
	.name = "netif_receive_skb",
	.subsystem = "net",
	.id_means = "none",
	.event = MAGNET_EVENT_NETIF_RECEIVE_SKB,
	.mechanism = MAGNET_MECHANISM_TRACEPOINT,
	.payload_size = sizeof(struct magnet_packet),
	.fields = packet_fields,
	.probe = on_netif_receive_skb,
};

/*
 * ---- receive, network: ip_local_deliver(skb), ip6_input(skb) ----
 * ip_rcv() is not it: drivers that hand over lists of packets pass it by.
 */

static __always_inline void
receive(struct magnet_point *point, const struct sk_buff *skb)
{
	int guard;

	if (!magnet_probe_enter(point, &guard))
		return;
	emit_packet(point, skb, 0, skb->dev ? skb->dev->ifindex : 0, ntohs(skb->protocol));
	magnet_probe_leave(guard);
}

MAGNET_FTRACE_HANDLER(on_ip_local_deliver)
{
	receive(&magnet_point_ip_local_deliver, magnet_arg(fregs, 0));
}

static struct magnet_fn ip_local_deliver_fns[] = {
	{ .family = "ipv4", .taken = -1,
	  .alternatives = { { "ip_local_deliver", on_ip_local_deliver } } },
	{ .family = "ipv6", .taken = -1,
	  .alternatives = { { "ip6_input", on_ip_local_deliver } } },
};

MAGNET_FTRACE_POINT(ip_local_deliver, MAGNET_EVENT_IP_LOCAL_DELIVER, "none",
		    magnet_packet, packet_fields);

/* ---- receive, transport: udp_rcv(skb), udpv6_rcv(skb) ---- */

MAGNET_FTRACE_HANDLER(on_udp_rcv)
{
	receive(&magnet_point_udp_rcv, magnet_arg(fregs, 0));
}

static struct magnet_fn udp_rcv_fns[] = {
	{ .family = "ipv4", .taken = -1, .alternatives = { { "udp_rcv", on_udp_rcv } } },
	{ .family = "ipv6", .taken = -1, .alternatives = { { "udpv6_rcv", on_udp_rcv } } },
};

MAGNET_FTRACE_POINT(udp_rcv, MAGNET_EVENT_UDP_RCV, "none",
		    magnet_packet, packet_fields);

/*
 * ---- receive, socket queue: __udp_enqueue_schedule_skb(sk, skb) ----
 * Both families come here. It refuses the packet when the queue is full.
 * From here on skb->dev is used otherwise.
 */

static __always_inline void
queue(struct magnet_point *point, struct sock *sk, const struct sk_buff *skb)
{
	int guard;

	if (!magnet_probe_enter(point, &guard))
		return;
	emit_packet(point, skb, cookie_of(sk), skb->skb_iif, ntohs(skb->protocol));
	magnet_probe_leave(guard);
}

MAGNET_FTRACE_HANDLER(on_udp_enqueue)
{
	queue(&magnet_point_udp_enqueue, magnet_arg(fregs, 0), magnet_arg(fregs, 1));
}

static struct magnet_fn udp_enqueue_fns[] = {
	{ .family = "", .taken = -1,
	  .alternatives = { { "__udp_enqueue_schedule_skb", on_udp_enqueue } } },
};

MAGNET_FTRACE_POINT(udp_enqueue, MAGNET_EVENT_UDP_ENQUEUE, "cookie",
		    magnet_packet, packet_fields);

/* ---- receive, the application has it: skb_consume_udp(sk, skb, len) ---- */

MAGNET_FTRACE_HANDLER(on_skb_consume_udp)
{
	queue(&magnet_point_skb_consume_udp, magnet_arg(fregs, 0), magnet_arg(fregs, 1));
}

static struct magnet_fn skb_consume_udp_fns[] = {
	{ .family = "", .taken = -1,
	  .alternatives = { { "skb_consume_udp", on_skb_consume_udp } } },
};

MAGNET_FTRACE_POINT(skb_consume_udp, MAGNET_EVENT_SKB_CONSUME_UDP, "cookie",
		    magnet_packet, packet_fields);

void magnet_net_init(void)
{
	get_random_bytes(&packet_key, sizeof(packet_key));
	/* A handler that no longer fits its tracepoint must not compile. */
	check_trace_callback_type_netif_receive_skb(on_netif_receive_skb);
}
