// SPDX-License-Identifier: GPL-2.0-only
/*
 * magnetk, the kernel thread that does the slow work: ending what a closed
 * socket owned, notices of loss, CLOCK records.
 */
#include <linux/bitops.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/wait.h>

#include "magnet_internal.h"

/* A CLOCK record goes to each ring in use this often. */
#define CLOCK_PERIOD	(10 * HZ)
/* Notices of loss come at most this often. */
#define LOSS_PERIOD	HZ

enum job {
	JOB_REAP,
	JOB_LOSS,
};

static unsigned long jobs;
static DECLARE_WAIT_QUEUE_HEAD(jobs_wait);
static struct task_struct *thread;
static unsigned long next_clock, next_loss;

static void kick(struct irq_work *work)
{
	wake_up(&jobs_wait);
}

static struct irq_work loss_kick = IRQ_WORK_INIT(kick);

/**
 * magnetk_reap() - a client is dead: end what it owned
 *
 * Context: any that may wake a thread.
 */
void magnetk_reap(void)
{
	set_bit(JOB_REAP, &jobs);
	wake_up(&jobs_wait);
}

/**
 * magnet_ring_lost_event() - events were dropped somewhere
 * @r: where
 *
 * Context: any, NMI included. Cheap when it was said already.
 */
void magnet_ring_lost_event(struct magnet_ring *r)
{
	if (test_bit(JOB_LOSS, &jobs) || test_and_set_bit(JOB_LOSS, &jobs))
		return;
	irq_work_queue(&loss_kick);
}

/* How long there is nothing to do unless somebody brings a job. */
static long idle_time(void)
{
	const unsigned long now = jiffies;
	long idle;

	if (!magnet_buffers_exist())
		return MAX_SCHEDULE_TIMEOUT;
	idle = max(1L, (long)(next_clock - now));
	if (test_bit(JOB_LOSS, &jobs))
		idle = min(idle, max(1L, (long)(next_loss - now)));
	return idle;
}

static bool job_is_due(void)
{
	if (kthread_should_stop() || test_bit(JOB_REAP, &jobs))
		return true;
	return test_bit(JOB_LOSS, &jobs) && time_after_eq(jiffies, next_loss);
}

static void work(void)
{
	if (test_and_clear_bit(JOB_REAP, &jobs))
		magnet_reap_clients();
	if (test_bit(JOB_LOSS, &jobs) && time_after_eq(jiffies, next_loss)) {
		clear_bit(JOB_LOSS, &jobs);
		/* Drops from here on set it again. */
		smp_mb__after_atomic();
		magnet_buffers_tell_loss();
		next_loss = jiffies + LOSS_PERIOD;
	}
	if (time_after_eq(jiffies, next_clock)) {
		magnet_clock_check();
		magnet_buffers_write_clock();
		next_clock = jiffies + CLOCK_PERIOD;
	}
}

static int magnetk(void *unused)
{
	while (!kthread_should_stop()) {
		wait_event_interruptible_timeout(jobs_wait, job_is_due(), idle_time());
		work();
	}
	return 0;
}

int magnetk_start(void)
{
	next_clock = jiffies + CLOCK_PERIOD;
	next_loss = jiffies;
	thread = kthread_run(magnetk, NULL, "magnetk");
	return PTR_ERR_OR_ZERO(thread);
}

void magnetk_stop(void)
{
	kthread_stop(thread);
	irq_work_sync(&loss_kick);
}
