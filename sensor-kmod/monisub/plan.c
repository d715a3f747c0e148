// SPDX-License-Identifier: GPL-2.0-only
/*
 * Plans are made from a point's subscriptions, its storm guard and its custom
 * handler, and published by one store.
 */
#include <linux/kernel.h>
#include <linux/rcupdate.h>
#include <linux/stddef.h>

#include "kernevesub/gate.h"
#include "plan.h"
#include "point.h"
#include "sub.h"

static const struct magnet_plan nobody;

static unsigned long other(const struct magnet_plan *plan)
{
	return (unsigned long)plan - offsetof(struct magnet_plan_word, plan);
}

/**
 * magnet_plan_init() - a new point: nobody wants its events
 * @point: the point; no handler of it runs
 *
 * Context: any.
 */
void magnet_plan_init(struct magnet_point *point)
{
	unsigned int i;

	point->plans.now = other(&nobody);
	for (i = 0; i < ARRAY_SIZE(point->plans.room); i++)
		point->plans.room[i].age = get_completed_synchronize_rcu();
}

/* Not all want every event of the point as it is. */
static bool is_gated(const struct magnet_point *point)
{
	return point->nr_gates || point->storm || point->custom;
}

static void fill(struct magnet_plan *plan, struct magnet_point *point)
{
	const bool alone = point->nr_subs == 1 && !point->storm && !point->custom;
	const struct magnet_gate *gate = alone ? point->first->gate : NULL;

	*plan = (struct magnet_plan){
		.point = point,
		.chain = point->first->cpu,
		.quick = gate ? gate->quick : NULL,
		.early = gate ? gate->early : NULL,
		.samples = gate && gate->sample_count,
		.asks_early = gate && (gate->early || gate->sample_count),
		.storm = point->storm,
		.custom = point->custom,
	};
}

/* There is always room: taking subscriptions away must not fail. */
static const struct magnet_plan *next_plan(struct magnet_point *point)
{
	struct magnet_plans *plans = &point->plans;
	struct magnet_plan_room *room = &plans->room[plans->next];

	/* A handler may still have the plan that was in there. */
	cond_synchronize_rcu(room->age);
	fill(&room->plan, point);
	plans->next = !plans->next;
	return &room->plan;
}

/* Nobody is given @plan any more. */
static void retire(struct magnet_plans *plans, unsigned long plan)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(plans->room); i++)
		if (plan == other(&plans->room[i].plan))
			plans->room[i].age = get_state_synchronize_rcu();
}

/**
 * magnet_plan_publish() - let handlers see what a point's subscriptions want now
 * @point: the point
 *
 * Handlers that run just now go on by the plan before.
 *
 * Context: may sleep; magnet_mutex held.
 */
void magnet_plan_publish(struct magnet_point *point)
{
	const unsigned long before = point->plans.now;
	unsigned long plan;

	if (!point->first)
		plan = other(&nobody);
	else if (is_gated(point))
		plan = other(next_plan(point));
	else
		plan = (unsigned long)point->first->cpu;
	/* Pairs with the address dependency of handlers, on what they read. */
	smp_store_release(&point->plans.now, plan);
	point->plans.stale = false;
	retire(&point->plans, before);
}
