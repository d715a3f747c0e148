/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The cgroup of a thread, as rules and task_attach see it: in the unified
 * hierarchy (cgroup v2), or in the hierarchy of version 1 that has the controller
 * which the parameter job_hierarchy names.
 */
#ifndef _MAGNET_CGROUP_H
#define _MAGNET_CGROUP_H

#include <linux/bits.h>
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

/* Its index in css_set.subsys; negative: the unified hierarchy is watched. */
extern int magnet_job_controller;

/* Also while the controller is in no hierarchy of version 1: then all are in the root. */
static __always_inline bool magnet_cgroup_is_watched(const struct cgroup *cgroup)
{
	const struct cgroup_root *root = cgroup->root;

	if (magnet_job_controller < 0)
		return root == &cgrp_dfl_root;
	return root != &cgrp_dfl_root && root->subsys_mask & BIT(magnet_job_controller);
}

/**
 * magnet_cgroup_of_state() - the cgroup of version 1 behind a controller's state
 * @css: the state
 *
 * A root of version 1 goes when it is unmounted, and no grace period of RCU lies
 * in between, so nobody looks at it. In its place comes the root of the unified
 * hierarchy, which has the same id and the same path. It also stands for all
 * cgroups while no hierarchy of version 1 has the controller.
 *
 * Context: a section of RCU's readers, as long as the cgroup is used.
 * Return: the cgroup.
 */
static __always_inline struct cgroup *
magnet_cgroup_of_state(const struct cgroup_subsys_state *css)
{
	if (!css->parent || css->cgroup->root == &cgrp_dfl_root)
		return &cgrp_dfl_root.cgrp;
	return css->cgroup;
}

/**
 * magnet_cgroup_of() - the cgroup of a task in the watched hierarchy
 * @task: the task
 *
 * Context: with preemption off, so that it is a section of RCU's readers, as
 * long as the cgroup is used.
 * Return: the cgroup.
 */
static __always_inline struct cgroup *magnet_cgroup_of(const struct task_struct *task)
{
	const struct css_set *set = rcu_dereference_sched(task->cgroups);

	if (likely(magnet_job_controller < 0))
		return set->dfl_cgrp;
	return magnet_cgroup_of_state(set->subsys[magnet_job_controller]);
}

/* The same's id. */
static __always_inline u64 magnet_cgroup_id_of(const struct task_struct *task)
{
	return magnet_cgroup_of(task)->kn->id;
}

int magnet_cgroup_init(void);
struct cgroup_subsys_state *magnet_cgroup_root(void);
struct cgroup *magnet_cgroup_at(const struct cgroup_subsys_state *css);
void magnet_cgroup_words(u64 words[MAGNET_CGROUP_WORDS]);
int magnet_cgroup_find(const char *text, bool below, u64 *id, struct netlink_ext_ack *extack);

#endif /* _MAGNET_CGROUP_H */
