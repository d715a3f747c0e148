// SPDX-License-Identifier: GPL-2.0-only
/*
 * Points that are kprobes and kretprobes. kprobes themselves choose how they
 * get there: by ftrace at the entry of a function, else by a breakpoint, and
 * in place of that by a jump where the instructions allow it (the paper's
 * djprobe), some ticks after the probe was set.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/rcupdate.h>

#include "compat.h"
#include "monisub/point.h"
#include "probes/kprobe.h"
#include "probes/kprobe_state.h"
#include "probes/mechanism.h"
#include "probes/symbol.h"

/* ---- finding ---- */

/**
 * magnet_kprobe_resolve() - find out whether this kernel has a point's place
 * @point: mechanism kprobe or kretprobe
 *
 * A dynamic point has been found when it was made.
 *
 * Context: may sleep; magnet_mutex held, or nobody else knows the point yet.
 */
void magnet_kprobe_resolve(struct magnet_point *point)
{
	struct magnet_kprobe *probe = point->kprobe;

	if (!probe->found)
		probe->found = magnet_place_exists(probe->place);
	if (probe->found)
		probe->waits = false;
}

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
 * Return: 0, also while its module is not there, or an error.
 */
int magnet_kprobe_attach(struct magnet_point *point)
{
	struct magnet_kprobe *probe = point->kprobe;
	const struct magnet_place *place = probe->place;
	struct kprobe *kp = &probe->rp.kp;
	int err;

	if (!probe->found)
		return 0;
	/* Counted without a lock, and not any more: the probe was taken away. */
	probe->missed += data_race(kp->nmissed) + data_race(probe->rp.nmissed);
	probe->rp = (struct kretprobe){ .maxactive = probe->maxactive };
	if (*place->symbol) {
		kp->symbol_name = place->symbol;
		kp->offset = place->offset;
	} else {
		kp->addr = (kprobe_opcode_t *)place->address;
	}
	if (point->mechanism == MAGNET_MECHANISM_KPROBE) {
		kp->pre_handler = probe->on_hit;
		err = register_kprobe(kp);
	} else {
		probe->rp.entry_handler = probe->on_call;
		probe->rp.handler = probe->on_return;
		probe->rp.data_size = probe->data_size;
		err = register_kretprobe(&probe->rp);
	}
	point->hooked = !err;
	if (!err)
		magnet_kprobes_watch();
	if (err != -ENOENT || !*place->symbol)
		return err;
	/* It has been there, so it was a module's, and that is going or gone. */
	probe->found = false;
	probe->waits = true;
	return 0;
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
	struct magnet_kprobe *probe = point->kprobe;

	if (!point->hooked)
		return;
	disable_first(&probe->rp.kp);
	if (point->mechanism == MAGNET_MECHANISM_KPROBE)
		unregister_kprobe(&probe->rp.kp);
	else
		unregister_kretprobe(&probe->rp);
	/* That has waited for the handlers where RCU watches. ftrace's own end does this, too. */
	synchronize_rcu_tasks_rude();
	point->hooked = false;
	magnet_kprobes_unwatch();
}

/* ---- modules come and go ---- */

static bool is_in(const struct magnet_point *point, const struct module *module)
{
	const struct magnet_kprobe *probe = point->kprobe;

	return within_module(point->hooked ? (unsigned long)probe->rp.kp.addr :
			     probe->place->address, module);
}

/**
 * magnet_kprobe_module_goes() - unhook a place that was in a module
 * @point: mechanism kprobe or kretprobe
 * @module: has ended; its memory is still there
 *
 * Context: may sleep; magnet_mutex held.
 */
void magnet_kprobe_module_goes(struct magnet_point *point, const struct module *module)
{
	struct magnet_kprobe *probe = point->kprobe;

	if (!probe->found || !is_in(point, module))
		return;
	magnet_kprobe_detach(point);
	probe->found = false;
	probe->waits = *probe->place->symbol;
}

/**
 * magnet_kprobe_module_comes() - find, and hook, a place that was waited for
 * @point: mechanism kprobe or kretprobe
 * @module: is loaded
 *
 * Context: may sleep; magnet_mutex held.
 */
void magnet_kprobe_module_comes(struct magnet_point *point, const struct module *module)
{
	if (!point->kprobe->waits)
		return;
	magnet_kprobe_resolve(point);
	if (point->kprobe->found && point->pinned && magnet_kprobe_attach(point))
		pr_warn("%s: not hooked in the module %s, which was loaded again\n", point->name,
			module->name);
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
	const struct kprobe *kp = &point->kprobe->rp.kp;

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
 * Return: since the point is there; kprobes do not count per CPU.
 */
u64 magnet_kprobe_missed(const struct magnet_point *point)
{
	const struct magnet_kprobe *probe = point->kprobe;

	/* Counted without a lock, and only shown. */
	return probe->missed + data_race(probe->rp.kp.nmissed) + data_race(probe->rp.nmissed) +
	       atomic64_read(&probe->untold);
}
