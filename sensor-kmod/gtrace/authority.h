/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _GTRACE_AUTHORITY_H
#define _GTRACE_AUTHORITY_H

#include <linux/fs.h>
#include <linux/sched.h>

#include "process_tree.h"

struct gtrace_authority gtrace_authority_of(const struct file *file);
bool gtrace_may_order(const struct gtrace_authority *who, const struct gtrace_task *task);
bool gtrace_may_add(const struct gtrace_authority *who, struct task_struct *task);
bool gtrace_may_enter(const struct gtrace_authority *who);
bool gtrace_may_signal(const struct gtrace_authority *who, struct task_struct *task);

#endif /* _GTRACE_AUTHORITY_H */
