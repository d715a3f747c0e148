// SPDX-License-Identifier: GPL-2.0-only
/*
 * MoniSub, the monitoring subsystem: subscriptions tie points to buffers. A
 * point is registered in the kernel while it has subscriptions, and only then.
 */
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>

#include "magnet_internal.h"
#include "probes/probe.h"

DEFINE_PER_CPU(int, magnet_guard) = MAGNET_GUARD_IDLE;

/* All subscriptions; magnet_mutex. */
static LIST_HEAD(subs);
static u32 last_id;

/* ---- called by handlers ---- */

/* A handler of this context is already running: its events are not lost silently. */
static void count_recursion(struct magnet_point *point)
{
	struct magnet_sub_cpu __percpu *subs = READ_ONCE(point->subs);
	struct magnet_sub_cpu *sc;

	for (sc = subs ? raw_cpu_ptr(subs) : NULL; sc; sc = READ_ONCE(sc->next)) {
		local_inc(&sc->hits);
		local_inc(&sc->dropped_recursion);
		magnet_ring_drop_here(sc->ring);
	}
}

/* The rest of magnet_probe_enter() when the guard says no. */
void magnet_probe_refused(struct magnet_point *point)
{
	count_recursion(point);
	preempt_enable_notrace();
}

/* A record of an urgent subscription was committed: wake whatever the watermark. */
void magnet_emit_urgent(struct magnet_sub_cpu *sc)
{
	WRITE_ONCE(sc->ring->urgent, local_read(&sc->ring->head));
	magnet_ring_wake_now(sc->ring);
}

/* ---- attaching ---- */

static int attach(struct magnet_point *point, struct netlink_ext_ack *extack)
{
	unsigned int i, found = 0;
	int err = 0;

	if (point->mechanism == MAGNET_MECHANISM_FTRACE)
		magnet_ftrace_resolve(point);
	else if (point->mechanism == MAGNET_MECHANISM_TRACEPOINT)
		magnet_tracepoint_resolve(point);
	for (i = 0; i < magnet_point_parts(point); i++)
		found += magnet_fn_state(point, i) != MAGNET_FN_UNRESOLVED;
	if (!found) {
		NL_SET_ERR_MSG(extack, "this kernel has none of the functions of the point; see control/events");
		return -EOPNOTSUPP;
	}
	if (point->mechanism == MAGNET_MECHANISM_FTRACE)
		err = magnet_ftrace_attach(point);
	else if (point->mechanism == MAGNET_MECHANISM_TRACEPOINT)
		err = magnet_tracepoint_attach(point);
	else if (point->mechanism == MAGNET_MECHANISM_MODULE)
		point->hooked = true;
	else
		err = magnet_kprobe_attach(point);
	if (err)
		NL_SET_ERR_MSG(extack, "the kernel refused to hook the point");
	return err;
}

static void detach(struct magnet_point *point)
{
	if (point->mechanism == MAGNET_MECHANISM_FTRACE)
		magnet_ftrace_detach(point);
	else if (point->mechanism == MAGNET_MECHANISM_TRACEPOINT)
		magnet_tracepoint_detach(point);
	else if (point->mechanism == MAGNET_MECHANISM_MODULE)
		point->hooked = false;
	else
		magnet_kprobe_detach(point);
}

static void set_next(struct magnet_sub *sub, struct magnet_sub *next)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct magnet_sub_cpu *sc = per_cpu_ptr(sub->cpu, cpu);

		sc->urgent = sub->flags & MAGNET_F_URGENT;
		WRITE_ONCE(sc->next, next ? per_cpu_ptr(next->cpu, cpu) : NULL);
		WRITE_ONCE(sc->more, next || sc->urgent);
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
	/* Pairs with the address dependency in magnet_emit(). */
	smp_store_release(&point->subs, sub->cpu);
}

/* The reverse. Handlers that already have it go on to the next one. */
static void unchain(struct magnet_sub *sub)
{
	struct magnet_point *point = sub->point;
	struct magnet_sub *before = point->first;

	point->nr_subs--;
	if (before == sub) {
		point->first = sub->next;
		WRITE_ONCE(point->subs, sub->next ? sub->next->cpu : NULL);
		return;
	}
	while (before->next != sub)
		before = before->next;
	set_next(before, sub->next);
}

/**
 * magnet_sub_cpu_init() - bind a subscription's share of a CPU to its ring
 * @sub: subscription
 * @cpu: CPU
 * @cb: the ring
 *
 * Context: before a handler of @sub can run there.
 */
void magnet_sub_cpu_init(struct magnet_sub *sub, int cpu, struct magnet_cpu_buffer *cb)
{
	struct magnet_sub_cpu *sc = per_cpu_ptr(sub->cpu, cpu);
	const struct magnet_point *point = sub->point;

	sc->ring = &cb->ring;
	sc->word = magnet_header_word(cpu, point->event,
				      magnet_header_size() + point->payload_size);
}

/**
 * magnet_subscribe() - let a point's events go to a buffer
 * @point: the point
 * @buffer: the buffer
 * @flags: MAGNET_F_*
 * @client: owner or NULL; a reference is taken
 * @extack: what was wrong
 *
 * Context: may sleep; magnet_mutex held.
 * Return: the subscription, or an ERR_PTR.
 */
struct magnet_sub *magnet_subscribe(struct magnet_point *point,
				    struct magnet_buffer *buffer, u32 flags,
				    struct magnet_client *client,
				    struct netlink_ext_ack *extack)
{
	struct magnet_sub *sub;
	int err;

	sub = kzalloc(sizeof(*sub), GFP_KERNEL);
	if (!sub)
		return ERR_PTR(-ENOMEM);
	sub->cpu = alloc_percpu(struct magnet_sub_cpu);
	if (!sub->cpu) {
		kfree(sub);
		return ERR_PTR(-ENOMEM);
	}
	sub->point = point;
	sub->flags = flags;
	magnet_buffer_bind(buffer, sub);
	chain(sub);
	err = point->nr_subs == 1 ? attach(point, extack) : 0;
	if (err)
		goto unchain;

	do {
		sub->id = ++last_id;
	} while (!sub->id || magnet_sub_find(sub->id));
	if (client)
		magnet_client_get(client);
	sub->client = client;
	sub->missed_before = point->nr_subs == 1 ? 0 : magnet_point_missed(point);
	list_add_tail(&sub->node, &subs);
	return sub;

unchain:
	unchain(sub);
	magnet_sub_quiesce();
	magnet_buffer_unbind(sub);
	free_percpu(sub->cpu);
	kfree(sub);
	return ERR_PTR(err);
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
	struct magnet_point *point = sub->point;

	/* Unhook first: then no hit is missed by the counters. */
	if (point->nr_subs == 1)
		detach(point);
	unchain(sub);
	list_del(&sub->node);
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

/**
 * magnet_sub_free() - after magnet_sub_detach() and a grace period
 * @sub: subscription
 *
 * Context: may sleep; magnet_mutex held.
 */
void magnet_sub_free(struct magnet_sub *sub)
{
	magnet_buffer_unbind(sub);
	if (sub->client)
		magnet_client_put(sub->client);
	free_percpu(sub->cpu);
	kfree(sub);
}

struct magnet_sub *magnet_sub_find(u32 id)
{
	struct magnet_sub *sub;

	list_for_each_entry(sub, &subs, node)
		if (sub->id == id)
			return sub;
	return NULL;
}

/* The n-th subscription, for dumps; magnet_mutex held. */
struct magnet_sub *magnet_sub_nth(unsigned int n)
{
	struct magnet_sub *sub;

	list_for_each_entry(sub, &subs, node)
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

	list_for_each_entry_safe(sub, next, &subs, node) {
		if (!match(sub, arg))
			continue;
		magnet_sub_detach(sub);
		list_add(&sub->node, &ended);
	}
	if (list_empty(&ended))
		return;
	magnet_sub_quiesce();
	list_for_each_entry_safe(sub, next, &ended, node)
		magnet_sub_free(sub);
}

/* ---- control files ---- */

/* control/filters: what stands between hit and commit, per subscription. */
void magnet_filters_show(struct seq_file *m)
{
	struct magnet_sub *sub;

	seq_puts(m, "# subscription point buffer rules\n");
	mutex_lock(&magnet_mutex);
	list_for_each_entry(sub, &subs, node)
		seq_printf(m, "%u %s %s none\n", sub->id, sub->point->name,
			   sub->buffer->name);
	mutex_unlock(&magnet_mutex);
}

static void show_sub_cpu(struct seq_file *m, const struct magnet_sub *sub, int cpu)
{
	const struct magnet_sub_cpu *sc = per_cpu_ptr(sub->cpu, cpu);

	seq_printf(m, "subscription %u %s %s cpu%d hits %lu committed %lu filtered %lu sampled_out %lu dropped_full %lu dropped_big %lu dropped_recursion %lu\n",
		   sub->id, sub->point->name, sub->buffer->name, cpu,
		   local_read(&sc->hits), local_read(&sc->committed),
		   local_read(&sc->filtered), local_read(&sc->sampled_out),
		   local_read(&sc->dropped_full), local_read(&sc->dropped_big),
		   local_read(&sc->dropped_recursion));
}

/* The subscriptions' part of control/stats; magnet_mutex held. */
void magnet_sub_stats_show(struct seq_file *m)
{
	struct magnet_sub *sub;
	int cpu;

	list_for_each_entry(sub, &subs, node) {
		for_each_possible_cpu(cpu)
			if (per_cpu_ptr(sub->cpu, cpu)->ring)
				show_sub_cpu(m, sub, cpu);
		seq_printf(m, "subscription %u %s %s missed %llu\n", sub->id, sub->point->name,
			   sub->buffer->name, magnet_sub_missed(sub));
	}
}
