// SPDX-License-Identifier: GPL-2.0-only
/*
 * CLOCK records: where a ring's time stamps stand on other clocks.
 */
#include <linux/math64.h>

#include "buffer.h"
#include "clock.h"
#include "clock_record.h"
#include "record.h"
#include "ring.h"

/**
 * magnet_ring_write_clock() - log a CLOCK record, if there is room
 * @r: the ring
 * @pair: realtime and monotonic of it; the record's own stamp is taken anew
 *	inside the reserve loop and both are moved to that instant
 * @pos: where it begins; may be NULL
 *
 * Context: on the ring's CPU with preemption off, or while nobody can log
 * there.
 * Return: false when there was no room.
 */
bool magnet_ring_write_clock(struct magnet_ring *r,
			     const struct magnet_clock_pair *pair, unsigned long *pos)
{
	const u32 size = magnet_header_size() + sizeof(struct magnet_clock);
	struct magnet_clock *payload;
	u64 timer, ns;
	void *rec;

	rec = magnet_ring_try_reserve(r, size, &timer);
	if (!rec)
		return false;
	/* Less than a ring's size below the head, however many records came behind it. */
	if (pos) {
		const unsigned long head = local_read(&r->head);

		*pos = head - ((head - (rec - r->data)) & r->mask);
	}
	payload = magnet_header_write(rec,
				      magnet_header_word(r->cpu, MAGNET_EVENT_CLOCK, size),
				      0, 0, timer);
	ns = mul_u64_u32_div(timer - pair->timer, 1000000, magnet_clock_khz());
	payload->realtime_ns = pair->realtime_ns + ns;
	payload->monotonic_ns = pair->monotonic_ns + ns;
	payload->epoch = pair->epoch;
	payload->flags = magnet_clock_flags();
	magnet_ring_commit(r);
	return true;
}

/**
 * magnet_log_clock() - a CLOCK record, and what the reader is to know of it
 * @cb: the ring; left out where there is no room
 *
 * Context: on the ring's CPU with interrupts off, or while nobody can log
 * there.
 */
void magnet_log_clock(struct magnet_cpu_buffer *cb)
{
	struct magnet_clock_pair pair;
	unsigned long pos;

	magnet_clock_pair_now(&pair);
	if (!magnet_ring_write_clock(&cb->ring, &pair, &pos))
		return;
	WRITE_ONCE(cb->clock_at, READ_ONCE(cb->ring.commit));
	if (cb->epoch == pair.epoch)
		return;
	WRITE_ONCE(cb->border, pos);
	/* Pairs with magnet_epoch_told(). */
	smp_store_release(&cb->epoch, pair.epoch);
}
