/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tasks and the trees of their processes.
 */
#ifndef _GTRACE_PROCESS_TREE_H
#define _GTRACE_PROCESS_TREE_H

#include <linux/list.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/uidgid.h>

#include <uapi/magnet_gtrace.h>

/* What a task is to do, and all that are born into it. */
enum gtrace_state {
	GTRACE_STATE_RUN,
	GTRACE_STATE_STOP,
	GTRACE_STATE_KILL,
};

/**
 * struct gtrace_authority - who gave an order
 * @uid: real user of who opened the device
 * @euid: its effective user
 * @admin: opener and writer have CAP_SYS_ADMIN, and may do it to any process
 * @opener_is_admin: the opener has it
 */
struct gtrace_authority {
	kuid_t	uid;
	kuid_t	euid;
	bool	admin;
	bool	opener_is_admin;
};

/**
 * struct gtrace_task - processes that belong together
 * @list: in &gtrace_tasks
 * @roots: processes without a parent in the tree
 * @rcu: for freeing
 * @name: never changes
 * @id: unique for as long as the module is loaded
 * @owner: who made it
 * @state: what it is to do
 * @by: who gave the order that led to @state
 * @processes: that it has; the last one takes the task with it
 * @cgroup: id of the cgroup that no process is to leave
 */
struct gtrace_task {
	struct list_head	list;
	struct list_head	roots;
	struct rcu_head		rcu;
	char			name[GTRACE_NAME_SIZE];
	u64			id;
	kuid_t			owner;
	enum gtrace_state	state;
	struct gtrace_authority	by;
	unsigned int		processes;
	u64			cgroup;
};

/**
 * struct gtrace_process - a process of a task
 * @hash: by @pid
 * @forgotten: when all are
 * @rcu: for freeing
 * @pid: the process; held, so that a number which is given again is no matter
 * @nr: its number in the first pid namespace
 * @task: its task, for as long as it lives
 * @parent: who made it, or who inherited it; NULL for one of the task's roots
 * @sibling: in @parent's children, or in the task's roots
 * @children: made by it or inherited
 * @start_ns: when it was made, CLOCK_BOOTTIME
 * @depth: for who walks down: below a root, which has 0
 * @progname: its program
 */
struct gtrace_process {
	struct hlist_node	hash;
	struct hlist_node	forgotten;
	struct rcu_head		rcu;
	struct pid		*pid;
	u32			nr;
	struct gtrace_task	*task;
	struct gtrace_process	*parent;
	struct list_head	sibling;
	struct list_head	children;
	u64			start_ns;
	unsigned int		depth;
	char			progname[GTRACE_NAME_SIZE];
};

/**
 * struct gtrace_counts - what happened since the module was loaded
 * @created: processes that came by an order
 * @forks: processes that were born into tasks
 * @exits: processes that ended in a task
 * @forgotten: processes that were in a task when it was reset
 * @late: processes that were born into a task which was stopped or killed
 * @no_memory: children that were killed because there was no memory to trace them
 *
 * @created and @forks are always @exits, @forgotten and the processes in the tree together.
 */
struct gtrace_counts {
	u64	created;
	u64	forks;
	u64	exits;
	u64	forgotten;
	u64	late;
	u64	no_memory;
};

/* Guards all of the tree. Nobody takes it in an interrupt. */
extern spinlock_t gtrace_lock;
extern struct list_head gtrace_tasks;
extern struct gtrace_counts gtrace_counts;

bool gtrace_is_traced(struct pid *pid);
struct gtrace_process *gtrace_find(struct pid *pid);
struct gtrace_task *gtrace_find_task(const char *name);

const char *gtrace_state_name(enum gtrace_state state);

struct gtrace_task *gtrace_task_make(const char *name, kuid_t owner);
void gtrace_task_add(struct gtrace_task *task);
struct gtrace_process *gtrace_process_make(gfp_t gfp);
void gtrace_process_add(struct gtrace_process *process, struct gtrace_task *task,
			struct gtrace_process *parent);
void gtrace_process_move(struct gtrace_process *process, struct gtrace_process *parent);
void gtrace_process_remove(struct gtrace_process *process);
void gtrace_forget_all(void);

u32 gtrace_parent_nr(const struct gtrace_process *process);

/* Down: each process comes before all that descend from it. Up: after them. NULL: no more. */
struct gtrace_process *gtrace_top(struct gtrace_task *task);
struct gtrace_process *gtrace_below(struct gtrace_process *process);
struct gtrace_process *gtrace_bottom(struct gtrace_task *task);
struct gtrace_process *gtrace_above(struct gtrace_process *process);

#endif /* _GTRACE_PROCESS_TREE_H */
