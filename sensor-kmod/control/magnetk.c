// SPDX-License-Identifier: GPL-2.0-only
/*
 * magnetk, the kernel thread that does the slow work: ending what a closed
 * socket owned, notices of loss, CLOCK records, also where the timer jumped, STORM
 * records in time.
 */
#include <linux/bitops.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/preempt.h>
#include <linux/wait.h>

#include "client.h"
#include "magnetk.h"
#include "monisub/monisub.h"
#include "netlink.h"
#include "ring/buffer.h"
#include "ring/clock.h"
#include "ring/ring.h"

/* A CLOCK record goes to each ring in use this often; storms are told of by then. */
#define CLOCK_PERIOD	(10 * HZ)
/* Notices of loss come at most this often. */
#define LOSS_PERIOD	HZ
/* A ring that had no room for the first record of an epoch is tried this often. */
#define EPOCH_PERIOD	(HZ / 10)

enum job {
	JOB_REAP,	/* a client died */
	JOB_BUFFER,	/* there is a buffer now */
	JOB_LOSS,	/* events were dropped */
	JOB_URGENT,	/* urgent events were logged */
	JOB_EPOCH,	/* the clock jumped */
};

static unsigned long jobs;
static DECLARE_WAIT_QUEUE_HEAD(jobs_wait);
static struct task_struct *thread;
static unsigned long next_clock, next_loss, next_epoch;
/* A drop was said to magnetk and not yet told to the world. */
static int loss_said;

static void bring(enum job job)
{
	set_bit(job, &jobs);
	wake_up(&jobs_wait);
}

static void bring_loss(struct irq_work *work)
{
	bring(JOB_LOSS);
}

static struct irq_work loss_work = IRQ_WORK_INIT(bring_loss);

/* Urgent events were logged that magnetk has not yet heard of. */
static int urgent_said;

/* Else it would only keep the reader waiting, who is woken at the same time. */
static void bring_urgent(struct irq_work *work)
{
	if (magnet_netlink_listened())
		bring(JOB_URGENT);
	else
		xchg(&urgent_said, 0);
}

static struct irq_work urgent_work = IRQ_WORK_INIT(bring_urgent);

/**
 * magnetk_reap() - a client is dead: end what it owned
 *
 * Context: any that may wake a thread.
 */
void magnetk_reap(void)
{
	bring(JOB_REAP);
}

/**
 * magnetk_buffer_made() - there is a buffer, so there are CLOCK records to write
 *
 * Context: any that may wake a thread.
 */
void magnetk_buffer_made(void)
{
	bring(JOB_BUFFER);
}

/**
 * magnetk_urgent() - an urgent event was logged
 *
 * Context: any, NMI included. Cheap while it was said and not yet heard, and
 * where nobody listens.
 */
void magnetk_urgent(void)
{
	if (READ_ONCE(urgent_said))
		return;
	/*
	 * Not for nobody, and once until magnetk has heard, not only until the
	 * interrupt was there: on arm64 its end is an event, which may be urgent
	 * itself.
	 */
	if (!in_nmi() && !magnet_netlink_listened())
		return;
	if (!xchg(&urgent_said, 1))
		irq_work_queue(&urgent_work);
}

/**
 * magnet_ring_lost_event() - events were dropped somewhere
 * @r: where
 *
 * Context: any, NMI included. Cheap when it was said already.
 */
void magnet_ring_lost_event(struct magnet_ring *r)
{
	if (!READ_ONCE(loss_said) && !xchg(&loss_said, 1))
		irq_work_queue(&loss_work);
}

static void bring_epoch(struct irq_work *work)
{
	bring(JOB_EPOCH);
}

static struct irq_work epoch_work = IRQ_WORK_INIT(bring_epoch);

/**
 * magnetk_epoch() - the timer jumped: every ring needs a CLOCK record
 *
 * Context: any, NMI included.
 */
void magnetk_epoch(void)
{
	irq_work_queue(&epoch_work);
}

/* How long there is nothing to do unless somebody brings a job. */
static long idle_time(bool loss, bool epoch)
{
	const unsigned long now = jiffies;
	long idle;

	if (!magnet_buffers_exist())
		return MAX_SCHEDULE_TIMEOUT;
	idle = max(1L, (long)(next_clock - now));
	if (loss)
		idle = min(idle, max(1L, (long)(next_loss - now)));
	if (epoch)
		idle = min(idle, max(1L, (long)(next_epoch - now)));
	return idle;
}

static void tell_loss(void)
{
	/* Full barrier: what is dropped from here on is said again. */
	xchg(&loss_said, 0);
	magnet_buffers_tell_loss();
	next_loss = jiffies + LOSS_PERIOD;
}

static int magnetk(void *unused)
{
	bool loss = false, epoch = false;

	while (!kthread_should_stop()) {
		wait_event_interruptible_timeout(jobs_wait,
						 READ_ONCE(jobs) || kthread_should_stop(),
						 idle_time(loss, epoch));
		clear_bit(JOB_BUFFER, &jobs);
		if (test_and_clear_bit(JOB_REAP, &jobs))
			magnet_reap_clients();
		if (test_and_clear_bit(JOB_LOSS, &jobs))
			loss = true;
		if (test_and_clear_bit(JOB_URGENT, &jobs)) {
			/* Full barrier: what is urgent from here on is said again. */
			xchg(&urgent_said, 0);
			magnet_subs_tell_urgent();
		}
		if (test_and_clear_bit(JOB_EPOCH, &jobs))
			epoch = true;
		if (epoch && time_after_eq(jiffies, next_epoch)) {
			/* A ring without room gets its record later. */
			epoch = !magnet_buffers_write_epoch();
			next_epoch = jiffies + EPOCH_PERIOD;
		}
		if (loss && time_after_eq(jiffies, next_loss)) {
			loss = false;
			tell_loss();
		}
		if (time_after_eq(jiffies, next_clock)) {
			magnet_clock_check();
			magnet_buffers_tell_storms();
			magnet_buffers_write_clock();
			next_clock = jiffies + CLOCK_PERIOD;
		}
	}
	return 0;
}

int magnetk_start(void)
{
	next_clock = jiffies + CLOCK_PERIOD;
	next_loss = jiffies;
	next_epoch = jiffies;
	thread = kthread_run(magnetk, NULL, "magnetk");
	return PTR_ERR_OR_ZERO(thread);
}

void magnetk_stop(void)
{
	kthread_stop(thread);
	irq_work_sync(&loss_work);
	irq_work_sync(&urgent_work);
	irq_work_sync(&epoch_work);
}
