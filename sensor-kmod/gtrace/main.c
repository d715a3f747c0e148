// SPDX-License-Identifier: GPL-2.0-only
/*
 * magnet_gtrace: which processes belong together, by descent.
 *
 * A task is a set of trees of processes. Children inherit it before they run their first
 * instruction, and nothing they can do takes them out: not another parent, group, session or
 * namespace. docs/gtrace.md.
 *
 * Lock order, outermost first:
 *
 *   gtrace_orders			(orders.c) one order at a time; may sleep
 *     tracepoints_mutex		hooking
 *     gtrace_lock			(process_tree.c) the tree; preemption off, interrupts on
 *       sighand->siglock		signals that an order sends, never the reverse
 *       fifo_lock			(event_fifo.c) events; interrupts off
 *
 * The handlers of fork, exec and exit are called with preemption off and no lock held, and take
 * gtrace_lock. That of cgroup_attach_task is called with interrupts off, under a lock that is below
 * css_set_lock, which softirqs take; it must not take gtrace_lock.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>

#include "device.h"
#include "event_fifo.h"
#include "events.h"
#include "hierarchy.h"
#include "probes.h"
#include "process_tree.h"

/*
 * On such a kernel locks sleep and memory is given only where preemption is on, but a tracepoint
 * switches it off: a child could be neither noted nor signalled before it runs.
 */
static int __init check_preemption(void)
{
	if (!IS_ENABLED(CONFIG_PREEMPT_RT))
		return 0;
	pr_err("a kernel with PREEMPT_RT cannot trace children before they run\n");
	return -EOPNOTSUPP;
}

static int __init gtrace_init(void)
{
	int err;

	err = check_preemption();
	if (!err)
		err = gtrace_probes_find();
	if (!err)
		err = gtrace_events_init();
	if (err)
		return err;
	err = gtrace_hierarchy_init();
	if (err)
		goto events;
	err = gtrace_device_init();
	if (err)
		goto hierarchy;
	return 0;

hierarchy:
	gtrace_hierarchy_exit();
events:
	gtrace_events_exit();
	return err;
}

/* First nobody gives orders, then no handler runs, then nothing is there. */
static void __exit gtrace_exit(void)
{
	gtrace_device_exit();
	gtrace_hierarchy_exit();
	gtrace_probes_exit();
	spin_lock(&gtrace_lock);
	gtrace_forget_all();
	spin_unlock(&gtrace_lock);
	gtrace_fifo_exit();
	gtrace_events_exit();
}

module_init(gtrace_init);
module_exit(gtrace_exit);

MODULE_DESCRIPTION("Process hierarchy tracing for magnet");
MODULE_AUTHOR("The magnet developers");
MODULE_LICENSE("GPL");
