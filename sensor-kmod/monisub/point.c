// SPDX-License-Identifier: GPL-2.0-only
/*
 * Points in the kernel: by which mechanism they are hooked, what they consist
 * of, and their limits. A point is registered in the kernel while it has
 * subscriptions, and only then.
 */
#include <linux/netlink.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "api/own_event.h"
#include "kernevesub/custom.h"
#include "lockdown.h"
#include "point.h"
#include "sub.h"
#include "probes/kprobe.h"
#include "probes/mechanism.h"

/**
 * struct mechanism - a way into the kernel
 * @name: as control/events tells it
 * @resolve: find what a point hooks, as far as it is not found yet; NULL:
 *	there is nothing to find before
 * @attach: hook it; an error and nothing is hooked
 * @detach: unhook it
 * @hook: how the kernel gets to the handler of a point that is hooked
 * @hook_of: the same where that differs from point to point; NULL otherwise
 * @missed: hits that it lost; NULL: it loses none
 * @comes: a module is loaded, before it begins; hook what the point waits for
 * @goes: a module has ended; unhook what was in it
 */
struct mechanism {
	const char *name;
	void (*resolve)(struct magnet_point *point);
	int (*attach)(struct magnet_point *point);
	void (*detach)(struct magnet_point *point);
	enum magnet_hook hook;
	enum magnet_hook (*hook_of)(const struct magnet_point *point);
	u64 (*missed)(const struct magnet_point *point);
	void (*comes)(struct magnet_point *point, const struct module *module);
	void (*goes)(struct magnet_point *point, const struct module *module);
};

static const struct mechanism mechanisms[] = {
	[MAGNET_MECHANISM_TRACEPOINT] = {
		.name = "tracepoint",
		.resolve = magnet_tracepoint_resolve,
		.attach = magnet_tracepoint_attach,
		.detach = magnet_tracepoint_detach,
		.hook = MAGNET_HOOK_TRACEPOINT,
		.comes = magnet_tracepoint_module_comes,
		.goes = magnet_tracepoint_module_goes,
	},
	[MAGNET_MECHANISM_FTRACE] = {
		.name = "ftrace",
		.resolve = magnet_ftrace_resolve,
		.attach = magnet_ftrace_attach,
		.detach = magnet_ftrace_detach,
		.hook = MAGNET_HOOK_FTRACE,
		.missed = magnet_ftrace_missed,
		.comes = magnet_ftrace_module_comes,
		.goes = magnet_ftrace_module_goes,
	},
	[MAGNET_MECHANISM_KPROBE] = {
		.name = "kprobe",
		.resolve = magnet_kprobe_resolve,
		.attach = magnet_kprobe_attach,
		.detach = magnet_kprobe_detach,
		.hook_of = magnet_kprobe_hook,
		.missed = magnet_kprobe_missed,
		.comes = magnet_kprobe_module_comes,
		.goes = magnet_kprobe_module_goes,
	},
	[MAGNET_MECHANISM_KRETPROBE] = {
		.name = "kretprobe",
		.resolve = magnet_kprobe_resolve,
		.attach = magnet_kprobe_attach,
		.detach = magnet_kprobe_detach,
		.hook_of = magnet_kprobe_hook,
		.missed = magnet_kprobe_missed,
		.comes = magnet_kprobe_module_comes,
		.goes = magnet_kprobe_module_goes,
	},
	[MAGNET_MECHANISM_MODULE] = {
		.name = "module",
		.attach = magnet_own_event_attach,
		.detach = magnet_own_event_detach,
		.hook = MAGNET_HOOK_NONE,
	},
};

static const struct mechanism *mechanism_of(const struct magnet_point *point)
{
	return &mechanisms[point->mechanism];
}

/* ---- what it consists of ---- */

/* How many functions or tracepoints a point consists of. */
unsigned int magnet_point_parts(const struct magnet_point *point)
{
	switch (point->mechanism) {
	case MAGNET_MECHANISM_FTRACE:
		return point->nr_fns;
	case MAGNET_MECHANISM_TRACEPOINT:
		return point->nr_tps;
	default:
		return 1;
	}
}

/* The kernel's name for the i-th of them; of functions there may be several. */
const char *magnet_part_name(const struct magnet_point *point, unsigned int i)
{
	if (point->mechanism == MAGNET_MECHANISM_TRACEPOINT)
		return point->tps[i].name;
	return point->target ? point->target : point->name;
}

/* The state of the i-th of them. */
enum magnet_fn_state magnet_fn_state(const struct magnet_point *point, unsigned int i)
{
	bool found = true, active = point->hooked, waits = false;

	if (point->mechanism == MAGNET_MECHANISM_FTRACE) {
		found = point->fns[i].taken >= 0;
		active = point->fns[i].active;
		waits = point->fns[i].waits;
	} else if (point->mechanism == MAGNET_MECHANISM_TRACEPOINT) {
		found = point->tps[i].tp;
		active = point->tps[i].active;
		waits = point->tps[i].module;
	} else if (point->kprobe) {
		found = point->kprobe->found;
		waits = point->kprobe->waits;
	}
	if (active)
		return MAGNET_FN_ACTIVE;
	if (found)
		return MAGNET_FN_RESOLVED;
	return waits ? MAGNET_FN_WAITING : MAGNET_FN_UNRESOLVED;
}

/* A module is loaded and has not begun yet; magnet_mutex held. */
void magnet_point_module_comes(struct magnet_point *point, const struct module *module)
{
	if (mechanism_of(point)->comes)
		mechanism_of(point)->comes(point, module);
}

/* A module has ended and its memory goes; magnet_mutex held. */
void magnet_point_module_goes(struct magnet_point *point, const struct module *module)
{
	if (mechanism_of(point)->goes)
		mechanism_of(point)->goes(point, module);
}

/* Find out what this kernel has of a point. */
void magnet_point_resolve(struct magnet_point *point)
{
	if (mechanism_of(point)->resolve)
		mechanism_of(point)->resolve(point);
}

/* ---- how it is hooked ---- */

/* How the kernel gets to the point's handler at present. */
enum magnet_hook magnet_point_hook(const struct magnet_point *point)
{
	const struct mechanism *mechanism = mechanism_of(point);
	unsigned int i;

	for (i = 0; i < magnet_point_parts(point); i++)
		if (magnet_fn_state(point, i) == MAGNET_FN_ACTIVE)
			return mechanism->hook_of ? mechanism->hook_of(point) : mechanism->hook;
	return MAGNET_HOOK_NONE;
}

/* Hits that the mechanism lost. */
u64 magnet_point_missed(const struct magnet_point *point)
{
	return mechanism_of(point)->missed ? mechanism_of(point)->missed(point) : 0;
}

static const char *const hook_names[] = {
	[MAGNET_HOOK_NONE] = "",
	[MAGNET_HOOK_FTRACE] = "/ftrace",
	[MAGNET_HOOK_BREAKPOINT] = "/breakpoint",
	[MAGNET_HOOK_JUMP] = "/jump",
};

/* For control/events: the mechanism, and how it hooks where that differs. */
void magnet_mechanism_show(struct seq_file *m, const struct magnet_point *point)
{
	const struct mechanism *mechanism = mechanism_of(point);

	seq_printf(m, "%s%s", mechanism->name,
		   mechanism->hook_of ? hook_names[magnet_point_hook(point)] : "");
}

static bool any_found(const struct magnet_point *point)
{
	unsigned int i;

	for (i = 0; i < magnet_point_parts(point); i++)
		if (magnet_fn_state(point, i) != MAGNET_FN_UNRESOLVED)
			return true;
	return false;
}

/**
 * magnet_point_attach() - hook a point
 * @point: the point
 * @extack: what was wrong
 *
 * Context: may sleep; magnet_mutex held.
 * Return: 0, or an error and nothing is hooked.
 */
int magnet_point_attach(struct magnet_point *point, struct netlink_ext_ack *extack)
{
	int err;

	err = magnet_point_pin(point, extack);
	if (err)
		return err;
	magnet_point_resolve(point);
	if (!any_found(point)) {
		NL_SET_ERR_MSG(extack, "this kernel has none of the functions of the point; see control/events");
		err = -EOPNOTSUPP;
	} else {
		err = mechanism_of(point)->attach(point);
		if (err)
			NL_SET_ERR_MSG(extack, "the kernel refused to hook the point; its log (dmesg) may say why");
	}
	if (err)
		magnet_point_unpin(point);
	return err;
}

/**
 * magnet_point_detach() - the reverse
 * @point: attached
 *
 * Its handler may still be running: magnet_sub_quiesce().
 *
 * Context: may sleep; magnet_mutex held.
 */
void magnet_point_detach(struct magnet_point *point)
{
	mechanism_of(point)->detach(point);
	magnet_point_unpin(point);
}

/* Whatever happened while it was unhooked is not known. */
static void tell_present(struct magnet_point *point)
{
	struct magnet_sub *sub;

	for (sub = point->first; sub; sub = sub->next)
		point->present(sub);
}

/**
 * magnet_point_enable() - hook a point that has subscriptions, or unhook it
 * @point: the point
 * @enabled: false: no event of it is logged, and it costs nothing
 * @extack: what was wrong
 *
 * Context: may sleep; magnet_mutex held.
 * Return: 0, or an error and it is still disabled.
 */
int magnet_point_enable(struct magnet_point *point, bool enabled, struct netlink_ext_ack *extack)
{
	int err = 0;

	if (point->disabled != enabled)
		return 0;
	if (point->nr_subs && enabled)
		err = magnet_lockdown_point(point, extack) ?: magnet_point_attach(point, extack);
	else if (point->nr_subs)
		magnet_point_detach(point);
	if (err)
		return err;
	point->disabled = !enabled;
	if (point->present && enabled)
		tell_present(point);
	return 0;
}
