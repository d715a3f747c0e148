// SPDX-License-Identifier: GPL-2.0-only
/*
 * Points that are tracepoints of the kernel. Their symbols are not exported;
 * they are found by name.
 */
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "magnet_internal.h"

static void look_at(struct tracepoint *tp, void *arg)
{
	const struct magnet_point *point = arg;
	unsigned int i;

	for (i = 0; i < point->nr_tps; i++)
		if (!strcmp(tp->name, point->tps[i].name))
			point->tps[i].tp = tp;
}

/**
 * magnet_tracepoint_resolve() - find a point's tracepoints
 * @point: mechanism tracepoint
 *
 * Those of the kernel itself neither come nor go: what is found once stays.
 *
 * Context: may sleep.
 */
void magnet_tracepoint_resolve(struct magnet_point *point)
{
	unsigned int i;

	for (i = 0; i < point->nr_tps; i++)
		if (!point->tps[i].tp) {
			for_each_kernel_tracepoint(look_at, point);
			return;
		}
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
