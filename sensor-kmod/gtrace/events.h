/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _GTRACE_EVENTS_H
#define _GTRACE_EVENTS_H

#include <linux/types.h>

#include <uapi/magnet_gtrace.h>

struct gtrace_process;
struct gtrace_task;

void gtrace_tell(enum gtrace_event_kind kind, const struct gtrace_process *process, u64 arg);
void gtrace_tell_task(enum gtrace_event_kind kind, const struct gtrace_task *task, u64 arg);
void gtrace_tell_child(enum gtrace_event_kind kind, const struct gtrace_process *parent, u32 child,
		       const char *progname);
int gtrace_events_init(void);
void gtrace_events_exit(void);

#endif /* _GTRACE_EVENTS_H */
