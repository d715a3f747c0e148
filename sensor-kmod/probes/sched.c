// SPDX-License-Identifier: GPL-2.0-only
/*
 * Scheduler. Some handlers run under the run queue's lock.
 */
#include <linux/sched/signal.h>
#include <trace/events/sched.h>

#include "compat.h"
#include "monisub/eventdb.h"
#include "probes/probe.h"

#define MAGNET_SCHED_POINT(name, event, id_means, payload, fields, probe)		\
	MAGNET_TRACEPOINT_POINT("sched", name, event, id_means,			\
				sizeof(struct payload), fields, probe)

static void on_sched_switch(void *data, bool preempt, struct task_struct *prev,
			    struct task_struct *next, unsigned int prev_state)
{
	struct magnet_sched_switch payload;
	int guard;

	if (!magnet_probe_enter(data, &guard))
		return;
	payload.prev_state = preempt ? MAGNET_SCHED_PREEMPTED : prev_state;
	payload.next_tgid = next->tgid;
	magnet_emit(data, guard, next->pid, &payload, sizeof(payload));
}

static const struct magnet_field sched_switch_fields[] = {
	{ "prev_state", "u32", offsetof(struct magnet_sched_switch, prev_state) },
	{ "next_tgid", "u32", offsetof(struct magnet_sched_switch, next_tgid) },
	{}
};

MAGNET_SCHED_POINT(sched_switch, MAGNET_EVENT_SCHED_SWITCH, "next_tid",
		   magnet_sched_switch, sched_switch_fields, on_sched_switch);

static void on_sched_wakeup(void *data, struct task_struct *p)
{
	struct magnet_sched_wakeup payload;
	int guard;

	if (!magnet_probe_enter(data, &guard))
		return;
	payload.target_cpu = task_cpu(p);
	payload.tgid = p->tgid;
	magnet_emit(data, guard, p->pid, &payload, sizeof(payload));
}

static const struct magnet_field sched_wakeup_fields[] = {
	{ "target_cpu", "u32", offsetof(struct magnet_sched_wakeup, target_cpu) },
	{ "tgid", "u32", offsetof(struct magnet_sched_wakeup, tgid) },
	{}
};

/* Nobody wakes a thread that was just made; its first wait begins all the same. */
static struct magnet_tp sched_wakeup_tps[] = {
	{ "sched_wakeup", on_sched_wakeup },
	{ "sched_wakeup_new", on_sched_wakeup },
};

MAGNET_TRACEPOINTS_POINT("sched", sched_wakeup, MAGNET_EVENT_SCHED_WAKEUP, "woken_tid",
			 sizeof(struct magnet_sched_wakeup), sched_wakeup_fields);

static void on_sched_migrate_task(void *data, struct task_struct *p, int dest_cpu)
{
	struct magnet_migrate payload;
	int guard;

	if (!magnet_probe_enter(data, &guard))
		return;
	payload.orig_cpu = task_cpu(p);
	payload.dest_cpu = dest_cpu;
	magnet_emit(data, guard, p->pid, &payload, sizeof(payload));
}

static const struct magnet_field sched_migrate_fields[] = {
	{ "orig_cpu", "u32", offsetof(struct magnet_migrate, orig_cpu) },
	{ "dest_cpu", "u32", offsetof(struct magnet_migrate, dest_cpu) },
	{}
};

MAGNET_SCHED_POINT(sched_migrate_task, MAGNET_EVENT_SCHED_MIGRATE_TASK, "migrated_tid",
		   magnet_migrate, sched_migrate_fields, on_sched_migrate_task);

/* A handler that no longer fits its tracepoint must not compile. */
static void __maybe_unused check_types(void)
{
	check_trace_callback_type_sched_switch(on_sched_switch);
	check_trace_callback_type_sched_wakeup(on_sched_wakeup);
	check_trace_callback_type_sched_wakeup_new(on_sched_wakeup);
	check_trace_callback_type_sched_migrate_task(on_sched_migrate_task);
}
