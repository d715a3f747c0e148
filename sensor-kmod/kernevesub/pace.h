/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How often an event may come. What decides is kept as a time stamp, and a timer
 * that began anew is behind all of them: it would have to catch up first.
 *
 * Like ring.h, this file also compiles in user space.
 */
#ifndef _MAGNET_PACE_H
#define _MAGNET_PACE_H

#ifdef __KERNEL__
#include <linux/minmax.h>
#include <linux/types.h>
#else
#include "ring_shim.h"
#endif

/**
 * magnet_pace_passed() - may an event come, of which one is let through in a time?
 * @last: stamp of the last one that was
 * @now: its own stamp
 * @ticks: the time
 * @second: ticks of a second
 *
 * Stamps of other CPUs, and of whom this one interrupted, may be younger than
 * @now, but not by a second: then the timer began anew, and so does the pace.
 */
static __always_inline bool magnet_pace_passed(u64 last, u64 now, u64 ticks, u64 second)
{
	const s64 since = now - last;

	return since >= (s64)ticks || since < -(s64)second;
}

/**
 * struct magnet_pace - a token bucket as one number (generic cell rate algorithm)
 * @interval: ticks from one event to the next
 * @tolerance: ticks that they may come earlier, in all
 * @second: ticks of a second
 */
struct magnet_pace {
	u64	interval;
	u64	tolerance;
	u64	second;
};

/**
 * magnet_pace_next() - may an event come, and when is the next one due?
 * @pace: how often
 * @due: when this one is
 * @now: its stamp
 * @next: when the next one is, if this one may come
 *
 * None is due later than this from the stamp of the one before, which may be
 * younger than @now by what interrupted it. By a second more: the timer began
 * anew, and so does the pace.
 */
static __always_inline bool magnet_pace_next(const struct magnet_pace *pace, u64 due, u64 now,
					     u64 *next)
{
	const s64 early = due - now;

	if (early > (s64)pace->tolerance) {
		if (early <= (s64)(pace->tolerance + pace->interval + pace->second))
			return false;
		due = now;
	}
	*next = (early > 0 ? due : now) + pace->interval;
	return true;
}

#endif /* _MAGNET_PACE_H */
