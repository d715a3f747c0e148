// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page faults on x86: two tracepoints.
 */
#include "compat.h"
#include "monisub/eventdb.h"
#include "probes/page_fault.h"

static void on_page_fault(void *data, unsigned long address, struct pt_regs *regs,
			  unsigned long error_code)
{
	magnet_emit_page_fault(data, address, instruction_pointer(regs), error_code);
}

MAGNET_TRACEPOINT_POINT("memory", page_fault_user, MAGNET_EVENT_PAGE_FAULT_USER, "none",
			sizeof(struct magnet_page_fault), magnet_page_fault_fields,
			on_page_fault);
MAGNET_TRACEPOINT_POINT("memory", page_fault_kernel, MAGNET_EVENT_PAGE_FAULT_KERNEL, "none",
			sizeof(struct magnet_page_fault), magnet_page_fault_fields,
			on_page_fault);

/* A handler that no longer fits its tracepoint must not compile. */
static void __maybe_unused check_page_fault_types(void)
{
	check_trace_callback_type_page_fault_user(on_page_fault);
}
