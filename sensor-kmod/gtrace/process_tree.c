// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tree itself. It sends no signals and tells no events.
 */
#include <linux/hashtable.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "process_tree.h"

#define HASH_BITS_OF_PIDS	12

DEFINE_SPINLOCK(gtrace_lock);
LIST_HEAD(gtrace_tasks);
struct gtrace_counts gtrace_counts;

static DEFINE_HASHTABLE(by_pid, HASH_BITS_OF_PIDS);
static u64 last_id;

/* ---- looking up ---- */

/**
 * gtrace_find() - the process of a pid
 * @pid: of a process
 *
 * Context: under &gtrace_lock, or in an RCU read section. Then the process may just be leaving.
 * Return: the process, or NULL.
 */
struct gtrace_process *gtrace_find(struct pid *pid)
{
	struct gtrace_process *process;

	hash_for_each_possible_rcu(by_pid, process, hash, (unsigned long)pid,
				   lockdep_is_held(&gtrace_lock))
		if (process->pid == pid)
			return process;
	return NULL;
}

/**
 * gtrace_is_traced() - is the process in a task?
 * @pid: of a process
 *
 * For the many processes that are not, without a lock. Who is in a task can change until the caller
 * has the lock, unless the process is the one that runs: only an order brings it into one.
 *
 * Context: any that RCU watches.
 */
bool gtrace_is_traced(struct pid *pid)
{
	bool is;

	rcu_read_lock();
	is = gtrace_find(pid);
	rcu_read_unlock();
	return is;
}

/* Under &gtrace_lock. */
struct gtrace_task *gtrace_find_task(const char *name)
{
	struct gtrace_task *task;

	list_for_each_entry(task, &gtrace_tasks, list)
		if (!strcmp(task->name, name))
			return task;
	return NULL;
}

/* For people. */
const char *gtrace_state_name(enum gtrace_state state)
{
	static const char *const names[] = {
		[GTRACE_STATE_RUN] = "run",
		[GTRACE_STATE_STOP] = "stop",
		[GTRACE_STATE_KILL] = "kill",
	};

	return names[state];
}

/* ---- coming ---- */

/* A task that nobody knows yet, or NULL. Context: may sleep. */
struct gtrace_task *gtrace_task_make(const char *name, kuid_t owner)
{
	struct gtrace_task *task = kzalloc(sizeof(*task), GFP_KERNEL);

	if (!task)
		return NULL;
	INIT_LIST_HEAD(&task->roots);
	strscpy(task->name, name, sizeof(task->name));
	task->owner = owner;
	return task;
}

/* Under &gtrace_lock; a process has to follow. */
void gtrace_task_add(struct gtrace_task *task)
{
	task->id = ++last_id;
	list_add_tail(&task->list, &gtrace_tasks);
}

/* A process that nobody knows yet, or NULL; kfree() is its end until it is added. */
struct gtrace_process *gtrace_process_make(gfp_t gfp)
{
	struct gtrace_process *process = kzalloc(sizeof(*process), gfp);

	if (process)
		INIT_LIST_HEAD(&process->children);
	return process;
}

/**
 * gtrace_process_add() - put a process into the tree
 * @process: with all that is known of it, and a reference to its pid
 * @task: its task
 * @parent: its parent there, or NULL
 *
 * Context: under &gtrace_lock.
 */
void gtrace_process_add(struct gtrace_process *process, struct gtrace_task *task,
			struct gtrace_process *parent)
{
	process->task = task;
	process->parent = parent;
	list_add_tail(&process->sibling, parent ? &parent->children : &task->roots);
	hash_add_rcu(by_pid, &process->hash, (unsigned long)process->pid);
	task->processes++;
}

/* It has a parent of its own task after all. Under &gtrace_lock. */
void gtrace_process_move(struct gtrace_process *process, struct gtrace_process *parent)
{
	WRITE_ONCE(process->parent, parent);
	list_move_tail(&process->sibling, &parent->children);
}

/* ---- going ---- */

static void free_process(struct gtrace_process *process)
{
	put_pid(process->pid);
	kfree_rcu(process, rcu);
}

static void free_task(struct gtrace_task *task)
{
	list_del(&task->list);
	kfree_rcu(task, rcu);
}

/**
 * gtrace_process_remove() - take a process out of the tree
 * @process: the process
 *
 * Its children take its place: its parent inherits them. The last process takes its task with it.
 *
 * Context: under &gtrace_lock.
 */
void gtrace_process_remove(struct gtrace_process *process)
{
	struct gtrace_task *task = process->task;
	struct gtrace_process *child;

	list_for_each_entry(child, &process->children, sibling)
		WRITE_ONCE(child->parent, process->parent);
	list_splice(&process->children, &process->sibling);
	list_del(&process->sibling);
	hash_del_rcu(&process->hash);
	free_process(process);
	if (!--task->processes)
		free_task(task);
}

/* All tasks, whatever their processes do. Under &gtrace_lock. */
void gtrace_forget_all(void)
{
	struct gtrace_process *process;
	struct hlist_node *next;
	struct gtrace_task *task, *next_task;
	HLIST_HEAD(all);
	int bucket;

	/* First nobody finds any of them, whose parents are looked at without the lock. */
	hash_for_each_safe(by_pid, bucket, next, process, hash) {
		hash_del_rcu(&process->hash);
		hlist_add_head(&process->forgotten, &all);
	}
	hlist_for_each_entry_safe(process, next, &all, forgotten) {
		free_process(process);
		gtrace_counts.forgotten++;
	}
	list_for_each_entry_safe(task, next_task, &gtrace_tasks, list)
		free_task(task);
}

/* ---- walking ---- */

/* Under &gtrace_lock or in an RCU read section. */
u32 gtrace_parent_nr(const struct gtrace_process *process)
{
	const struct gtrace_process *parent = READ_ONCE(process->parent);

	return parent ? parent->nr : 0;
}

static struct gtrace_process *first_of(struct list_head *siblings)
{
	return list_first_entry_or_null(siblings, struct gtrace_process, sibling);
}

static struct gtrace_process *next_sibling(struct gtrace_process *process)
{
	struct list_head *siblings = process->parent ? &process->parent->children
						     : &process->task->roots;

	if (list_is_last(&process->sibling, siblings))
		return NULL;
	return list_next_entry(process, sibling);
}

struct gtrace_process *gtrace_top(struct gtrace_task *task)
{
	return first_of(&task->roots);
}

struct gtrace_process *gtrace_below(struct gtrace_process *process)
{
	struct gtrace_process *next = first_of(&process->children);

	while (!next && process) {
		next = next_sibling(process);
		process = process->parent;
	}
	return next;
}

/* The one without children that is met first on the way down. */
static struct gtrace_process *deepest(struct gtrace_process *process)
{
	struct gtrace_process *child;

	while (process && (child = first_of(&process->children)))
		process = child;
	return process;
}

struct gtrace_process *gtrace_bottom(struct gtrace_task *task)
{
	return deepest(first_of(&task->roots));
}

struct gtrace_process *gtrace_above(struct gtrace_process *process)
{
	struct gtrace_process *sibling = next_sibling(process);

	return sibling ? deepest(sibling) : process->parent;
}
