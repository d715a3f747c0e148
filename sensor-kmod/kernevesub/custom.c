// SPDX-License-Identifier: GPL-2.0-only
/*
 * Custom handlers: a function of another module says which events of a point
 * are logged. The first of the MAGNET paper's three ways to filter.
 *
 * The function's module is held while the point it filters has subscriptions:
 * while the point is "pinned".
 */
#include <linux/err.h>
#include <linux/export.h>
#include <linux/module.h>
#include <linux/netlink.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "custom.h"
#include "monisub/eventdb.h"
#include "monisub/monisub.h"
#include "monisub/plan.h"
#include "monisub/point.h"
#include "turn.h"

/**
 * magnet_custom_logs() - does a point's custom handler let an event pass?
 * @custom: the handler
 * @event: the point's
 * @id: abstract id
 * @payload: its fields
 * @size: bytes
 *
 * Context: that of the event, with preemption off.
 * Return: what the handler says.
 */
bool notrace magnet_custom_logs(const struct magnet_custom *custom, u16 event, u64 id,
				const void *payload, u32 size)
{
	const struct magnet_event_view view = {
		.event = event,
		.cpu = raw_smp_processor_id(),
		.tgid = current->tgid,
		.tid = current->pid,
		.id = id,
		.payload = payload,
		.size = size,
	};

	return custom->fn(&view, custom->arg);
}

/**
 * magnet_point_pin() - a point is in use: its modules stay
 * @point: before it is attached
 * @extack: what was wrong
 *
 * Context: magnet_mutex held.
 * Return: 0, or -ENODEV when one of them is just being unloaded.
 */
int magnet_point_pin(struct magnet_point *point, struct netlink_ext_ack *extack)
{
	if (!try_module_get(point->owner)) {
		NL_SET_ERR_MSG(extack, "the module of this event is just being unloaded; try again when it is loaded");
		return -ENODEV;
	}
	if (point->custom && !try_module_get(point->custom->owner)) {
		module_put(point->owner);
		NL_SET_ERR_MSG(extack, "the module that filters the point is being unloaded; try again");
		return -ENODEV;
	}
	point->pinned = true;
	return 0;
}

/**
 * magnet_point_unpin() - the reverse
 * @point: detached; its handler may still be running
 *
 * Whoever unloads a module then has to unregister first, and waits there.
 *
 * Context: magnet_mutex held.
 */
void magnet_point_unpin(struct magnet_point *point)
{
	point->pinned = false;
	if (point->custom)
		module_put(point->custom->owner);
	module_put(point->owner);
}

static int set_custom(struct magnet_custom *custom, const char *name)
{
	struct magnet_point *point = magnet_point_find(name);

	if (!point)
		return -ENOENT;
	if (point->custom)
		return -EBUSY;
	if (point->pinned && !try_module_get(custom->owner))
		return -ENODEV;
	custom->point = point;
	point->custom = custom;
	magnet_plan_publish(point);
	return 0;
}

/**
 * magnet_custom_register_as() - see magnet_custom_register()
 * @name: of the point
 * @fn: the handler
 * @arg: handed to it
 * @owner: whose it is
 */
struct magnet_custom *magnet_custom_register_as(const char *name, magnet_custom_fn *fn,
						void *arg, struct module *owner)
{
	struct magnet_custom *custom = kzalloc(sizeof(*custom), GFP_KERNEL);
	int err;

	if (!custom)
		return ERR_PTR(-ENOMEM);
	custom->fn = fn;
	custom->arg = arg;
	custom->owner = owner;
	mutex_lock(&magnet_mutex);
	err = set_custom(custom, name);
	mutex_unlock(&magnet_mutex);
	if (!err)
		return custom;
	kfree(custom);
	return ERR_PTR(err);
}
EXPORT_SYMBOL_GPL(magnet_custom_register_as);

/* The point that it filters is no more; magnet_mutex held, and nobody asks. */
void magnet_custom_orphan(struct magnet_point *point)
{
	if (!point->custom)
		return;
	point->custom->point = NULL;
	point->custom = NULL;
	magnet_plan_publish(point);
}

/**
 * magnet_custom_unregister() - the handler is not called any more
 * @custom: from magnet_custom_register()
 *
 * Events go on, unfiltered.
 *
 * Context: may sleep.
 */
void magnet_custom_unregister(struct magnet_custom *custom)
{
	struct magnet_point *point;

	mutex_lock(&magnet_mutex);
	point = custom->point;
	if (point) {
		point->custom = NULL;
		magnet_plan_publish(point);
		magnet_sub_quiesce();
		if (point->pinned)
			module_put(custom->owner);
	}
	mutex_unlock(&magnet_mutex);
	kfree(custom);
}
EXPORT_SYMBOL_GPL(magnet_custom_unregister);
