/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The quick way: handlers look at rules by themselves. Most events that rules
 * are asked about are rejected, and a call would cost more than the rules do.
 * Whatever is not rejected here goes to the gate, which asks all rules anew.
 */
#ifndef _MAGNET_PROBES_QUICK_H
#define _MAGNET_PROBES_QUICK_H

#include <linux/compiler.h>
#include <linux/percpu.h>
#include <linux/sched.h>

#include "kernevesub/gate.h"
#include "monisub/plan.h"
#include "monisub/sub.h"

/*
 * tid of the running thread, and above it tgid: in task_struct they are
 * neighbours in this order, so it is one load.
 */
static __always_inline u64 magnet_current_ids(void)
{
	const size_t tid = offsetof(struct task_struct, pid);
	const size_t tgid = offsetof(struct task_struct, tgid);

	if (tgid == tid + sizeof(pid_t))
		return *(const u64 *)((const char *)current + tid);
	return (u32)current->pid | (u64)current->tgid << 32;
}

static __always_inline bool
magnet_step_fits(const struct magnet_step *step, const struct magnet_view *view)
{
	const u64 word = *(const u64 *)((const char *)view + step->word);

	return (word & step->mask) - step->lo <= step->span;
}

/* The counter of the rule that drops the event; NULL: none does, or the gate knows. */
static __always_inline unsigned long __percpu *
magnet_quick_match(const struct magnet_step *step, const struct magnet_view *view)
{
	do {
		/* Most chains have one rule: no jump into the middle of a loop for it. */
		if (unlikely(!magnet_step_fits(step, view)))
			do {
				step = step->otherwise;
			} while (!magnet_step_fits(step, view));
		if (likely(step->rejects))
			return step->rejects;
		step = step->then;
	} while (step);
	return NULL;
}

/* Return: true: the event is counted, and that is all. */
static __always_inline bool
magnet_quick_rejects(struct magnet_sub_cpu *sc, const struct magnet_step *step,
		     const struct magnet_view *view)
{
	unsigned long __percpu *matched = magnet_quick_match(step, view);

	if (unlikely(!matched))
		return false;
	this_cpu_inc(*matched);
	local_inc(&sc->rejected);
	return true;
}

/**
 * magnet_view_rejected() - the quick way of a point whose handler has a view of its own
 * @plan: of the point, not plain
 * @view: its abstract id, and not @early its payload; the rest is filled in here
 * @early: the payload is still to be fetched
 *
 * Context: between magnet_probe_enter() and magnet_probe_leave().
 * Return: true: a rule drops the event, which is counted; nothing is left to do.
 */
static __always_inline bool
magnet_view_rejected(unsigned long plan, struct magnet_view *view, const bool early)
{
	const struct magnet_step *step = early ? magnet_plan_get(plan, early) :
						 magnet_plan_get(plan, quick);

	if (likely(!step))
		return false;
	view->who = magnet_current_ids();
	view->cpu = raw_smp_processor_id();
	return magnet_quick_rejects(raw_cpu_ptr(magnet_plan_get(plan, chain)), step, view);
}

#endif /* _MAGNET_PROBES_QUICK_H */
