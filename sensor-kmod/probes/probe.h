/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What every handler does: recursion guard, then for each subscription
 * reserve, write, commit.
 *
 * Nothing here may be traced, sleep, take a lock or touch user memory:
 * handlers run under the run queue's lock and in NMIs. (That of exec runs where
 * the new program is about to begin, and copies arguments without a fault.)
 */
#ifndef _MAGNET_PROBE_H
#define _MAGNET_PROBE_H

#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "kernevesub/gate.h"
#include "monisub/plan.h"
#include "monisub/point.h"
#include "monisub/sub.h"
#include "probes/quick.h"
#include "ring/record.h"
#include "ring/ring.h"

/* Context of the innermost handler that runs on this CPU; see below. */
DECLARE_PER_CPU(int, magnet_guard);

void notrace __cold magnet_probe_refused(struct magnet_point *point);
void notrace magnet_event_dropped(const struct magnet_point *point, bool big);
void notrace __cold MAGNET_RARE magnet_emit_urgent(struct magnet_sub_cpu *sc);

/*
 * The guard is the part of preempt_count that tells soft interrupt, hard
 * interrupt and NMI apart. A context may only be interrupted by one above it,
 * and that one's value is the larger; so a handler that finds its own value or
 * a larger one there was hit inside a handler of its own context. One
 * comparison, where a bit for each context would have to be computed first.
 *
 * Between an interrupt's first instruction and its entry in preempt_count it
 * looks like the context that it interrupted: that is let through once, and
 * then bit 0 is set. The store needs no atomic: who interrupts it restores
 * what it found.
 */
#define MAGNET_GUARD_CONTEXTS	(NMI_MASK | HARDIRQ_MASK | SOFTIRQ_OFFSET)
#define MAGNET_GUARD_TRANSITION	1
#define MAGNET_GUARD_IDLE	(-1)

static __always_inline bool magnet_guard_enter(int *before)
{
	int context = preempt_count() & MAGNET_GUARD_CONTEXTS;

	*before = __this_cpu_read(magnet_guard);
	if (unlikely(context <= *before)) {
		if (context < *before)
			return false;
		context |= MAGNET_GUARD_TRANSITION;
	}
	__this_cpu_write(magnet_guard, context);
	barrier();
	return true;
}

static __always_inline void magnet_guard_leave(int before)
{
	barrier();
	__this_cpu_write(magnet_guard, before);
}

/* The rest of magnet_probe_enter(), with preemption off. */
static __always_inline bool magnet_probe_guard(struct magnet_point *point, int *guard)
{
	if (likely(magnet_guard_enter(guard)))
		return true;
	magnet_probe_refused(point);
	return false;
}

/**
 * magnet_probe_enter() - first thing in a handler
 * @point: whose handler this is
 * @guard: what magnet_probe_leave() wants
 *
 * Newest kernels call tracepoint handlers preemptible, so preemption goes off
 * here.
 *
 * Return: false: leave at once, without magnet_probe_leave().
 */
static __always_inline bool magnet_probe_enter(struct magnet_point *point, int *guard)
{
	preempt_disable_notrace();
	return magnet_probe_guard(point, guard);
}

/**
 * magnet_rcu_watches() - does who waits for handlers wait for this one?
 *
 * Not on the processor's way into its idle loop and out of it, where RCU does
 * not watch, nor where a CPU goes down and comes up. Kernels whose code that is
 * entered from outside takes no probe have no other such places.
 *
 * Context: first thing in a handler of a function or instruction that somebody
 * named; the kernel sees to it at tracepoints.
 * Return: false: leave at once, and count the hit as missed.
 */
static __always_inline bool magnet_rcu_watches(void)
{
	if (IS_ENABLED(CONFIG_ARCH_WANTS_NO_INSTR) && likely(!is_idle_task(current)))
		return true;
	return cpu_online(raw_smp_processor_id()) && rcu_is_watching();
}

static __always_inline void magnet_probe_leave(int guard)
{
	magnet_guard_leave(guard);
	preempt_enable_notrace();
}

/* Addresses of the kernel would tell whoever may read where it lies. */
static __always_inline u64 magnet_users_address(unsigned long address)
{
	return address < TASK_SIZE_MAX ? address : 0;
}

/* As magnet_header_write() takes them: tgid, and above it tid. */
static __always_inline u64 magnet_who_of(u64 ids)
{
	return rol64(ids, 32);
}

static __always_inline u64 magnet_current_who(void)
{
	return magnet_who_of(magnet_current_ids());
}

/* Room for a record, counted as a hit. Return: NULL: there is none, which is counted, too. */
static __always_inline void *
magnet_emit_reserve(struct magnet_sub_cpu *sc, struct magnet_ring *r, const u32 size, u64 *timer)
{
	void *rec;

	local_inc(&sc->hits);
	rec = magnet_ring_reserve(r, size, timer);
	if (unlikely(!rec))
		local_inc(&sc->dropped_full);
	return rec;
}

/* The record that magnet_emit_reserve() took is whole. */
static __always_inline void magnet_emit_commit(struct magnet_sub_cpu *sc, struct magnet_ring *r)
{
	local_inc(&sc->committed);
	magnet_ring_commit(r);
}

/*
 * Writes a payload where it belongs. One that is handed on by its address lies on
 * the stack: there it is cleared and filled, and copied from there. @what is a
 * struct of what it is made of; once all is inlined its members are in registers.
 */
typedef void magnet_fill(void *payload, const void *what);

/* @fill: NULL: @payload is one, and not what it is made of. */
static __always_inline bool
magnet_emit_one(struct magnet_sub_cpu *sc, u64 id, const void *payload,
		const u32 payload_size, magnet_fill *fill)
{
	const u32 size = magnet_header_size() + payload_size;
	struct magnet_ring *r = sc->ring;
	u64 timer;
	void *rec;

	local_inc(&sc->hits);
	rec = magnet_ring_reserve(r, size, &timer);
	if (unlikely(!rec)) {
		local_inc(&sc->dropped_full);
		return false;
	}
	rec = magnet_header_write(rec, sc->word, magnet_current_who(), id, timer);
	if (fill)
		fill(rec, payload);
	else
		memcpy(rec, payload, payload_size);
	local_inc(&sc->committed);
	magnet_ring_commit(r);
	return true;
}

/* By a plain plan: to all that are in it. */
static __always_inline void
magnet_emit_filled(unsigned long plan, u64 id, const void *what, const u32 payload_size,
		   magnet_fill *fill)
{
	struct magnet_sub_cpu *sc = raw_cpu_ptr(magnet_plan_subs(plan));

	do {
		const bool logged = magnet_emit_one(sc, id, what, payload_size, fill);

		/* A chain that is being changed may be seen either way. */
		if (likely(!data_race(sc->more)))
			break;
		if (logged && sc->urgent)
			magnet_rare_do(magnet_emit_urgent, sc);
		sc = READ_ONCE(sc->next);
	} while (sc);
}

/* The same of a payload that is there. */
static __always_inline void
magnet_emit_plain(unsigned long plan, u64 id, const void *payload, const u32 payload_size)
{
	magnet_emit_filled(plan, id, payload, payload_size, NULL);
}

/* Where the quick way is not open. The first is that of a handler which interrupts no other. */
#define MAGNET_SCRATCHES	8
DECLARE_PER_CPU_ALIGNED(struct magnet_scratch, magnet_scratch[MAGNET_SCRATCHES]);
struct magnet_view *notrace __cold MAGNET_RARE magnet_scratch_nested(void *unused);

static __always_inline struct magnet_view *magnet_scratch_take(int guard)
{
	if (likely(guard == MAGNET_GUARD_IDLE))
		return &raw_cpu_ptr(magnet_scratch)->view;
	return (struct magnet_view *)magnet_rare_u64(magnet_scratch_nested, NULL);
}

/* Sampling by count of a point's only subscription. */
static __always_inline bool magnet_sampled_out(struct magnet_sub_cpu *sc)
{
	if (likely(local_sub_return(1, &sc->sample_left) >= 0)) {
		local_inc(&sc->hits);
		local_inc(&sc->sampled_out);
		return true;
	}
	local_inc(&sc->sample_left);
	return false;
}

/**
 * magnet_left_out() - is it plain already that nobody wants the event?
 * @plan: of the point, not plain
 *
 * For handlers that ask before they look what the event is about. What sampling by
 * count leaves out, and rules that ask for nothing but the thread and the CPU.
 * These are the same for who interrupts this handler, so both may use the same
 * room; and nothing is called that could come back here. So it needs no guard.
 *
 * Context: in a handler, with preemption off.
 * Return: true: nobody wants it, which is counted.
 */
static __always_inline bool magnet_left_out(unsigned long plan)
{
	const struct magnet_step *early;
	struct magnet_sub_cpu *sc;

	if (!magnet_plan_get(plan, asks_early))
		return false;
	sc = raw_cpu_ptr(magnet_plan_get(plan, chain));
	early = magnet_plan_get(plan, early);
	if (!early)
		return magnet_sampled_out(sc);
	WRITE_ONCE(sc->scratch.view.who, magnet_current_ids());
	return magnet_quick_rejects(sc, early, &sc->scratch.view);
}

/*
 * The rest of magnet_emit_skb(), where not every event is wanted as it is. What
 * leaves out most events, sampling by count and rules, is done without a
 * call. The call leaves the handler: whatever had to be kept across it would
 * be saved and restored at plain events, too.
 */
static __always_inline void
magnet_emit_other(unsigned long plan, int guard, u64 id, const void *payload,
		  const u32 payload_size, const struct sk_buff *skb)
{
	const struct magnet_step *quick = magnet_plan_get(plan, quick);
	struct magnet_sub_cpu __percpu *chain;
	struct magnet_sub_cpu *sc;
	struct magnet_view *view;

	if (payload_size > sizeof(struct magnet_scratch) - sizeof(*view))
		BUILD_BUG();
	if (quick && guard == MAGNET_GUARD_IDLE) {
		sc = raw_cpu_ptr(magnet_plan_get(plan, chain));
		view = &sc->scratch.view;
		view->who = magnet_current_ids();
		view->id = id;
		memcpy(view->payload, payload, payload_size);
		if (likely(magnet_quick_rejects(sc, quick, view)))
			magnet_probe_leave(guard);
		else
			magnet_emit_gated(plan, view, payload_size, skb, guard);
		return;
	}
	chain = magnet_plan_get(plan, chain);
	if (unlikely(!chain) ||
	    (magnet_plan_get(plan, samples) && magnet_sampled_out(raw_cpu_ptr(chain)))) {
		magnet_probe_leave(guard);
		return;
	}
	view = magnet_scratch_take(guard);
	view->id = id;
	memcpy(view->payload, payload, payload_size);
	magnet_emit_gated(plan, view, payload_size, skb, guard);
}

/* As magnet_emit(), for an event about a packet. */
static __always_inline void
magnet_emit_skb(struct magnet_point *point, int guard, u64 id, const void *payload,
		const u32 payload_size, const struct sk_buff *skb)
{
	const unsigned long plan = READ_ONCE(point->plans.now);

	if (likely(magnet_plan_is_plain(plan))) {
		magnet_emit_plain(plan, id, payload, payload_size);
		magnet_probe_leave(guard);
	} else {
		magnet_emit_other(plan, guard, id, payload, payload_size, skb);
	}
}

/**
 * magnet_emit() - log an event to all subscriptions of its point, leave the handler
 * @point: the point
 * @guard: from magnet_probe_enter()
 * @id: abstract id
 * @payload: its fields
 * @payload_size: bytes, a compile-time constant, multiple of 8
 *
 * Context: any; after magnet_probe_enter(), and the last thing that a handler
 * does. It runs with preemption off, hence is a read-side section.
 */
static __always_inline void
magnet_emit(struct magnet_point *point, int guard, u64 id, const void *payload,
	    const u32 payload_size)
{
	magnet_emit_skb(point, guard, id, payload, payload_size, NULL);
}

/**
 * magnet_emit_view() - the same, of a payload whose size is known at run time
 * @plan: of the point
 * @guard: from magnet_probe_enter()
 * @view: its abstract id and payload; not from magnet_scratch_take()
 * @payload_size: bytes, a multiple of 8, the point's
 *
 * Context: as magnet_emit().
 */
static __always_inline void
magnet_emit_view(unsigned long plan, int guard, struct magnet_view *view, u32 payload_size)
{
	if (likely(magnet_plan_is_plain(plan))) {
		magnet_emit_plain(plan, view->id, view->payload, payload_size);
		magnet_probe_leave(guard);
	} else if (magnet_view_rejected(plan, view, false)) {
		magnet_probe_leave(guard);
	} else {
		magnet_emit_gated(plan, view, payload_size, NULL, guard);
	}
}

/**
 * magnet_emit_begin() - log an event to one subscription, with more after its payload
 * @sc: the subscription
 * @id: abstract id
 * @payload_size: bytes, the point's
 * @more: bytes that follow it in this record, a multiple of 8
 *
 * For events whose size differs from one to the next.
 *
 * Context: as magnet_emit(). The caller writes payload and rest, then calls
 * magnet_emit_end().
 * Return: where the payload goes, or NULL: it is dropped, and counted so.
 */
static inline void *
magnet_emit_begin(struct magnet_sub_cpu *sc, u64 id, u32 payload_size, u32 more)
{
	const u32 size = magnet_header_size() + payload_size + more;
	u64 timer;
	void *rec;

	local_inc(&sc->hits);
	rec = magnet_ring_reserve(sc->ring, size, &timer);
	if (!rec) {
		local_inc(&sc->dropped_full);
		return NULL;
	}
	return magnet_header_write(rec, magnet_header_word_longer(sc->word, more),
				   magnet_current_who(), id, timer);
}

/* The record that magnet_emit_begin() took is whole. */
static inline void magnet_emit_end(struct magnet_sub_cpu *sc)
{
	local_inc(&sc->committed);
	magnet_ring_commit(sc->ring);
	if (sc->urgent)
		magnet_rare_do(magnet_emit_urgent, sc);
}

/* A point that is several tracepoints of the kernel: name_tps. */
#define MAGNET_TRACEPOINTS_POINT(subsystem_, name_, event_, id_means_, size_, fields_, ...)	\
	struct magnet_point magnet_point_##name_ = {				\
		.name = #name_,							\
		.subsystem = subsystem_,					\
		.id_means = id_means_,						\
		.event = event_,						\
		.mechanism = MAGNET_MECHANISM_TRACEPOINT,			\
		.payload_size = size_,						\
		.fields = fields_,						\
		.tps = name_##_tps,						\
		.nr_tps = ARRAY_SIZE(name_##_tps),				\
		__VA_ARGS__							\
	}

/* A point that is one, and has its name. */
#define MAGNET_TRACEPOINT_POINT(subsystem_, name_, event_, id_means_, size_, fields_, probe_, \
				...)						\
	static struct magnet_tp name_##_tps[] = { { #name_, probe_ } };		\
	MAGNET_TRACEPOINTS_POINT(subsystem_, name_, event_, id_means_, size_, fields_, __VA_ARGS__)

#endif /* _MAGNET_PROBE_H */
