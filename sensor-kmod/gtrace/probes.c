// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tracepoints that show what processes do. They are hooked while there is a task: without one a
 * loaded module costs nothing.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kernel.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/workqueue.h>
#include <trace/events/cgroup.h>
#include <trace/events/sched.h>

#include "escapes.h"
#include "family.h"
#include "orders.h"
#include "probes.h"

static void unhook(struct work_struct *unused);
static DECLARE_WORK(unhooking, unhook);

/* ---- what is hit ---- */

static void on_fork(void *unused, struct task_struct *parent, struct task_struct *child)
{
	/* A thread is in its process. */
	if (thread_group_leader(child) && gtrace_is_traced(task_tgid(parent)))
		gtrace_born(parent, child);
}

static void on_exec(void *unused, struct task_struct *task, pid_t old_pid,
		    struct linux_binprm *bprm)
{
	if (gtrace_is_traced(task_tgid(task)))
		gtrace_new_program(task);
}

static void on_thread_exit(struct task_struct *task)
{
	if (atomic_read(&task->signal->live) || !gtrace_is_traced(task_tgid(task)))
		return;
	if (gtrace_gone(task))
		schedule_work(&unhooking);
}

/* Some kernels also say whether the thread is the last one. */
static void __maybe_unused on_exit_of_group(void *unused, struct task_struct *task, bool group_dead)
{
	on_thread_exit(task);
}

static void __maybe_unused on_exit(void *unused, struct task_struct *task)
{
	on_thread_exit(task);
}

#define ON_EXIT									\
	__builtin_choose_expr(__same_type(&check_trace_callback_type_sched_process_exit,	\
					  (void (*)(void (*)(void *, struct task_struct *,	\
							     bool)))NULL),	\
			      on_exit_of_group, on_exit)

/* ---- hooking ---- */

static struct {
	const char		*name;
	void			*handler;
	struct tracepoint	*tracepoint;
} hooks[] = {
	{ "sched_process_fork", on_fork },
	{ "sched_process_exec", on_exec },
	{ "sched_process_exit", ON_EXIT },
	{ "cgroup_attach_task", gtrace_on_attach },
};

/* Under gtrace_orders. */
static bool hooked;

static void note(struct tracepoint *tracepoint, void *unused)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(hooks); i++)
		if (!strcmp(tracepoint->name, hooks[i].name))
			hooks[i].tracepoint = tracepoint;
}

/* They are not exported by name. */
int gtrace_probes_find(void)
{
	unsigned int i;

	check_trace_callback_type_sched_process_fork(on_fork);
	check_trace_callback_type_sched_process_exec(on_exec);
	check_trace_callback_type_sched_process_exit(ON_EXIT);
	check_trace_callback_type_cgroup_attach_task(gtrace_on_attach);
	for_each_kernel_tracepoint(note, NULL);
	for (i = 0; i < ARRAY_SIZE(hooks); i++) {
		if (hooks[i].tracepoint)
			continue;
		pr_err("this kernel has no tracepoint %s\n", hooks[i].name);
		return -ENOENT;
	}
	return 0;
}

static void unhook_first(unsigned int n)
{
	while (n--)
		tracepoint_probe_unregister(hooks[n].tracepoint, hooks[n].handler, NULL);
}

/* Before the first process comes into the tree. Under gtrace_orders. */
int gtrace_probes_on(void)
{
	unsigned int i;
	int err;

	for (i = 0; !hooked && i < ARRAY_SIZE(hooks); i++) {
		err = tracepoint_probe_register(hooks[i].tracepoint, hooks[i].handler, NULL);
		if (err) {
			unhook_first(i);
			return err;
		}
	}
	hooked = true;
	return 0;
}

static void off(void)
{
	if (hooked)
		unhook_first(ARRAY_SIZE(hooks));
	hooked = false;
}

/* Under gtrace_orders, so that no task comes meanwhile. */
void gtrace_probes_off_unless_needed(void)
{
	bool needed;

	spin_lock(&gtrace_lock);
	needed = !list_empty(&gtrace_tasks);
	spin_unlock(&gtrace_lock);
	if (!needed)
		off();
}

/* Whoever sees the last process end can't wait for this. */
static void unhook(struct work_struct *unused)
{
	mutex_lock(&gtrace_orders);
	gtrace_probes_off_unless_needed();
	mutex_unlock(&gtrace_orders);
}

/* Nobody gives orders any more. Afterwards no handler runs. */
void gtrace_probes_exit(void)
{
	mutex_lock(&gtrace_orders);
	off();
	mutex_unlock(&gtrace_orders);
	tracepoint_synchronize_unregister();
	cancel_work_sync(&unhooking);
}
