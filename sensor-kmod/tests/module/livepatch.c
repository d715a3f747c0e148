// SPDX-License-Identifier: GPL-2.0-only
/*
 * A livepatch, to be in force beside the module under test: what /proc/version
 * shows is another text while it is. Sysfs ends it:
 * echo 0 >/sys/kernel/livepatch/magnet_livepatch/enabled
 */
#define pr_fmt(fmt) "magnet_livepatch: " fmt

#include <linux/module.h>
#include <linux/livepatch.h>
#include <linux/seq_file.h>

static int patched_version_proc_show(struct seq_file *m, void *v)
{
	seq_puts(m, "patched\n");
	return 0;
}

static struct klp_func functions[] = {
	{
		.old_name	= "version_proc_show",
		.new_func	= patched_version_proc_show,
	},
	{ }
};

static struct klp_object objects[] = {
	{
		.funcs	= functions,
	},
	{ }
};

static struct klp_patch patch = {
	.mod	= THIS_MODULE,
	.objs	= objects,
};

static int __init magnet_livepatch_init(void)
{
	return klp_enable_patch(&patch);
}

static void __exit magnet_livepatch_exit(void)
{
}

module_init(magnet_livepatch_init);
module_exit(magnet_livepatch_exit);

MODULE_DESCRIPTION("A livepatch, for tests of magnet");
MODULE_LICENSE("GPL");
MODULE_INFO(livepatch, "Y");
