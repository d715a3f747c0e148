// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module that comes and goes, with a function to hook and a tracepoint in it,
 * which is passed once in each call. It makes some calls when it is loaded, and
 * more to order: echo 53 >/sys/module/magnet_transient/parameters/more
 */
#define pr_fmt(fmt) "magnet_transient: " fmt

#include <linux/module.h>

#define CREATE_TRACE_POINTS
#include "transient_trace.h"

static uint at_start;
module_param(at_start, uint, 0444);
MODULE_PARM_DESC(at_start, "calls while it is loaded");

static bool refuse;
module_param(refuse, bool, 0444);
MODULE_PARM_DESC(refuse, "make these calls, and fail then");

static noinline __noclone void magnet_transient_step(u32 number)
{
	trace_magnet_transient_passed(number);
}

static void step(uint calls)
{
	u32 i;

	for (i = 1; i <= calls; i++)
		magnet_transient_step(i);
}

static int set_more(const char *text, const struct kernel_param *kp)
{
	uint calls;
	int err = kstrtouint(text, 0, &calls);

	if (!err)
		step(calls);
	return err;
}

static const struct kernel_param_ops more_ops = { .set = set_more };
module_param_cb(more, &more_ops, NULL, 0200);
MODULE_PARM_DESC(more, "make this many calls now");

static int __init transient_init(void)
{
	step(at_start);
	return refuse ? -ECANCELED : 0;
}

static void __exit transient_exit(void)
{
}

module_init(transient_init);
module_exit(transient_exit);

MODULE_DESCRIPTION("A function and a tracepoint that come and go, to test magnet");
MODULE_AUTHOR("The magnet developers");
MODULE_LICENSE("GPL");
