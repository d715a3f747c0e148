// SPDX-License-Identifier: GPL-2.0-only
/*
 * The orders that are written to /dev/gtrace:
 *
 *   new TASK PROG	the writer is a process of the task from now on, with this program
 *   add TASK PID	so is that process, and is stopped or killed if the task is
 *   cgroup TASK PATH	who leaves this cgroup tries to escape
 *   stop, cont, kill TASK	so do all processes of the task; the ioctls say how many
 *   reset		forget all tasks, and let their processes be
 *
 * A process of a task gives none: "reset" and another task would be ways out.
 */
#include <linux/cgroup.h>
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "authority.h"
#include "escapes.h"
#include "events.h"
#include "family.h"
#include "orders.h"
#include "probes.h"
#include "signals.h"

/* Orders come one at a time. */
DEFINE_MUTEX(gtrace_orders);

/* ---- words ---- */

static int check_name(const char *name, const char *without)
{
	const char *c;

	if (!name || !*name)
		return -EINVAL;
	if (strlen(name) >= GTRACE_NAME_SIZE)
		return -ENAMETOOLONG;
	for (c = name; *c; c++)
		if (!isascii(*c) || !isgraph(*c) || strchr(without, *c))
			return -EINVAL;
	return 0;
}

/* 0, -EINVAL or -ENAMETOOLONG. */
int gtrace_check_task_name(const char *name)
{
	return check_name(name, GTRACE_NAME_WITHOUT);
}

/* Names of programs have dots, and some are paths. */
static int check_progname(const char *name)
{
	return check_name(name, "?|,");
}

/* The next word of an order, or NULL. */
static char *word(char **rest)
{
	char *found;

	do {
		found = strsep(rest, " \t");
	} while (found && !*found);
	return found;
}

/* ---- coming into a task ---- */

/* Under gtrace_lock. Takes @fresh if there is no such task. */
static int enter(struct gtrace_process *process, struct task_struct *leader,
		 struct gtrace_task **fresh, const struct gtrace_authority *who)
{
	struct gtrace_task *task = gtrace_find_task((*fresh)->name);

	if (gtrace_find(process->pid))
		return -EEXIST;
	if (!atomic_read(&leader->signal->live))
		return -ESRCH;
	if (task && !gtrace_may_order(who, task))
		return -EPERM;
	/* It would be stopped with the device open, and nobody could continue it. */
	if (task && task->state != GTRACE_STATE_RUN && leader == current->group_leader)
		return -EBUSY;
	if (!task) {
		task = *fresh;
		*fresh = NULL;
		task->cgroup = gtrace_cgroup_of(leader);
		gtrace_task_add(task);
	}
	gtrace_process_add(process, task, NULL);
	gtrace_counts.created++;
	gtrace_tell(GTRACE_EVENT_NEW, process, 0);
	/*
	 * The probes look into the tree without the lock once live is 0, or the cgroup is another
	 * one: either they see the process there, or this sees the 0, or the cgroup. Pairs with
	 * atomic_dec_and_test() in do_exit(), and with css_set_lock when a process moves.
	 */
	smp_mb();
	if (!atomic_read(&leader->signal->live)) {
		gtrace_end(process, leader);
		return 0;
	}
	gtrace_look_inside(process, leader);
	gtrace_apply_state(process, leader);
	return 0;
}

static int join(const char *name, const char *progname, struct task_struct *leader,
		const struct gtrace_authority *who)
{
	struct gtrace_task *fresh = gtrace_task_make(name, who->euid);
	struct gtrace_process *process = gtrace_process_make(GFP_KERNEL);
	int err = -ENOMEM;

	if (!fresh || !process)
		goto free;
	gtrace_describe(process, leader, progname);
	err = gtrace_probes_on();
	if (!err) {
		spin_lock(&gtrace_lock);
		err = enter(process, leader, &fresh, who);
		spin_unlock(&gtrace_lock);
		gtrace_probes_off_unless_needed();
	}
	if (err)
		put_pid(process->pid);
free:
	if (err)
		kfree(process);
	kfree(fresh);
	return err;
}

static int obey_new(const struct gtrace_authority *who, char *rest)
{
	const char *task = word(&rest), *progname = word(&rest);
	int err = gtrace_check_task_name(task) ?: check_progname(progname);

	if (err)
		return err;
	if (word(&rest))
		return -EINVAL;
	if (!gtrace_may_enter(who))
		return -EPERM;
	return join(task, progname, current->group_leader, who);
}

/* Threads of the kernel and the first process are nobody's. */
static int add(const struct gtrace_authority *who, const char *task, struct task_struct *leader)
{
	char comm[TASK_COMM_LEN];

	if (leader->flags & PF_KTHREAD || is_global_init(leader) || !gtrace_may_add(who, leader))
		return -EPERM;
	get_task_comm(comm, leader);
	return join(task, comm, leader, who);
}

/* Of the first pid namespace, wherever the writer is. NULL: there is no such process. */
static struct task_struct *find_leader(pid_t nr)
{
	struct task_struct *leader;

	rcu_read_lock();
	leader = pid_task(find_pid_ns(nr, &init_pid_ns), PIDTYPE_TGID);
	if (leader)
		get_task_struct(leader);
	rcu_read_unlock();
	return leader;
}

static int obey_add(const struct gtrace_authority *who, char *rest)
{
	const char *task = word(&rest), *number = word(&rest);
	int err = gtrace_check_task_name(task);
	struct task_struct *leader;
	pid_t nr;

	if (err)
		return err;
	if (!number || word(&rest) || kstrtoint(number, 10, &nr) || nr <= 0)
		return -EINVAL;
	leader = find_leader(nr);
	if (!leader)
		return -ESRCH;
	err = add(who, task, leader);
	put_task_struct(leader);
	return err;
}

/* ---- the others ---- */

static int set_cgroup(const struct gtrace_authority *who, const char *name, u64 cgroup)
{
	struct gtrace_task *task;
	int err = 0;

	spin_lock(&gtrace_lock);
	task = gtrace_find_task(name);
	if (!task)
		err = -ENOENT;
	else if (!gtrace_may_order(who, task))
		err = -EPERM;
	else
		WRITE_ONCE(task->cgroup, cgroup);
	spin_unlock(&gtrace_lock);
	return err;
}

static int obey_cgroup(const struct gtrace_authority *who, char *rest)
{
	const char *task = word(&rest);
	int err = gtrace_check_task_name(task);
	struct cgroup *cgroup;

	if (err)
		return err;
	/* A path may have spaces in it. */
	if (!rest || *rest != '/')
		return -EINVAL;
	cgroup = cgroup_get_from_path(rest);
	if (IS_ERR(cgroup))
		return PTR_ERR(cgroup);
	err = set_cgroup(who, task, cgroup_id(cgroup));
	cgroup_put(cgroup);
	return err;
}

/* -EPERM also when some of its processes are somebody else's. */
static int obey_act(const struct gtrace_authority *who, char *rest, enum gtrace_state state)
{
	const char *task = word(&rest);
	int result = gtrace_check_task_name(task);

	if (!result && word(&rest))
		result = -EINVAL;
	if (!result)
		result = gtrace_order(task, state, who);
	return min(result, 0);
}

static int obey_stop(const struct gtrace_authority *who, char *rest)
{
	return obey_act(who, rest, GTRACE_STATE_STOP);
}

static int obey_cont(const struct gtrace_authority *who, char *rest)
{
	return obey_act(who, rest, GTRACE_STATE_RUN);
}

static int obey_kill(const struct gtrace_authority *who, char *rest)
{
	return obey_act(who, rest, GTRACE_STATE_KILL);
}

static int obey_reset(const struct gtrace_authority *who, char *rest)
{
	if (word(&rest))
		return -EINVAL;
	if (!who->admin)
		return -EPERM;
	spin_lock(&gtrace_lock);
	gtrace_forget_all();
	spin_unlock(&gtrace_lock);
	gtrace_probes_off_unless_needed();
	return 0;
}

/* ---- which one ---- */

static const struct {
	const char	*verb;
	int		(*obey)(const struct gtrace_authority *who, char *rest);
} verbs[] = {
	{ "new", obey_new },
	{ "add", obey_add },
	{ "cgroup", obey_cgroup },
	{ "stop", obey_stop },
	{ "cont", obey_cont },
	{ "kill", obey_kill },
	{ "reset", obey_reset },
};

bool gtrace_current_is_traced(void)
{
	return gtrace_is_traced(task_tgid(current));
}

static int obey(const struct gtrace_authority *who, char *order)
{
	const char *verb = word(&order);
	unsigned int i;

	for (i = 0; verb && i < ARRAY_SIZE(verbs); i++)
		if (!strcmp(verb, verbs[i].verb))
			return verbs[i].obey(who, order);
	return -EINVAL;
}

/**
 * gtrace_obey() - carry out an order
 * @file: who gave it
 * @order: as it was written, without the end of the line; is changed
 *
 * Context: may sleep.
 * Return: 0; -EINVAL: it is none, or has a bad name in it; -ENAMETOOLONG; -EPERM: not for this
 * caller; -EEXIST: the process is in a task; -EBUSY: the caller would be stopped by it; -ESRCH:
 * there is no such process; -ENOENT: there is no such task or cgroup; -ENOMEM.
 */
int gtrace_obey(const struct file *file, char *order)
{
	const struct gtrace_authority who = gtrace_authority_of(file);
	int err = -EPERM;

	mutex_lock(&gtrace_orders);
	if (!gtrace_current_is_traced())
		err = obey(&who, order);
	mutex_unlock(&gtrace_orders);
	return err;
}

/**
 * gtrace_act() - stop, continue or kill a task
 * @file: who wants it
 * @name: the task
 * @state: what it is to do
 *
 * Context: may sleep.
 * Return: as gtrace_order(); -EINVAL or -ENAMETOOLONG when no task has such a name.
 */
int gtrace_act(const struct file *file, const char *name, enum gtrace_state state)
{
	const struct gtrace_authority who = gtrace_authority_of(file);
	int result = gtrace_check_task_name(name);

	if (result)
		return result;
	mutex_lock(&gtrace_orders);
	result = gtrace_current_is_traced() ? -EPERM : gtrace_order(name, state, &who);
	mutex_unlock(&gtrace_orders);
	return result;
}
