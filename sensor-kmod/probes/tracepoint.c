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
	struct magnet_point *point = arg;

	if (!strcmp(tp->name, magnet_point_target(point)))
		point->tp = tp;
}

/**
 * magnet_tracepoint_resolve() - find a point's tracepoint
 * @point: mechanism tracepoint
 *
 * Context: may sleep.
 */
void magnet_tracepoint_resolve(struct magnet_point *point)
{
	if (!point->tp)
		for_each_kernel_tracepoint(look_at, point);
}

/**
 * magnet_tracepoint_attach() - hook it
 * @point: resolved
 *
 * Context: may sleep; magnet_mutex held.
 * Return: 0 or an error.
 */
int magnet_tracepoint_attach(struct magnet_point *point)
{
	int err = tracepoint_probe_register(point->tp, point->probe, point);

	point->hooked = !err;
	return err;
}

/**
 * magnet_tracepoint_detach() - unhook it
 * @point: attached
 *
 * The handler may still be running on another CPU when this returns:
 * tracepoint_synchronize_unregister() before anything it uses is freed.
 *
 * Context: may sleep; magnet_mutex held.
 */
void magnet_tracepoint_detach(struct magnet_point *point)
{
	tracepoint_probe_unregister(point->tp, point->probe, point);
	point->hooked = false;
}
