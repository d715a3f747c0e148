// SPDX-License-Identifier: GPL-2.0-only
/*
 * Network: the way of TCP's segments between the program and IP. Devices and
 * IP's receive side are in net.c and net_device.c, whatever the transport.
 */
#include <linux/if_ether.h>
#include <net/tcp.h>
#include <trace/events/tcp.h>

#include "monisub/eventdb.h"
#include "probes/net.h"

/* ---- send, transport: tcp_sendmsg(struct sock *, struct msghdr *, size_t) ---- */

MAGNET_FTRACE_HANDLER(on_tcp_sendmsg)
{
	magnet_emit_call(&magnet_point_tcp_sendmsg, fregs, magnet_sock_is_first, 2);
}

static struct magnet_fn tcp_sendmsg_fns[] = {
	{ .family = "", .taken = -1, .alternatives = { { "tcp_sendmsg", on_tcp_sendmsg } } },
};

MAGNET_FTRACE_POINT(tcp_sendmsg, MAGNET_EVENT_TCP_SENDMSG, "cookie",
		    magnet_sock, magnet_sock_fields);

/* ---- send, transport again: tracepoint ---- */

/*
 * The packet is the one in the send queue, data without headers; what goes out
 * is a copy of it, which dev_queue_xmit sees. It may be large, to be cut up
 * later: the kernel's own counters are in segments.
 */
struct retransmit_seen {
	u64			packet_id;
	const struct sk_buff	*skb;
};

static __always_inline void fill_retransmit(void *payload, const void *what)
{
	const struct retransmit_seen *seen = what;
	struct magnet_retransmit *retransmit = payload;

	retransmit->packet_id = seen->packet_id;
	retransmit->len = seen->skb->len;
	retransmit->ifindex = 0;
	retransmit->ethertype = 0;
	retransmit->captured = 0;
	retransmit->network_len = 0;
	retransmit->segments = tcp_skb_pcount(seen->skb);
	retransmit->reserved = 0;
}

/* Where not every event is wanted as it is; leaves the handler. */
static noinline notrace void
emit_retransmit_other(unsigned long plan, int guard, const struct sk_buff *skb, u64 cookie)
{
	const struct retransmit_seen seen = { magnet_identity(guard, skb), skb };
	struct magnet_retransmit payload;

	fill_retransmit(&payload, &seen);
	magnet_emit_other(plan, guard, cookie, &payload, sizeof(payload), skb);
}

static __always_inline void
emit_retransmit(struct magnet_point *point, const struct sock *sk, const struct sk_buff *skb)
{
	unsigned long plan;
	int guard;
	u64 cookie;

	if (!magnet_probe_enter(point, &guard))
		return;
	cookie = magnet_cookie_of((struct sock *)sk);
	plan = READ_ONCE(point->plans.now);
	if (likely(magnet_plan_is_plain(plan))) {
		const struct retransmit_seen seen = { magnet_identity(guard, skb), skb };

		magnet_emit_filled(plan, cookie, &seen, sizeof(struct magnet_retransmit),
				   fill_retransmit);
		magnet_probe_leave(guard);
	} else {
		emit_retransmit_other(plan, guard, skb, cookie);
	}
}

static const struct magnet_field retransmit_fields[] = {
	{ "packet_id", "u64", offsetof(struct magnet_retransmit, packet_id) },
	{ "len", "u32", offsetof(struct magnet_retransmit, len) },
	{ "ifindex", "u32", offsetof(struct magnet_retransmit, ifindex) },
	{ "ethertype", "u16", offsetof(struct magnet_retransmit, ethertype) },
	{ "captured", "u16", offsetof(struct magnet_retransmit, captured) },
	{ "network_len", "u32", offsetof(struct magnet_retransmit, network_len) },
	{ "segments", "u32", offsetof(struct magnet_retransmit, segments) },
	{}
};

static void __maybe_unused on_tcp_retransmit_skb(void *data, const struct sock *sk,
						 const struct sk_buff *skb)
{
	emit_retransmit(data, sk, skb);
}

/* These kernels also tell of a copy that could not be sent. */
static void __maybe_unused on_tcp_retransmit_skb_err(void *data, const struct sock *sk,
						     const struct sk_buff *skb, int err)
{
	if (!err)
		emit_retransmit(data, sk, skb);
}

#define ON_TCP_RETRANSMIT_SKB							\
	magnet_pick_handler(tcp_retransmit_skb, on_tcp_retransmit_skb,		\
			    on_tcp_retransmit_skb_err, const struct sock *,	\
			    const struct sk_buff *)

MAGNET_NET_TRACEPOINT(tcp_retransmit_skb, MAGNET_EVENT_TCP_RETRANSMIT_SKB, "cookie",
		      magnet_retransmit, retransmit_fields, ON_TCP_RETRANSMIT_SKB,
		      .packet = MAGNET_PACKET_BARE);

/*
 * ---- send, network: ip_queue_xmit(sk, skb, ...), inet6_csk_xmit(sk, skb, ...) ----
 * From here on the packet is the one that the device gets; it begins with TCP's
 * header, IP's is still to come. Segments without a
 * full socket (resets, answers to a SYN) take other ways to IP.
 */

static __always_inline void
queue_xmit(struct sock *sk, const struct sk_buff *skb, u16 ethertype)
{
	int guard;

	if (!magnet_probe_enter(&magnet_point_ip_queue_xmit, &guard))
		return;
	magnet_emit_packet(&magnet_point_ip_queue_xmit, guard, skb, magnet_cookie_of(sk), 0,
			   ethertype);
}

MAGNET_FTRACE_HANDLER(on_ip_queue_xmit)
{
	queue_xmit(magnet_arg(fregs, 0), magnet_arg(fregs, 1), ETH_P_IP);
}

MAGNET_FTRACE_HANDLER(on_inet6_csk_xmit)
{
	queue_xmit(magnet_arg(fregs, 0), magnet_arg(fregs, 1), ETH_P_IPV6);
}

static struct magnet_fn ip_queue_xmit_fns[] = {
	{ .family = "ipv4", .taken = -1,
	  .alternatives = { { "ip_queue_xmit", on_ip_queue_xmit },
			    { "__ip_queue_xmit", on_ip_queue_xmit } } },
	{ .family = "ipv6", .taken = -1,
	  .alternatives = { { "inet6_csk_xmit", on_inet6_csk_xmit } } },
};

MAGNET_FTRACE_POINT(ip_queue_xmit, MAGNET_EVENT_IP_QUEUE_XMIT, "cookie",
		    magnet_packet, magnet_packet_fields, .packet = MAGNET_PACKET_BARE);

/* ---- receive, transport: tcp_v4_rcv(skb), tcp_v6_rcv(skb) ---- */

MAGNET_FTRACE_HANDLER(on_tcp_rcv)
{
	magnet_receive(&magnet_point_tcp_rcv, magnet_arg(fregs, 0));
}

static struct magnet_fn tcp_rcv_fns[] = {
	{ .family = "ipv4", .taken = -1, .alternatives = { { "tcp_v4_rcv", on_tcp_rcv } } },
	{ .family = "ipv6", .taken = -1, .alternatives = { { "tcp_v6_rcv", on_tcp_rcv } } },
};

MAGNET_FTRACE_POINT(tcp_rcv, MAGNET_EVENT_TCP_RCV, "none",
		    magnet_packet, magnet_packet_fields, .packet = MAGNET_PACKET_AT_NETWORK);

/*
 * ---- receive, socket: tcp_rcv_established(sk, skb) ----
 * Data goes to the socket's queue here. While a program holds the socket the
 * segment waits in its backlog first, and comes here in that program's context.
 */

MAGNET_FTRACE_HANDLER(on_tcp_rcv_established)
{
	magnet_queue(&magnet_point_tcp_rcv_established, magnet_arg(fregs, 0),
		     magnet_arg(fregs, 1));
}

static struct magnet_fn tcp_rcv_established_fns[] = {
	{ .family = "", .taken = -1,
	  .alternatives = { { "tcp_rcv_established", on_tcp_rcv_established } } },
};

MAGNET_FTRACE_POINT(tcp_rcv_established, MAGNET_EVENT_TCP_RCV_ESTABLISHED, "cookie",
		    magnet_packet, magnet_packet_fields, .packet = MAGNET_PACKET_AT_NETWORK);

/*
 * ---- receive, the application has it: tcp_cleanup_rbuf(sk, copied) ----
 * TCP cleans up after what it gave to the program. It also does so before it
 * sleeps, with nothing given yet.
 */

MAGNET_FTRACE_HANDLER(on_tcp_cleanup_rbuf)
{
	if ((int)(long)magnet_arg(fregs, 1) > 0)
		magnet_emit_call(&magnet_point_tcp_consume, fregs, magnet_sock_is_first, 1);
}

static struct magnet_fn tcp_consume_fns[] = {
	{ .family = "", .taken = -1,
	  .alternatives = { { "__tcp_cleanup_rbuf", on_tcp_cleanup_rbuf },
			    { "tcp_cleanup_rbuf", on_tcp_cleanup_rbuf } } },
};

MAGNET_FTRACE_POINT(tcp_consume, MAGNET_EVENT_TCP_CONSUME, "cookie",
		    magnet_sock, magnet_sock_fields);

/* A handler that no longer fits its tracepoint must not compile. */
static void __maybe_unused check_tcp_types(void)
{
	check_trace_callback_type_tcp_retransmit_skb(ON_TCP_RETRANSMIT_SKB);
}
