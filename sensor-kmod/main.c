// SPDX-License-Identifier: GPL-2.0-only
/*
 * magnet: a sensor that logs kernel events into per-CPU buffers.
 *
 * Lock order, outermost first:
 *
 *   the kernel's list of modules with tracepoints	(probes/module.c) modules come and go
 *   magnet_mutex			control requests, subscriptions, buffer list
 *     owners_lock			(probes/module.c) modules with tracepoints
 *     witness_lock		(probes/kprobe_state.c) whether kprobes are armed
 *     kprobe_mutex, ftrace_lock, tracepoints_mutex	hooking
 *     sets_lock			(counters.c) counters of CPUs
 *     cpus_read_lock
 *       magnet_buffers_lock		rings of a buffer, who logs there
 *         minors_lock			(chardev.c), debugfs
 *       magnet_cpu_buffer.memory	a ring's memory: other memory takes its place
 *         magnet_cpu_buffer.peek	the same on the ring's CPU, interrupts off
 *
 * The hotplug callback holds cpus_write_lock and takes magnet_buffers_lock, so it
 * never waits for magnet_mutex, below which hooking takes cpus_read_lock; nor
 * for sets_lock, below which perf takes it: a work, which takes only that one,
 * does the rest.
 *
 * A flush of a data file holds cpus_read_lock and takes magnet_reader.state
 * below it.
 *
 * A read holds magnet_reader.lock while it sleeps; lseek, poll and release do
 * not take it. It holds magnet_cpu_buffer.memory only while it copies, and
 * without page faults, so that no control request waits for a reader's memory.
 * magnet_reader.state comes before magnet_cpu_buffer.peek. The lock of a
 * reader's wait queue is held while signals are sent and looks for
 * magnet_reader.state; the kernel's AIO takes it below its own ctx_lock.
 * clients_lock (client.c) is a leaf.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpumask.h>
#include <linux/module.h>
#include <linux/string.h>

#include "control/client.h"
#include "control/control_files.h"
#include "control/magnetk.h"
#include "control/netlink.h"
#include "kernevesub/cgroup.h"
#include "kernevesub/counters.h"
#include "kernevesub/gate.h"
#include "magnetfs/chardev.h"
#include "magnetfs/magnetfs.h"
#include "monisub/eventdb.h"
#include "probes/identity.h"
#include "probes/module.h"
#include "ring/clock.h"
#include "ring/hotplug.h"
#include "ring/record.h"
#include "ring/suspend.h"
#include "turn.h"

static char *layout = "wide";
module_param(layout, charp, 0444);
MODULE_PARM_DESC(layout, "record headers: wide (default) or classic (up to 64 CPUs)");

bool magnet_classic __ro_after_init;

static int __init layout_init(void)
{
	if (!strcmp(layout, "wide"))
		return 0;
	if (strcmp(layout, "classic")) {
		pr_err("layout=%s: must be wide or classic\n", layout);
		return -EINVAL;
	}
	if (nr_cpu_ids > MAGNET_CLASSIC_CPUS) {
		pr_err("layout=classic has room for %u CPUs, this machine may have %u; use layout=wide\n",
		       MAGNET_CLASSIC_CPUS, nr_cpu_ids);
		return -EINVAL;
	}
	magnet_classic = true;
	return 0;
}

static int __init magnet_init(void)
{
	int err;

	err = layout_init();
	if (!err)
		err = magnet_cgroup_init();
	if (!err)
		err = magnet_clock_init();
	if (err)
		return err;
	magnet_identity_init();
	magnet_gate_init();
	magnet_eventdb_init();
	err = magnet_chardev_init();
	if (err)
		return err;
	magnet_magnetfs_init();
	magnet_control_files_init(magnet_debugfs_root);
	err = magnet_hotplug_init();
	if (err)
		goto files;
	err = magnet_counters_init();
	if (err)
		goto hotplug;
	err = magnetk_start();
	if (err)
		goto counters;
	err = magnet_modules_init();
	if (err)
		goto thread;
	err = magnet_netlink_init();
	if (err)
		goto modules;
	err = magnet_suspend_watch();
	if (err)
		goto netlink;
	pr_info("version %s, layout %s, clock %s\n", THIS_MODULE->version, layout,
		magnet_clock_source() == MAGNET_CLOCK_MONO ? "mono" : "tsc");
	return 0;

netlink:
	magnet_netlink_exit();
modules:
	magnet_modules_exit();
thread:
	magnetk_stop();
counters:
	magnet_counters_exit();
hotplug:
	magnet_hotplug_exit();
files:
	magnet_magnetfs_exit();
	magnet_chardev_exit();
	return err;
}

/*
 * First nobody can ask for anything new, then nothing fires, then nothing is
 * there. An open data file holds a reference to the module, so there are no
 * readers here.
 */
static void __exit magnet_exit(void)
{
	magnet_suspend_unwatch();
	magnet_netlink_exit();
	magnet_modules_exit();
	mutex_lock(&magnet_mutex);
	magnet_end_all();
	magnet_eventdb_exit();
	mutex_unlock(&magnet_mutex);
	magnetk_stop();
	magnet_counters_exit();
	magnet_hotplug_exit();
	magnet_magnetfs_exit();
	magnet_chardev_exit();
}

module_init(magnet_init);
module_exit(magnet_exit);

MODULE_DESCRIPTION("High-fidelity event sensor for cluster nodes");
MODULE_AUTHOR("The magnet developers");
MODULE_VERSION("0.1.0");
/* For packages, which exchange a loaded module that has another one. */
MODULE_INFO(abi, __stringify(MAGNET_ABI_VERSION));
MODULE_LICENSE("GPL");
