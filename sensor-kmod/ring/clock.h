/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What stamps a record: the TSC, or CLOCK_MONOTONIC where the TSC can't be
 * trusted.
 */
#ifndef _MAGNET_CLOCK_H
#define _MAGNET_CLOCK_H

#include <linux/jump_label.h>
#include <linux/types.h>

#include <uapi/magnet.h>
#include "compat.h"
#include "rare.h"

DECLARE_STATIC_KEY_FALSE(magnet_clock_is_mono);

/* Ticks of the time stamp in a second. */
extern u64 magnet_clock_second;

/* Rung when the timer jumped. */
struct magnet_bell;
extern struct magnet_bell magnet_epoch_bell;

u64 notrace __cold MAGNET_RARE magnet_clock_mono(u64 *last);

/**
 * magnet_clock() - the time stamp of a record
 * @last: newest stamp given out on this ring; touched by clock=mono only
 *
 * Context: any, NMI included.
 * Return: TSC ticks, or nanoseconds of CLOCK_MONOTONIC with clock=mono.
 */
static __always_inline u64 magnet_clock(u64 *last)
{
	if (static_branch_unlikely(&magnet_clock_is_mono))
		return magnet_rare_u64(magnet_clock_mono, last);
	return magnet_tsc();
}

/**
 * struct magnet_clock_pair - one instant on three clocks
 * @timer: as magnet_clock()
 * @realtime_ns: CLOCK_REALTIME
 * @monotonic_ns: CLOCK_MONOTONIC
 * @epoch: of @timer, as in struct magnet_clock
 */
struct magnet_clock_pair {
	u64 timer;
	u64 realtime_ns;
	u64 monotonic_ns;
	u32 epoch;
};

int magnet_clock_init(void);
void magnet_clock_pair_now(struct magnet_clock_pair *pair);
void magnet_clock_check(void);
enum magnet_clock_source magnet_clock_source(void);
u32 magnet_clock_khz(void);
u64 magnet_clock_ticks(u64 us);
u32 magnet_clock_epoch(void);
u32 magnet_clock_flags(void);
void magnet_clock_begin_epoch(void);

#endif /* _MAGNET_CLOCK_H */
