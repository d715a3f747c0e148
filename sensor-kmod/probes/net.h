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

static __always_inline struct sock *magnet_sock_is_first(struct ftrace_regs *fregs)
{
	return magnet_arg(fregs, 0);
}

static __always_inline struct magnet_sock magnet_call_payload(const struct sock *sk, size_t len)
{
	return (struct magnet_sock){
		/* No call takes more than MAX_RW_COUNT bytes, which fits. */
		.len = len,
		.family = sk->sk_family,
		.protocol = sk->sk_protocol,
	};
}

/*
 * @sock_of says where the function has its socket, and @len_at which argument
 * has the bytes: they are looked at when somebody may want the event. They are so
 * in both ways, for who wants all events not to pay for who does not.
 */
static __always_inline void
magnet_emit_call(struct magnet_point *point, struct ftrace_regs *fregs,
		 struct sock *(*sock_of)(struct ftrace_regs *fregs), const unsigned int len_at)
{
	struct magnet_sock payload;
	unsigned long plan;
	struct sock *sk;
	u64 cookie;
	int guard;

	preempt_disable_notrace();
	plan = READ_ONCE(point->plans.now);
	if (likely(magnet_plan_is_plain(plan))) {
		if (!magnet_probe_guard(point, &guard))
			return;
		sk = sock_of(fregs);
		payload = magnet_call_payload(sk, (size_t)magnet_arg(fregs, len_at));
		cookie = magnet_cookie_of(sk);
		/* Or it would be copied first, for the ways below that are not taken. */
		OPTIMIZER_HIDE_VAR(plan);
		magnet_emit_plain(plan, cookie, &payload, sizeof(payload));
		magnet_probe_leave(guard);
	} else if (magnet_left_out(plan)) {
		preempt_enable_notrace();
	} else if (magnet_probe_guard(point, &guard)) {
		sk = sock_of(fregs);
		payload = magnet_call_payload(sk, (size_t)magnet_arg(fregs, len_at));
		magnet_emit_other(plan, guard, magnet_cookie_of(sk), &payload,
				  sizeof(payload), NULL);
	}
}

/**
 * struct magnet_packet_seen - what the payload of a packet's event is made of
 * @packet_id: its identity
 * @skb: the packet
 * @ifindex: its device, or 0
 * @ethertype: ETH_P_*
 */
struct magnet_packet_seen {
	u64			packet_id;
	const struct sk_buff	*skb;
	u32			ifindex;
	u16			ethertype;
};

static __always_inline void magnet_packet_fill(void *payload, const void *what)
{
	const struct magnet_packet_seen *seen = what;
	struct magnet_packet *packet = payload;

	packet->packet_id = seen->packet_id;
	packet->len = seen->skb->len;
	packet->ifindex = seen->ifindex;
	packet->ethertype = seen->ethertype;
	packet->captured = 0;
	packet->network_len = 0;
}

void notrace magnet_emit_packet_other(unsigned long plan, int guard,
				      const struct sk_buff *skb, u64 cookie, u32 ifindex,
				      u16 ethertype);

/* As magnet_emit_call(), and the last thing that a handler does. */
static __always_inline void
magnet_emit_packet(struct magnet_point *point, int guard, const struct sk_buff *skb,
		   u64 cookie, u32 ifindex, u16 ethertype)
{
	const unsigned long plan = READ_ONCE(point->plans.now);

	if (likely(magnet_plan_is_plain(plan))) {
		const struct magnet_packet_seen seen = {
			magnet_identity(guard, skb), skb, ifindex, ethertype
		};

		magnet_emit_filled(plan, cookie, &seen, sizeof(struct magnet_packet),
				   magnet_packet_fill);
		magnet_probe_leave(guard);
	} else if (magnet_left_out(plan)) {
		magnet_probe_leave(guard);
	} else {
		magnet_emit_packet_other(plan, guard, skb, cookie, ifindex, ethertype);
	}
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
