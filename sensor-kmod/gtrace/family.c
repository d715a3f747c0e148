// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the tree learns from the processes in it: births, new programs, ends.
 */
#include <linux/ctype.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "escapes.h"
#include "events.h"
#include "family.h"
#include "signals.h"

/* It has a line to itself, and programs may call themselves anything. */
static void set_progname(struct gtrace_process *process, const char *name)
{
	char *c;

	strscpy(process->progname, name, sizeof(process->progname));
	for (c = process->progname; *c; c++)
		if (!isascii(*c) || !isprint(*c))
			*c = '?';
}

/**
 * gtrace_describe() - note what stays true of a process
 * @process: not in the tree yet
 * @leader: its first thread
 * @progname: its program; other characters than those of ASCII that are printed become '?'
 *
 * Takes a reference to the pid.
 *
 * Context: any.
 */
void gtrace_describe(struct gtrace_process *process, struct task_struct *leader,
		     const char *progname)
{
	process->pid = get_task_pid(leader, PIDTYPE_TGID);
	process->nr = pid_nr(process->pid);
	process->start_ns = leader->start_boottime;
	set_progname(process, progname);
}

/* Nobody is to run in a task without being in its tree. */
static void kill_untraced(const struct gtrace_process *parent, struct task_struct *child)
{
	struct pid *pid = task_tgid(child);

	gtrace_counts.no_memory++;
	kill_pid(pid, SIGKILL, 1);
	gtrace_tell_child(GTRACE_EVENT_KILL, parent, pid_nr(pid), parent->progname);
}

static void add_child(struct gtrace_process *process, struct gtrace_process *parent,
		      struct task_struct *child)
{
	gtrace_describe(process, child, child->comm);
	gtrace_process_add(process, parent->task, parent);
	gtrace_counts.forks++;
	gtrace_tell(GTRACE_EVENT_FORK, process, 0);
	gtrace_look_inside(process, child);
	gtrace_apply_state(process, child);
}

/* An order has been quicker: pids are visible before the tracepoint is hit. */
static void adopt(struct gtrace_process *child, struct gtrace_process *mother)
{
	if (child->task == mother->task)
		gtrace_process_move(child, mother);
}

/**
 * gtrace_born() - a child inherits the task
 * @parent: who made it: the current thread, whoever the child's parent is to be
 * @child: its first thread, which has not run yet
 *
 * Context: of a thread, preemption off, no lock held.
 */
void gtrace_born(struct task_struct *parent, struct task_struct *child)
{
	struct gtrace_process *process = gtrace_process_make(GFP_ATOMIC | __GFP_NOWARN);
	struct gtrace_process *mother, *there;

	spin_lock(&gtrace_lock);
	mother = gtrace_find(task_tgid(parent));
	there = gtrace_find(task_tgid(child));
	if (mother && there) {
		adopt(there, mother);
	} else if (mother && process) {
		add_child(process, mother, child);
		process = NULL;
	} else if (mother) {
		kill_untraced(mother, child);
	}
	spin_unlock(&gtrace_lock);
	/* It is there, or its mother's task was forgotten meanwhile. */
	kfree(process);
}

/* The current thread has begun another program. Context: as gtrace_born(). */
void gtrace_new_program(struct task_struct *task)
{
	struct gtrace_process *process;

	spin_lock(&gtrace_lock);
	process = gtrace_find(task_tgid(task));
	if (process) {
		set_progname(process, task->comm);
		gtrace_tell(GTRACE_EVENT_EXEC, process, 0);
		gtrace_apply_state_again(process, task);
	}
	spin_unlock(&gtrace_lock);
}

/* As wait(2) gives it: the first thread's, whichever ends last. */
static int status_of(const struct task_struct *task)
{
	const struct signal_struct *signal = task->signal;

	return signal->flags & SIGNAL_GROUP_EXIT ? signal->group_exit_code :
						   task->group_leader->exit_code;
}

/**
 * gtrace_end() - a process of the tree has ended
 * @process: it; gone after the call
 * @task: one of its threads
 *
 * Context: under &gtrace_lock.
 */
void gtrace_end(struct gtrace_process *process, const struct task_struct *task)
{
	gtrace_counts.exits++;
	gtrace_tell(GTRACE_EVENT_EXIT, process, (u32)status_of(task));
	gtrace_process_remove(process);
}

/**
 * gtrace_gone() - the last thread of a process ends
 * @task: that thread; when two end together both may be the last, and the second finds nothing
 *
 * Context: as gtrace_born().
 * Return: true when no task is left.
 */
bool gtrace_gone(struct task_struct *task)
{
	struct gtrace_process *process;
	bool last = false;

	spin_lock(&gtrace_lock);
	process = gtrace_find(task_tgid(task));
	if (process) {
		gtrace_end(process, task);
		last = list_empty(&gtrace_tasks);
	}
	spin_unlock(&gtrace_lock);
	return last;
}
