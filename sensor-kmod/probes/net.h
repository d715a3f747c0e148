/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the handlers of network points share: which socket, which packet.
 */
#ifndef _MAGNET_PROBES_NET_H
#define _MAGNET_PROBES_NET_H

#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <net/sock.h>

#include "compat.h"
#include "probes/identity.h"
#include "probes/probe.h"

u64 notrace __cold MAGNET_RARE magnet_new_cookie_of(struct sock *sk);

extern const struct magnet_field magnet_sock_fields[];
extern const struct magnet_field magnet_packet_fields[];

/* The cookie that ss -e and SO_COOKIE show; given out when first asked for. */
static __always_inline u64 magnet_cookie_of(struct sock *sk)
{
	const u64 cookie = atomic64_read(&sk->sk_cookie);

	return likely(cookie) ? cookie : magnet_rare_u64(magnet_new_cookie_of, sk);
}

/* A packet's socket may be a request or time-wait socket, which has none. */
static __always_inline u64 magnet_cookie_of_skb(const struct sk_buff *skb)
{
	return skb->sk && sk_fullsock(skb->sk) ? magnet_cookie_of(skb->sk) : 0;
}

static __always_inline void
magnet_emit_call(struct magnet_point *point, struct sock *sk, size_t len)
{
	struct magnet_sock payload;
	int guard;

	if (!magnet_probe_enter(point, &guard))
		return;
	/* No call takes more than MAX_RW_COUNT bytes, which fits. */
	payload.len = len;
	payload.family = sk->sk_family;
	payload.protocol = sk->sk_protocol;
	magnet_emit(point, guard, magnet_cookie_of(sk), &payload, sizeof(payload));
}

/* @sk: whose call or queue this is; NULL on hops before the socket queue. */
static __always_inline void
magnet_emit_packet(struct magnet_point *point, int guard, const struct sk_buff *skb,
		   u64 cookie, u32 ifindex, u16 ethertype)
{
	struct magnet_packet payload = {
		.packet_id = magnet_identity(skb),
		.len = skb->len,
		.ifindex = ifindex,
		.ethertype = ethertype,
	};

	magnet_emit_skb(point, guard, cookie, &payload, sizeof(payload), skb);
}

/*
 * On hops before the socket queue: the packet may still point to a socket, but
 * over veth that is the sender's.
 */
static __always_inline void
magnet_receive(struct magnet_point *point, const struct sk_buff *skb)
{
	int guard;

	if (!magnet_probe_enter(point, &guard))
		return;
	magnet_emit_packet(point, guard, skb, 0, skb->dev ? skb->dev->ifindex : 0,
			   ntohs(skb->protocol));
}

/* From the socket's queue on, skb->dev is used otherwise. */
static __always_inline void
magnet_queue(struct magnet_point *point, struct sock *sk, const struct sk_buff *skb)
{
	int guard;

	if (!magnet_probe_enter(point, &guard))
		return;
	magnet_emit_packet(point, guard, skb, magnet_cookie_of(sk), skb->skb_iif,
			   ntohs(skb->protocol));
}

#define MAGNET_FTRACE_HANDLER(name)						\
	static void name(unsigned long ip, unsigned long parent_ip,		\
			 struct ftrace_ops *ops, struct ftrace_regs *fregs)

/* Its functions are name_fns. */
#define MAGNET_FTRACE_POINT(name_, event_, id_means_, payload_, fields_, ...)		\
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
		__VA_ARGS__							\
	}

#define MAGNET_NET_TRACEPOINT(name, event, id_means, payload, fields, probe, ...)	\
	MAGNET_TRACEPOINT_POINT("net", name, event, id_means,			\
				sizeof(struct payload), fields, probe, __VA_ARGS__)

#endif /* _MAGNET_PROBES_NET_H */
