// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tree can't be left. The task's cgroup can: somebody moves a process, or a process makes its
 * child in another cgroup (CLONE_INTO_CGROUP). That is told; what follows is for user space to
 * decide.
 *
 * A task's cgroup is that of its first process when the task was made, until "cgroup TASK PATH".
 * Only the hierarchy of cgroup v2 is looked at.
 */
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>

#include "escapes.h"
#include "events.h"

/* In cgroup v2. */
u64 gtrace_cgroup_of(struct task_struct *task)
{
	u64 id;

	rcu_read_lock();
	id = cgroup_id(task_dfl_cgroup(task));
	rcu_read_unlock();
	return id;
}

static bool is_inside(struct cgroup *cgroup, u64 wanted)
{
	int level;

	for (level = 0; level <= cgroup->level; level++)
		if (cgroup_id(cgroup_ancestor(cgroup, level)) == wanted)
			return true;
	return false;
}

static void look(const struct gtrace_process *process, struct cgroup *cgroup)
{
	if (!is_inside(cgroup, READ_ONCE(process->task->cgroup)))
		gtrace_tell(GTRACE_EVENT_ESCAPE, process, cgroup_id(cgroup));
}

/**
 * gtrace_look_inside() - is a process that came, or was born, in the task's cgroup?
 * @process: it, in the tree
 * @leader: its first thread
 *
 * Context: under &gtrace_lock.
 */
void gtrace_look_inside(const struct gtrace_process *process, struct task_struct *leader)
{
	rcu_read_lock();
	look(process, task_dfl_cgroup(leader));
	rcu_read_unlock();
}

/*
 * Tracepoint cgroup_attach_task. It is hit with interrupts off, under a lock of the kernel's that
 * interrupts may wait for behind another one: gtrace_lock, whose holders may be interrupted, must
 * not be taken here.
 */
void gtrace_on_attach(void *unused, struct cgroup *to, const char *path, struct task_struct *task,
		      bool threadgroup)
{
	struct gtrace_process *process;

	if (to->root != &cgrp_dfl_root)
		return;
	rcu_read_lock();
	process = gtrace_find(task_tgid(task));
	if (process)
		look(process, to);
	rcu_read_unlock();
}
