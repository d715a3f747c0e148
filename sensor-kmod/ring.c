// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ring's rare paths: a full ring, and the LOST record that tells of it.
 *
 * Like ring.h, this file also compiles in user space.
 */
#include "ring.h"
#include "record.h"

/* Events that were dropped and are not yet told. */
struct loss {
	long	count;
	u64	first;
	u64	last;
};

/* The caller writes MAGNET_EVENT_LOST at @rec. */
static void write_lost(struct magnet_ring *r, void *rec, u32 size,
		       const struct loss *loss, u64 timer)
{
	struct magnet_lost *lost;

	lost = magnet_header_write(rec,
				   magnet_header_word(r->cpu, MAGNET_EVENT_LOST, size),
				   0, 0, 0, timer);
	lost->count = loss->count;
	/* A drop inside a drop may have noted its time first. */
	lost->first_timer = min(loss->first, loss->last);
	lost->last_timer = max(loss->first, loss->last);
}

/* The times belong to the count as long as that does not change. */
static void look_at_loss(struct magnet_ring *r, struct loss *loss)
{
	loss->count = atomic_long_read(&r->lost_pending);
	/* Pairs with the atomic in magnet_ring_drop(). */
	smp_rmb();
	loss->first = READ_ONCE(r->lost_first);
	loss->last = READ_ONCE(r->lost_last);
}

/**
 * magnet_ring_drop() - count an event that finds no place
 * @r: the ring of this CPU
 * @timer: its time, or 0 to read the clock
 *
 * Context: any, NMI included; on the ring's CPU, with preemption off.
 */
void magnet_ring_drop(struct magnet_ring *r, u64 timer)
{
	if (!timer)
		timer = magnet_clock(&r->last_timer);
	WRITE_ONCE(r->lost_last, timer);
	if (!atomic_long_read(&r->lost_pending))
		WRITE_ONCE(r->lost_first, timer);
	atomic_long_inc(&r->lost_pending);
	/* The next record has to be preceded by a LOST record. */
	WRITE_ONCE(r->limit, local_read(&r->head));
	magnet_ring_lost_event(r);
}

/**
 * magnet_ring_drop_here() - count an event that is not even tried to log
 * @r: the ring of this CPU
 *
 * A writer's section of its own: while it lasts no reader takes the loss, and
 * whoever sleeps hears of it.
 *
 * Context: as magnet_ring_drop().
 */
void magnet_ring_drop_here(struct magnet_ring *r)
{
	local_inc(&r->nest);
	barrier();
	magnet_ring_drop(r, 0);
	magnet_ring_put(r);
	magnet_ring_wake_now(r);
}

/*
 * Let records be taken without a look, as far as the reader has come, unless
 * a loss has to be told. If one is noted at the same time, by an interrupt or
 * by the reader on its CPU, then one of us sees the other's store and closes
 * the limit.
 */
static void open_limit(struct magnet_ring *r)
{
	/*
	 * Pairs with the release in magnet_ring_consume(): the reader is done
	 * with the bytes before somebody writes over them.
	 */
	const unsigned long tail = smp_load_acquire(&r->tail);

	WRITE_ONCE(r->limit, tail + r->size);
	/* Pairs with magnet_ring_lost_untold(). */
	smp_mb();
	if (atomic_long_read(&r->lost_pending))
		WRITE_ONCE(r->limit, tail);
}

/**
 * magnet_ring_reserve_slow() - reserve at the limit
 * @r: the ring
 * @len: bytes wanted
 *
 * A LOST record goes in front of the first record that fits again. Both are
 * taken at once, so that nothing comes between them. The loss is taken out of
 * the ring first and put back on failure: an interrupt in between then finds
 * nothing to tell, and nobody tells it twice.
 *
 * Return: the record and its time stamp; a NULL record when it was dropped.
 * For magnet_ring_reserve(), which calls it inside the writer's section.
 */
struct magnet_slot magnet_ring_reserve_slow(struct magnet_ring *r, u32 len)
{
	const u32 lost_size = magnet_header_size() + sizeof(struct magnet_lost);
	struct magnet_slot slot;
	struct loss loss;

	do {
		look_at_loss(r, &loss);
	} while (loss.count &&
		 atomic_long_cmpxchg(&r->lost_pending, loss.count, 0) != loss.count);

	if (magnet_ring_take(r, loss.count ? lost_size + len : len, true, &slot)) {
		open_limit(r);
		if (!loss.count)
			return slot;
		write_lost(r, slot.rec, lost_size, &loss, slot.timer);
		atomic_long_add(loss.count, &r->lost_reported);
		local_inc(&r->records);
		slot.rec = (char *)slot.rec + lost_size;
		return slot;
	}
	if (loss.count) {
		WRITE_ONCE(r->lost_first, loss.first);
		atomic_long_add(loss.count, &r->lost_pending);
	}
	magnet_ring_drop(r, 0);
	/* Writers that we interrupted rely on the publish check here too. */
	magnet_ring_put(r);
	/* Who made room meanwhile and sleeps would not hear of the loss. */
	magnet_ring_wake_now(r);
	return (struct magnet_slot){};
}

/**
 * magnet_ring_try_reserve() - reserve for a record that may as well be left out
 * @r: the ring
 * @len: bytes wanted
 * @timer: the record's time stamp
 *
 * It is no event: when there is no room nothing was lost. A loss that is
 * pending is told in front of the next event.
 *
 * Context: as magnet_ring_reserve().
 * Return: the record's bytes, or NULL: then do not commit.
 */
void *magnet_ring_try_reserve(struct magnet_ring *r, u32 len, u64 *timer)
{
	struct magnet_slot slot;

	local_inc(&r->nest);
	barrier();
	if (!magnet_ring_take(r, len, true, &slot)) {
		magnet_ring_put(r);
		return NULL;
	}
	*timer = slot.timer;
	return slot.rec;
}

/**
 * magnet_ring_lost_record() - a LOST record for a reader that has read it all
 * @r: the ring
 * @rec: room for the record
 *
 * After the last events of a storm were dropped nobody may log again for
 * long; then the reader tells of the loss itself.
 *
 * Context: the reader's, any CPU.
 * Return: bytes of the record; 0 when there is nothing to tell here.
 */
u32 magnet_ring_lost_record(struct magnet_ring *r, void *rec)
{
	const u32 size = magnet_header_size() + sizeof(struct magnet_lost);
	struct loss loss;

	look_at_loss(r, &loss);
	if (!loss.count || !magnet_ring_tail_loss(r))
		return 0;
	/* Only this: what is dropped from here on may be younger than a record. */
	if (atomic_long_cmpxchg(&r->lost_pending, loss.count, 0) != loss.count)
		return 0;
	write_lost(r, rec, size, &loss, max3(loss.first, loss.last, r->tail_timer));
	atomic_long_add(loss.count, &r->lost_reported);
	return size;
}

/**
 * magnet_ring_lost_untold() - a LOST record could not be handed over
 * @r: the ring
 * @end: end of the record that magnet_ring_lost_record() wrote
 *
 * Context: the reader's, any CPU.
 */
void magnet_ring_lost_untold(struct magnet_ring *r, const void *end)
{
	const struct magnet_lost *lost = (const struct magnet_lost *)end - 1;

	WRITE_ONCE(r->lost_first, lost->first_timer);
	atomic_long_sub(lost->count, &r->lost_reported);
	atomic_long_add(lost->count, &r->lost_pending);
	/* Pairs with open_limit(). */
	smp_mb();
	WRITE_ONCE(r->limit, READ_ONCE(r->tail));
}
