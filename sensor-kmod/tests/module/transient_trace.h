/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tracepoint of transient.c, with a trace event.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM magnet_transient

#if !defined(_MAGNET_TRANSIENT_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _MAGNET_TRANSIENT_TRACE_H

#include <linux/tracepoint.h>

TRACE_EVENT(magnet_transient_passed,
	    TP_PROTO(u32 number),
	    TP_ARGS(number),
	    TP_STRUCT__entry(__field(u32, number)),
	    TP_fast_assign(__entry->number = number;),
	    TP_printk("number=%u", __entry->number)
);

#endif /* _MAGNET_TRANSIENT_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE transient_trace
#include <trace/define_trace.h>
