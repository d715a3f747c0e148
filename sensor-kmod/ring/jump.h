/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Has the timer jumped? CLOCK_MONOTONIC is looked at beside it, and what neither
 * explains is a jump.
 *
 * Like ring.h, this file also compiles in user space.
 */
#ifndef _MAGNET_JUMP_H
#define _MAGNET_JUMP_H

#ifdef __KERNEL__
#include <linux/math64.h>
#include <linux/time64.h>
#include <linux/types.h>
#else
#include "ring_shim.h"
#endif

/*
 * CLOCK_MONOTONIC may be slewed by a tenth of its speed (adjtimex's tick), and
 * the TSC's nominal frequency be wrong by a little: an eighth of the time
 * between two looks.
 */
#define MAGNET_SLEW_SHIFT	3
/* And one look may be wrong by this much: clocks that tick, a virtual CPU that was away. */
#define MAGNET_LOOK_NS		(20 * NSEC_PER_MSEC)

/**
 * struct magnet_look - a look at both clocks
 * @timer: ticks
 * @ns: CLOCK_MONOTONIC; 0: nobody has looked yet
 */
struct magnet_look {
	u64	timer;
	u64	ns;
};

/*
 * The timer as it goes on while @ns pass. It may pass its largest number, as the
 * timer may.
 */
static inline u64 magnet_ticks_of(u64 ns, u32 khz)
{
	u32 rest;
	const u64 ms = div_u64_rem(ns, NSEC_PER_MSEC, &rest);

	return ms * khz + div_u64((u64)rest * khz, NSEC_PER_MSEC);
}

/**
 * magnet_timer_explained() - can the timer have gone on by so much?
 * @ticks: by how much, also back
 * @ns: while CLOCK_MONOTONIC did by this
 * @khz: of the timer; not 0
 *
 * Return: false: it jumped, stood still, or began anew.
 */
static inline bool magnet_timer_explained(u64 ticks, u64 ns, u32 khz)
{
	const u64 most = (ns >> MAGNET_SLEW_SHIFT) + MAGNET_LOOK_NS;
	const u64 ahead = ticks - magnet_ticks_of(ns, khz);
	u32 rest;
	const u64 ms = div_u64_rem((s64)ahead < 0 ? -ahead : ahead, khz, &rest);

	/* More milliseconds than these may not be a number of nanoseconds. */
	if (ms > div_u64(most, NSEC_PER_MSEC))
		return false;
	return ms * NSEC_PER_MSEC + div_u64((u64)rest * NSEC_PER_MSEC + khz - 1, khz) <= most;
}

/**
 * magnet_look_agrees() - has the timer gone on as CLOCK_MONOTONIC has?
 * @last: the latest look; @now takes its place
 * @now: a look; where it is older than @last nothing is said, since who looked
 *	earlier may come later
 * @khz: of the timer; not 0
 *
 * Return: false: it jumped between the two.
 */
static inline bool magnet_look_agrees(struct magnet_look *last, struct magnet_look now, u32 khz)
{
	const struct magnet_look before = *last;

	if ((s64)(now.ns - before.ns) < 0)
		return true;
	*last = now;
	return !before.ns || magnet_timer_explained(now.timer - before.timer,
						    now.ns - before.ns, khz);
}

#endif /* _MAGNET_JUMP_H */
