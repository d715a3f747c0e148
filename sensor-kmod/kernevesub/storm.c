// SPDX-License-Identifier: GPL-2.0-only
/*
 * The storm guard: of a point that is hit more often than somebody allows, what
 * is too much is refused, and a STORM record tells how much that was.
 */
#include <linux/math64.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "monisub/monisub.h"
#include "monisub/plan.h"
#include "monisub/point.h"
#include "monisub/sub.h"
#include "ring/buffer.h"
#include "ring/clock.h"
#include "ring/record.h"
#include "ring/ring.h"
#include "storm.h"

/* ---- in handlers ---- */

/* Whoever is interrupted between look and exchange looks again. */
static bool lets_through(const struct magnet_storm_guard *guard, u64 now)
{
	local_t *due = raw_cpu_ptr(guard->due);
	long was;
	u64 next;

	do {
		was = local_read(due);
		if (!magnet_pace_next(&guard->pace, was, now, &next))
			return false;
	} while (local_cmpxchg(due, was, next) != was);
	return true;
}

/**
 * magnet_storm_refuses() - is an event one too many?
 * @guard: the point's
 * @chain: its subscriptions on this CPU
 *
 * Refused for all of them; a STORM record goes in front of the next one of each.
 *
 * Context: in a handler.
 * Return: true: nobody gets it, which is counted.
 */
bool magnet_storm_refuses(const struct magnet_storm_guard *guard, struct magnet_sub_cpu *chain)
{
	const u64 now = magnet_clock(&chain->ring->last_timer);
	struct magnet_sub_cpu *sc;

	if (lets_through(guard, now))
		return false;
	for (sc = chain; sc; sc = READ_ONCE(sc->next)) {
		local_inc(&sc->hits);
		local_inc(&sc->dropped_storm);
		WRITE_ONCE(sc->storm.last, now);
		if (!local_read(&sc->storm.refused))
			WRITE_ONCE(sc->storm.first, now);
		local_inc(&sc->storm.refused);
	}
	return true;
}

/**
 * magnet_storm_tell() - a STORM record of what was refused
 * @sc: the subscription's share of this CPU
 * @point: its point
 *
 * If there is no room, a later event tells.
 *
 * Context: any, NMI included; preemption off.
 */
void magnet_storm_tell(struct magnet_sub_cpu *sc, const struct magnet_point *point)
{
	const u32 size = magnet_header_size() + sizeof(struct magnet_storm);
	struct magnet_storm *storm;
	u64 word, timer, first;
	long refused;
	void *rec;

	first = READ_ONCE(sc->storm.first);
	/* Taken first: whoever interrupts us finds nothing to tell. */
	refused = local_xchg(&sc->storm.refused, 0);
	rec = refused ? magnet_ring_try_reserve(sc->ring, size, &timer) : NULL;
	if (!rec) {
		WRITE_ONCE(sc->storm.first, first);
		local_add(refused, &sc->storm.refused);
		return;
	}
	word = magnet_header_word(sc->ring->cpu, MAGNET_EVENT_STORM, size);
	storm = magnet_header_write(rec, word, 0, point->event, timer);
	storm->refused = refused;
	storm->first_timer = first;
	storm->last_timer = READ_ONCE(sc->storm.last);
	magnet_ring_commit(sc->ring);
}

/* On the CPU of @told's share, with interrupts off. */
static void tell_here(void *told)
{
	const struct magnet_sub *sub = told;

	magnet_storm_tell(this_cpu_ptr(sub->cpu), sub->point);
}

/**
 * magnet_sub_tell_storms() - tell of storms after which no event has come
 * @sub: bound to its buffer
 *
 * CPUs that are offline tell when they are online again.
 *
 * Context: may sleep; cpus_read_lock held.
 */
void magnet_sub_tell_storms(struct magnet_sub *sub)
{
	int cpu;

	for_each_online_cpu(cpu)
		if (local_read(&per_cpu_ptr(sub->cpu, cpu)->storm.refused))
			smp_call_function_single(cpu, tell_here, sub, 1);
}

static void tell_storms_of(struct magnet_writer *writer)
{
	magnet_sub_tell_storms(container_of(writer, struct magnet_sub, writer));
}

/**
 * magnet_subs_tell_storms() - STORM records of what no event has told of
 *
 * Context: may sleep.
 */
void magnet_subs_tell_storms(void)
{
	magnet_writers_each(tell_storms_of);
}

/* ---- control requests ---- */

static struct magnet_storm_guard *new_guard(u32 rate, u32 burst)
{
	struct magnet_storm_guard *guard = kzalloc(sizeof(*guard), GFP_KERNEL_ACCOUNT);
	int cpu;

	if (!guard)
		return NULL;
	guard->due = alloc_percpu_gfp(local_t, GFP_KERNEL_ACCOUNT);
	if (!guard->due) {
		kfree(guard);
		return NULL;
	}
	guard->rate = rate;
	guard->burst = burst;
	guard->pace.interval = div_u64(magnet_clock_second, rate);
	guard->pace.tolerance = guard->pace.interval * (burst - 1);
	guard->pace.second = magnet_clock_second;
	/* Long ago: all of the burst is free. */
	for_each_possible_cpu(cpu)
		local_set(per_cpu_ptr(guard->due, cpu), 0);
	return guard;
}

/**
 * magnet_point_guard() - set a point's storm guard
 * @point: the point
 * @rate: events per second and CPU that are let through; 0: all
 * @burst: and this many at once; at least 1
 *
 * Without a guard no event looks for what is still to be told, so that is told
 * here, behind what came meanwhile.
 *
 * Context: may sleep; magnet_mutex held.
 * Return: 0 or -ENOMEM, and nothing has changed.
 */
int magnet_point_guard(struct magnet_point *point, u32 rate, u32 burst)
{
	struct magnet_storm_guard *guard = rate ? new_guard(rate, burst) : NULL;
	struct magnet_storm_guard *old = point->storm;

	if (rate && !guard)
		return -ENOMEM;
	point->storm = guard;
	magnet_plan_publish(point);
	if (!old)
		return 0;
	magnet_sub_quiesce();
	free_percpu(old->due);
	kfree(old);
	if (!guard)
		magnet_subs_tell_storms();
	return 0;
}
