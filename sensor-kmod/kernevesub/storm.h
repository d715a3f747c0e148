/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The storm guard of a point: more than so many events a second are refused.
 */
#ifndef _MAGNET_STORM_H
#define _MAGNET_STORM_H

#include <linux/percpu.h>
#include <linux/types.h>
#include <asm/local.h>

#include "pace.h"

struct magnet_point;
struct magnet_sub;
struct magnet_sub_cpu;

/**
 * struct magnet_storm_guard - a token bucket for each CPU
 * @rate: events per second that are let through; 0: all
 * @burst: and this many at once
 * @pace: both, in timer ticks
 * @due: when the next one is due, had they come one by one
 */
struct magnet_storm_guard {
	u32		rate;
	u32		burst;
	struct magnet_pace pace;
	local_t __percpu *due;
};

/**
 * struct magnet_storm_untold - what a subscription is still to be told on a CPU
 * @refused: events that the guard refused and no STORM record told of
 * @first: timer of the first of them
 * @last: timer of the last of them
 */
struct magnet_storm_untold {
	local_t	refused;
	u64	first;
	u64	last;
};

bool notrace magnet_storm_refuses(const struct magnet_storm_guard *guard,
				  struct magnet_sub_cpu *chain);
void notrace magnet_storm_tell(struct magnet_sub_cpu *sc, const struct magnet_point *point);
void magnet_sub_tell_storms(struct magnet_sub *sub);
void magnet_subs_tell_storms(void);
int magnet_point_guard(struct magnet_point *point, u32 rate, u32 burst);

#endif /* _MAGNET_STORM_H */
