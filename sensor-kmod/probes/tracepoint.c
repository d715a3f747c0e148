// SPDX-License-Identifier: GPL-2.0-only
/*
 * Points that are tracepoints of the kernel and of modules. Their symbols are
 * not exported; they are found by name.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "monisub/point.h"
#include "probes/mechanism.h"
#include "probes/module.h"

static void look_at(struct tracepoint *tp, void *arg)
{
	const struct magnet_point *point = arg;
	unsigned int i;

	for (i = 0; i < point->nr_tps; i++)
		if (!point->tps[i].module && !strcmp(tp->name, point->tps[i].name))
			point->tps[i].tp = tp;
}

/**
 * magnet_tracepoint_resolve() - find a point's tracepoints
 * @point: mechanism tracepoint
 *
 * Those of the kernel itself neither come nor go: what is found once stays.
 * Those of modules are told of by magnet_tracepoint_module_goes().
 *
 * Context: may sleep; magnet_mutex held where the point names a module.
 */
void magnet_tracepoint_resolve(struct magnet_point *point)
{
	bool look = false;
	unsigned int i;

	for (i = 0; i < point->nr_tps; i++) {
		struct magnet_tp *tp = &point->tps[i];

		if (tp->tp)
			continue;
		if (tp->module)
			tp->tp = magnet_module_tracepoint(tp->module, tp->name, NULL);
		else
			look = true;
	}
	if (look)
		for_each_kernel_tracepoint(look_at, point);
}

/**
 * magnet_tracepoint_detach() - unhook all tracepoints of a point
 * @point: attached, wholly or partly
 *
 * Handlers may still be running on other CPUs when this returns:
 * tracepoint_synchronize_unregister() before anything they use is freed.
 *
 * Context: may sleep; magnet_mutex held.
 */
void magnet_tracepoint_detach(struct magnet_point *point)
{
	unsigned int i;

	if (point->told)
		point->told(point, false);
	for (i = 0; i < point->nr_tps; i++) {
		struct magnet_tp *tp = &point->tps[i];

		if (!tp->active)
			continue;
		tracepoint_probe_unregister(tp->tp, tp->probe, point);
		tp->active = false;
	}
}

/**
 * magnet_tracepoint_attach() - hook all tracepoints of a point that were found
 * @point: resolved
 *
 * Context: may sleep; magnet_mutex held.
 * Return: 0, or an error and nothing is hooked.
 */
int magnet_tracepoint_attach(struct magnet_point *point)
{
	unsigned int i;
	int err;

	for (i = 0; i < point->nr_tps; i++) {
		struct magnet_tp *tp = &point->tps[i];

		if (!tp->tp)
			continue;
		err = tracepoint_probe_register(tp->tp, tp->probe, point);
		if (err) {
			magnet_tracepoint_detach(point);
			return err;
		}
		tp->active = true;
	}
	if (point->told)
		point->told(point, true);
	return 0;
}

/**
 * magnet_tracepoint_module_goes() - unhook the tracepoints that were in a module
 * @point: mechanism tracepoint
 * @module: has ended; its memory is still there
 *
 * Context: may sleep; magnet_mutex held.
 */
void magnet_tracepoint_module_goes(struct magnet_point *point, const struct module *module)
{
	unsigned int i;

	for (i = 0; i < point->nr_tps; i++) {
		struct magnet_tp *tp = &point->tps[i];

		if (!tp->tp || !tp->module || strcmp(tp->module, module->name))
			continue;
		if (tp->active)
			tracepoint_probe_unregister(tp->tp, tp->probe, point);
		tp->active = false;
		tp->tp = NULL;
	}
}

/**
 * magnet_tracepoint_module_comes() - find, and hook, a module's tracepoints
 * @point: mechanism tracepoint
 * @module: is loaded, and has not run yet: no event is missed
 *
 * Context: may sleep; magnet_mutex held.
 */
void magnet_tracepoint_module_comes(struct magnet_point *point, const struct module *module)
{
	unsigned int i;

	for (i = 0; i < point->nr_tps; i++) {
		struct magnet_tp *tp = &point->tps[i];

		if (tp->tp || !tp->module || strcmp(tp->module, module->name))
			continue;
		tp->tp = magnet_module_tracepoint(tp->module, tp->name, NULL);
		if (!tp->tp || !point->pinned)
			continue;
		tp->active = !tracepoint_probe_register(tp->tp, tp->probe, point);
		if (!tp->active)
			pr_warn("%s: not hooked in the module %s, which was loaded\n",
				point->name, module->name);
	}
}
