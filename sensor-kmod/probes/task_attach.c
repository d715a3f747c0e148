// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which cgroup a process is in: told where it is made, runs a new program or is
 * moved, and to each new subscription for all that are there. Whoever joins this
 * with other events by their tgid knows whose they are.
 */
#include <linux/cgroup.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <trace/events/sched.h>
#include <trace/events/cgroup.h>

#include "compat.h"
#include "kernevesub/cgroup.h"
#include "monisub/eventdb.h"
#include "monisub/present.h"
#include "probes/probe.h"

static void emit_attach(struct magnet_point *point, const struct task_struct *leader, u64 cgroup,
			u32 how)
{
	struct magnet_task_attach payload = { .cgroup = cgroup, .how = how };
	int guard;

	if (magnet_probe_enter(point, &guard))
		magnet_emit(point, guard, leader->tgid, &payload, sizeof(payload));
}

/* Handlers run with preemption off, but on the newest kernels. */
static u64 cgroup_id_now(const struct task_struct *task)
{
	u64 id;

	preempt_disable_notrace();
	id = magnet_cgroup_id_of(task);
	preempt_enable_notrace();
	return id;
}

/*
 * Who moves the process meanwhile may have told so before this record was
 * written; then the last record would be false.
 */
static void tell(struct magnet_point *point, const struct task_struct *leader, u32 how)
{
	u64 cgroup = cgroup_id_now(leader), told;

	do {
		told = cgroup;
		emit_attach(point, leader, told, how);
		cgroup = cgroup_id_now(leader);
	} while (cgroup != told);
}

static void on_fork(void *data, struct task_struct *parent, struct task_struct *child)
{
	if (thread_group_leader(child))
		tell(data, child, MAGNET_ATTACH_FORK);
}

/* Its first thread has the process's id, whichever called execve. */
static void on_exec(void *data, struct task_struct *p, pid_t old_pid, struct linux_binprm *bprm)
{
	tell(data, p, MAGNET_ATTACH_EXEC);
}

/* Nobody else moves it: cgroup_mutex is held. */
static void on_move(void *data, struct cgroup *to, const char *path, struct task_struct *task,
		    bool threadgroup)
{
	if (magnet_cgroup_is_watched(to) && thread_group_leader(task))
		emit_attach(data, task, cgroup_id_now(task), MAGNET_ATTACH_MOVE);
}

static const struct magnet_field task_attach_fields[] = {
	{ "cgroup", "u64", offsetof(struct magnet_task_attach, cgroup) },
	{ "how", "u32", offsetof(struct magnet_task_attach, how) },
	{}
};

static struct magnet_tp task_attach_tps[] = {
	{ "sched_process_fork", on_fork },
	{ "sched_process_exec", on_exec },
	{ "cgroup_attach_task", on_move },
	{ "cgroup_transfer_tasks", on_move },	/* cpuset of version 1 that has lost its last CPU */
};

/* ---- what is there already ---- */

/* Too many to do in one go: this is when others get the CPU, and the reader makes room. */
#define PROCESSES_AT_ONCE	256

union attach_view {
	struct magnet_view	view;
	u8			room[sizeof(struct magnet_view) +
				     sizeof(struct magnet_task_attach)];
};

static void tell_present(struct magnet_present *p, const struct task_struct *leader)
{
	union attach_view u = { .view.id = leader->tgid };
	struct magnet_task_attach *attach = (struct magnet_task_attach *)u.view.payload;

	*attach = (struct magnet_task_attach){ .how = MAGNET_ATTACH_PRESENT };
	do {
		attach->cgroup = cgroup_id_now(leader);
		magnet_present_tell(p, &u.view, sizeof(*attach));
	} while (cgroup_id_now(leader) != attach->cgroup);
}

/* Return: @task is still in the list. */
static bool pause_at(struct magnet_present *p, struct task_struct *task)
{
	bool there;

	get_task_struct(task);
	magnet_present_pause(p);
	there = pid_alive(task);
	put_task_struct(task);
	return there;
}

/* Return: false: where it was is no more. */
static bool tell_all(struct magnet_present *p)
{
	struct task_struct *task;
	unsigned int n = 0;
	bool there = true;

	rcu_read_lock();
	for_each_process(task) {
		if ((++n % PROCESSES_AT_ONCE == 0 || !magnet_present_has_room(p)) &&
		    !pause_at(p, task)) {
			there = false;
			break;
		}
		tell_present(p, task);
	}
	rcu_read_unlock();
	return there;
}

/* What is told twice does no harm, so it begins anew; each time the patience is less. */
static void task_attach_present(struct magnet_sub *sub)
{
	struct magnet_present p;

	magnet_present_begin(&p, sub);
	while (!tell_all(&p))
		;
}

MAGNET_TRACEPOINTS_POINT("sched", task_attach, MAGNET_EVENT_TASK_ATTACH, "tgid",
			 sizeof(struct magnet_task_attach), task_attach_fields,
			 .present = task_attach_present);

/* A handler that no longer fits its tracepoint must not compile. */
static void __maybe_unused check_types(void)
{
	check_trace_callback_type_sched_process_fork(on_fork);
	check_trace_callback_type_sched_process_exec(on_exec);
	check_trace_callback_type_cgroup_attach_task(on_move);
	check_trace_callback_type_cgroup_transfer_tasks(on_move);
}
