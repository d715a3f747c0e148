/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Plans: what a point's handlers do with an event. Handlers read one word of
 * the point, once; all that they go by follows from it.
 */
#ifndef _MAGNET_PLAN_H
#define _MAGNET_PLAN_H

#include <linux/compiler.h>
#include <linux/percpu.h>
#include <linux/types.h>

struct magnet_custom;
struct magnet_point;
struct magnet_step;
struct magnet_storm_guard;
struct magnet_sub_cpu;

/**
 * struct magnet_plan - what is done with an event that not all want as it is
 * @point: whose event; NULL: nobody wants it
 * @chain: the shares of its first subscription; NULL: nobody wants the event
 * @quick: rules of its only subscription that handlers can look at by
 *	themselves; or NULL
 * @early: likewise, before they look what the event is about
 * @samples: its only subscription samples by count, before all else
 * @asks_early: one of the last two
 * @storm: the storm guard, or NULL
 * @custom: the handler that filters the point, or NULL
 *
 * Nothing of it changes while a handler may have it.
 */
struct magnet_plan {
	struct magnet_point		*point;
	struct magnet_sub_cpu __percpu	*chain;
	const struct magnet_step	*quick;
	const struct magnet_step	*early;
	bool				samples;
	bool				asks_early;
	const struct magnet_storm_guard	*storm;
	const struct magnet_custom	*custom;
};

/**
 * struct magnet_plan_room - room for a plan
 * @plan: the plan
 * @age: RCU's state when another took its place: once that is past, no handler has it
 */
struct magnet_plan_room {
	struct magnet_plan	plan;
	unsigned long		age;
};

/**
 * struct magnet_plans - a point's plan, and room for the next one
 * @now: what handlers read: the shares of the point's first subscription, where
 *	all want every event as it is; else the odd address of a struct
 *	magnet_plan_word. Never 0, so that who wants all pays for one test
 * @room: for plans; one of them may be @now
 * @next: which one is not
 * @stale: @now is not yet what the subscriptions want
 */
struct magnet_plans {
	unsigned long		now;
	struct magnet_plan_room	room[2];
	unsigned int		next;
	bool			stale;
};

/* Every event is wanted as it is, by those in magnet_plan_subs(). */
static __always_inline bool magnet_plan_is_plain(unsigned long plan)
{
	return !(plan & 1);
}

static __always_inline struct magnet_sub_cpu __percpu *magnet_plan_subs(unsigned long plan)
{
	return (struct magnet_sub_cpu __percpu *)plan;
}

/**
 * struct magnet_plan_word - what handlers see where they look at a plan
 * @odd: room, so that the address of @plan is a multiple of 8 and this one is odd
 * @plan: the plan
 */
struct magnet_plan_word {
	u8			odd[7];
	struct magnet_plan	plan;
} __packed;

/* A member of a plan that is not plain: nothing is spent on taking the flag off. */
#define magnet_plan_get(word, member)						\
	(((const struct magnet_plan_word *)(word))->plan.member)

/* The first subscription of any plan, on all CPUs; NULL: there is none. */
static __always_inline struct magnet_sub_cpu __percpu *magnet_plan_chain(unsigned long plan)
{
	return magnet_plan_is_plain(plan) ? magnet_plan_subs(plan) :
					    magnet_plan_get(plan, chain);
}

void magnet_plan_init(struct magnet_point *point);
void magnet_plan_publish(struct magnet_point *point);

#endif /* _MAGNET_PLAN_H */
