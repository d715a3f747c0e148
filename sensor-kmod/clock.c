// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which clock stamps records, and how it relates to those of user space.
 */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "clock.h"
#include "magnet_internal.h"

static char *clock = "auto";
module_param(clock, charp, 0444);
MODULE_PARM_DESC(clock, "time stamps: auto (default), tsc, mono");

DEFINE_STATIC_KEY_FALSE(magnet_clock_is_mono);

static bool went_bad;

/**
 * magnet_clock_mono() - CLOCK_MONOTONIC that never steps back
 * @last: newest stamp given out on this ring
 *
 * ktime_get_mono_fast_ns() may step back a little when an NMI interrupts the
 * clock's update; order in the ring has to stay order in time.
 *
 * Context: any, NMI included; on the CPU that owns @last.
 * Return: nanoseconds.
 */
u64 magnet_clock_mono(u64 *last)
{
	u64 now = ktime_get_mono_fast_ns();
	u64 seen;

	do {
		seen = READ_ONCE(*last);
		if (now < seen)
			return seen;
	} while (cmpxchg64_local(last, seen, now) != seen);
	return now;
}

enum magnet_clock_source magnet_clock_source(void)
{
	return static_key_enabled(&magnet_clock_is_mono) ? MAGNET_CLOCK_MONO :
							   MAGNET_CLOCK_TSC;
}

/* Ticks of the time stamp per millisecond. */
u32 magnet_clock_khz(void)
{
	return magnet_clock_source() == MAGNET_CLOCK_MONO ? 1000000 : magnet_tsc_khz();
}

/**
 * magnet_clock_ticks() - a length of time in ticks of the time stamp
 * @us: microseconds
 *
 * Return: ticks.
 */
u64 magnet_clock_ticks(u64 us)
{
	return mul_u64_u32_div(us, magnet_clock_khz(), USEC_PER_MSEC);
}

/*
 * All three clocks at one instant. Interrupts are off, so that only an NMI or
 * a stolen virtual CPU can come between: then the pair with the shortest span
 * of a few is taken.
 */
void magnet_clock_pair_now(struct magnet_clock_pair *pair)
{
	u64 best = U64_MAX;
	int i;

	for (i = 0; i < 4; i++) {
		u64 before, after, last = 0, realtime, monotonic;
		unsigned long flags;

		local_irq_save(flags);
		before = magnet_clock(&last);
		monotonic = ktime_get_mono_fast_ns();
		realtime = ktime_get_real_fast_ns();
		after = magnet_clock(&last);
		local_irq_restore(flags);
		if (after - before >= best)
			continue;
		best = after - before;
		pair->timer = before + best / 2;
		pair->realtime_ns = realtime;
		pair->monotonic_ns = monotonic;
	}
}

/* The kernel may find the TSC out long after we chose it. */
void magnet_clock_check(void)
{
	if (went_bad || magnet_clock_source() == MAGNET_CLOCK_MONO)
		return;
	if (magnet_tsc_stable())
		return;
	WRITE_ONCE(went_bad, true);
	pr_warn("the TSC became unstable: time stamps of different CPUs can no longer be compared; load the module with clock=mono\n");
}

bool magnet_clock_went_bad(void)
{
	return READ_ONCE(went_bad);
}

int magnet_clock_init(void)
{
	bool mono;

	if (!strcmp(clock, "auto")) {
		mono = !magnet_tsc_stable();
		if (mono)
			pr_info("this machine has no stable TSC: time stamps are CLOCK_MONOTONIC\n");
	} else if (!strcmp(clock, "tsc")) {
		mono = !magnet_tsc_khz();
		if (mono)
			pr_warn("clock=tsc, but this machine has no TSC: time stamps are CLOCK_MONOTONIC\n");
		else if (!magnet_tsc_stable())
			pr_warn("clock=tsc, but the TSC of this machine is not stable\n");
	} else if (!strcmp(clock, "mono")) {
		mono = true;
	} else {
		pr_err("clock=%s: must be auto, tsc or mono\n", clock);
		return -EINVAL;
	}
	if (mono)
		static_branch_enable(&magnet_clock_is_mono);
	return 0;
}
