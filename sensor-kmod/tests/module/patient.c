// SPDX-License-Identifier: GPL-2.0-only
/*
 * A handler that filters a point and takes its time: until two changes of the
 * point's subscriptions are done, or for a while. The second one has begun after
 * the handler has, so it should have waited for it. Whose handler it is, and
 * how many changes are done, is said in sysfs.
 */
#define pr_fmt(fmt) "magnet_patient: " fmt

#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/processor.h>
#include <linux/rcupdate.h>
#include <linux/sched/clock.h>
#include <linux/string.h>

#include <magnet.h>
#include <uapi/magnet.h>

#define PATIENCE_NS	(200 * NSEC_PER_MSEC)
/* Others may be hit as often as they like. */
#define CALLS_MAX	20

static ulong changes;
module_param(changes, ulong, 0644);
MODULE_PARM_DESC(changes, "changes of the point's subscriptions that are done");

static ulong calls;
module_param(calls, ulong, 0444);
MODULE_PARM_DESC(calls, "how often the handler has waited");

static ulong outlived;
module_param(outlived, ulong, 0444);
MODULE_PARM_DESC(outlived, "how often a whole change was done meanwhile");

static ulong unwatched;
module_param(unwatched, ulong, 0444);
MODULE_PARM_DESC(unwatched, "how often RCU did not watch");

static struct magnet_custom *custom;
static atomic_t busy = ATOMIC_INIT(0);

static bool notrace wait_for_changes(const struct magnet_event_view *view, void *arg)
{
	const ulong before = READ_ONCE(changes);
	const u64 begin = local_clock();

	if (!rcu_is_watching())
		unwatched++;
	if (READ_ONCE(calls) >= CALLS_MAX || atomic_xchg(&busy, 1))
		return true;
	calls++;
	while (READ_ONCE(changes) - before < 2 && local_clock() - begin < PATIENCE_NS)
		cpu_relax();
	if (READ_ONCE(changes) - before >= 2)
		outlived++;
	atomic_set(&busy, 0);
	return true;
}

static void let_go(void)
{
	if (custom)
		magnet_custom_unregister(custom);
	custom = NULL;
}

/* The text ends with a line feed when a shell has written it. */
static int set_point(const char *text, const struct kernel_param *kp)
{
	char name[MAGNET_NAME_SIZE];

	let_go();
	strscpy(name, text, sizeof(name));
	if (!*strim(name))
		return 0;
	calls = 0;
	outlived = 0;
	unwatched = 0;
	custom = magnet_custom_register(strim(name), wait_for_changes, NULL);
	if (!IS_ERR(custom))
		return 0;
	custom = NULL;
	return -ENOENT;
}

static const struct kernel_param_ops point_ops = { .set = set_point };
module_param_cb(point, &point_ops, NULL, 0200);
MODULE_PARM_DESC(point, "the point that the handler filters; empty: none");

static int __init patient_init(void)
{
	return 0;
}

static void __exit patient_exit(void)
{
	let_go();
}

module_init(patient_init);
module_exit(patient_exit);

MODULE_DESCRIPTION("A handler that takes its time, to test magnet");
MODULE_AUTHOR("The magnet developers");
MODULE_LICENSE("GPL");
