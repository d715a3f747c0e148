// SPDX-License-Identifier: GPL-2.0-only
/*
 * magnet_bench: what the benchmarks need inside the kernel. Loaded with
 * function=NAME or tracepoint=NAME it hooks an empty handler there, which is
 * what others are measured against. Reading its debugfs file
 * magnet_bench/steps measures where a handler's time goes.
 */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/seq_file.h>

#include "bench.h"

static char *function;
module_param(function, charp, 0444);
MODULE_PARM_DESC(function, "hook this function's entry with an empty handler");

static char *tracepoint;
module_param(tracepoint, charp, 0444);
MODULE_PARM_DESC(tracepoint, "hook this tracepoint with an empty handler");

static struct dentry *dir;

DEFINE_SHOW_ATTRIBUTE(steps);

static int __init bench_init(void)
{
	int err = reference_hook(function, tracepoint);

	if (err)
		return err;
	dir = debugfs_create_dir("magnet_bench", NULL);
	debugfs_create_file("steps", 0400, dir, NULL, &steps_fops);
	return 0;
}

static void __exit bench_exit(void)
{
	debugfs_remove(dir);
	reference_unhook();
}

module_init(bench_init);
module_exit(bench_exit);

MODULE_DESCRIPTION("Reference points for the benchmarks of magnet");
MODULE_LICENSE("GPL");
