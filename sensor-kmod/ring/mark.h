/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The mark: who wakes a reader notes how far the ring is, so that the reader
 * need not go through the records up to there to count them.
 *
 * The writer may be noting while the reader looks, on another CPU: a sequence
 * count tells. Like ring.h, this file also compiles in user space.
 */
#ifndef _MAGNET_MARK_H
#define _MAGNET_MARK_H

#include "ring.h"

/**
 * magnet_ring_mark_set() - note how far the ring is
 * @r: the ring of this CPU
 *
 * Context: any, NMI included; the writer has published all, and only who
 * interrupts it may publish more, wholly.
 */
static __always_inline void magnet_ring_mark_set(struct magnet_ring *r)
{
	struct magnet_ring_mark *mark = &r->mark;
	const unsigned int seq = READ_ONCE(mark->seq);
	unsigned long pos, records;
	u64 timer;

	/* One that we interrupted does the same, or one that interrupted us has done so. */
	if (seq & 1 || cmpxchg_local(&mark->seq, seq, seq + 1) != seq)
		return;
	/* Pairs with the first barrier in magnet_ring_mark_take(). */
	smp_wmb();
	pos = READ_ONCE(r->commit);
	barrier();
	/* Where the clock stands still the next record may have the same time. */
	timer = magnet_clock(&r->last_timer) - 1;
	barrier();
	records = READ_ONCE(r->commit_records);
	/* If an interrupt has logged meanwhile, the mark stays where it was. */
	if (likely(pos == READ_ONCE(r->commit))) {
		WRITE_ONCE(mark->pos, pos);
		WRITE_ONCE(mark->records, records);
		WRITE_ONCE(mark->timer, timer);
	}
	/* Pairs with the second barrier in magnet_ring_mark_take(). */
	smp_wmb();
	WRITE_ONCE(mark->seq, seq + 2);
}

/**
 * magnet_ring_mark_take() - what the writer noted when it last woke a reader
 * @r: the ring
 * @most: bytes after what was read that the reader may take
 * @mark: what was noted
 *
 * Context: the reader's, any CPU.
 * Return: false when @mark says nothing: another one is being noted just now, or
 * it lies in what was read, or beyond @most bytes.
 */
static inline bool magnet_ring_mark_take(const struct magnet_ring *r, unsigned long most,
					 struct magnet_ring_mark *mark)
{
	const unsigned long tail = READ_ONCE(r->tail);

	mark->seq = READ_ONCE(r->mark.seq);
	/* Pairs with the first barrier in magnet_ring_mark_set(). */
	smp_rmb();
	mark->pos = READ_ONCE(r->mark.pos);
	mark->records = READ_ONCE(r->mark.records);
	mark->timer = READ_ONCE(r->mark.timer);
	/* Pairs with the second barrier in magnet_ring_mark_set(). */
	smp_rmb();
	return !(mark->seq & 1) && READ_ONCE(r->mark.seq) == mark->seq &&
	       mark->pos - tail - 1 < most;
}

#endif /* _MAGNET_MARK_H */
