/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _GTRACE_FAMILY_H
#define _GTRACE_FAMILY_H

#include <linux/sched.h>

#include "process_tree.h"

void gtrace_born(struct task_struct *parent, struct task_struct *child);
void gtrace_new_program(struct task_struct *task);
bool gtrace_gone(struct task_struct *task);
void gtrace_end(struct gtrace_process *process, const struct task_struct *task);
void gtrace_describe(struct gtrace_process *process, struct task_struct *leader,
		     const char *progname);

#endif /* _GTRACE_FAMILY_H */
