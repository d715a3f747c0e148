// SPDX-License-Identifier: GPL-2.0-only
/*
 * Network: a packet is thrown away, and why.
 */
#include <trace/events/skb.h>

#include "monisub/eventdb.h"
#include "probes/drop_reason.h"
#include "probes/net.h"

struct drop_seen {
	u64			packet_id;
	const struct sk_buff	*skb;
	u32			reason;
};

static __always_inline void fill_drop(void *payload, const void *what)
{
	const struct drop_seen *seen = what;
	struct magnet_drop *drop = payload;

	drop->packet_id = seen->packet_id;
	drop->len = seen->skb->len;
	drop->ifindex = seen->skb->skb_iif;
	drop->ethertype = ntohs(seen->skb->protocol);
	drop->captured = 0;
	drop->network_len = 0;
	drop->reason = seen->reason;
	drop->reserved = 0;
}

/* Where not every event is wanted as it is; leaves the handler. */
static noinline notrace void
emit_drop_other(unsigned long plan, int guard, const struct sk_buff *skb, u32 reason,
		u64 cookie)
{
	const struct drop_seen seen = { magnet_identity(guard, skb), skb, reason };
	struct magnet_drop payload;

	fill_drop(&payload, &seen);
	magnet_emit_other(plan, guard, cookie, &payload, sizeof(payload), skb);
}

/* @sk: the socket that would have received it, where the kernel tells. */
static __always_inline void
emit_drop(struct magnet_point *point, const struct sk_buff *skb, u32 reason, struct sock *sk)
{
	unsigned long plan;
	int guard;
	u64 cookie;

	if (!magnet_probe_enter(point, &guard))
		return;
	cookie = sk && sk_fullsock(sk) ? magnet_cookie_of(sk) : 0;
	plan = READ_ONCE(point->plans.now);
	if (likely(magnet_plan_is_plain(plan))) {
		const struct drop_seen seen = { magnet_identity(guard, skb), skb, reason };

		magnet_emit_filled(plan, cookie, &seen, sizeof(struct magnet_drop), fill_drop);
		magnet_probe_leave(guard);
	} else {
		emit_drop_other(plan, guard, skb, reason, cookie);
	}
}

static void __maybe_unused on_kfree_skb(void *data, struct sk_buff *skb, void *location,
					enum skb_drop_reason reason)
{
	emit_drop(data, skb, reason, NULL);
}

static void __maybe_unused on_kfree_skb_of(void *data, struct sk_buff *skb, void *location,
					   enum skb_drop_reason reason, struct sock *rx_sk)
{
	emit_drop(data, skb, reason, rx_sk);
}

/* As the one before. Only the cookie of @rx_sk is written, which it gets when first asked. */
static void __maybe_unused on_kfree_skb_of_const(void *data, struct sk_buff *skb, void *location,
						 enum skb_drop_reason reason,
						 const struct sock *rx_sk)
{
	emit_drop(data, skb, reason, (struct sock *)rx_sk);
}

#define ON_KFREE_SKB								\
	magnet_pick_handler(kfree_skb, on_kfree_skb,				\
			    magnet_pick_handler(kfree_skb, on_kfree_skb_of,	\
						on_kfree_skb_of_const,		\
						struct sk_buff *, void *,	\
						enum skb_drop_reason,		\
						struct sock *),			\
			    struct sk_buff *, void *, enum skb_drop_reason)

static const struct magnet_field drop_fields[] = {
	{ "packet_id", "u64", offsetof(struct magnet_drop, packet_id) },
	{ "len", "u32", offsetof(struct magnet_drop, len) },
	{ "ifindex", "u32", offsetof(struct magnet_drop, ifindex) },
	{ "ethertype", "u16", offsetof(struct magnet_drop, ethertype) },
	{ "captured", "u16", offsetof(struct magnet_drop, captured) },
	{ "network_len", "u32", offsetof(struct magnet_drop, network_len) },
	{ "reason", "u32", offsetof(struct magnet_drop, reason) },
	{}
};

MAGNET_NET_TRACEPOINT(kfree_skb, MAGNET_EVENT_KFREE_SKB, "cookie",
		      magnet_drop, drop_fields, ON_KFREE_SKB,
		      .packet = MAGNET_PACKET_AT_NETWORK);

#undef FN
#define FN(reason)	{ SKB_DROP_REASON_##reason, #reason },
#define NO_NAME(reason)

static const struct magnet_drop_reason reasons[] = { DEFINE_DROP_REASON(FN, NO_NAME) };

/**
 * magnet_drop_reason_nth() - a reason of the running kernel's to drop a packet
 * @n: which one, from 0 on
 *
 * The numbers are the kernel's, and each kernel has its own.
 *
 * Context: any.
 * Return: it; NULL: there are no more.
 */
const struct magnet_drop_reason *magnet_drop_reason_nth(unsigned int n)
{
	return n < ARRAY_SIZE(reasons) ? &reasons[n] : NULL;
}

/* A handler that no longer fits its tracepoint must not compile. */
static void __maybe_unused check_drop_types(void)
{
	check_trace_callback_type_kfree_skb(ON_KFREE_SKB);
}
