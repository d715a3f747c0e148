// SPDX-License-Identifier: GPL-2.0-only
/*
 * magnetk, the kernel thread that does the slow work: ending what a closed
 * socket owned, notices of loss, CLOCK records, also where the timer jumped, STORM
 * records in time.
 */
#include <linux/bitops.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/wait.h>

#include "client.h"
#include "kernevesub/storm.h"
#include "magnetk.h"
#include "monisub/urgent.h"
#include "netlink.h"
#include "notice.h"
#include "ring/bell.h"
#include "ring/buffer.h"
#include "ring/clock.h"
#include "ring/epoch.h"
#include "ring/loss.h"

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

static void bring(enum job job)
{
	set_bit(job, &jobs);
	wake_up(&jobs_wait);
}

static void bring_loss(void)
{
	bring(JOB_LOSS);
}

static void bring_epoch(void)
{
	bring(JOB_EPOCH);
}

/* Else it would only keep the reader waiting, who is woken at the same time. */
static void bring_urgent(void)
{
	if (magnet_netlink_listened())
		bring(JOB_URGENT);
	else
		magnet_bell_heard(&magnet_urgent_bell);
}

/* There are CLOCK records to write. */
static void buffer_added(struct magnet_buffer *buffer)
{
	bring(JOB_BUFFER);
}

static struct magnet_buffer_watcher buffers = { .added = buffer_added };

/**
 * magnetk_reap() - a client is dead: end what it owned
 *
 * Context: any that may wake a thread.
 */
void magnetk_reap(void)
{
	bring(JOB_REAP);
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
	magnet_bell_heard(&magnet_loss_bell);
	magnet_notices_of_loss();
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
			magnet_bell_heard(&magnet_urgent_bell);
			magnet_notices_of_urgent();
		}
		if (test_and_clear_bit(JOB_EPOCH, &jobs)) {
			magnet_bell_heard(&magnet_epoch_bell);
			epoch = true;
		}
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
			magnet_subs_tell_storms();
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
	if (IS_ERR(thread))
		return PTR_ERR(thread);
	magnet_buffers_watch(&buffers);
	magnet_bell_answer(&magnet_loss_bell, bring_loss);
	magnet_bell_answer(&magnet_urgent_bell, bring_urgent);
	magnet_bell_answer(&magnet_epoch_bell, bring_epoch);
	magnet_notices_start();
	return 0;
}

void magnetk_stop(void)
{
	magnet_notices_stop();
	magnet_bell_answer(&magnet_epoch_bell, NULL);
	magnet_bell_answer(&magnet_urgent_bell, NULL);
	magnet_bell_answer(&magnet_loss_bell, NULL);
	magnet_buffers_unwatch(&buffers);
	kthread_stop(thread);
}
