// SPDX-License-Identifier: GPL-2.0-only
/*
 * A handler that lets an event through is interrupted by one of the same
 * point: where it calls the gate, between its look at the rules and the record,
 * a packet of one byte is dropped. How often, is said in sysfs.
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/skbuff.h>
#include <trace/events/skb.h>

static ulong nested;
module_param(nested, ulong, 0444);
MODULE_PARM_DESC(nested, "packets dropped inside handlers");

/* It was never allocated, and is not freed: only the tracepoint says so. */
static struct sk_buff inner = { .len = 1 };

/* Some kernels tell the socket that would have received it, too. */
static void __maybe_unused drop(void (*tell)(struct sk_buff *, void *, enum skb_drop_reason))
{
	tell(&inner, NULL, SKB_DROP_REASON_NOT_SPECIFIED);
}

static void __maybe_unused
drop_of(void (*tell)(struct sk_buff *, void *, enum skb_drop_reason, struct sock *))
{
	tell(&inner, NULL, SKB_DROP_REASON_NOT_SPECIFIED, NULL);
}

static void __maybe_unused
drop_of_const(void (*tell)(struct sk_buff *, void *, enum skb_drop_reason, const struct sock *))
{
	tell(&inner, NULL, SKB_DROP_REASON_NOT_SPECIFIED, NULL);
}

#define TAKES_IT(fn)	__same_type(fn, void (typeof(trace_kfree_skb) *))
#define TELL		__builtin_choose_expr(TAKES_IT(drop), drop,			\
			__builtin_choose_expr(TAKES_IT(drop_of), drop_of, drop_of_const))

/* The inner event's own call is no second one: kprobes do not interrupt themselves. */
static int on_gate(struct kprobe *kp, struct pt_regs *regs)
{
	nested++;
	TELL(trace_kfree_skb);
	return 0;
}

static struct kprobe gate = {
	.symbol_name = "magnet:magnet_emit_gated",
	.pre_handler = on_gate,
};

static int __init nested_init(void)
{
	return register_kprobe(&gate);
}

static void __exit nested_exit(void)
{
	unregister_kprobe(&gate);
}

module_init(nested_init);
module_exit(nested_exit);

MODULE_DESCRIPTION("Events inside the handlers of others, to test magnet");
MODULE_AUTHOR("The magnet developers");
MODULE_LICENSE("GPL");
