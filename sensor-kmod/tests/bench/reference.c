// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cheapest possible handler, an empty one.
 */
#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "bench.h"

static void on_entry(unsigned long ip, unsigned long parent_ip,
		     struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
}

static struct ftrace_ops ops = { .func = on_entry };
static bool hooked;

/* Whatever its arguments are: they come in registers, and are not looked at. */
static void on_tracepoint(void *data)
{
}

static struct tracepoint *tp;

/* As in probes/ftrace.c: the name may be an alias, so it is looked up first. */
static int hook_function(const char *name)
{
	struct kprobe kp = { .symbol_name = name, .flags = KPROBE_FLAG_DISABLED };
	int err;

	err = register_kprobe(&kp);
	if (err)
		return err;
	unregister_kprobe(&kp);
	err = ftrace_set_filter_ip(&ops, (unsigned long)kp.addr, 0, 1);
	if (err)
		return err;
	err = register_ftrace_function(&ops);
	if (err)
		ftrace_free_filter(&ops);
	hooked = !err;
	return err;
}

static void look_at(struct tracepoint *each, void *name)
{
	if (!strcmp(each->name, name))
		tp = each;
}

static int hook_tracepoint(const char *name)
{
	int err;

	for_each_kernel_tracepoint(look_at, (void *)name);
	if (!tp)
		return -ENOENT;
	err = tracepoint_probe_register(tp, on_tracepoint, NULL);
	if (err)
		tp = NULL;
	return err;
}

int reference_hook(const char *function, const char *tracepoint)
{
	if (function)
		return hook_function(function);
	return tracepoint ? hook_tracepoint(tracepoint) : 0;
}

void reference_unhook(void)
{
	if (hooked) {
		unregister_ftrace_function(&ops);
		ftrace_free_filter(&ops);
	}
	if (tp) {
		tracepoint_probe_unregister(tp, on_tracepoint, NULL);
		tracepoint_synchronize_unregister();
	}
}
