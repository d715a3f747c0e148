// SPDX-License-Identifier: GPL-2.0-only
/*
 * System calls. What the arguments point to is not looked at: that is user
 * memory.
 */
#include <linux/compat.h>
#include <asm/syscall.h>
#include <trace/events/syscalls.h>

#include "monisub/eventdb.h"
#include "probes/probe.h"

#define MAGNET_SYSCALL_POINT(name, event, payload, fields, probe)		\
	MAGNET_TRACEPOINT_POINT("syscall", name, event, "nr",			\
				sizeof(struct payload), fields, probe)

static void on_sys_enter(void *data, struct pt_regs *regs, long nr)
{
	struct magnet_sys_enter payload = {};
	unsigned long args[6];
	int guard;

	if (!magnet_probe_enter(data, &guard))
		return;
	syscall_get_arguments(current, regs, args);
	payload.arg0 = args[0];
	payload.arg1 = args[1];
	payload.arg2 = args[2];
	payload.compat = in_compat_syscall();
	magnet_emit(data, guard, nr, &payload, sizeof(payload));
}

static const struct magnet_field sys_enter_fields[] = {
	{ "arg0", "u64", offsetof(struct magnet_sys_enter, arg0) },
	{ "arg1", "u64", offsetof(struct magnet_sys_enter, arg1) },
	{ "arg2", "u64", offsetof(struct magnet_sys_enter, arg2) },
	{ "compat", "u32", offsetof(struct magnet_sys_enter, compat) },
	{}
};

MAGNET_SYSCALL_POINT(sys_enter, MAGNET_EVENT_SYS_ENTER, magnet_sys_enter,
		     sys_enter_fields, on_sys_enter);

static void on_sys_exit(void *data, struct pt_regs *regs, long ret)
{
	struct magnet_sys_exit payload = {};
	int guard;

	if (!magnet_probe_enter(data, &guard))
		return;
	payload.ret = ret;
	payload.compat = in_compat_syscall();
	magnet_emit(data, guard, syscall_get_nr(current, regs), &payload, sizeof(payload));
}

static const struct magnet_field sys_exit_fields[] = {
	{ "ret", "u64", offsetof(struct magnet_sys_exit, ret) },
	{ "compat", "u32", offsetof(struct magnet_sys_exit, compat) },
	{}
};

MAGNET_SYSCALL_POINT(sys_exit, MAGNET_EVENT_SYS_EXIT, magnet_sys_exit,
		     sys_exit_fields, on_sys_exit);

/* A handler that no longer fits its tracepoint must not compile. */
static void __maybe_unused check_syscall_types(void)
{
	check_trace_callback_type_sys_enter(on_sys_enter);
	check_trace_callback_type_sys_exit(on_sys_exit);
}
