/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _GTRACE_ORDERS_H
#define _GTRACE_ORDERS_H

#include <linux/fs.h>
#include <linux/mutex.h>

#include "process_tree.h"

/* Held while an order is carried out; before gtrace_lock. */
extern struct mutex gtrace_orders;

bool gtrace_current_is_traced(void);
int gtrace_check_task_name(const char *name);
int gtrace_obey(const struct file *file, char *order);
int gtrace_act(const struct file *file, const char *name, enum gtrace_state state);

#endif /* _GTRACE_ORDERS_H */
