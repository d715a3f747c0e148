// SPDX-License-Identifier: GPL-2.0-only
/*
 * Points that are function entries, hooked by ftrace: the cheapest way in,
 * and unlike a kprobe it loses no hit inside another handler's interrupt.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/module.h>

#include "monisub/point.h"
#include "probes/mechanism.h"

/**
 * magnet_ftrace_find() - is there a location of ftrace at a function's entry?
 * @addr: where the function starts, or the location itself
 *
 * ftrace itself is asked. Where its location is differs: behind the entry by
 * some instructions on arm64, and on x86 where indirect branches are checked.
 *
 * Context: may sleep.
 * Return: 0; -EINVAL if there is none; -ENOMEM if that could not be asked.
 */
int magnet_ftrace_find(unsigned long addr)
{
	struct ftrace_ops ops = {};
	int err;

	if (!addr)
		return -EINVAL;
	err = ftrace_set_filter_ip(&ops, addr, 0, 1);
	if (!err)
		ftrace_free_filter(&ops);
	return err;
}

/*
 * The function's address if ftrace has a location there, or 0. A kprobe that is
 * never armed looks the symbol up, also one that kprobes themselves refuse: an
 * alias or a stray copy of an inline function is not a location of ftrace, and
 * its name given to ftrace_set_filter() would match nothing and hook every
 * function of the kernel.
 */
static unsigned long ftrace_location_of(const char *symbol)
{
	struct kprobe kp = {
		.symbol_name = symbol,
		.flags = KPROBE_FLAG_DISABLED,
	};
	int err = register_kprobe(&kp);
	unsigned long addr = (unsigned long)kp.addr;

	if (!err)
		unregister_kprobe(&kp);
	/* Its module is going, and may have told so already. */
	if (err == -ENOENT)
		return 0;
	return magnet_ftrace_find(addr) ? 0 : addr;
}

static void resolve_fn(struct magnet_fn *fn)
{
	int i;

	fn->taken = -1;
	for (i = 0; i < MAGNET_ALTERNATIVES_MAX && fn->alternatives[i].symbol; i++) {
		fn->addr = ftrace_location_of(fn->alternatives[i].symbol);
		if (!fn->addr)
			continue;
		fn->taken = i;
		break;
	}
	/* It has been there when the point was made, so it was a module's. */
	fn->waits = fn->movable && fn->taken < 0;
}

/**
 * magnet_ftrace_resolve() - find a point's functions
 * @point: mechanism ftrace
 *
 * Context: may sleep; magnet_mutex held, or nobody else knows the point yet.
 */
void magnet_ftrace_resolve(struct magnet_point *point)
{
	unsigned int i;

	for (i = 0; i < point->nr_fns; i++) {
		struct magnet_fn *fn = &point->fns[i];

		if (fn->taken < 0 || (fn->movable && !fn->active))
			resolve_fn(fn);
	}
}

/*
 * The ops start from nothing each time: ftrace_free_filter() leaves pointers
 * to what it freed in them.
 */
static int attach_fn(struct magnet_fn *fn)
{
	int err;

	fn->ops = (struct ftrace_ops){ .func = fn->alternatives[fn->taken].func };
	err = ftrace_set_filter_ip(&fn->ops, fn->addr, 0, 1);
	if (err)
		return err;
	err = register_ftrace_function(&fn->ops);
	if (err) {
		ftrace_free_filter(&fn->ops);
		return err;
	}
	fn->active = true;
	return 0;
}

static void detach_fn(struct magnet_fn *fn)
{
	unregister_ftrace_function(&fn->ops);
	ftrace_free_filter(&fn->ops);
	fn->active = false;
}

/**
 * magnet_ftrace_detach() - unhook all functions of a point
 * @point: attached, wholly or partly
 *
 * Waits until no handler of the point runs any more.
 *
 * Context: may sleep; magnet_mutex held.
 */
void magnet_ftrace_detach(struct magnet_point *point)
{
	unsigned int i;

	for (i = 0; i < point->nr_fns; i++) {
		struct magnet_fn *fn = &point->fns[i];

		if (fn->active)
			detach_fn(fn);
	}
}

/**
 * magnet_ftrace_attach() - hook all functions of a point that were found
 * @point: resolved
 *
 * Context: may sleep; magnet_mutex held.
 * Return: 0, or an error and nothing is hooked.
 */
int magnet_ftrace_attach(struct magnet_point *point)
{
	unsigned int i;
	int err;

	for (i = 0; i < point->nr_fns; i++) {
		if (point->fns[i].taken < 0)
			continue;
		err = attach_fn(&point->fns[i]);
		if (err) {
			magnet_ftrace_detach(point);
			return err;
		}
	}
	return 0;
}

/**
 * magnet_ftrace_missed() - hits that the point's handler made no event of
 * @point: mechanism ftrace
 *
 * Those where RCU does not watch. ftrace itself loses none.
 *
 * Context: any.
 * Return: since the point is there.
 */
u64 magnet_ftrace_missed(const struct magnet_point *point)
{
	unsigned int i;
	u64 missed = 0;

	for (i = 0; i < point->nr_fns; i++)
		missed += atomic64_read(&point->fns[i].untold);
	return missed;
}

/**
 * magnet_ftrace_module_goes() - unhook the functions that were in a module
 * @point: mechanism ftrace
 * @module: has ended; its memory is still there
 *
 * ftrace itself would keep the address, and hook what another module has there.
 *
 * Context: may sleep; magnet_mutex held.
 */
void magnet_ftrace_module_goes(struct magnet_point *point, const struct module *module)
{
	unsigned int i;

	for (i = 0; i < point->nr_fns; i++) {
		struct magnet_fn *fn = &point->fns[i];

		if (fn->taken < 0 || !within_module(fn->addr, module))
			continue;
		if (fn->active)
			detach_fn(fn);
		fn->taken = -1;
		fn->waits = fn->movable;
	}
}

/**
 * magnet_ftrace_module_comes() - find, and hook, functions that were waited for
 * @point: mechanism ftrace
 * @module: is loaded
 *
 * Context: may sleep; magnet_mutex held.
 */
void magnet_ftrace_module_comes(struct magnet_point *point, const struct module *module)
{
	unsigned int i;

	for (i = 0; i < point->nr_fns; i++) {
		struct magnet_fn *fn = &point->fns[i];

		if (!fn->waits)
			continue;
		resolve_fn(fn);
		if (fn->taken >= 0 && point->pinned && attach_fn(fn))
			pr_warn("%s: not hooked in the module %s, which was loaded again\n",
				point->name, module->name);
	}
}
