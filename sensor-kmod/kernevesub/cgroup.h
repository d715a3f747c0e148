/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The cgroup of a thread, as rules see it.
 */
#ifndef _MAGNET_CGROUP_H
#define _MAGNET_CGROUP_H

#include <linux/cgroup.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/types.h>

struct netlink_ext_ack;

/*
 * Words of magnet_view.cgroup: ids of the cgroups that the thread is in, from
 * the root down; then that of the innermost, which may lie deeper.
 */
enum {
	MAGNET_CGROUP_LEVELS = 10,
	MAGNET_CGROUP_OWN = MAGNET_CGROUP_LEVELS,
	MAGNET_CGROUP_WORDS,
};

/**
 * magnet_cgroup_of() - the cgroup of a task in the unified hierarchy
 * @task: the task
 *
 * Context: with preemption off, so that it is a section of RCU's readers, as
 * long as the cgroup is used.
 * Return: the cgroup.
 */
static __always_inline struct cgroup *magnet_cgroup_of(const struct task_struct *task)
{
	return rcu_dereference_sched(task->cgroups)->dfl_cgrp;
}

/* The same's id. */
static __always_inline u64 magnet_cgroup_id_of(const struct task_struct *task)
{
	return magnet_cgroup_of(task)->kn->id;
}

void magnet_cgroup_words(u64 words[MAGNET_CGROUP_WORDS]);
int magnet_cgroup_find(const char *text, bool below, u64 *id, struct netlink_ext_ack *extack);

#endif /* _MAGNET_CGROUP_H */
