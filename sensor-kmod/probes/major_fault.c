// SPDX-License-Identifier: GPL-2.0-only
/*
 * Major page faults, those that had to wait for a device, and how long they took.
 * No tracepoint tells of their end, and no architecture lets probe the return of
 * its own handler of faults; so it is handle_mm_fault() that is followed. That
 * function is called again for the same fault when it had to let go of the
 * memory's lock, and it does so to wait: what counts is the time from the first
 * call to the end of the last.
 *
 * Whether a fault was a major one is known at its end only, by the kernel's own
 * count of the thread. A minor fault costs the two hooks and is not logged.
 */
#include <linux/atomic.h>
#include <linux/hash.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/ptrace.h>

#include "monisub/eventdb.h"
#include "probes/kprobe.h"
#include "probes/probe.h"
#include "probes/symbol.h"

/*
 * What the entry of a call leaves for its return. @tries is 0 if the begin of
 * the fault is not known.
 */
struct call {
	u64		entered;
	u64		address;
	unsigned long	majors;
	u32		tries;
	u32		write;
};

/* ---- faults between two tries ---- */

/*
 * It is called again some instructions later, but the thread may have to wait
 * for a CPU in between. A set that is full is one of threads that ended before
 * they came back: the oldest place is taken. A fault that lost its place to
 * another thread's, or finds none, is counted as missed.
 */
#define RETRY_WAYS	8
#define RETRY_SET_BITS	7
#define RETRY_CHANGING	1UL

static struct retry {
	unsigned long	task;		/* 0: free */
	u64		entered;
	u64		address;
	u32		tries;
} retries[1 << RETRY_SET_BITS][RETRY_WAYS];

static __always_inline struct retry *retries_of_current(void)
{
	return retries[hash_ptr(current, RETRY_SET_BITS)];
}

static __always_inline struct retry *take_place(struct retry *set)
{
	struct retry *oldest = set;
	unsigned long task;
	unsigned int i;

	for (i = 0; i < RETRY_WAYS; i++) {
		task = READ_ONCE(set[i].task);
		if ((!task || task == (unsigned long)current) &&
		    cmpxchg(&set[i].task, task, RETRY_CHANGING) == task)
			return &set[i];
		if (READ_ONCE(set[i].entered) < READ_ONCE(oldest->entered))
			oldest = &set[i];
	}
	task = READ_ONCE(oldest->task);
	if (task == RETRY_CHANGING || cmpxchg(&oldest->task, task, RETRY_CHANGING) != task)
		return NULL;
	return oldest;
}

static __always_inline void remember(const struct call *call)
{
	struct retry *retry = take_place(retries_of_current());

	if (!retry)
		return;
	WRITE_ONCE(retry->entered, call->entered);
	WRITE_ONCE(retry->address, call->address);
	WRITE_ONCE(retry->tries, call->tries);
	/* Pairs with recall(). */
	smp_store_release(&retry->task, (unsigned long)current);
}

static __always_inline void recall(struct call *call)
{
	const unsigned long task = (unsigned long)current;
	struct retry *retry = retries_of_current();
	unsigned int i;

	call->tries = 0;
	/* Pairs with remember(). */
	for (i = 0; i < RETRY_WAYS && smp_load_acquire(&retry[i].task) != task;)
		i++;
	if (i == RETRY_WAYS)
		return;
	retry += i;
	if (READ_ONCE(retry->address) == call->address) {
		call->entered = READ_ONCE(retry->entered);
		call->tries = READ_ONCE(retry->tries) + 1;
	}
	/* What was read is this thread's if the place still is. */
	if (cmpxchg(&retry->task, task, 0) != task)
		call->tries = 0;
}

/* ---- handlers ---- */

/* handle_mm_fault(vma, address, flags, ...); it logs nothing, so it needs no guard. */
static int on_call(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const unsigned int flags = regs_get_kernel_argument(regs, 2);
	struct call *call = (struct call *)ri->data;

	call->address = regs_get_kernel_argument(regs, 1);
	call->write = !!(flags & FAULT_FLAG_WRITE);
	call->majors = current->maj_flt;
	call->tries = 1;
	call->entered = magnet_kprobe_ticks();
	if (flags & FAULT_FLAG_TRIED)
		recall(call);
	return 0;
}

NOKPROBE_SYMBOL(on_call);

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const u64 now = magnet_kprobe_ticks();
	const vm_fault_t result = (__force vm_fault_t)regs_return_value(regs);
	const struct call *call = (const struct call *)ri->data;
	struct magnet_major_fault payload = {};
	int guard;

	if (result & VM_FAULT_RETRY) {
		if (call->tries)
			remember(call);
		return 0;
	}
	if (likely(current->maj_flt == call->majors))
		return 0;
	if (!call->tries) {
		atomic64_inc(&magnet_point_major_fault.kprobe->untold);
		return 0;
	}
	if (!magnet_probe_enter(&magnet_point_major_fault, &guard))
		return 0;
	/* The thread may have gone to a CPU whose clock is behind. */
	payload.latency = now > call->entered ? now - call->entered : 0;
	payload.address = magnet_users_address(call->address);
	payload.tries = call->tries;
	payload.write = call->write;
	magnet_emit(&magnet_point_major_fault, guard, 0, &payload, sizeof(payload));
	return 0;
}

NOKPROBE_SYMBOL(on_return);

/* ---- the point ---- */

static const struct magnet_field major_fault_fields[] = {
	{ "latency", "u64", offsetof(struct magnet_major_fault, latency) },
	{ "address", "u64", offsetof(struct magnet_major_fault, address) },
	{ "tries", "u32", offsetof(struct magnet_major_fault, tries) },
	{ "write", "u32", offsetof(struct magnet_major_fault, write) },
	{}
};

static struct magnet_place handle_mm_fault_place = { .symbol = "handle_mm_fault" };

/* As many threads may wait for devices at once; who comes when all are taken is missed. */
#define FAULTS_AT_ONCE	1024

static struct magnet_kprobe handle_mm_fault_probe = {
	.place = &handle_mm_fault_place,
	.on_call = on_call,
	.on_return = on_return,
	.data_size = sizeof(struct call),
	.maxactive = FAULTS_AT_ONCE,
};

struct magnet_point magnet_point_major_fault = {
	.name = "major_fault",
	.subsystem = "memory",
	.id_means = "none",
	.event = MAGNET_EVENT_MAJOR_FAULT,
	.mechanism = MAGNET_MECHANISM_KRETPROBE,
	.payload_size = sizeof(struct magnet_major_fault),
	.fields = major_fault_fields,
	.kprobe = &handle_mm_fault_probe,
	.target = handle_mm_fault_place.symbol,
};
