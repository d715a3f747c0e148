// SPDX-License-Identifier: GPL-2.0-only
/*
 * The FIFO of events. When it is full it loses the newest ones, and says at that place how many.
 */
#include <linux/atomic.h>
#include <linux/irq_work.h>
#include <linux/ktime.h>
#include <linux/spinlock.h>
#include <linux/wait.h>

#include "event_fifo.h"

static struct gtrace_event events[GTRACE_FIFO_EVENTS];
/* They count on; the difference is what is there. */
static unsigned int put, taken;
/* Lost since the last event that is there, and ever. */
static u64 missing, lost;
/* Events are put where interrupts are off and a lock is held that interrupts wait for. */
static DEFINE_RAW_SPINLOCK(fifo_lock);

static DECLARE_WAIT_QUEUE_HEAD(readers);
static struct fasync_struct *signalled;
/* Events that nobody was signalled for yet. */
static atomic_t unheard;

/* ---- telling who waits ---- */

/* A signal for each event, so that a realtime signal counts them. */
static void ring(struct irq_work *unused)
{
	int n = atomic_xchg(&unheard, 0);

	wake_up_interruptible(&readers);
	while (n-- > 0)
		kill_fasync(&signalled, SIGIO, POLL_IN);
}

/* Who puts an event may hold locks that waking takes. */
static struct irq_work bell = IRQ_WORK_INIT(ring);

/* ---- in and out ---- */

static unsigned int room(void)
{
	return GTRACE_FIFO_EVENTS - (put - taken);
}

static void append(const struct gtrace_event *event)
{
	events[put++ % GTRACE_FIFO_EVENTS] = *event;
}

static struct gtrace_event take_missing(void)
{
	const struct gtrace_event event = {
		.kind = GTRACE_EVENT_LOST,
		.time_ns = ktime_get_mono_fast_ns(),
		.arg = missing,
	};

	missing = 0;
	return event;
}

/* Behind a loss there has to be room for what says so, too. */
static bool append_or_lose(const struct gtrace_event *event)
{
	if (room() < (missing ? 2 : 1)) {
		missing++;
		lost++;
		return false;
	}
	if (missing) {
		const struct gtrace_event loss = take_missing();

		append(&loss);
	}
	append(event);
	return true;
}

/**
 * gtrace_fifo_put() - append an event, or count it as lost
 * @event: the event
 *
 * Context: any but an NMI.
 */
void gtrace_fifo_put(const struct gtrace_event *event)
{
	unsigned long flags;
	bool there;

	raw_spin_lock_irqsave(&fifo_lock, flags);
	there = append_or_lose(event);
	raw_spin_unlock_irqrestore(&fifo_lock, flags);
	if (!there)
		return;
	atomic_inc(&unheard);
	irq_work_queue(&bell);
}

/* The oldest event; false when there is none. */
bool gtrace_fifo_take(struct gtrace_event *event)
{
	bool there = true;

	raw_spin_lock_irq(&fifo_lock);
	if (put != taken)
		*event = events[taken++ % GTRACE_FIFO_EVENTS];
	else if (missing)
		*event = take_missing();
	else
		there = false;
	raw_spin_unlock_irq(&fifo_lock);
	return there;
}

u64 gtrace_fifo_lost(void)
{
	u64 n;

	raw_spin_lock_irq(&fifo_lock);
	n = lost;
	raw_spin_unlock_irq(&fifo_lock);
	return n;
}

static bool is_empty(void)
{
	bool empty;

	raw_spin_lock_irq(&fifo_lock);
	empty = put == taken && !missing;
	raw_spin_unlock_irq(&fifo_lock);
	return empty;
}

/* ---- the device's part ---- */

__poll_t gtrace_fifo_poll(struct file *file, poll_table *wait)
{
	poll_wait(file, &readers, wait);
	return is_empty() ? 0 : EPOLLIN | EPOLLRDNORM | EPOLLPRI;
}

int gtrace_fifo_fasync(int fd, struct file *file, int on)
{
	return fasync_helper(fd, file, on, &signalled);
}

/* Nobody puts events any more. */
void gtrace_fifo_exit(void)
{
	irq_work_sync(&bell);
}
