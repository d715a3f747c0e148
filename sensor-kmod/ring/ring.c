// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ring's rare paths: a full ring, and the LOST record that tells of it.
 *
 * Like ring.h, this file also compiles in user space.
 */
#ifdef __KERNEL__
#include <linux/errno.h>
#include <linux/string.h>
#endif

#include "record.h"
#include "ring.h"

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
				   0, 0, timer);
	lost->count = loss->count;
	/*
	 * A drop inside a drop may have noted its time first. Those of an older epoch
	 * of the timer say nothing in this one.
	 */
	lost->first_timer = min3(loss->first, loss->last, timer);
	lost->last_timer = min(max(loss->first, loss->last), timer);
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

/*
 * Out of the ring: an interrupt in between then finds nothing to tell, and
 * nobody tells it twice.
 */
static void take_loss(struct magnet_ring *r, struct loss *loss)
{
	do {
		look_at_loss(r, loss);
	} while (loss->count &&
		 atomic_long_cmpxchg(&r->lost_pending, loss->count, 0) != loss->count);
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

	WRITE_ONCE(r->limit, tail + READ_ONCE(r->size));
	/* Pairs with magnet_ring_lost_untold(). */
	smp_mb();
	if (atomic_long_read(&r->lost_pending))
		WRITE_ONCE(r->limit, tail);
}

/* ---- flight recorders ---- */

/*
 * Most bytes that are given up at once, so that few writers have to, and so
 * that it does not last: interrupts may be off.
 */
#define FORGET_MAX	32768UL

/*
 * Give up the oldest records as far as @goal. An interrupt may do so in
 * between and log over the record that is looked at: then @tail is another
 * one, and what was seen does not count.
 *
 * Return: false when not so much is published; nothing is given up then.
 */
static bool give_up(struct magnet_ring *r, unsigned long goal)
{
	unsigned long tail, pos;
	long records;

	do {
		tail = READ_ONCE(r->tail);
		if ((long)(READ_ONCE(r->commit) - goal) < 0)
			return false;
		records = 0;
		for (pos = tail; (long)(goal - pos) > 0 && READ_ONCE(r->tail) == tail; records++)
			pos += magnet_record_size_of(magnet_ring_at(r, pos));
	} while (cmpxchg_local(&r->tail, tail, pos) != tail);
	local_add(records, &r->overwritten);
	return true;
}

/* Of a flight recorder: room for @len bytes, and @more for those to come. */
static bool make_room(struct magnet_ring *r, u32 len, unsigned long more)
{
	const unsigned long size = READ_ONCE(r->size);
	unsigned long goal;

	if (!r->overwrite || len > size)
		return false;
	goal = local_read(&r->head) + len - size;
	more += READ_ONCE(r->tail);
	if ((long)(more - goal) > 0 && (long)(READ_ONCE(r->commit) - more) >= 0)
		goal = more;
	return give_up(r, goal);
}

/* At the limit: as far as the reader has come, or over the oldest records. */
static bool take_at_limit(struct magnet_ring *r, u32 len, unsigned long more,
			  struct magnet_slot *slot)
{
	do {
		if (READ_ONCE(r->closed))
			return false;
		if (magnet_ring_take(r, len, true, slot))
			return true;
	} while (make_room(r, len, more));
	return false;
}

/**
 * magnet_ring_reserve_slow() - reserve at the limit
 * @r: the ring
 * @len: bytes wanted
 *
 * A LOST record goes in front of the first record that fits again. Both are
 * taken at once, so that nothing comes between them. The loss is taken out of
 * the ring first and put back on failure.
 *
 * Return: the record and its time stamp; a NULL record when it was dropped.
 * For magnet_ring_reserve(), which calls it inside the writer's section.
 */
struct magnet_slot magnet_ring_reserve_slow(struct magnet_ring *r, u32 len)
{
	const u32 lost_size = magnet_header_size() + sizeof(struct magnet_lost);
	struct magnet_slot slot;
	struct loss loss;

	take_loss(r, &loss);
	if (take_at_limit(r, loss.count ? lost_size + len : len,
			  min(READ_ONCE(r->size) / 8, FORGET_MAX), &slot)) {
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
	if (!take_at_limit(r, len, 0, &slot)) {
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
	write_lost(r, rec, size, &loss, magnet_ring_loss_timer(r, max(loss.first, loss.last)));
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

/* ---- other memory for a ring that is in use ---- */

/**
 * magnet_ring_shrink() - let a flight recorder use less of its memory
 * @r: the ring
 * @size: bytes that it may use; more than it uses change nothing
 *
 * The oldest records go. It is done in steps, so that none lasts; and as
 * writers are kept to what was reached, they can't undo it. Whoever calls it
 * looks at @r->size.
 *
 * Context: on the ring's CPU with interrupts off, or while that CPU is offline.
 */
void magnet_ring_shrink(struct magnet_ring *r, unsigned long size)
{
	const unsigned long tail = READ_ONCE(r->tail);
	const unsigned long fill = READ_ONCE(r->commit) - tail;

	if (r->size > size)
		WRITE_ONCE(r->size, max(size, r->size - min(r->size, FORGET_MAX)));
	if (fill > r->size)
		give_up(r, tail + min(fill - r->size, FORGET_MAX));
	open_limit(r);
}

/**
 * magnet_ring_busy() - was a writer interrupted?
 * @r: the ring
 *
 * The position check sees what an interrupted writer has yet to publish
 * although it has left its section.
 *
 * Context: on the ring's CPU with interrupts off, or while that CPU is offline.
 */
bool magnet_ring_busy(const struct magnet_ring *r)
{
	return local_read(&r->nest) ||
	       READ_ONCE(r->commit) != (unsigned long)local_read(&r->head);
}

/*
 * From here on an NMI, which alone can come in between, drops its events and
 * counts them.
 *
 * Return: false when somebody is writing.
 */
static bool close_ring(struct magnet_ring *r)
{
	WRITE_ONCE(r->closed, true);
	barrier();
	WRITE_ONCE(r->limit, local_read(&r->head));
	barrier();
	return !magnet_ring_busy(r);
}

static void open_ring(struct magnet_ring *r)
{
	barrier();
	WRITE_ONCE(r->closed, false);
	barrier();
	open_limit(r);
}

static struct magnet_ring_memory memory_of(const struct magnet_ring *r)
{
	return (struct magnet_ring_memory){ r->data, r->data ? r->mask + 1 : 0 };
}

static void set_memory(struct magnet_ring *r, const struct magnet_ring_memory *memory)
{
	WRITE_ONCE(r->data, memory->data);
	WRITE_ONCE(r->mask, memory->size ? memory->size - 1 : 0);
	WRITE_ONCE(r->size, memory->size);
}

/**
 * magnet_ring_exchange() - give a ring other memory; what is unread moves there
 * @r: the ring
 * @memory: its new memory, and on success the old one
 * @copied: what is below this position has been copied already
 *
 * Positions stay as they are.
 *
 * Context: on the ring's CPU with interrupts off, or while that CPU is
 * offline; no reader is at the records.
 * Return: 0; -EAGAIN when a writer was interrupted: again, soon; -EBUSY when
 * more is unread than fits.
 */
int magnet_ring_exchange(struct magnet_ring *r, struct magnet_ring_memory *memory,
			 unsigned long copied)
{
	const struct magnet_ring_memory old = memory_of(r);
	unsigned long from, head;
	int err = -EAGAIN;

	if (!close_ring(r))
		goto open;
	head = local_read(&r->head);
	from = READ_ONCE(r->tail);
	err = -EBUSY;
	if (head - from > memory->size)
		goto open;
	if ((long)(copied - from) > 0)
		from = copied;
	if (head != from)
		memcpy((char *)memory->data + (from & (memory->size - 1)),
		       magnet_ring_at(r, from), head - from);
	set_memory(r, memory);
	*memory = old;
	err = 0;
open:
	open_ring(r);
	return err;
}

/**
 * magnet_ring_hand_over() - what a ring has becomes another ring
 * @r: the ring; it goes on, empty, with the memory of @to
 * @to: a fresh ring; gets the memory of @r with its records, and a loss that
 *	is not yet told. Nobody logs there
 * @taken: records of @r that were handed over before
 *
 * Context: as magnet_ring_exchange().
 * Return: 0 or -EAGAIN.
 */
int magnet_ring_hand_over(struct magnet_ring *r, struct magnet_ring *to, long taken)
{
	const struct magnet_ring_memory old = memory_of(r), new = memory_of(to);
	const bool quiet = close_ring(r);
	struct loss loss;

	if (quiet) {
		const unsigned long head = local_read(&r->head);

		to->tail = READ_ONCE(r->tail);
		to->commit = head;
		to->limit = head;
		local_set(&to->head, head);
		to->commit_records = local_read(&r->records) - local_read(&r->overwritten) - taken;
		local_set(&to->records, to->commit_records);
		set_memory(to, &old);
		set_memory(r, &new);
		WRITE_ONCE(r->tail, head);
		take_loss(r, &loss);
		to->lost_first = loss.first;
		to->lost_last = loss.last;
		atomic_long_add(loss.count, &to->lost_pending);
		atomic_long_add(loss.count, &r->lost_reported);
	}
	open_ring(r);
	return quiet ? 0 : -EAGAIN;
}
