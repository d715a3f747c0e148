// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory: what happens when it is short.
 */
#include <linux/sched/signal.h>
#include <trace/events/oom.h>
#include <trace/events/vmscan.h>

#include "compat.h"
#include "monisub/eventdb.h"
#include "probes/probe.h"

#define MAGNET_MEMORY_POINT(name, event, id_means, payload, fields, probe)		\
	MAGNET_TRACEPOINT_POINT("memory", name, event, id_means,		\
				sizeof(struct payload), fields, probe)

/*
 * A thread frees memory itself, either because the machine has none left or
 * because its control group has none. Neither happens inside the other.
 */
enum reclaim_kind { is_direct_reclaim, is_memcg_reclaim };

static __always_inline void
emit_reclaim_begin(struct magnet_point *point, int order, gfp_t gfp_flags, enum reclaim_kind kind)
{
	struct magnet_reclaim_begin payload = { .cgroup = kind == is_memcg_reclaim };
	int guard;

	if (!magnet_probe_enter(point, &guard))
		return;
	payload.order = order;
	payload.gfp_flags = (__force u32)gfp_flags;
	magnet_emit(point, guard, 0, &payload, sizeof(payload));
}

static __always_inline void
emit_reclaim_end(struct magnet_point *point, unsigned long nr_reclaimed, enum reclaim_kind kind)
{
	struct magnet_reclaim_end payload = {
		.pages = nr_reclaimed,
		.cgroup = kind == is_memcg_reclaim,
	};
	int guard;

	if (!magnet_probe_enter(point, &guard))
		return;
	magnet_emit(point, guard, 0, &payload, sizeof(payload));
}

/* Newer kernels name the control group. */
#define RECLAIM_HANDLERS(kind)								\
	static void __maybe_unused							\
	on_##kind##_begin(void *data, int order, gfp_t gfp_flags)			\
	{										\
		emit_reclaim_begin(data, order, gfp_flags, is_##kind);			\
	}										\
											\
	static void __maybe_unused							\
	on_##kind##_begin_of(void *data, gfp_t gfp_flags, int order,			\
			     struct mem_cgroup *memcg)					\
	{										\
		emit_reclaim_begin(data, order, gfp_flags, is_##kind);			\
	}										\
											\
	static void __maybe_unused on_##kind##_end(void *data, unsigned long nr_reclaimed)	\
	{										\
		emit_reclaim_end(data, nr_reclaimed, is_##kind);			\
	}										\
											\
	static void __maybe_unused							\
	on_##kind##_end_of(void *data, unsigned long nr_reclaimed, struct mem_cgroup *memcg)	\
	{										\
		emit_reclaim_end(data, nr_reclaimed, is_##kind);			\
	}

RECLAIM_HANDLERS(direct_reclaim)
RECLAIM_HANDLERS(memcg_reclaim)

/* Those of control groups have the arguments of the other, where there are any. */
#define ON_RECLAIM_BEGIN(kind)							\
	magnet_pick_handler(mm_vmscan_direct_reclaim_begin, on_##kind##_begin,	\
			    on_##kind##_begin_of, int, gfp_t)
#define ON_RECLAIM_END(kind)							\
	magnet_pick_handler(mm_vmscan_direct_reclaim_end, on_##kind##_end,	\
			    on_##kind##_end_of, unsigned long)

static const struct magnet_field reclaim_begin_fields[] = {
	{ "order", "u32", offsetof(struct magnet_reclaim_begin, order) },
	{ "gfp_flags", "u32", offsetof(struct magnet_reclaim_begin, gfp_flags) },
	{ "cgroup", "u32", offsetof(struct magnet_reclaim_begin, cgroup) },
	{}
};

static struct magnet_tp mm_vmscan_direct_reclaim_begin_tps[] = {
	{ "mm_vmscan_direct_reclaim_begin", ON_RECLAIM_BEGIN(direct_reclaim) },
	{ "mm_vmscan_memcg_reclaim_begin", ON_RECLAIM_BEGIN(memcg_reclaim) },
};

MAGNET_TRACEPOINTS_POINT("memory", mm_vmscan_direct_reclaim_begin,
			 MAGNET_EVENT_MM_VMSCAN_DIRECT_RECLAIM_BEGIN, "none",
			 sizeof(struct magnet_reclaim_begin), reclaim_begin_fields);

static const struct magnet_field reclaim_end_fields[] = {
	{ "pages", "u64", offsetof(struct magnet_reclaim_end, pages) },
	{ "cgroup", "u32", offsetof(struct magnet_reclaim_end, cgroup) },
	{}
};

static struct magnet_tp mm_vmscan_direct_reclaim_end_tps[] = {
	{ "mm_vmscan_direct_reclaim_end", ON_RECLAIM_END(direct_reclaim) },
	{ "mm_vmscan_memcg_reclaim_end", ON_RECLAIM_END(memcg_reclaim) },
};

MAGNET_TRACEPOINTS_POINT("memory", mm_vmscan_direct_reclaim_end,
			 MAGNET_EVENT_MM_VMSCAN_DIRECT_RECLAIM_END, "none",
			 sizeof(struct magnet_reclaim_end), reclaim_end_fields);

static __always_inline void emit_victim(struct magnet_point *point, u32 tid, u32 uid)
{
	struct magnet_victim payload = { .uid = uid };
	int guard;

	if (!magnet_probe_enter(point, &guard))
		return;
	magnet_emit(point, guard, tid, &payload, sizeof(payload));
}

static void __maybe_unused on_mark_victim(void *data, struct task_struct *task, uid_t uid)
{
	emit_victim(data, task->pid, uid);
}

static void __maybe_unused on_mark_victim_pid(void *data, int pid)
{
	emit_victim(data, pid, -1);
}

#define ON_MARK_VICTIM	magnet_pick_handler(mark_victim, on_mark_victim, on_mark_victim_pid,	\
					    struct task_struct *, uid_t)

static const struct magnet_field victim_fields[] = {
	{ "uid", "u32", offsetof(struct magnet_victim, uid) },
	{}
};

MAGNET_MEMORY_POINT(mark_victim, MAGNET_EVENT_MARK_VICTIM, "victim_tid",
		    magnet_victim, victim_fields, ON_MARK_VICTIM);

/* A handler that no longer fits its tracepoint must not compile. */
static void __maybe_unused check_memory_types(void)
{
	check_trace_callback_type_mm_vmscan_direct_reclaim_begin(ON_RECLAIM_BEGIN(direct_reclaim));
	check_trace_callback_type_mm_vmscan_direct_reclaim_end(ON_RECLAIM_END(direct_reclaim));
	magnet_check_memcg_reclaim(ON_RECLAIM_BEGIN(memcg_reclaim), ON_RECLAIM_END(memcg_reclaim));
	check_trace_callback_type_mark_victim(ON_MARK_VICTIM);
}
