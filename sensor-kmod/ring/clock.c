// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which clock stamps records, and how it relates to those of user space.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "bell.h"
#include "clock.h"
#include "jump.h"

static char *clock = "auto";
module_param(clock, charp, 0444);
MODULE_PARM_DESC(clock, "time stamps: auto (default), tsc, mono");

DEFINE_STATIC_KEY_FALSE(magnet_clock_is_mono);

u64 magnet_clock_second __ro_after_init;

static bool warned;
static atomic_t epoch;
struct magnet_bell magnet_epoch_bell = MAGNET_BELL_INIT;

/* The latest look at both clocks. */
static DEFINE_RAW_SPINLOCK(look_lock);
static struct magnet_look latest;

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

/**
 * magnet_clock_begin_epoch() - the timer jumped, or began anew
 *
 * Every ring needs a CLOCK record.
 *
 * Context: any, NMI included.
 */
void magnet_clock_begin_epoch(void)
{
	atomic_inc(&epoch);
	magnet_bell_ring(&magnet_epoch_bell);
}

/*
 * Has the timer gone on as CLOCK_MONOTONIC has since the last look? Somebody
 * on another CPU who looks at the same time does for us.
 */
static void look(const struct magnet_clock_pair *pair)
{
	const struct magnet_look now = { pair->timer, pair->monotonic_ns };
	unsigned long flags;
	bool good;

	if (magnet_clock_source() == MAGNET_CLOCK_MONO)
		return;
	if (!raw_spin_trylock_irqsave(&look_lock, flags))
		return;
	good = magnet_look_agrees(&latest, now, magnet_clock_khz());
	raw_spin_unlock_irqrestore(&look_lock, flags);
	if (!good)
		magnet_clock_begin_epoch();
}

/**
 * magnet_clock_pair_now() - all clocks at one instant
 * @pair: where they go
 *
 * Interrupts are off, so that only an NMI or a stolen virtual CPU can come
 * between: then the pair with the shortest span of a few is taken. A timer
 * that jumped since the last time begins a new epoch.
 *
 * Context: any but NMI.
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
	look(pair);
	pair->epoch = magnet_clock_epoch();
}

/* How often the timer jumped or began anew. */
u32 magnet_clock_epoch(void)
{
	return atomic_read(&epoch);
}

/* The kernel may find the TSC out long after we chose it. */
static bool is_unstable(void)
{
	return magnet_clock_source() == MAGNET_CLOCK_TSC && !magnet_tsc_stable();
}

/* Has it, or has the timer jumped? */
void magnet_clock_check(void)
{
	struct magnet_clock_pair pair;

	magnet_clock_pair_now(&pair);
	if (warned || !is_unstable())
		return;
	warned = true;
	pr_warn("the TSC became unstable: time stamps of different CPUs can no longer be compared; load the module with clock=mono\n");
}

/* MAGNET_CLOCK_F_* */
u32 magnet_clock_flags(void)
{
	return is_unstable() ? MAGNET_CLOCK_F_UNSTABLE : 0;
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
	magnet_clock_second = magnet_clock_ticks(USEC_PER_SEC);
	return 0;
}
