// SPDX-License-Identifier: GPL-2.0-only
/*
 * Telling a new subscription what is there already. It may be more than a ring
 * holds, so who tells waits for the reader now and then; but not for long, since
 * the reader may be who asked.
 */
#include <linux/delay.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include "kernevesub/gate.h"
#include "present.h"
#include "probes/probe.h"
#include "ring/ring.h"
#include "sub.h"

/* A tenth of a second in all. */
#define WAIT_US		1000
#define WAITS		100

void magnet_present_begin(struct magnet_present *p, struct magnet_sub *sub)
{
	p->sub = sub;
	p->patience = WAITS;
}

/**
 * magnet_present_tell() - log one event to the subscription alone
 * @p: the telling
 * @view: its abstract id and payload
 * @size: bytes of the payload, the point's
 *
 * What has no room is counted as dropped, as any event is.
 *
 * Context: thread, any.
 */
void magnet_present_tell(struct magnet_present *p, struct magnet_view *view, u32 size)
{
	int guard;

	if (!magnet_probe_enter(p->sub->point, &guard))
		return;
	magnet_ask_gate(p->sub, view, size);
	magnet_probe_leave(guard);
}

/* A quarter of the ring is free, on the CPU where this runs. */
bool magnet_present_has_room(const struct magnet_present *p)
{
	const struct magnet_ring *r;
	unsigned long used;
	bool room;

	preempt_disable();
	r = raw_cpu_ptr(p->sub->cpu)->ring;
	used = local_read(&r->head) - READ_ONCE(r->tail);
	room = r->overwrite || used <= r->size / 4 * 3;
	preempt_enable();
	return room;
}

/**
 * magnet_present_pause() - leave RCU's section for a while
 * @p: the telling
 *
 * The reader makes room, and others get the CPU. The caller holds what it needs
 * to go on.
 *
 * Context: in a section of RCU's readers, and in nothing else that forbids to
 * sleep.
 */
void magnet_present_pause(struct magnet_present *p) __must_hold(RCU)
{
	rcu_read_unlock();
	while (p->patience && !magnet_present_has_room(p)) {
		p->patience--;
		usleep_range(WAIT_US, 2 * WAIT_US);
	}
	cond_resched();
	rcu_read_lock();
}
