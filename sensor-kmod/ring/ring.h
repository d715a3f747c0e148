/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The writer's side of a ring: one CPU's share of a buffer.
 *
 * The owner CPU reserves space with a local cmpxchg, writes in place and
 * commits through a nesting count, so that thread, soft interrupt, hard
 * interrupt and NMI may interrupt each other anywhere. The outermost writer
 * publishes what it and all that interrupted it have written; the reader only
 * looks below the published position, so it never sees a half-written record.
 * The pages are mapped twice in a row: a record never wraps.
 *
 * Positions are free-running byte counts; index = position & mask.
 *
 * This file also compiles in user space (tests/ring), where signals play the
 * interrupts. There the includes below come from a shim.
 */
#ifndef _MAGNET_RING_H
#define _MAGNET_RING_H

#ifdef __KERNEL__
#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/compiler.h>
#include <asm/barrier.h>
#include <asm/local.h>
#include "clock.h"
#else
#include "ring_shim.h"
#endif

#include <uapi/magnet.h>
#include "rare.h"

/**
 * struct magnet_ring_mark - end of a record, and what is known of it
 * @seq: odd while the rest is written
 * @pos: the end
 * @records: how many have been logged up to there
 * @timer: no record below @pos is younger, every other one is; where the clock
 *	stands still, one below may be by a tick
 *
 * A reader that comes this far need not go through the records to count them.
 */
struct magnet_ring_mark {
	unsigned int	seq;
	unsigned long	pos;
	unsigned long	records;
	u64		timer;
};

/**
 * struct magnet_ring - one CPU's ring
 * @data: first byte of the doubly mapped pages
 * @size: bytes, a power of two; 0 when memory was short: then every
 *	reservation fails and is counted. Of a flight recorder that is about to
 *	become smaller: how many of them it still uses
 * @mask: size of the memory - 1
 * @cpu: the owner
 * @overwrite: a flight recorder: when it is full, the oldest records make room
 * @closed: @data is being exchanged and nobody may reserve; only the owner CPU
 *	writes
 * @wake_bytes: fill from which the writer looks whether the reader wants to
 *	be woken; ULONG_MAX while nobody has the file open
 * @wake_records: and this many records must be committed as well
 * @head: end of the last reservation; only the owner CPU writes
 * @limit: how far @head may go without another look at @tail and
 *	@lost_pending: @tail + @size as last seen, or no further than @head
 *	while a loss has to be told
 * @records: records committed; only the owner CPU writes
 * @nest: writers of this CPU between reserve and commit
 * @last_timer: newest timer given out, where the clock may step back
 * @commit: end of what the reader may read
 * @commit_records: records below @commit, or fewer for an instant
 * @tail: end of what was read, or overwritten
 * @tail_timer: timer of the last record that was read; only the reader's
 * @lost_pending: events dropped and not yet told in a LOST record
 * @lost_reported: events told in LOST records
 * @lost_first: timer of the first pending one
 * @lost_last: timer of the last pending one
 * @urgent: end of the last urgent record
 * @armed: a reader sleeps until the watermark; whoever clears it wakes it
 * @overwritten: records that made room for younger ones; only the owner CPU
 *	writes
 * @mark: where the writer was when it last woke a reader
 */
struct magnet_ring {
	void		*data;
	unsigned long	size;
	unsigned long	mask;
	unsigned long	wake_bytes;
	unsigned long	wake_records;
	unsigned int	cpu;
	bool		overwrite;
	bool		closed;

	local_t		head ____cacheline_aligned;
	unsigned long	limit;
	local_t		records;
	local_t		nest;
	u64		last_timer;

	unsigned long	commit ____cacheline_aligned;
	unsigned long	commit_records;

	unsigned long	tail ____cacheline_aligned;
	u64		tail_timer;

	atomic_long_t	lost_pending ____cacheline_aligned;
	atomic_long_t	lost_reported;
	u64		lost_first;
	u64		lost_last;
	unsigned long	urgent;
	int		armed;
	local_t		overwritten;
	struct magnet_ring_mark mark;
};

/**
 * struct magnet_ring_memory - what a ring's records lie in
 * @data: first byte of doubly mapped pages
 * @size: bytes, a power of two
 */
struct magnet_ring_memory {
	void		*data;
	unsigned long	size;
};

/* Where a record goes and its time stamp; returned in two registers. */
struct magnet_slot {
	void	*rec;
	u64	timer;
};

/* The parts that are not worth inlining; ring.c, wake.c and loss.c, or the user-space test. */
struct magnet_slot notrace __cold MAGNET_RARE
magnet_ring_reserve_slow(struct magnet_ring *r, u32 len);
void *magnet_ring_try_reserve(struct magnet_ring *r, u32 len, u64 *timer);
void magnet_ring_drop(struct magnet_ring *r, u64 timer);
void magnet_ring_drop_here(struct magnet_ring *r);
void notrace __cold MAGNET_RARE magnet_ring_wake(struct magnet_ring *r);
void magnet_ring_wake_now(struct magnet_ring *r);
/* Called for each drop; whoever cares about loss is told from here. */
void magnet_ring_lost_event(struct magnet_ring *r);
u32 magnet_ring_lost_record(struct magnet_ring *r, void *rec);
void magnet_ring_lost_untold(struct magnet_ring *r, const void *end);
void magnet_ring_shrink(struct magnet_ring *r, unsigned long size);
bool magnet_ring_busy(const struct magnet_ring *r);
int magnet_ring_exchange(struct magnet_ring *r, struct magnet_ring_memory *memory,
			 unsigned long copied);
int magnet_ring_hand_over(struct magnet_ring *r, struct magnet_ring *to, long taken);

#ifdef __KERNEL__
/*
 * A plain load, which becomes a part of the comparison that it is for. It is
 * as good as local_read() between two barriers.
 */
#define magnet_local_plain(l)	data_race((l)->a.counter)
#endif

static __always_inline void *magnet_ring_at(const struct magnet_ring *r,
					    unsigned long pos)
{
	return (char *)r->data + (pos & r->mask);
}

/*
 * Take @len bytes, or false. With @look the reader is asked how far it is;
 * otherwise @limit tells, also whether there is a loss to tell first.
 *
 * The clock is read inside the loop: had an interrupt logged between a clock
 * read and the cmpxchg, the cmpxchg fails and the clock is read again. So
 * order in the ring is order in time.
 */
static __always_inline bool
magnet_ring_take(struct magnet_ring *r, u32 len, const bool look, struct magnet_slot *slot)
{
	unsigned long head, limit;

	do {
		head = local_read(&r->head);
		if (look)
			/*
			 * Pairs with the release in magnet_ring_consume(): the
			 * reader is done with the bytes before we write over
			 * them.
			 */
			limit = smp_load_acquire(&r->tail) + READ_ONCE(r->size);
		else
			/*
			 * A plain load, which becomes part of the comparison.
			 * Only this CPU opens @limit, after the same acquire,
			 * and who closes it does so for the sake of the next
			 * record as well.
			 */
			limit = data_race(r->limit);
		if (unlikely((long)(limit - (head + len)) < 0))
			return false;
		slot->timer = magnet_clock(&r->last_timer);
	} while (unlikely(local_cmpxchg(&r->head, head, head + len) != head));

	slot->rec = magnet_ring_at(r, head);
	/* Never: it spares the caller's check for NULL after this way. */
	if (!slot->rec)
		__builtin_unreachable();
	return true;
}

/*
 * Leave the writer's section. The outermost writer publishes and gets true,
 * and in @head how far.
 *
 * Only this CPU's interrupts can come between two of these steps, and they
 * run to their end, so compiler barriers order the steps. An event that came
 * in after @records was read has changed it: then publish once more, because
 * that writer saw nest != 0 and left it to us.
 */
static __always_inline bool
magnet_ring_publish(struct magnet_ring *r, unsigned long *head)
{
	unsigned long records;

	barrier();
	if (unlikely(magnet_local_plain(&r->nest) > 1)) {
		local_dec(&r->nest);
		return false;
	}
again:
	records = local_read(&r->records);
	barrier();
	*head = local_read(&r->head);
	/* Pairs with the acquire in magnet_ring_published(). */
	smp_store_release(&r->commit, *head);
	/* After @commit, so that a reader never counts a record it can't read. */
	smp_store_release(&r->commit_records, records);
	barrier();
	local_set(&r->nest, 0);
	barrier();
	if (unlikely(records != magnet_local_plain(&r->records))) {
		local_set(&r->nest, 1);
		barrier();
		goto again;
	}
	return true;
}

/* Leave the writer's section, and wake the reader if that is due. */
static __always_inline void magnet_ring_put(struct magnet_ring *r)
{
	unsigned long head;

	if (unlikely(!magnet_ring_publish(r, &head)))
		return;
	/*
	 * Plain loads, which become parts of the comparison. An old value may
	 * be seen in any case: the reader reckons with that.
	 */
	if (unlikely(head - data_race(r->tail) >= data_race(r->wake_bytes)))
		magnet_rare_do(magnet_ring_wake, r);
}

/**
 * magnet_ring_reserve() - take space for one record
 * @r: the ring of the CPU this runs on
 * @len: bytes, a multiple of MAGNET_RECORD_ALIGN
 * @timer: where the record's time stamp is put
 *
 * Context: any, NMI included; on the ring's CPU, with preemption off. The
 * caller writes the record and calls magnet_ring_commit() in the same context.
 * Return: the record's bytes, contiguous; NULL when it was dropped, which is
 * already counted for the LOST record: then do not commit.
 */
static __always_inline void *
magnet_ring_reserve(struct magnet_ring *r, u32 len, u64 *timer)
{
	struct magnet_slot slot;

	local_inc(&r->nest);
	barrier();
	if (unlikely(!magnet_ring_take(r, len, false, &slot)))
		magnet_rare_slot(magnet_ring_reserve_slow, r, len, slot.rec, slot.timer);
	*timer = slot.timer;
	return slot.rec;
}

/**
 * magnet_ring_commit() - the record taken with magnet_ring_reserve() is whole
 * @r: the ring
 *
 * Context: as magnet_ring_reserve().
 */
static __always_inline void magnet_ring_commit(struct magnet_ring *r)
{
	barrier();
	local_inc(&r->records);
	magnet_ring_put(r);
}

/* Is @pos above what was read? */
static inline bool magnet_unread(unsigned long tail, unsigned long pos)
{
	return (long)(pos - tail) > 0;
}

/* From here on an unread ring is read whatever its reader waits for. */
static inline unsigned long magnet_three_quarters(const struct magnet_ring *r)
{
	return READ_ONCE(r->size) / 4 * 3;
}

/* ---- the reader's side: one reader at a time ---- */

/**
 * magnet_ring_published() - end of what may be read
 * @r: the ring
 *
 * Context: any CPU.
 * Return: a position; every byte below it is written.
 */
static inline unsigned long magnet_ring_published(const struct magnet_ring *r)
{
	/* Pairs with the release in magnet_ring_publish(). */
	return smp_load_acquire(&r->commit);
}

/**
 * magnet_ring_consume() - give the space below a position back to the writer
 * @r: the ring
 * @pos: end of the last record that was copied
 * @timer: of that record
 *
 * Context: the reader's.
 */
static inline void magnet_ring_consume(struct magnet_ring *r, unsigned long pos, u64 timer)
{
	WRITE_ONCE(r->tail_timer, timer);
	/* Pairs with the acquire in magnet_ring_take(). */
	smp_store_release(&r->tail, pos);
}

/**
 * magnet_ring_tail_loss() - events were dropped after the last record
 * @r: the ring
 *
 * A writer between reserve and commit makes it false: its record may be older
 * than the loss, and has to be read first then.
 *
 * Context: the reader's, any CPU.
 */
static inline bool magnet_ring_tail_loss(struct magnet_ring *r)
{
	unsigned long commit;

	if (!atomic_long_read(&r->lost_pending))
		return false;
	/* Pairs with the atomic in magnet_ring_drop(): @nest is not older. */
	smp_rmb();
	if (local_read(&r->nest))
		return false;
	/* A writer that begins now takes its time stamp after all of this loss. */
	smp_rmb();
	commit = magnet_ring_published(r);
	return commit == (unsigned long)local_read(&r->head) &&
	       commit == READ_ONCE(r->tail);
}

/**
 * magnet_ring_loss_timer() - the time at which a loss is told that came after the last record
 * @r: the ring
 * @last: when the last event was dropped
 *
 * Where the timer began anew in between, @last is a time that is still to come: then
 * all that is known is that the loss is no older than what was read.
 *
 * Context: the reader's, any CPU.
 */
static inline u64 magnet_ring_loss_timer(const struct magnet_ring *r, u64 last)
{
	const u64 read = READ_ONCE(r->tail_timer);
	u64 unused = 0;

	return last > magnet_clock(&unused) ? read : max(last, read);
}

#endif /* _MAGNET_RING_H */
