// SPDX-License-Identifier: GPL-2.0-only
/*
 * Waking who waits for records: the writer knows nothing of it but a fill in
 * bytes, ring.wake_bytes, from which it looks at ring.armed; whoever clears
 * @armed wakes the reader, which decides anew (magnetfs/readiness.c).
 */
#include <linux/poll.h>

#include "buffer.h"
#include "mark.h"
#include "ring.h"
#include "wake.h"

/**
 * magnet_ring_wake_now() - wake the reader if it sleeps
 * @r: the ring of this CPU
 *
 * Context: any; hence irq_work: a probe may run under the run queue's lock or
 * in an NMI.
 */
void magnet_ring_wake_now(struct magnet_ring *r)
{
	/* Pairs with the barrier in magnet_arm(): position first, then @armed. */
	smp_mb();
	if (!READ_ONCE(r->armed))
		return;
	WRITE_ONCE(r->armed, 0);
	irq_work_queue(&magnet_cpu_buffer(r)->wake_work);
}

/* The writer is past ring.wake_bytes; a count of records may still be missing. */
void magnet_ring_wake(struct magnet_ring *r)
{
	const unsigned long fill = READ_ONCE(r->commit) - READ_ONCE(r->tail);

	if (magnet_unread(local_read(&r->records), READ_ONCE(r->wake_records)) &&
	    fill < magnet_three_quarters(r))
		return;
	if (READ_ONCE(r->armed))
		magnet_ring_mark_set(r);
	magnet_ring_wake_now(r);
}

/* Who reads the ring, and who reads all of its buffer. */
static void wake_readers(struct irq_work *work)
{
	struct magnet_cpu_buffer *cb = container_of(work, struct magnet_cpu_buffer, wake_work);

	wake_up_interruptible_poll(&cb->wait, EPOLLIN | EPOLLRDNORM);
	wake_up_interruptible_poll(&cb->buffer->wait, EPOLLIN | EPOLLRDNORM);
}

/**
 * magnet_wake_init() - a new ring: nobody waits
 * @cb: the ring
 *
 * Context: any.
 */
void magnet_wake_init(struct magnet_cpu_buffer *cb)
{
	cb->ring.wake_bytes = ULONG_MAX;
	init_waitqueue_head(&cb->wait);
	init_irq_work(&cb->wake_work, wake_readers);
}

/**
 * magnet_wake_readers() - let all who wait for records of a buffer look anew
 * @buffer: the buffer
 *
 * Context: any but NMI.
 */
void magnet_wake_readers(struct magnet_buffer *buffer)
{
	struct magnet_cpu_buffer *cb;
	unsigned int i = 0;

	while ((cb = magnet_buffer_next(buffer, &i)))
		wake_up_interruptible_poll(&cb->wait, EPOLLIN | EPOLLRDNORM);
	wake_up_interruptible_poll(&buffer->wait, EPOLLIN | EPOLLRDNORM);
}
