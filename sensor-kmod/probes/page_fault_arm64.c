// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page faults on arm64, which has no tracepoints of them:
 * do_mem_abort(unsigned long far, unsigned long esr, struct pt_regs *regs) is
 * called for each, and for other things that go wrong with memory.
 */
#include <linux/uaccess.h>
#include <asm/esr.h>

#include "compat.h"
#include "monisub/eventdb.h"
#include "probes/net.h"
#include "probes/page_fault.h"

/* As x86 tells it: see struct magnet_page_fault. */
enum {
	FAULT_PROTECTION = BIT(0),
	FAULT_WRITE	 = BIT(1),
	FAULT_USER	 = BIT(2),
	FAULT_FETCH	 = BIT(4),
};

/* The page is not there, was not used yet, or does not allow it: the others are no page faults. */
static __always_inline bool is_page_fault(unsigned long esr)
{
	const unsigned long type = esr & ESR_ELx_FSC_TYPE;

	return type == ESR_ELx_FSC_FAULT || type == ESR_ELx_FSC_ACCESS || type == ESR_ELx_FSC_PERM;
}

static __always_inline u32 error_code_of(unsigned long esr, bool user)
{
	const unsigned long class = ESR_ELx_EC(esr);
	u32 code = user ? FAULT_USER : 0;

	if ((esr & ESR_ELx_FSC_TYPE) != ESR_ELx_FSC_FAULT)
		code |= FAULT_PROTECTION;
	if (class == ESR_ELx_EC_IABT_LOW || class == ESR_ELx_EC_IABT_CUR)
		code |= FAULT_FETCH;
	else if ((esr & ESR_ELx_WNR) && !(esr & ESR_ELx_CM))
		code |= FAULT_WRITE;
	return code;
}

static __always_inline void
on_abort(struct magnet_point *point, struct ftrace_regs *fregs, const bool user)
{
	const unsigned long esr = (unsigned long)magnet_arg(fregs, 1);
	struct pt_regs *regs = magnet_arg(fregs, 2);

	if (user_mode(regs) == user && is_page_fault(esr))
		magnet_emit_page_fault(point, untagged_addr((unsigned long)magnet_arg(fregs, 0)),
				       instruction_pointer(regs), error_code_of(esr, user));
}

MAGNET_FTRACE_HANDLER(on_user_abort)
{
	on_abort(&magnet_point_page_fault_user, fregs, true);
}

MAGNET_FTRACE_HANDLER(on_kernel_abort)
{
	on_abort(&magnet_point_page_fault_kernel, fregs, false);
}

#define MAGNET_ABORT_POINT(name_, event_, handler)				\
	static struct magnet_fn name_##_fns[] = {				\
		{ .family = "", .taken = -1, .alternatives = { { "do_mem_abort", handler } } },	\
	};									\
	struct magnet_point magnet_point_##name_ = {				\
		.name = #name_,							\
		.subsystem = "memory",						\
		.id_means = "none",						\
		.event = event_,						\
		.mechanism = MAGNET_MECHANISM_FTRACE,				\
		.payload_size = sizeof(struct magnet_page_fault),		\
		.fields = magnet_page_fault_fields,				\
		.fns = name_##_fns,						\
		.nr_fns = ARRAY_SIZE(name_##_fns),				\
	}

MAGNET_ABORT_POINT(page_fault_user, MAGNET_EVENT_PAGE_FAULT_USER, on_user_abort);
MAGNET_ABORT_POINT(page_fault_kernel, MAGNET_EVENT_PAGE_FAULT_KERNEL, on_kernel_abort);
