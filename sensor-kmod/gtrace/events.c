// SPDX-License-Identifier: GPL-2.0-only
/*
 * What happens to tasks is told twice: in the FIFO, and as events of magnet's.
 */
#include <linux/build_bug.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/string.h>

#include <magnet.h>

#include "event_fifo.h"
#include "events.h"
#include "process_tree.h"

/* ---- events of magnet's ---- */

/* The task's name follows. */
struct payload {
	u64	task;
	u64	arg;
	u32	parent;
	u32	reserved;
	char	name[GTRACE_NAME_SIZE];
};

#define FIELDS_SIZE	offsetof(struct payload, name)
#define TASK_FIELD	{ "task", "u64", offsetof(struct payload, task) }
#define PARENT_FIELD	{ "parent", "u32", offsetof(struct payload, parent) }
#define ARG_FIELD(what)	{ what, "u64", offsetof(struct payload, arg) }

static const struct magnet_field plain_fields[] = { TASK_FIELD, PARENT_FIELD, {} };
static const struct magnet_field exit_fields[] = {
	TASK_FIELD, ARG_FIELD("status"), PARENT_FIELD, {}
};

static const struct magnet_field order_fields[] = {
	TASK_FIELD, ARG_FIELD("processes"), PARENT_FIELD, {}
};

static const struct magnet_field escape_fields[] = {
	TASK_FIELD, ARG_FIELD("cgroup"), PARENT_FIELD, {}
};

#define TYPE(what, its_fields) {						\
	.name = "gtrace_" what,							\
	.subsystem = "gtrace",							\
	.id_means = "pid",					\
	.fields = its_fields,							\
	.payload_size = FIELDS_SIZE,						\
	.payload_max = sizeof(struct payload),					\
}

static const struct magnet_event_type types[] = {
	[GTRACE_EVENT_NEW] = TYPE("new", plain_fields),
	[GTRACE_EVENT_FORK] = TYPE("fork", plain_fields),
	[GTRACE_EVENT_EXEC] = TYPE("exec", plain_fields),
	[GTRACE_EVENT_EXIT] = TYPE("exit", exit_fields),
	[GTRACE_EVENT_STOP] = TYPE("stop", order_fields),
	[GTRACE_EVENT_CONT] = TYPE("cont", order_fields),
	[GTRACE_EVENT_KILL] = TYPE("kill", order_fields),
	[GTRACE_EVENT_ESCAPE] = TYPE("escape", escape_fields),
};

static struct magnet_own_event *own[ARRAY_SIZE(types)];

static void log_event(const struct gtrace_event *event, u64 task)
{
	struct payload payload = {
		.task = task,
		.arg = event->arg,
		.parent = event->parent,
	};

	if (!magnet_event_on(own[event->kind]))
		return;
	memcpy(payload.name, event->task, sizeof(payload.name));
	magnet_add(own[event->kind], event->pid, &payload, sizeof(payload));
}

/* ---- telling ---- */

static void tell(struct gtrace_event *event, const struct gtrace_task *task, const char *progname)
{
	event->time_ns = ktime_get_mono_fast_ns();
	memcpy(event->task, task->name, sizeof(event->task));
	if (progname)
		strscpy(event->progname, progname, sizeof(event->progname));
	gtrace_fifo_put(event);
	log_event(event, task->id);
}

/**
 * gtrace_tell() - something happened to a process
 * @kind: what
 * @process: to which
 * @arg: see &enum gtrace_event_kind
 *
 * Context: under &gtrace_lock; or in an RCU read section, and then interrupts may be off.
 */
void gtrace_tell(enum gtrace_event_kind kind, const struct gtrace_process *process, u64 arg)
{
	struct gtrace_event event = {
		.kind = kind,
		.pid = process->nr,
		.parent = gtrace_parent_nr(process),
		.arg = arg,
	};

	tell(&event, process->task, process->progname);
}

/* Something happened to all of a task. Under &gtrace_lock. */
void gtrace_tell_task(enum gtrace_event_kind kind, const struct gtrace_task *task, u64 arg)
{
	struct gtrace_event event = {
		.kind = kind,
		.arg = arg,
	};

	tell(&event, task, NULL);
}

/* Something happened to a child that is not in the tree. Under &gtrace_lock. */
void gtrace_tell_child(enum gtrace_event_kind kind, const struct gtrace_process *parent, u32 child,
		       const char *progname)
{
	struct gtrace_event event = {
		.kind = kind,
		.pid = child,
		.parent = parent->nr,
		.arg = 1,
	};

	tell(&event, parent->task, progname);
}

/* ---- life ---- */

int gtrace_events_init(void)
{
	unsigned int kind;

	BUILD_BUG_ON(FIELDS_SIZE % 8);
	for (kind = GTRACE_EVENT_NEW; kind < ARRAY_SIZE(types); kind++) {
		own[kind] = magnet_event_register(&types[kind]);
		if (IS_ERR(own[kind])) {
			int err = PTR_ERR(own[kind]);

			own[kind] = NULL;
			gtrace_events_exit();
			return err;
		}
	}
	return 0;
}

/* Nothing happens any more. */
void gtrace_events_exit(void)
{
	unsigned int kind;

	for (kind = 0; kind < ARRAY_SIZE(own); kind++)
		if (own[kind])
			magnet_event_unregister(own[kind]);
}
