// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hard and soft interrupts.
 */
#include <linux/interrupt.h>
#include <trace/events/irq.h>

#include "monisub/eventdb.h"
#include "probes/probe.h"

#define MAGNET_IRQ_POINT(...)	MAGNET_TRACEPOINT_POINT("irq", __VA_ARGS__)

static const struct magnet_field no_fields[] = { {} };

/* An event that is all in its header. */
static __always_inline void emit_id(struct magnet_point *point, u64 id)
{
	int guard;

	if (!magnet_probe_enter(point, &guard))
		return;
	magnet_emit(point, guard, id, NULL, 0);
}

static void on_irq_entry(void *data, int irq, struct irqaction *action)
{
	emit_id(data, irq);
}

MAGNET_IRQ_POINT(irq_handler_entry, MAGNET_EVENT_IRQ_HANDLER_ENTRY, "irq", 0,
		 no_fields, on_irq_entry);

static void on_irq_exit(void *data, int irq, struct irqaction *action, int ret)
{
	struct magnet_irq_exit payload = {};
	int guard;

	if (!magnet_probe_enter(data, &guard))
		return;
	payload.ret = ret;
	magnet_emit(data, guard, irq, &payload, sizeof(payload));
}

static const struct magnet_field irq_exit_fields[] = {
	{ "ret", "u32", offsetof(struct magnet_irq_exit, ret) },
	{}
};

MAGNET_IRQ_POINT(irq_handler_exit, MAGNET_EVENT_IRQ_HANDLER_EXIT, "irq",
		 sizeof(struct magnet_irq_exit), irq_exit_fields, on_irq_exit);

static void on_softirq_entry(void *data, unsigned int vec)
{
	emit_id(data, vec);
}

MAGNET_IRQ_POINT(softirq_entry, MAGNET_EVENT_SOFTIRQ_ENTRY, "vector", 0,
		 no_fields, on_softirq_entry);

static void on_softirq_exit(void *data, unsigned int vec)
{
	emit_id(data, vec);
}

MAGNET_IRQ_POINT(softirq_exit, MAGNET_EVENT_SOFTIRQ_EXIT, "vector", 0,
		 no_fields, on_softirq_exit);

/* A handler that no longer fits its tracepoint must not compile. */
static void __maybe_unused check_types(void)
{
	check_trace_callback_type_irq_handler_entry(on_irq_entry);
	check_trace_callback_type_irq_handler_exit(on_irq_exit);
	check_trace_callback_type_softirq_entry(on_softirq_entry);
	check_trace_callback_type_softirq_exit(on_softirq_exit);
}
