// SPDX-License-Identifier: GPL-2.0-only
/*
 * What each CPU spends its time with: program, kernel, interrupts, idle.
 *
 * It is added up here, at each switch, system call and interrupt, and told by
 * a record from time to time: a record for each would cost ten times as much,
 * and a loss would make the sums wrong.
 *
 * The work on a page fault or another exception of a program counts as the
 * program's, because no tracepoint tells where it ends.
 */
#include <linux/cpumask.h>
#include <linux/interrupt.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <trace/events/irq.h>
#include <trace/events/sched.h>
#include <trace/events/syscalls.h>

#include "compat.h"
#include "monisub/eventdb.h"
#include "probes/probe.h"
#include "ring/clock.h"

/* At most one record in this time, but for those about idling. */
#define TELL_US		10000

/* Times are by enum magnet_cpu_mode, and these, which are never what a CPU goes on with. */
enum {
	IN_IRQ = MAGNET_CPU_IDLE + 1,
	IN_SOFTIRQ,
	MODES
};

/**
 * struct account - a CPU's
 * @begun: its mode is known
 * @irq: a hard interrupt's handler runs
 * @softirq: a soft interrupt's handler runs
 * @base: enum magnet_cpu_mode: what they break into
 * @newest: for magnet_clock()
 * @since: how far the time is added up
 * @told: when a record was written last
 * @time: by mode, ticks
 *
 * Only its own CPU writes it, interrupts off; @begun others do, too.
 */
struct account {
	bool	begun;
	bool	irq;
	bool	softirq;
	u8	base;
	u64	newest;
	u64	since;
	u64	told;
	u64	time[MODES];
};

static DEFINE_PER_CPU(struct account, accounts);
/* The point is hooked: accounts are kept, and a CPU that has come up may begin its own. */
static bool running;
static u64 tell_ticks;

static __always_inline u8 mode_in_user(struct task_struct *task)
{
	/* Somebody may renice it just now: either will do. */
	return data_race(task_nice(task)) > 0 ? MAGNET_CPU_NICE : MAGNET_CPU_USER;
}

/* What a thread that gets the CPU goes on with. */
static __always_inline u8 mode_of(struct task_struct *task)
{
	if (is_idle_task(task))
		return MAGNET_CPU_IDLE;
	if (magnet_is_kernels(task) || magnet_in_syscall(task))
		return MAGNET_CPU_SYSTEM;
	return mode_in_user(task);
}

static __always_inline u8 mode_now(const struct account *a)
{
	if (a->irq)
		return IN_IRQ;
	return a->softirq ? IN_SOFTIRQ : a->base;
}

static noinline notrace void begin(struct account *a)
{
	a->irq = false;
	a->softirq = false;
	a->base = mode_of(current);
	a->since = magnet_clock(&a->newest);
	WRITE_ONCE(a->begun, true);
}

static noinline notrace void tell(struct magnet_point *point, struct account *a)
{
	struct magnet_cpu_time payload = {};
	int guard;

	a->told = a->since;
	if (!magnet_probe_enter(point, &guard))
		return;
	payload.user = a->time[MAGNET_CPU_USER];
	payload.nice = a->time[MAGNET_CPU_NICE];
	payload.system = a->time[MAGNET_CPU_SYSTEM];
	payload.idle = a->time[MAGNET_CPU_IDLE];
	payload.irq = a->time[IN_IRQ];
	payload.softirq = a->time[IN_SOFTIRQ];
	payload.mode = a->base;
	magnet_emit(point, guard, 0, &payload, sizeof(payload));
}

/* The time up to now is what the CPU did until now. NULL: there is no account. */
static __always_inline struct account *settle(void)
{
	struct account *a = this_cpu_ptr(&accounts);
	u64 now;

	/* Pairs with on_told(). */
	if (unlikely(!smp_load_acquire(&running)))
		return NULL;
	if (unlikely(!READ_ONCE(a->begun))) {
		begin(a);
		return a;
	}
	now = magnet_clock(&a->newest);
	a->time[mode_now(a)] += now - a->since;
	a->since = now;
	return a;
}

static __always_inline void tell_in_time(struct magnet_point *point, struct account *a)
{
	if (unlikely(a->since - a->told >= READ_ONCE(tell_ticks)))
		tell(point, a);
}

enum part { BASE, IRQ, SOFTIRQ };

/*
 * From now on a part of what the CPU does is another. Handlers may be called
 * preemptible, and interrupts have an account to keep, too.
 */
static __always_inline void change(struct magnet_point *point, const enum part part, u8 to)
{
	struct account *a;
	unsigned long flags;

	raw_local_irq_save(flags);
	a = settle();
	if (likely(a)) {
		if (part == BASE)
			a->base = to;
		else if (part == IRQ)
			a->irq = to;
		else
			a->softirq = to;
		tell_in_time(point, a);
	}
	raw_local_irq_restore(flags);
}

/* Idling is told at once: nothing may happen on the CPU for long. */
static void on_switch(void *data, bool preempt, struct task_struct *prev,
		      struct task_struct *next, unsigned int prev_state)
{
	struct account *a;
	unsigned long flags;

	raw_local_irq_save(flags);
	a = settle();
	if (likely(a)) {
		const u8 before = a->base;

		a->base = mode_of(next);
		/* No interrupt switches threads: one that seems to run has ended unseen. */
		a->irq = false;
		a->softirq = false;
		if (before != a->base && (before == MAGNET_CPU_IDLE || a->base == MAGNET_CPU_IDLE))
			tell(data, a);
		else
			tell_in_time(data, a);
	}
	raw_local_irq_restore(flags);
}

static void on_call(void *data, struct pt_regs *regs, long nr)
{
	change(data, BASE, MAGNET_CPU_SYSTEM);
}

static void on_return(void *data, struct pt_regs *regs, long ret)
{
	change(data, BASE, mode_in_user(current));
}

static void on_irq_entry(void *data, int irq, struct irqaction *action)
{
	change(data, IRQ, true);
}

static void on_irq_exit(void *data, int irq, struct irqaction *action, int ret)
{
	change(data, IRQ, false);
}

static void __maybe_unused on_vector_entry(void *data, int vector)
{
	change(data, IRQ, true);
}

static void __maybe_unused on_vector_exit(void *data, int vector)
{
	change(data, IRQ, false);
}

static void on_softirq_entry(void *data, unsigned int vec)
{
	change(data, SOFTIRQ, true);
}

static void on_softirq_exit(void *data, unsigned int vec)
{
	change(data, SOFTIRQ, false);
}

static struct magnet_tp cpu_time_tps[] = {
	{ "sched_switch", on_switch },
	{ "sys_enter", on_call },
	{ "sys_exit", on_return },
	{ "irq_handler_entry", on_irq_entry },
	{ "irq_handler_exit", on_irq_exit },
	{ "softirq_entry", on_softirq_entry },
	{ "softirq_exit", on_softirq_exit },
#ifdef MAGNET_HAS_IRQ_VECTORS
	{ "local_timer_entry", on_vector_entry },
	{ "local_timer_exit", on_vector_exit },
	{ "reschedule_entry", on_vector_entry },
	{ "reschedule_exit", on_vector_exit },
	{ "call_function_entry", on_vector_entry },
	{ "call_function_exit", on_vector_exit },
	{ "call_function_single_entry", on_vector_entry },
	{ "call_function_single_exit", on_vector_exit },
	{ "irq_work_entry", on_vector_entry },
	{ "irq_work_exit", on_vector_exit },
#endif
};

/* On each CPU, interrupts off: readers get to know at once where it stands. */
static notrace void begin_here(void *point)
{
	struct account *a = this_cpu_ptr(&accounts);

	begin(a);
	tell(point, a);
}

static void on_told(struct magnet_point *point, bool on)
{
	int cpu;

	if (!on) {
		WRITE_ONCE(running, false);
		return;
	}
	WRITE_ONCE(tell_ticks, magnet_clock_ticks(TELL_US));
	for_each_possible_cpu(cpu)
		WRITE_ONCE(per_cpu(accounts, cpu).begun, false);
	/* Handlers run already, and look at nothing else before this: pairs with settle(). */
	smp_store_release(&running, true);
	on_each_cpu(begin_here, point, true);
}

static const struct magnet_field cpu_time_fields[] = {
	{ "user", "u64", offsetof(struct magnet_cpu_time, user) },
	{ "nice", "u64", offsetof(struct magnet_cpu_time, nice) },
	{ "system", "u64", offsetof(struct magnet_cpu_time, system) },
	{ "idle", "u64", offsetof(struct magnet_cpu_time, idle) },
	{ "irq", "u64", offsetof(struct magnet_cpu_time, irq) },
	{ "softirq", "u64", offsetof(struct magnet_cpu_time, softirq) },
	{ "mode", "u32", offsetof(struct magnet_cpu_time, mode) },
	{}
};

MAGNET_TRACEPOINTS_POINT("sched", cpu_time, MAGNET_EVENT_CPU_TIME, "none",
			 sizeof(struct magnet_cpu_time), cpu_time_fields, .told = on_told);

/* A handler that no longer fits its tracepoint must not compile. */
static void __maybe_unused check_types(void)
{
	check_trace_callback_type_sched_switch(on_switch);
	check_trace_callback_type_sys_enter(on_call);
	check_trace_callback_type_sys_exit(on_return);
	check_trace_callback_type_irq_handler_entry(on_irq_entry);
	check_trace_callback_type_irq_handler_exit(on_irq_exit);
	check_trace_callback_type_softirq_entry(on_softirq_entry);
	check_trace_callback_type_softirq_exit(on_softirq_exit);
	magnet_check_irq_vector(on_vector_entry);
	magnet_check_irq_vector(on_vector_exit);
}
