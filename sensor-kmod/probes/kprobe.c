// SPDX-License-Identifier: GPL-2.0-only
/*
 * Points that are kprobes and kretprobes. kprobes themselves choose how they
 * get there: by ftrace at the entry of a function, else by a breakpoint, and
 * in place of that by a jump where the instructions allow it (the paper's
 * djprobe), some ticks after the probe was set.
 */
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/rcupdate.h>

#include "clock.h"
#include "compat.h"
#include "magnet_internal.h"
#include "probes/dynamic.h"
#include "probes/probe.h"

/* ---- handlers ---- */

static int on_hit(struct kprobe *kp, struct pt_regs *regs)
{
	magnet_dynamic_hit(container_of(kp, struct magnet_dynamic, rp.kp),
			   (const unsigned long *)regs);
	return 0;
}

NOKPROBE_SYMBOL(on_hit);

/* What the entry of a call leaves for its return. */
struct call {
	u64			entered;
	struct magnet_view	view;
};

/* Only ticks between two reads on one thread: there is no ring to keep order in. */
static u64 notrace ticks(void)
{
	u64 last = 0;

	return magnet_clock(&last);
}

NOKPROBE_SYMBOL(ticks);

/* It logs nothing, so it needs no guard. */
static int on_call(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kretprobe *rp = get_kretprobe(ri);
	struct call *call = (struct call *)ri->data;
	struct magnet_dynamic *dyn;

	if (!rp)
		return 1;
	dyn = container_of(rp, struct magnet_dynamic, rp);
	memset(call->view.payload, 0, dyn->fetch.size);
	magnet_fetch_run(&dyn->fetch, false, (const unsigned long *)regs, call->view.payload);
	call->entered = ticks();
	return 0;
}

NOKPROBE_SYMBOL(on_call);

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const u64 now = ticks();
	struct kretprobe *rp = get_kretprobe(ri);
	struct call *call = (struct call *)ri->data;
	struct magnet_dynamic *dyn;
	int guard;

	if (!rp)
		return 0;
	dyn = container_of(rp, struct magnet_dynamic, rp);
	if (!magnet_probe_enter(&dyn->point, &guard))
		return 0;
	call->view.id = 0;
	if (magnet_view_rejected(&dyn->point, &call->view, true)) {
		magnet_probe_leave(guard);
		return 0;
	}
	/* The call may have gone to a CPU whose clock is behind. */
	call->view.payload[0] = now > call->entered ? now - call->entered : 0;
	magnet_fetch_run(&dyn->fetch, true, (const unsigned long *)regs, call->view.payload);
	magnet_emit_view(&dyn->point, guard, &call->view, dyn->fetch.size);
	return 0;
}

NOKPROBE_SYMBOL(on_return);

/* ---- hooking ---- */

/**
 * magnet_kprobe_attach() - hook it
 * @point: mechanism kprobe or kretprobe
 *
 * The probe starts from nothing each time: a kernel that has seen it does not
 * take it again. A symbol is looked up again, since its module may have been
 * loaded anew.
 *
 * Context: may sleep; magnet_mutex held.
 * Return: 0 or an error.
 */
int magnet_kprobe_attach(struct magnet_point *point)
{
	struct magnet_dynamic *dyn = magnet_dynamic_of(point);
	struct magnet_place *place = &dyn->place;
	int err;

	dyn->missed = magnet_kprobe_missed(point);
	dyn->rp = (struct kretprobe){ .maxactive = dyn->maxactive };
	if (*place->symbol) {
		dyn->rp.kp.symbol_name = place->symbol;
		dyn->rp.kp.offset = place->offset;
	} else {
		dyn->rp.kp.addr = (kprobe_opcode_t *)place->address;
	}
	if (point->mechanism == MAGNET_MECHANISM_KPROBE) {
		dyn->rp.kp.pre_handler = on_hit;
		err = register_kprobe(&dyn->rp.kp);
	} else {
		dyn->rp.entry_handler = on_call;
		dyn->rp.handler = on_return;
		dyn->rp.data_size = sizeof(struct call) + dyn->fetch.size;
		err = register_kretprobe(&dyn->rp);
	}
	point->hooked = !err;
	return err;
}

/*
 * For a probe that ftrace calls, unregister_kprobe() takes memory; without any
 * it leaves the probe in its tables, armed or not, and tells nobody.
 * disable_kprobe() tells, and what is disabled leaves the tables without memory.
 * It is not to be tried again: the kernel has counted it as disarmed. What may
 * stay with ftrace is an address where kprobes find no probe.
 */
static void disable_first(struct kprobe *kp)
{
	if (disable_kprobe(kp))
		kp->flags |= KPROBE_FLAG_DISABLED;
}

/**
 * magnet_kprobe_detach() - unhook it
 * @point: attached
 *
 * Waits until no handler of the point runs any more. A call that has not
 * returned yet will return without one.
 *
 * Context: may sleep; magnet_mutex held.
 */
void magnet_kprobe_detach(struct magnet_point *point)
{
	struct magnet_dynamic *dyn = magnet_dynamic_of(point);

	disable_first(&dyn->rp.kp);
	if (point->mechanism == MAGNET_MECHANISM_KPROBE)
		unregister_kprobe(&dyn->rp.kp);
	else
		unregister_kretprobe(&dyn->rp);
	point->hooked = false;
}

/* ---- what it really does ---- */

/*
 * What is optimised is not our kprobe but one that kprobes keep for the
 * address, in one ring with all that were set there. They change the ring
 * under RCU; only that one ever has the flag.
 */
static bool optimized(const struct kprobe *kp)
{
	const struct kprobe *at;
	bool found = false;

	rcu_read_lock();
	list_for_each_entry_rcu(at, &kp->list, list)
		found |= magnet_kprobe_is_jump(at);
	rcu_read_unlock();
	return found;
}

/**
 * magnet_kprobe_hook() - how the kernel gets to the probe at present
 * @point: hooked
 *
 * Context: magnet_mutex held.
 * Return: enum magnet_hook.
 */
enum magnet_hook magnet_kprobe_hook(const struct magnet_point *point)
{
	const struct kprobe *kp = &magnet_dynamic_of(point)->rp.kp;

	/* The module that it was in is gone. */
	if (kp->flags & KPROBE_FLAG_GONE)
		return MAGNET_HOOK_NONE;
	if (kp->flags & KPROBE_FLAG_FTRACE)
		return MAGNET_HOOK_FTRACE;
	return optimized(kp) ? MAGNET_HOOK_JUMP : MAGNET_HOOK_BREAKPOINT;
}

/**
 * magnet_kprobe_missed() - hits that kprobes did not tell us of
 * @point: mechanism kprobe or kretprobe
 *
 * Inside the handler of another kprobe they call none; a return is missed
 * when more calls are under way than the point has places for.
 *
 * Context: magnet_mutex held.
 * Return: since it was hooked last; kprobes do not count per CPU.
 */
u64 magnet_kprobe_missed(const struct magnet_point *point)
{
	const struct magnet_dynamic *dyn = magnet_dynamic_of(point);
	const struct kretprobe *rp = &dyn->rp;

	/* Counted without a lock, and only shown. */
	return dyn->missed + data_race(rp->kp.nmissed) + data_race(rp->nmissed);
}
