// SPDX-License-Identifier: GPL-2.0-only
/*
 * Losses: how many events found no place, and a bell for who tells of them.
 */
#include "buffer.h"
#include "loss.h"
#include "ring.h"

struct magnet_bell magnet_loss_bell = MAGNET_BELL_INIT;

/**
 * magnet_ring_lost_event() - events were dropped somewhere
 * @r: where
 *
 * Context: any, NMI included. Cheap while it was rung and not yet heard.
 */
void magnet_ring_lost_event(struct magnet_ring *r)
{
	if (!magnet_bell_rung(&magnet_loss_bell))
		magnet_bell_ring(&magnet_loss_bell);
}

/* Events dropped on a ring, told or not. */
u64 magnet_ring_lost(const struct magnet_ring *r)
{
	return atomic_long_read(&r->lost_reported) + atomic_long_read(&r->lost_pending);
}

/* The same of all rings of a buffer. */
u64 magnet_buffer_lost(const struct magnet_buffer *buffer)
{
	struct magnet_cpu_buffer *cb;
	unsigned int i = 0;
	u64 lost = 0;

	while ((cb = magnet_buffer_next(buffer, &i)))
		lost += magnet_ring_lost(&cb->ring);
	return lost;
}
