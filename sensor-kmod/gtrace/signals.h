/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _GTRACE_SIGNALS_H
#define _GTRACE_SIGNALS_H

#include <linux/sched.h>

#include "process_tree.h"

int gtrace_order(const char *name, enum gtrace_state state, const struct gtrace_authority *by);
void gtrace_apply_state(struct gtrace_process *process, struct task_struct *leader);
void gtrace_apply_state_again(struct gtrace_process *process, struct task_struct *task);

#endif /* _GTRACE_SIGNALS_H */
