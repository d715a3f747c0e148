// SPDX-License-Identifier: GPL-2.0-only
/*
 * Points in other modules. No point keeps a module loaded: what is in it is
 * unhooked when it has ended and hooked again before it begins anew, and
 * subscriptions wait meanwhile.
 */
#include <linux/list.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "monisub/eventdb.h"
#include "monisub/point.h"
#include "probes/module.h"
#include "turn.h"

/* Modules with tracepoints that are loaded. @owners_lock is below magnet_mutex. */
struct owner {
	struct list_head	node;
	const struct module	*module;
};

static LIST_HEAD(owners);
static DEFINE_MUTEX(owners_lock);

static struct tracepoint *tracepoint_of(const struct module *module, const char *name)
{
	struct tracepoint *tp;
	unsigned int i;

	for (i = 0; i < module->num_tracepoints; i++) {
		tp = tracepoint_ptr_deref(&module->tracepoints_ptrs[i]);
		if (!strcmp(tp->name, name))
			return tp;
	}
	return NULL;
}

/**
 * magnet_module_tracepoint() - find a tracepoint in the modules that are loaded
 * @module: the module's name; NULL: any
 * @name: the tracepoint's
 * @owner: if not NULL: a copy of the name of the module that has it, to be freed
 *
 * Context: may sleep. The tracepoint stays until magnet_mutex is given up.
 * Return: the tracepoint or NULL.
 */
struct tracepoint *magnet_module_tracepoint(const char *module, const char *name,
					    const char **owner)
{
	struct tracepoint *tp = NULL;
	const struct owner *at;

	mutex_lock(&owners_lock);
	list_for_each_entry(at, &owners, node) {
		if (module && strcmp(module, at->module->name))
			continue;
		tp = tracepoint_of(at->module, name);
		if (!tp)
			continue;
		if (owner)
			*owner = kstrdup(at->module->name, GFP_KERNEL);
		break;
	}
	mutex_unlock(&owners_lock);
	return tp;
}

/* Is a module loaded that has tracepoints, and this name? */
bool magnet_module_is_known(const char *module)
{
	const struct owner *at;
	bool known = false;

	mutex_lock(&owners_lock);
	list_for_each_entry(at, &owners, node)
		known |= !strcmp(module, at->module->name);
	mutex_unlock(&owners_lock);
	return known;
}

/* ---- they come and go ---- */

static void add_owner(const struct module *module)
{
	struct owner *owner = kmalloc(sizeof(*owner), GFP_KERNEL);

	/* Without memory its tracepoints are not found. */
	if (!owner)
		return;
	owner->module = module;
	mutex_lock(&owners_lock);
	list_add_tail(&owner->node, &owners);
	mutex_unlock(&owners_lock);
}

static void drop_owner(const struct module *module)
{
	struct owner *at, *next;

	mutex_lock(&owners_lock);
	list_for_each_entry_safe(at, next, &owners, node) {
		if (at->module != module)
			continue;
		list_del(&at->node);
		kfree(at);
	}
	mutex_unlock(&owners_lock);
}

static bool is_tracepoint(const struct magnet_point *point)
{
	return point->mechanism == MAGNET_MECHANISM_TRACEPOINT;
}

static void tell_points(void (*tell)(struct magnet_point *point, const struct module *module),
			const struct module *module, bool tracepoints)
{
	struct magnet_point *point;
	unsigned int i;

	for (i = 0; (point = magnet_point_nth(i)); i++)
		if (is_tracepoint(point) == tracepoints)
			tell(point, module);
	magnet_generation++;
}

/* Tracepoints' own notifier tells of modules that are there already, too. */
static int tracepoints_change(struct notifier_block *nb, unsigned long event, void *arg)
{
	const struct module *module = ((struct tp_module *)arg)->mod;

	mutex_lock(&magnet_mutex);
	if (event == MODULE_STATE_COMING) {
		add_owner(module);
		tell_points(magnet_point_module_comes, module, true);
	} else if (event == MODULE_STATE_GOING) {
		drop_owner(module);
		tell_points(magnet_point_module_goes, module, true);
	}
	mutex_unlock(&magnet_mutex);
	return NOTIFY_OK;
}

static struct notifier_block tracepoints_notifier = {
	.notifier_call = tracepoints_change,
};

/**
 * struct functions_notifier - when points at functions are told of a module
 * @nb: with the place among kprobes' own notifiers
 * @event: what is waited for
 * @tell: a point
 */
struct functions_notifier {
	struct notifier_block	nb;
	unsigned long		event;
	void			(*tell)(struct magnet_point *point, const struct module *module);
};

static int functions_change(struct notifier_block *nb, unsigned long event, void *arg)
{
	const struct functions_notifier *at = container_of(nb, struct functions_notifier, nb);

	if (event != at->event)
		return NOTIFY_DONE;
	mutex_lock(&magnet_mutex);
	tell_points(at->tell, arg, false);
	mutex_unlock(&magnet_mutex);
	return NOTIFY_OK;
}

/* After kprobes' own, which learns what of the module must not be probed. */
static struct functions_notifier functions_come = {
	.nb = { .notifier_call = functions_change, .priority = -1 },
	.event = MODULE_STATE_COMING,
	.tell = magnet_point_module_comes,
};

/* Before kprobes' own, which would leave ours in the memory that goes. */
static struct functions_notifier functions_go = {
	.nb = { .notifier_call = functions_change, .priority = 1 },
	.event = MODULE_STATE_GOING,
	.tell = magnet_point_module_goes,
};

/**
 * magnet_modules_init() - follow the loading and unloading of modules
 *
 * Context: may sleep; magnet_mutex not held.
 * Return: 0 or an error.
 */
int magnet_modules_init(void)
{
	int err = register_tracepoint_module_notifier(&tracepoints_notifier);

	if (err)
		return err;
	err = register_module_notifier(&functions_go.nb);
	if (err)
		goto tracepoints;
	err = register_module_notifier(&functions_come.nb);
	if (!err)
		return 0;
	unregister_module_notifier(&functions_go.nb);
tracepoints:
	unregister_tracepoint_module_notifier(&tracepoints_notifier);
	return err;
}

/**
 * magnet_modules_exit() - the reverse
 *
 * Points of modules' tracepoints are unhooked here: it tells that all go.
 *
 * Context: may sleep; magnet_mutex not held.
 */
void magnet_modules_exit(void)
{
	unregister_module_notifier(&functions_come.nb);
	unregister_module_notifier(&functions_go.nb);
	unregister_tracepoint_module_notifier(&tracepoints_notifier);
}
