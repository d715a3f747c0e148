// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where a handler's time goes. A ladder of handlers is called in a loop: each
 * does one step more than the one before it, with the inline functions that
 * the module's own handlers are made of, and the last one is the module's own.
 * What a rung costs above the one below it is what its step costs.
 */
#include <linux/irqflags.h>
#include <linux/net.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <net/net_namespace.h>
#include <net/sock.h>

#include "bench.h"
#include "compat.h"
#include "monisub/eventdb.h"
#include "probes/probe.h"

#define CALLS	1000
#define ROUNDS	20
#define RING	(64 * 1024)

enum step { CALL, GUARD, RULES, ARGUMENTS, CLOCK, RESERVE, FIELDS, COMMIT, WAKE, NR_STEPS };

static const char *const step_names[] = {
	[GUARD]		= "guard",
	[RULES]		= "rules",
	[ARGUMENTS]	= "arguments",
	[CLOCK]		= "clock",
	[RESERVE]	= "reserve",
	[FIELDS]	= "fields",
	[COMMIT]	= "commit",
	[WAKE]		= "wake_check",
};

/* ---- the handlers ---- */

/* As magnet_emit(), up to a step. */
static __always_inline void
emit_up_to(const enum step step, struct magnet_point *point, u64 id,
	   const void *payload, const u32 payload_size)
{
	const u32 size = magnet_header_size() + payload_size;
	const unsigned long plan = READ_ONCE(point->plans.now);
	struct magnet_sub_cpu *sc;
	struct magnet_ring *r;
	unsigned long head;
	void *rec;
	u64 timer;

	if (unlikely(!magnet_plan_is_plain(plan)))
		return;
	sc = raw_cpu_ptr(magnet_plan_subs(plan));
	r = sc->ring;
	local_inc(&sc->hits);
	/* Wanted, whether or not a step follows. Both payloads are one word. */
	if (step >= ARGUMENTS)
		asm volatile("" :: "r" (id), "r" (*(const u64 *)payload));
	if (step >= RESERVE) {
		rec = magnet_ring_reserve(r, size, &timer);
		if (unlikely(!rec)) {
			local_inc(&sc->dropped_full);
			return;
		}
		/* Wanted, whether or not a step follows. */
		asm volatile("" :: "r" (rec), "r" (timer));
	} else if (step == CLOCK) {
		timer = magnet_clock(&r->last_timer);
		asm volatile("" :: "r" (timer));
	}
	if (step >= FIELDS) {
		rec = magnet_header_write(rec, sc->word, magnet_current_who(), id, timer);
		memcpy(rec, payload, payload_size);
	}
	if (step == COMMIT) {
		local_inc(&sc->committed);
		local_inc(&r->records);
		magnet_ring_publish(r, &head);
	} else if (step == WAKE) {
		local_inc(&sc->committed);
		magnet_ring_commit(r);
	}
	/* That there may be another subscription is part of the rules. */
	if (unlikely(READ_ONCE(sc->more)))
		local_inc(&sc->hits);
}

static __always_inline void entry_up_to(const enum step step, struct ftrace_regs *fregs)
{
	struct magnet_point *point = &magnet_point_inet_sendmsg;
	const struct socket *sock = magnet_arg(fregs, 0);
	struct magnet_sock payload;
	int guard;

	if (step == CALL || !magnet_probe_enter(point, &guard))
		return;
	if (step >= ARGUMENTS) {
		struct sock *sk = sock->sk;
		u64 cookie = atomic64_read(&sk->sk_cookie);

		/* The module would give it one; before the ladder it has done so. */
		if (unlikely(!cookie))
			cookie = sk->sk_hash;
		payload.len = (size_t)magnet_arg(fregs, 2);
		payload.family = sk->sk_family;
		payload.protocol = sk->sk_protocol;
		emit_up_to(step, point, cookie, &payload, sizeof(payload));
	} else if (step >= RULES) {
		emit_up_to(step, point, 0, &payload, sizeof(payload));
	}
	magnet_probe_leave(guard);
}

static __always_inline void
tracepoint_up_to(const enum step step, void *data, bool preempt, struct task_struct *next,
		 unsigned int prev_state)
{
	struct magnet_sched_switch payload;
	int guard;

	if (step == CALL || !magnet_probe_enter(data, &guard))
		return;
	if (step >= ARGUMENTS) {
		payload.prev_state = preempt ? MAGNET_SCHED_PREEMPTED : prev_state;
		payload.next_tgid = next->tgid;
		emit_up_to(step, data, next->pid, &payload, sizeof(payload));
	} else if (step >= RULES) {
		emit_up_to(step, data, 0, &payload, sizeof(payload));
	}
	magnet_probe_leave(guard);
}

typedef void (*tracepoint_func)(void *data, bool preempt, struct task_struct *prev,
				struct task_struct *next, unsigned int prev_state);

#define ENTRY_RUNG(step)							\
	static void entry_##step(unsigned long ip, unsigned long parent_ip,	\
				 struct ftrace_ops *ops, struct ftrace_regs *fregs)	\
	{									\
		entry_up_to(step, fregs);					\
	}

#define TRACEPOINT_RUNG(step)							\
	static void tracepoint_##step(void *data, bool preempt, struct task_struct *prev,	\
				      struct task_struct *next, unsigned int prev_state)	\
	{									\
		tracepoint_up_to(step, data, preempt, next, prev_state);	\
	}

ENTRY_RUNG(CALL)
ENTRY_RUNG(GUARD)
ENTRY_RUNG(RULES)
ENTRY_RUNG(ARGUMENTS)
ENTRY_RUNG(CLOCK)
ENTRY_RUNG(RESERVE)
ENTRY_RUNG(FIELDS)
ENTRY_RUNG(COMMIT)
ENTRY_RUNG(WAKE)

TRACEPOINT_RUNG(CALL)
TRACEPOINT_RUNG(GUARD)
TRACEPOINT_RUNG(RULES)
TRACEPOINT_RUNG(ARGUMENTS)
TRACEPOINT_RUNG(CLOCK)
TRACEPOINT_RUNG(RESERVE)
TRACEPOINT_RUNG(FIELDS)
TRACEPOINT_RUNG(COMMIT)
TRACEPOINT_RUNG(WAKE)

/* One of the two. */
struct handler {
	ftrace_func_t	entry;
	tracepoint_func	tracepoint;
};

static const struct handler entry_ladder[NR_STEPS] = {
	{ .entry = entry_CALL }, { .entry = entry_GUARD }, { .entry = entry_RULES },
	{ .entry = entry_ARGUMENTS }, { .entry = entry_CLOCK }, { .entry = entry_RESERVE },
	{ .entry = entry_FIELDS },
	{ .entry = entry_COMMIT }, { .entry = entry_WAKE },
};

static const struct handler tracepoint_ladder[NR_STEPS] = {
	{ .tracepoint = tracepoint_CALL }, { .tracepoint = tracepoint_GUARD },
	{ .tracepoint = tracepoint_RULES }, { .tracepoint = tracepoint_ARGUMENTS },
	{ .tracepoint = tracepoint_CLOCK },
	{ .tracepoint = tracepoint_RESERVE }, { .tracepoint = tracepoint_FIELDS },
	{ .tracepoint = tracepoint_COMMIT }, { .tracepoint = tracepoint_WAKE },
};

/* ---- calling them ---- */

/* What handlers are called with; the module's own log to it, too. */
struct stage {
	struct magnet_ring		ring;
	struct magnet_sub_cpu __percpu	*subs;
	struct socket			*sock;
	struct pt_regs			regs;
};

static noinline void call(const struct stage *s, const struct handler *h)
{
	const tracepoint_func tracepoint = h->tracepoint;
	const ftrace_func_t entry = h->entry;
	int i;

	if (entry) {
		for (i = 0; i < CALLS; i++)
			entry(0, 0, NULL, (struct ftrace_regs *)&s->regs);
	} else {
		for (i = 0; i < CALLS; i++)
			tracepoint(&magnet_point_sched_switch, false, current, current, 0);
	}
}

/* An empty ring in which nothing is in flight. */
static void clear(struct magnet_ring *r)
{
	local_set(&r->head, 0);
	local_set(&r->nest, 0);
	r->limit = r->size;
	r->commit = 0;
	r->tail = 0;
}

/* Ticks of CALLS calls. */
static u64 measure(struct stage *s, const struct handler *h)
{
	u64 best = U64_MAX, start;
	unsigned long flags;
	int round;

	for (round = 0; round < ROUNDS; round++) {
		clear(&s->ring);
		local_irq_save(flags);
		start = rdtsc_ordered();
		call(s, h);
		best = min(best, rdtsc_ordered() - start);
		local_irq_restore(flags);
	}
	return best;
}

static void show(struct seq_file *m, const char *ladder, const char *step, u64 cost)
{
	/* Rounded: around the calls there are some ticks more. */
	seq_printf(m, "%s %s %llu\n", ladder, step, (cost + CALLS / 2) / CALLS);
}

/* @own: the module's handler, which the whole ladder should equal. */
static void climb(struct seq_file *m, struct stage *s, const char *name,
		  const struct handler *ladder, const struct handler *own)
{
	u64 cost[NR_STEPS];
	enum step step;

	for (step = CALL; step < NR_STEPS; step++)
		cost[step] = measure(s, &ladder[step]);
	for (step = GUARD; step < NR_STEPS; step++)
		show(m, name, step_names[step], cost[step] - cost[step - 1]);
	show(m, name, "sum", cost[NR_STEPS - 1] - cost[CALL]);
	show(m, name, "handler", measure(s, own) - cost[CALL]);
}

/* ---- setting the stage ---- */

static int set_stage(struct stage *s)
{
	int cpu;

	s->ring.size = RING;
	s->ring.mask = RING - 1;
	s->ring.wake_bytes = ULONG_MAX;
	s->ring.data = vzalloc(RING);
	s->subs = alloc_percpu(struct magnet_sub_cpu);
	if (!s->ring.data || !s->subs)
		return -ENOMEM;
	for_each_possible_cpu(cpu)
		per_cpu_ptr(s->subs, cpu)->ring = &s->ring;
	magnet_point_inet_sendmsg.plans.now = (unsigned long)s->subs;
	magnet_point_sched_switch.plans.now = (unsigned long)s->subs;
	s->regs.dx = 1;
	return sock_create_kern(&init_net, AF_INET, SOCK_DGRAM, IPPROTO_UDP, &s->sock);
}

static void clear_stage(struct stage *s)
{
	if (s->sock)
		sock_release(s->sock);
	free_percpu(s->subs);
	vfree(s->ring.data);
}

int steps_show(struct seq_file *m, void *unused)
{
	const struct handler entry = {
		.entry = magnet_point_inet_sendmsg.fns[0].alternatives[0].func,
	};
	const struct handler tracepoint = { .tracepoint = magnet_point_sched_switch.tps[0].probe };
	struct stage *s = kzalloc(sizeof(*s), GFP_KERNEL);
	int err;

	if (!s)
		return -ENOMEM;
	err = set_stage(s);
	if (!err) {
		s->regs.di = (unsigned long)s->sock;
		/* The ring is of one CPU. The first call gives the socket its cookie. */
		preempt_disable();
		call(s, &entry);
		climb(m, s, "entry", entry_ladder, &entry);
		climb(m, s, "tracepoint", tracepoint_ladder, &tracepoint);
		preempt_enable();
	}
	clear_stage(s);
	kfree(s);
	return err;
}
