/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What every handler does: recursion guard, then for each subscription
 * reserve, write, commit.
 *
 * Nothing here may be traced, sleep, take a lock or touch user memory:
 * handlers run under the run queue's lock and in NMIs.
 */
#ifndef _MAGNET_PROBE_H
#define _MAGNET_PROBE_H

#include <linux/compiler.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "magnet_internal.h"
#include "record.h"

/* Contexts in which a handler runs on this CPU: BIT(level), see below. */
DECLARE_PER_CPU(unsigned char, magnet_guard);

void magnet_count_recursion(struct magnet_point *point);
void magnet_emit_special(struct magnet_sub_cpu *sc);

/*
 * One bit for thread, soft interrupt, hard interrupt and NMI each. Between an
 * interrupt's first instruction and its entry in preempt_count it looks like
 * the context that it interrupted: the transition bit lets that one through.
 * The store needs no atomic: who interrupts it restores what it found.
 */
#define MAGNET_GUARD_TRANSITION	BIT(4)

static __always_inline int magnet_guard_enter(void)
{
	const unsigned char now = __this_cpu_read(magnet_guard);
	unsigned char bit = BIT(interrupt_context_level());

	if (unlikely(now & bit)) {
		bit = MAGNET_GUARD_TRANSITION;
		if (now & bit)
			return -1;
	}
	__this_cpu_write(magnet_guard, now | bit);
	barrier();
	return now;
}

static __always_inline void magnet_guard_leave(int before)
{
	barrier();
	__this_cpu_write(magnet_guard, before);
}

/**
 * magnet_probe_enter() - first thing in a handler
 * @point: whose handler this is
 *
 * Newest kernels call tracepoint handlers preemptible, so preemption goes off
 * here.
 *
 * Return: what magnet_probe_leave() wants; negative: leave at once, without
 * magnet_probe_leave().
 */
static __always_inline int magnet_probe_enter(struct magnet_point *point)
{
	int guard;

	preempt_disable_notrace();
	guard = magnet_guard_enter();
	if (unlikely(guard < 0)) {
		magnet_count_recursion(point);
		preempt_enable_notrace();
	}
	return guard;
}

static __always_inline void magnet_probe_leave(int guard)
{
	magnet_guard_leave(guard);
	preempt_enable_notrace();
}

static __always_inline void
magnet_emit_one(struct magnet_sub_cpu *sc, u64 id, const void *payload,
		const u32 payload_size)
{
	const u32 size = magnet_header_size() + payload_size;
	struct magnet_ring *r = sc->ring;
	u64 timer;
	void *rec;

	local_inc(&sc->hits);
	rec = magnet_ring_reserve(r, size, &timer);
	if (unlikely(!rec)) {
		local_inc(&sc->dropped_full);
		return;
	}
	rec = magnet_header_write(rec, sc->word, current->tgid, current->pid, id, timer);
	memcpy(rec, payload, payload_size);
	local_inc(&sc->committed);
	magnet_ring_commit(r);
	if (unlikely(sc->special))
		magnet_emit_special(sc);
}

/**
 * magnet_emit() - log an event to all subscriptions of its point
 * @point: the point
 * @id: abstract id
 * @payload: its fields
 * @payload_size: bytes, a compile-time constant, multiple of 8
 *
 * Context: any; between magnet_probe_enter() and magnet_probe_leave().
 */
static __always_inline void
magnet_emit(struct magnet_point *point, u64 id, const void *payload,
	    const u32 payload_size)
{
	/*
	 * Preemption is off, so this is a read-side section. The raw form,
	 * because RCU's own checks must not be called from everywhere that a
	 * handler runs.
	 */
	const struct magnet_sub_set *set = rcu_dereference_raw(point->subs);
	u32 i;

	if (unlikely(!set))
		return;
	i = set->count;
	do {
		magnet_emit_one(raw_cpu_ptr(set->cpu[--i]), id, payload, payload_size);
	} while (unlikely(i));
}

#endif /* _MAGNET_PROBE_H */
