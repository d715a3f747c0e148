// SPDX-License-Identifier: GPL-2.0-only
/*
 * A machine that sleeps: the timer may have stood still, or begin anew.
 */
#include <linux/notifier.h>
#include <linux/suspend.h>
#include <linux/syscore_ops.h>

#include "clock.h"
#include "compat.h"
#include "epoch.h"
#include "suspend.h"

/* One CPU is there, with interrupts off, and CLOCK_MONOTONIC goes again. */
static void resumed(void)
{
	const u32 before = magnet_clock_epoch();
	struct magnet_clock_pair pair;

	magnet_clock_pair_now(&pair);
	/* Even if it happens to fit: how long the machine slept nobody knows. */
	if (magnet_clock_epoch() == before)
		magnet_clock_begin_epoch();
	magnet_buffers_write_epoch_here();
}

MAGNET_SYSCORE_OPS(waking, resumed);

/*
 * Suspend to idle stops CLOCK_MONOTONIC alone, and calls nobody else. Who is
 * waiting for it to end is to find the border behind it. A ring that has no room
 * is magnetk's.
 */
static int slept(struct notifier_block *nb, unsigned long what, void *unused)
{
	if (what != PM_POST_SUSPEND && what != PM_POST_HIBERNATION)
		return NOTIFY_DONE;
	magnet_clock_check();
	magnet_buffers_write_epoch();
	return NOTIFY_DONE;
}

static struct notifier_block sleeps = { .notifier_call = slept };

/**
 * magnet_suspend_watch() - look for jumps of the timer from now on
 *
 * Context: may sleep; there may be buffers from now on.
 * Return: 0 or an error.
 */
int magnet_suspend_watch(void)
{
	int err;

	if (magnet_clock_source() == MAGNET_CLOCK_MONO)
		return 0;
	err = register_pm_notifier(&sleeps);
	if (!err)
		magnet_register_syscore(&waking);
	return err;
}

/* The reverse. */
void magnet_suspend_unwatch(void)
{
	if (magnet_clock_source() == MAGNET_CLOCK_MONO)
		return;
	magnet_unregister_syscore(&waking);
	unregister_pm_notifier(&sleeps);
}
