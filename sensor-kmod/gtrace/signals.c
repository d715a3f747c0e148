// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stopping, continuing and killing tasks.
 *
 * This is one sweep under the tree's lock, and a state in the task that whoever is born into it
 * takes on before its first instruction. So a second sweep would find nobody.
 *
 * Here the line is drawn: this module acts by signals, in the order of the tree. Freezing, limiting
 * and killing by cgroup (cgroup.freeze, pids.max, cgroup.kill) and returning who left a cgroup are
 * writes to files of cgroups, and so are for user space, which has the tree and the events to do
 * them by.
 */
#include <linux/errno.h>
#include <linux/sched/signal.h>
#include <linux/signal.h>

#include "authority.h"
#include "events.h"
#include "signals.h"

static const struct {
	int			signal;
	enum gtrace_event_kind	event;
} acts[] = {
	[GTRACE_STATE_RUN] = { SIGCONT, GTRACE_EVENT_CONT },
	[GTRACE_STATE_STOP] = { SIGSTOP, GTRACE_EVENT_STOP },
	[GTRACE_STATE_KILL] = { SIGKILL, GTRACE_EVENT_KILL },
};

/* The kernel asks what the writer may do, and this what the opener may. */
static bool may_signal(const struct gtrace_authority *by, struct pid *pid)
{
	struct task_struct *leader;
	bool may;

	rcu_read_lock();
	leader = pid_task(pid, PIDTYPE_TGID);
	may = !leader || gtrace_may_signal(by, leader);
	rcu_read_unlock();
	return may;
}

/*
 * An admin's signal is the kernel's own. For others the kernel decides, and so do its security
 * modules, as for kill(2). The gtrace lock comes before the process's siglock, always.
 */
static bool send(struct gtrace_process *process, int signal, const struct gtrace_authority *by)
{
	int err;

	if (!may_signal(by, process->pid))
		return false;
	err = kill_pid(process->pid, signal, by->admin);
	/* One that has just ended needs no signal. */
	return !err || err == -ESRCH;
}

/*
 * Stop and kill from the top down: no parent runs any more that could see its children stop or end.
 * Continue from the bottom up: a parent that runs finds that its children do.
 */
static unsigned int sweep(struct gtrace_task *task, enum gtrace_state state,
			  const struct gtrace_authority *by, unsigned int *refused)
{
	const int signal = acts[state].signal;
	struct gtrace_process *process;
	unsigned int sent = 0;

	if (state == GTRACE_STATE_RUN) {
		for (process = gtrace_bottom(task); process; process = gtrace_above(process))
			sent += send(process, signal, by);
	} else {
		for (process = gtrace_top(task); process; process = gtrace_below(process))
			sent += send(process, signal, by);
	}
	*refused = task->processes - sent;
	return sent;
}

/**
 * gtrace_order() - stop, continue or kill a task
 * @name: the task
 * @state: what it is to do from now on
 * @by: who wants it; the caller
 *
 * Context: may sleep; preemption is off for as long as the signals take.
 * Return: the number of processes that were sent the signal; -ENOENT: no such task, or it has been
 * killed and is just ending; -EPERM: it is not the caller's, or some process in it is not, and has
 * not been sent the signal.
 */
int gtrace_order(const char *name, enum gtrace_state state, const struct gtrace_authority *by)
{
	struct gtrace_task *task;
	unsigned int refused;
	int sent;

	spin_lock(&gtrace_lock);
	task = gtrace_find_task(name);
	if (!task || (task->state == GTRACE_STATE_KILL && state != GTRACE_STATE_KILL)) {
		sent = -ENOENT;
	} else if (!gtrace_may_order(by, task)) {
		sent = -EPERM;
	} else {
		task->state = state;
		task->by = *by;
		sent = sweep(task, state, by, &refused);
		gtrace_tell_task(acts[state].event, task, sent);
		if (refused)
			sent = -EPERM;
	}
	spin_unlock(&gtrace_lock);
	return sent;
}

/* Under &gtrace_lock. True when there was something to be done. */
static bool apply(struct gtrace_process *process, struct task_struct *task)
{
	const struct gtrace_task *its = process->task;

	if (its->state == GTRACE_STATE_RUN || !gtrace_may_signal(&its->by, task))
		return false;
	kill_pid(process->pid, acts[its->state].signal, 1);
	gtrace_tell(acts[its->state].event, process, 1);
	return true;
}

/**
 * gtrace_apply_state() - let a newcomer do what its task does
 * @process: the newcomer, in the tree
 * @leader: its first thread
 *
 * Context: under &gtrace_lock.
 */
void gtrace_apply_state(struct gtrace_process *process, struct task_struct *leader)
{
	gtrace_counts.late += apply(process, leader);
}

/* Has the sweep reached it while it was beginning its program? */
static bool is_told(struct task_struct *task, int signal)
{
	/* The thread's own. */
	struct sighand_struct *sighand = rcu_dereference_protected(task->sighand, task == current);
	bool told;

	spin_lock_irq(&sighand->siglock);
	told = sigismember(&task->signal->shared_pending.signal, signal) ||
	       fatal_signal_pending(task);
	spin_unlock_irq(&sighand->siglock);
	return told;
}

/**
 * gtrace_apply_state_again() - let a process that begins a program do what its task does
 * @process: it, in the tree
 * @task: the current thread, its only one
 *
 * It may have been somebody else's when it was born, or have been continued by somebody.
 *
 * Context: under &gtrace_lock.
 */
void gtrace_apply_state_again(struct gtrace_process *process, struct task_struct *task)
{
	if (process->task->state != GTRACE_STATE_RUN &&
	    !is_told(task, acts[process->task->state].signal))
		apply(process, task);
}
