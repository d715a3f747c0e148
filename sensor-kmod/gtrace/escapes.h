/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _GTRACE_ESCAPES_H
#define _GTRACE_ESCAPES_H

#include <linux/cgroup.h>
#include <linux/sched.h>

#include "process_tree.h"

u64 gtrace_cgroup_of(struct task_struct *task);
void gtrace_look_inside(const struct gtrace_process *process, struct task_struct *leader);
void gtrace_on_attach(void *unused, struct cgroup *to, const char *path, struct task_struct *task,
		      bool threadgroup);

#endif /* _GTRACE_ESCAPES_H */
