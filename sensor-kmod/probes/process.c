// SPDX-License-Identifier: GPL-2.0-only
/*
 * The life of processes and what they are called. Whoever reads these events
 * needs not ask /proc, where a process that has ended is no more.
 */
#include <linux/atomic.h>
#include <linux/binfmts.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/stringify.h>
#include <linux/uaccess.h>
#include <trace/events/sched.h>
#include <trace/events/task.h>

#include "compat.h"
#include "monisub/eventdb.h"
#include "probes/probe.h"

#define MAGNET_PROCESS_POINT(name, event, id_means, payload, fields, probe)		\
	MAGNET_TRACEPOINT_POINT("sched", name, event, id_means,			\
				sizeof(struct payload), fields, probe)

/* The types of texts, as control/format has them. */
#define CHARS(size)	"char[" __stringify(size) "]"

/*
 * Up to NUL or to the room's end, which stays NUL: the room is zero. Another
 * thread may write a name meanwhile: then it has letters of both.
 */
static __always_inline void copy_text(char *to, const char *from, unsigned int room)
{
	unsigned int i;
	char c;

	for (i = 0; i < room - 1; i++) {
		c = READ_ONCE(from[i]);
		if (!c)
			break;
		to[i] = c;
	}
}

static __always_inline void copy_comm(char *to, const struct task_struct *task)
{
	copy_text(to, task->comm, min_t(unsigned int, sizeof(task->comm), MAGNET_COMM_SIZE));
}

/* Preemption is off, so this is a section of RCU's readers. */
static __always_inline u32 parent_of(const struct task_struct *task)
{
	return rcu_dereference_sched(task->real_parent)->tgid;
}

/* ---- fork ---- */

static void on_fork(void *data, struct task_struct *parent, struct task_struct *child)
{
	struct magnet_fork payload = {};
	int guard;

	if (!magnet_probe_enter(data, &guard))
		return;
	payload.child_tgid = child->tgid;
	payload.parent = parent_of(child);
	copy_comm(payload.comm, child);
	magnet_emit(data, guard, child->pid, &payload, sizeof(payload));
}

static const struct magnet_field fork_fields[] = {
	{ "child_tgid", "u32", offsetof(struct magnet_fork, child_tgid) },
	{ "parent", "u32", offsetof(struct magnet_fork, parent) },
	{ "comm", CHARS(MAGNET_COMM_SIZE), offsetof(struct magnet_fork, comm) },
	{}
};

MAGNET_PROCESS_POINT(sched_process_fork, MAGNET_EVENT_SCHED_PROCESS_FORK,
		     "child_tid", magnet_fork, fork_fields, on_fork);

/* ---- exec ---- */

/* The kernel's own copy of the path. */
static void copy_path(struct magnet_exec *exec, const char *path)
{
	copy_text(exec->path, path, sizeof(exec->path));
	exec->path_len = strlen(path);
}

/*
 * User memory without a fault: a page that is not there ends it. The arguments
 * were written a moment ago, so their pages hardly ever are. Page by page, since
 * a copy that fails does not say how far it came.
 */
static u32 copy_arguments(char *to, unsigned long from, u32 len)
{
	u32 done = 0, part;

	while (done < len) {
		part = min_t(u32, len - done, PAGE_SIZE - offset_in_page(from + done));
		if (copy_from_user_nofault(to + done, (const void __user *)(from + done), part)) {
			memset(to + done, 0, part);
			break;
		}
		done += part;
	}
	return done;
}

/* Each argument ends with NUL; what ends the last one does not count. */
static void copy_argv(struct magnet_exec *exec, const struct mm_struct *mm)
{
	const unsigned long from = READ_ONCE(mm->arg_start), to = READ_ONCE(mm->arg_end);
	u32 i;

	if (to <= from + 1)
		return;
	exec->argv_len = min_t(unsigned long, to - from - 1, U32_MAX);
	exec->argv_kept = copy_arguments(exec->argv, from,
					 min_t(u32, exec->argv_len, sizeof(exec->argv) - 1));
	for (i = 0; i < exec->argv_kept; i++)
		if (!exec->argv[i])
			exec->argv[i] = ' ';
}

/* Too large for the room that handlers have for what rules look at. */
union exec_view {
	struct magnet_view	view;
	u8			room[sizeof(struct magnet_view) + sizeof(struct magnet_exec)];
};

/* It runs in the new program's first thread, whose memory is in place. */
static void on_exec(void *data, struct task_struct *p, pid_t old_pid,
		    struct linux_binprm *bprm)
{
	struct magnet_point *point = data;
	struct magnet_exec *exec;
	union exec_view u;
	int guard;

	if (!magnet_probe_enter(point, &guard))
		return;
	u.view.id = p->pid;
	exec = (struct magnet_exec *)u.view.payload;
	memset(exec, 0, sizeof(*exec));
	exec->old_tid = old_pid;
	exec->parent = parent_of(p);
	copy_comm(exec->comm, p);
	copy_path(exec, bprm->filename);
	copy_argv(exec, p->mm);
	magnet_emit_view(READ_ONCE(point->plans.now), guard, &u.view, sizeof(*exec));
}

static const struct magnet_field exec_fields[] = {
	{ "old_tid", "u32", offsetof(struct magnet_exec, old_tid) },
	{ "parent", "u32", offsetof(struct magnet_exec, parent) },
	{ "path_len", "u32", offsetof(struct magnet_exec, path_len) },
	{ "argv_len", "u32", offsetof(struct magnet_exec, argv_len) },
	{ "argv_kept", "u32", offsetof(struct magnet_exec, argv_kept) },
	{ "comm", CHARS(MAGNET_COMM_SIZE), offsetof(struct magnet_exec, comm) },
	{ "path", CHARS(MAGNET_PATH_SIZE), offsetof(struct magnet_exec, path) },
	{ "argv", CHARS(MAGNET_ARGV_SIZE), offsetof(struct magnet_exec, argv) },
	{}
};

MAGNET_PROCESS_POINT(sched_process_exec, MAGNET_EVENT_SCHED_PROCESS_EXEC, "tid",
		     magnet_exec, exec_fields, on_exec);

/* ---- exit ---- */

static __always_inline void
emit_exit(struct magnet_point *point, const struct task_struct *p, bool group_dead)
{
	struct magnet_exit payload = { .exit_code = p->exit_code, .group_dead = group_dead };
	int guard;

	if (!magnet_probe_enter(point, &guard))
		return;
	payload.parent = parent_of(p);
	copy_comm(payload.comm, p);
	magnet_emit(point, guard, p->pid, &payload, sizeof(payload));
}

static void __maybe_unused on_exit(void *data, struct task_struct *p, bool group_dead)
{
	emit_exit(data, p, group_dead);
}

/*
 * Older kernels do not tell the handler which thread was the last to say that
 * it ends, and threads that end together all find that none is left. The first
 * of them to come here says it: of each process that ended lately, this is when
 * it began, at its number's place.
 *
 * Processes whose numbers differ by a multiple of the places displace each
 * other. If one of them ends between two threads of another, the second thread
 * says it again. That stays: nothing in the kernel's structures tells these two
 * threads apart, and threads that choose among several places cannot agree on
 * one without a lock.
 */
static u64 ended[1024];

static bool is_first_to_find_none(const struct task_struct *p)
{
	const u64 began = READ_ONCE(p->group_leader->start_boottime);

	return xchg(&ended[p->tgid % ARRAY_SIZE(ended)], began) != began;
}

static void __maybe_unused on_exit_task(void *data, struct task_struct *p)
{
	emit_exit(data, p, !atomic_read(&p->signal->live) && is_first_to_find_none(p));
}

#define ON_EXIT	magnet_pick_handler(sched_process_exit, on_exit, on_exit_task,		\
				    struct task_struct *, bool)

static const struct magnet_field exit_fields[] = {
	{ "exit_code", "u32", offsetof(struct magnet_exit, exit_code) },
	{ "group_dead", "u32", offsetof(struct magnet_exit, group_dead) },
	{ "parent", "u32", offsetof(struct magnet_exit, parent) },
	{ "comm", CHARS(MAGNET_COMM_SIZE), offsetof(struct magnet_exit, comm) },
	{}
};

MAGNET_PROCESS_POINT(sched_process_exit, MAGNET_EVENT_SCHED_PROCESS_EXIT, "tid",
		     magnet_exit, exit_fields, ON_EXIT);

/* ---- rename ---- */

/* By prctl(), by writing to /proc/PID/comm, and inside execve(). */
static void on_rename(void *data, struct task_struct *task, const char *comm)
{
	struct magnet_rename payload = {};
	int guard;

	if (!magnet_probe_enter(data, &guard))
		return;
	payload.tgid = task->tgid;
	payload.parent = parent_of(task);
	copy_comm(payload.old_comm, task);
	copy_text(payload.comm, comm, sizeof(payload.comm));
	magnet_emit(data, guard, task->pid, &payload, sizeof(payload));
}

static const struct magnet_field rename_fields[] = {
	{ "tgid", "u32", offsetof(struct magnet_rename, tgid) },
	{ "parent", "u32", offsetof(struct magnet_rename, parent) },
	{ "old_comm", CHARS(MAGNET_COMM_SIZE), offsetof(struct magnet_rename, old_comm) },
	{ "comm", CHARS(MAGNET_COMM_SIZE), offsetof(struct magnet_rename, comm) },
	{}
};

MAGNET_PROCESS_POINT(task_rename, MAGNET_EVENT_TASK_RENAME, "renamed_tid",
		     magnet_rename, rename_fields, on_rename);

/* A handler that no longer fits its tracepoint must not compile. */
static void __maybe_unused check_types(void)
{
	BUILD_BUG_ON(sizeof(struct magnet_exec) % MAGNET_RECORD_ALIGN);
	check_trace_callback_type_sched_process_fork(on_fork);
	check_trace_callback_type_sched_process_exec(on_exec);
	check_trace_callback_type_sched_process_exit(ON_EXIT);
	check_trace_callback_type_task_rename(on_rename);
}
