// SPDX-License-Identifier: GPL-2.0-only
/*
 * MoniSub, the monitoring subsystem: subscriptions tie points to buffers.
 */
#include <linux/cpu.h>
#include <linux/netlink.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>

#include "kernevesub/chain.h"
#include "kernevesub/gate.h"
#include "kernevesub/rule.h"
#include "kernevesub/storm.h"
#include "lockdown.h"
#include "monisub.h"
#include "owner.h"
#include "plan.h"
#include "point.h"
#include "probes/probe.h"
#include "ring/buffer.h"
#include "ring/record.h"
#include "ring/ring.h"
#include "sub.h"
#include "turn.h"
#include "urgent.h"

DEFINE_PER_CPU(int, magnet_guard) = MAGNET_GUARD_IDLE;

LIST_HEAD(magnet_subs);
static unsigned int nr_subs;
static u32 last_id;

/* ---- called by handlers ---- */

/**
 * magnet_event_dropped() - count an event as lost in each subscription, and tell it in each ring
 * @point: the event's
 * @big: it is larger than a record may be; else it was hit inside a handler
 *
 * Context: in a handler, with preemption off.
 */
void magnet_event_dropped(const struct magnet_point *point, bool big)
{
	struct magnet_sub_cpu __percpu *chain = magnet_plan_chain(READ_ONCE(point->plans.now));
	struct magnet_sub_cpu *sc;

	for (sc = chain ? raw_cpu_ptr(chain) : NULL; sc; sc = READ_ONCE(sc->next)) {
		local_inc(&sc->hits);
		local_inc(big ? &sc->dropped_big : &sc->dropped_recursion);
		magnet_ring_drop_here(sc->ring);
	}
}

/* The rest of magnet_probe_enter() when the guard says no. */
void magnet_probe_refused(struct magnet_point *point)
{
	magnet_event_dropped(point, false);
	preempt_enable_notrace();
}

/* ---- chains ---- */

static void set_next(struct magnet_sub *sub, struct magnet_sub *next)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct magnet_sub_cpu *sc = per_cpu_ptr(sub->cpu, cpu);

		WRITE_ONCE(sc->next, next ? per_cpu_ptr(next->cpu, cpu) : NULL);
		WRITE_ONCE(sc->more, next || sub->flags & MAGNET_F_URGENT);
	}
	sub->next = next;
}

/* Put @sub in front of its point's chain; handlers see it from now on. */
static void chain(struct magnet_sub *sub)
{
	struct magnet_point *point = sub->point;

	set_next(sub, point->first);
	point->first = sub;
	point->nr_subs++;
	point->nr_gates += !!sub->gate;
	magnet_plan_publish(point);
}

/* The reverse, but for magnet_plan_publish(). Handlers that have it go on to the next one. */
static void unlink_sub(struct magnet_sub *sub)
{
	struct magnet_point *point = sub->point;
	struct magnet_sub *before = point->first;

	point->nr_subs--;
	point->nr_gates -= !!sub->gate;
	point->plans.stale = true;
	if (before == sub) {
		point->first = sub->next;
	} else {
		while (before->next != sub)
			before = before->next;
		set_next(before, sub->next);
	}
}

/* Before a handler of the subscription can run on the ring's CPU. */
static void bind_ring(struct magnet_writer *writer, struct magnet_cpu_buffer *cb)
{
	struct magnet_sub *sub = container_of(writer, struct magnet_sub, writer);
	const struct magnet_point *point = sub->point;
	const unsigned int cpu = cb->ring.cpu;
	struct magnet_sub_cpu *sc = per_cpu_ptr(sub->cpu, cpu);

	/* Whoever shows the counters looks whether there is a ring. */
	WRITE_ONCE(sc->ring, &cb->ring);
	sc->urgent = sub->flags & MAGNET_F_URGENT;
	sc->scratch.view.cpu = cpu;
	sc->word = magnet_header_word(cpu, point->event,
				      magnet_header_size() + point->payload_size);
}

static void bind_buffer(struct magnet_sub *sub, struct magnet_buffer *buffer)
{
	sub->buffer = buffer;
	sub->writer.bind = bind_ring;
	magnet_buffer_bind(buffer, &sub->writer);
}

/* The reverse, when no handler can see @sub any more. */
static void unbind_buffer(struct magnet_sub *sub)
{
	/* Nothing comes after it that could. */
	cpus_read_lock();
	magnet_sub_tell_storms(sub);
	cpus_read_unlock();
	magnet_buffer_unbind(sub->buffer, &sub->writer);
}

/* Its rules and gate are given up; no handler has them any more. */
static void free_sub(struct magnet_sub *sub)
{
	magnet_gate_free(sub->gate);
	magnet_rules_free(&sub->wish);
	free_percpu(sub->cpu);
	kfree(sub);
}

static void set_gate(struct magnet_sub *sub, struct magnet_gate *gate)
{
	int cpu;

	sub->gate = gate;
	for_each_possible_cpu(cpu)
		/* Pairs with the address dependency in emit_one(). */
		smp_store_release(&per_cpu_ptr(sub->cpu, cpu)->gate, gate);
}

/* A CPU that counts just now may go on from where it was: it is sampling. */
static void begin_sampling(struct magnet_sub *sub)
{
	int cpu;

	for_each_possible_cpu(cpu)
		local_set(&per_cpu_ptr(sub->cpu, cpu)->sample_left, 0);
}

static void move_wish(struct magnet_wish *to, struct magnet_wish *from)
{
	*to = *from;
	magnet_rules_move(to, from);
}

static struct magnet_sub *new_sub(struct magnet_point *point, u32 flags,
				  struct magnet_wish *wish, struct netlink_ext_ack *extack)
{
	struct magnet_sub *sub = kzalloc(sizeof(*sub), GFP_KERNEL_ACCOUNT);
	struct magnet_gate *gate;

	if (!sub)
		return ERR_PTR(-ENOMEM);
	INIT_LIST_HEAD(&sub->wish.rules);
	sub->point = point;
	sub->flags = flags;
	sub->cpu = alloc_percpu_gfp(struct magnet_sub_cpu, GFP_KERNEL_ACCOUNT);
	gate = sub->cpu ? magnet_gate_new(sub, wish, extack) : ERR_PTR(-ENOMEM);
	if (IS_ERR(gate)) {
		free_sub(sub);
		return ERR_CAST(gate);
	}
	/* The first event is let through, whenever it comes. */
	atomic64_set(&sub->passed, S64_MIN / 2);
	move_wish(&sub->wish, wish);
	set_gate(sub, gate);
	return sub;
}

static int refuse_too_many(const struct magnet_point *point, const struct magnet_client *client,
			   struct netlink_ext_ack *extack)
{
	if (point->nr_subs >= MAGNET_POINT_SUBS_MAX)
		NL_SET_ERR_MSG(extack, "the point has 64 subscriptions, and each event of it would be logged once more; end one first");
	else if (client && client->nr_subs >= MAGNET_CLIENT_SUBS_MAX)
		NL_SET_ERR_MSG(extack, "this socket has 1024 subscriptions; end one first");
	else if (nr_subs >= MAGNET_SUBS_MAX)
		NL_SET_ERR_MSG(extack, "there are 4096 subscriptions; end one first");
	else
		return 0;
	return -ENOSPC;
}

/**
 * magnet_subscribe() - let a point's events go to a buffer
 * @point: the point
 * @buffer: the buffer
 * @flags: MAGNET_F_*
 * @wish: what it wants beside every event as it is; its rules are taken on
 *	success
 * @client: owner or NULL; a reference is taken
 * @extack: what was wrong
 *
 * Context: may sleep; magnet_mutex held.
 * Return: the subscription, or an ERR_PTR.
 */
struct magnet_sub *magnet_subscribe(struct magnet_point *point,
				    struct magnet_buffer *buffer, u32 flags,
				    struct magnet_wish *wish, struct magnet_client *client,
				    struct netlink_ext_ack *extack)
{
	struct magnet_sub *sub;
	int err;

	err = magnet_lockdown_point(point, extack) ?: refuse_too_many(point, client, extack);
	if (err)
		return ERR_PTR(err);
	sub = new_sub(point, flags, wish, extack);
	if (IS_ERR(sub))
		return sub;
	sub->missed_before = magnet_point_missed(point);
	bind_buffer(sub, buffer);
	chain(sub);
	err = point->nr_subs == 1 && !point->disabled ? magnet_point_attach(point, extack) : 0;
	if (err)
		goto unchain;

	do {
		sub->id = ++last_id;
	} while (!sub->id || magnet_sub_find(sub->id));
	if (client) {
		magnet_client_get(client);
		client->nr_subs++;
	}
	sub->client = client;
	nr_subs++;
	list_add_tail(&sub->node, &magnet_subs);
	if (point->present && !point->disabled)
		point->present(sub);
	return sub;

unchain:
	unlink_sub(sub);
	magnet_plan_publish(point);
	magnet_sub_quiesce();
	unbind_buffer(sub);
	move_wish(wish, &sub->wish);
	free_sub(sub);
	return ERR_PTR(err);
}

/**
 * magnet_sub_change() - let a subscription want something else
 * @sub: subscription
 * @wish: what it wants from now on; its rules are taken on success. What it
 *	wanted before is left here, and no handler has it any more
 * @extack: what was wrong
 *
 * Events flow meanwhile: each is judged by the old wish or by the new one.
 *
 * Context: may sleep; magnet_mutex held.
 * Return: 0, or an error and nothing has changed.
 */
int magnet_sub_change(struct magnet_sub *sub, struct magnet_wish *wish,
		      struct netlink_ext_ack *extack)
{
	struct magnet_gate *gate = magnet_gate_new(sub, wish, extack), *old = sub->gate;
	struct magnet_wish before;

	if (IS_ERR(gate))
		return PTR_ERR(gate);
	sub->point->nr_gates += !!gate - !!old;
	set_gate(sub, gate);
	magnet_plan_publish(sub->point);
	if (wish->sample_count != sub->wish.sample_count)
		begin_sampling(sub);
	move_wish(&before, &sub->wish);
	move_wish(&sub->wish, wish);
	move_wish(wish, &before);
	magnet_sub_quiesce();
	magnet_gate_free(old);
	return 0;
}

/* magnet_sub_detach(), but for magnet_plan_publish(). */
static void detach(struct magnet_sub *sub)
{
	struct magnet_point *point = sub->point;

	/* Unhook first: then no hit is missed by the counters. */
	if (point->nr_subs == 1 && !point->disabled)
		magnet_point_detach(point);
	unlink_sub(sub);
	if (sub->client)
		sub->client->nr_subs--;
	nr_subs--;
	list_del(&sub->node);
}

/**
 * magnet_sub_detach() - no handler logs for it any more
 * @sub: subscription
 *
 * Handlers may still be running with it: magnet_sub_quiesce() before
 * magnet_sub_free(), and before its counters are final. The last
 * subscription of a point unhooks the point.
 *
 * Context: may sleep; magnet_mutex held.
 */
void magnet_sub_detach(struct magnet_sub *sub)
{
	detach(sub);
	magnet_plan_publish(sub->point);
}

/**
 * magnet_sub_quiesce() - wait until no handler uses a detached subscription
 *
 * Context: may sleep.
 */
void magnet_sub_quiesce(void)
{
	tracepoint_synchronize_unregister();
	synchronize_rcu();
}

struct magnet_sub *magnet_sub_find(u32 id)
{
	struct magnet_sub *sub;

	list_for_each_entry(sub, &magnet_subs, node)
		if (sub->id == id)
			return sub;
	return NULL;
}

/* The n-th subscription, for dumps; magnet_mutex held. */
struct magnet_sub *magnet_sub_nth(unsigned int n)
{
	struct magnet_sub *sub;

	list_for_each_entry(sub, &magnet_subs, node)
		if (!n--)
			return sub;
	return NULL;
}

/* Hits that the probe mechanism lost meanwhile; magnet_mutex held. */
u64 magnet_sub_missed(const struct magnet_sub *sub)
{
	return magnet_point_missed(sub->point) - sub->missed_before;
}

/**
 * magnet_sub_free() - after magnet_sub_detach() and a grace period
 * @sub: subscription
 *
 * Context: may sleep; magnet_mutex held.
 */
void magnet_sub_free(struct magnet_sub *sub)
{
	magnet_urgent_ends(sub);
	unbind_buffer(sub);
	if (sub->client)
		magnet_client_put(sub->client);
	free_sub(sub);
}

/* ---- ending ---- */

/**
 * magnet_end_subs() - end all subscriptions that match
 * @match: asked for each
 * @arg: handed to @match
 *
 * One grace period for all of them.
 *
 * Context: may sleep; magnet_mutex held.
 */
void magnet_end_subs(bool (*match)(const struct magnet_sub *sub, const void *arg),
		     const void *arg)
{
	struct magnet_sub *sub, *next;
	LIST_HEAD(ended);

	list_for_each_entry_safe(sub, next, &magnet_subs, node) {
		if (!match(sub, arg))
			continue;
		detach(sub);
		list_add(&sub->node, &ended);
	}
	if (list_empty(&ended))
		return;
	list_for_each_entry(sub, &ended, node)
		if (sub->point->plans.stale)
			magnet_plan_publish(sub->point);
	magnet_sub_quiesce();
	list_for_each_entry_safe(sub, next, &ended, node)
		magnet_sub_free(sub);
}

/* For magnet_end_subs(): those of a point. */
bool magnet_sub_of_point(const struct magnet_sub *sub, const void *point)
{
	return sub->point == point;
}
