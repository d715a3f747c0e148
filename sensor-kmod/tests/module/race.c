// SPDX-License-Identifier: GPL-2.0-only
/*
 * A data race on purpose, for the kernel that looks for them: one thread
 * decodes a record, by a function of magnet.ko, while another changes it. Were
 * that not reported, reports that do not come would say nothing.
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched.h>

#include <magnet.h>
#include <uapi/magnet.h>

static struct magnet_record record;
static struct task_struct *changer, *decoder;

static int change(void *unused)
{
	while (!kthread_should_stop()) {
		record.abstract_id++;
		cond_resched();
	}
	return 0;
}

static int decode(void *unused)
{
	struct magnet_record header;

	while (!kthread_should_stop()) {
		magnet_decode(&record, &header);
		cond_resched();
	}
	return 0;
}

/* The threads get a CPU each, if there are two. */
static int __init race_init(void)
{
	changer = kthread_run_on_cpu(change, NULL, cpumask_first(cpu_online_mask), "magnet-race/%u");
	if (IS_ERR(changer))
		return PTR_ERR(changer);
	decoder = kthread_run_on_cpu(decode, NULL, cpumask_last(cpu_online_mask), "magnet-race/%u");
	if (!IS_ERR(decoder))
		return 0;
	kthread_stop(changer);
	return PTR_ERR(decoder);
}

static void __exit race_exit(void)
{
	kthread_stop(decoder);
	kthread_stop(changer);
}

module_init(race_init);
module_exit(race_exit);

MODULE_DESCRIPTION("A data race that the kernel has to find");
MODULE_AUTHOR("The magnet developers");
MODULE_LICENSE("GPL");
