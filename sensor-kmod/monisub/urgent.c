// SPDX-License-Identifier: GPL-2.0-only
/*
 * Urgent events: they wake readers whatever these wait for, and who sends
 * notices is told.
 */
#include <linux/preempt.h>
#include <linux/static_call.h>

#include "probes/probe.h"
#include "ring/ring.h"
#include "sub.h"
#include "urgent.h"

struct magnet_bell magnet_urgent_bell = MAGNET_BELL_INIT;

/* magnet_mutex. */
static const struct magnet_urgent_listener *listener;

/* Called for each urgent event: a direct call where the processor has such. */
DEFINE_STATIC_CALL_RET0(magnet_urgent_waited, bool(void));

/* A record of an urgent subscription was committed: wake whatever the watermark. */
void magnet_emit_urgent(struct magnet_sub_cpu *sc)
{
	WRITE_ONCE(sc->ring->urgent, local_read(&sc->ring->head));
	magnet_ring_wake_now(sc->ring);
	local_inc(&sc->urgents);
	if (magnet_bell_rung(&magnet_urgent_bell))
		return;
	/*
	 * Not for nobody, and once until it was heard, not only until the
	 * interrupt was there: on arm64 its end is an event, which may be urgent
	 * itself.
	 */
	if (in_nmi() || static_call(magnet_urgent_waited)())
		magnet_bell_ring(&magnet_urgent_bell);
}

/**
 * magnet_urgent_listen() - who sends notices of urgent events
 * @to: who; NULL: nobody
 *
 * Context: may sleep; while nothing is subscribed.
 */
void magnet_urgent_listen(const struct magnet_urgent_listener *to)
{
	if (to)
		static_call_update(magnet_urgent_waited, to->waited);
	else
		static_call_update(magnet_urgent_waited, (void *)&__static_call_return0);
	listener = to;
}

/**
 * magnet_urgent_ends() - a subscription ends
 * @sub: no handler logs for it any more
 *
 * Context: may sleep; magnet_mutex held.
 */
void magnet_urgent_ends(struct magnet_sub *sub)
{
	if (listener)
		listener->ends(sub);
}

/* Urgent events that were logged for a subscription. */
u64 magnet_sub_urgents(const struct magnet_sub *sub)
{
	u64 urgents = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		urgents += local_read(&per_cpu_ptr(sub->cpu, cpu)->urgents);
	return urgents;
}
