// SPDX-License-Identifier: GPL-2.0-only
/*
 * The hierarchy of cgroups that the module watches.
 *
 * cgroups of two hierarchies have the same ids, so it is one, the same as long as
 * the module is loaded.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cgroup.h>
#include <linux/init_task.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/string.h>

#include "cgroup.h"

#define UNIFIED	"unified"

static char *job_hierarchy = UNIFIED;
module_param(job_hierarchy, charp, 0444);
MODULE_PARM_DESC(job_hierarchy, "cgroups that name jobs: unified (default), or a controller of version 1 such as freezer");

int magnet_job_controller __ro_after_init = -1;

/* It never moves, and belongs to no cgroup but the root, whose states last for ever. */
static struct cgroup_subsys_state *root_state(int controller)
{
	struct cgroup_subsys_state *css;

	rcu_read_lock();
	css = rcu_dereference(init_task.cgroups)->subsys[controller];
	rcu_read_unlock();
	return css;
}

/**
 * magnet_cgroup_init() - the parameter job_hierarchy
 *
 * Return: 0; or an error, and the kernel log says what is wrong.
 */
int __init magnet_cgroup_init(void)
{
	const struct cgroup_subsys *ss;
	int i;

	if (!strcmp(job_hierarchy, UNIFIED))
		return 0;
	for (i = 0; i < CGROUP_SUBSYS_COUNT; i++) {
		ss = root_state(i)->ss;
		if (!strcmp(job_hierarchy, ss->legacy_name))
			break;
	}
	if (i == CGROUP_SUBSYS_COUNT) {
		pr_err("job_hierarchy=%s: must be unified or one controller of this kernel, such as freezer; /proc/cgroups lists them\n",
		       job_hierarchy);
		return -EINVAL;
	}
	/* So does the kernel decide what may be mounted; perf_event has no files at all. */
	if (ss->dfl_cftypes && !ss->legacy_cftypes) {
		pr_err("job_hierarchy=%s: this kernel has the controller for cgroups of version 2 only\n",
		       job_hierarchy);
		return -EINVAL;
	}
	magnet_job_controller = i;
	return 0;
}

/**
 * magnet_cgroup_root() - where a walk over the watched cgroups begins
 *
 * Return: a state that lasts for ever.
 */
struct cgroup_subsys_state *magnet_cgroup_root(void)
{
	return magnet_job_controller < 0 ? &cgrp_dfl_root.cgrp.self :
					   root_state(magnet_job_controller);
}

/**
 * magnet_cgroup_at() - the watched cgroup that a walk has come to
 * @css: the state that the walk is at
 *
 * Context: a section of RCU's readers, as long as the cgroup is used.
 * Return: the cgroup; NULL: it is not there yet, about to go, or not watched.
 */
struct cgroup *magnet_cgroup_at(const struct cgroup_subsys_state *css)
{
	struct cgroup *cgroup;

	if (!(css->flags & CSS_ONLINE))
		return NULL;
	if (magnet_job_controller < 0)
		return css->cgroup;
	cgroup = magnet_cgroup_of_state(css);
	return css->parent && cgroup == &cgrp_dfl_root.cgrp ? NULL : cgroup;
}
