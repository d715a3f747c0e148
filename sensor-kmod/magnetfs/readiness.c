// SPDX-License-Identifier: GPL-2.0-only
/*
 * When a read of a data file completes.
 *
 * One predicate, magnet_readiness(), decides both for read and for poll. What
 * the writer knows of it are wake points (ring/wake.c). The reader of all
 * rings sets one in each; see share().
 */
#include <linux/math64.h>
#include <linux/poll.h>

#include "reader.h"
#include "ring/buffer.h"
#include "ring/clock.h"
#include "ring/record.h"
#include "ring/ring.h"

/* Records that the reader has not yet got. */
static u64 records_waiting(const struct magnet_cpu_buffer *cb)
{
	/* Pairs with the release in magnet_ring_publish(). */
	return smp_load_acquire(&cb->ring.commit_records) - READ_ONCE(cb->ring_records_read);
}

/* What a ring has that the reader has not yet got. */
struct unread {
	unsigned long	tail;
	unsigned long	fill;
	u64		records;
};

/* All of one instant: what the records come to as they are read follows from both. */
static struct unread unread_of(const struct magnet_cpu_buffer *cb)
{
	const struct magnet_ring *r = &cb->ring;
	unsigned long tail, commit;
	u64 records;

	do {
		/* Pairs with the release in magnet_ring_consume(). */
		tail = smp_load_acquire(&r->tail);
		commit = magnet_ring_published(r);
		records = records_waiting(cb);
	} while (tail != READ_ONCE(r->tail) || commit != READ_ONCE(r->commit));
	return (struct unread){ tail, commit - tail, records };
}

/**
 * struct waiting - what a reader's rings have for it
 * @any: something
 * @pressing: and something that goes before the minima and the hold-back: it
 *	is urgent, or flushed, or takes three quarters of its ring
 * @fill: bytes, as they are read
 * @records: their number
 * @rings: how many rings there are, in look_and_note()
 */
struct waiting {
	bool		any;
	bool		pressing;
	unsigned long	fill;
	u64		records;
	unsigned int	rings;
};

static void look_at_ring(struct magnet_cpu_buffer *cb, struct waiting *w)
{
	struct magnet_ring *r = &cb->ring;
	const struct unread u = unread_of(cb);

	if (!u.fill && !magnet_ring_tail_loss(r))
		return;
	w->any = true;
	w->fill += magnet_read_bytes(u.fill, u.records);
	w->records += u.records;
	w->pressing |= magnet_unread(u.tail, READ_ONCE(cb->flush)) ||
		       magnet_unread(u.tail, READ_ONCE(r->urgent)) ||
		       u.fill >= magnet_three_quarters(r);
}

static struct waiting look(struct magnet_reader *rd)
{
	struct waiting w = {};
	struct magnet_cpu_buffer *cb;
	unsigned int i = 0;

	while ((cb = magnet_next_ring(rd, &i)))
		look_at_ring(cb, &w);
	return w;
}

/* Is there something that must not wait? Then the rest does not wait either. */
bool magnet_pressing(struct magnet_reader *rd)
{
	return look(rd).pressing || magnet_buffer_dead(rd->buffer);
}

static bool minima_hold(const struct magnet_reader *rd, const struct waiting *w)
{
	const u64 count = READ_ONCE(rd->readcount);

	return w->fill >= READ_ONCE(rd->readsize) && (!count || w->records >= count);
}

/* Up to which time a reader of all rings may read. */
u64 magnet_held_until(const struct magnet_reader *rd)
{
	const u64 ticks = mul_u64_u32_div(READ_ONCE(rd->hold_us), magnet_clock_khz(),
					  USEC_PER_MSEC);
	u64 last = 0;

	return magnet_clock(&last) - ticks;
}

/*
 * A reader of all rings waits until the oldest record has the age after which
 * no older one is expected of another CPU.
 */
static enum magnet_readiness old_enough(struct magnet_reader *rd, ktime_t now, ktime_t *again)
{
	u64 oldest = U64_MAX, timer, until, wait_ns;
	struct magnet_cpu_buffer *cb;
	unsigned int i = 0;

	if (rd->cb)
		return MAGNET_READABLE;
	while ((cb = magnet_next_ring(rd, &i))) {
		if (!magnet_drain_oldest(cb, &timer))
			continue;
		if (magnet_drain_is_old(cb))
			return MAGNET_READABLE;
		oldest = min(oldest, timer);
	}
	until = magnet_held_until(rd);
	if (oldest <= until)
		return MAGNET_READABLE;
	wait_ns = mul_u64_u32_div(oldest - until, NSEC_PER_MSEC, magnet_clock_khz()) + 1;
	*again = magnet_earlier(*again, ktime_add_ns(now, wait_ns));
	return MAGNET_TOO_EARLY;
}

/**
 * magnet_readiness() - does a read return now?
 * @rd: reader
 * @now: CLOCK_MONOTONIC
 * @again: when to ask again although nothing was logged; KTIME_MAX = never
 *
 * Return: MAGNET_READABLE when there is something, and every minimum that is set
 * holds, or an urgent event came in, or the latest time has passed, or it was
 * flushed, or a ring is three quarters full, or the buffer was removed. With
 * all rings merged the minima and the latest time also wait for the hold-back.
 */
enum magnet_readiness magnet_readiness(struct magnet_reader *rd, ktime_t now, ktime_t *again)
{
	const u64 min_us = READ_ONCE(rd->min_us), max_us = READ_ONCE(rd->max_us);
	const ktime_t last = READ_ONCE(rd->last);
	const struct waiting w = look(rd);

	*again = KTIME_MAX;
	if (!w.any)
		return MAGNET_NOT_ENOUGH;
	if (w.pressing || magnet_buffer_dead(rd->buffer))
		return MAGNET_READABLE;
	if (max_us) {
		*again = ktime_add_us(last, max_us);
		if (ktime_compare(now, *again) >= 0) {
			*again = KTIME_MAX;
			return old_enough(rd, now, again);
		}
	}
	if (!minima_hold(rd, &w))
		return MAGNET_NOT_ENOUGH;
	if (!min_us || ktime_compare(now, ktime_add_us(last, min_us)) >= 0)
		return old_enough(rd, now, again);
	*again = magnet_earlier(*again, ktime_add_us(last, min_us));
	return MAGNET_TOO_EARLY;
}

/* From where on a writer has to look for the reader. */
struct wake_point {
	unsigned long bytes;
	unsigned long records;
};

/*
 * The reader of one ring. A record has at least a header, so a count of
 * records is also a fill in bytes; the writer's rare path then compares the
 * count itself. What a size lacks as it is read is at least lacking in the ring.
 */
static struct wake_point minima_of(const struct magnet_reader *rd, const struct waiting *w)
{
	const u64 missing = rd->readsize > w->fill ? rd->readsize - w->fill : 0;
	const u64 size = missing ? rd->cb->seen_bytes + missing : 0;

	return (struct wake_point){
		.bytes = max_t(u64, size, rd->readcount * magnet_header_size()),
		.records = READ_ONCE(rd->cb->ring_records_read) + rd->readcount,
	};
}

/*
 * What all rings have, and in @seen what each of them has: shares must be
 * reckoned from the same figures as their sum.
 */
static struct waiting look_and_note(struct magnet_reader *rd)
{
	struct magnet_cpu_buffer *cb;
	struct waiting w = {};
	unsigned int i = 0;

	while ((cb = magnet_next_ring(rd, &i))) {
		const struct unread u = unread_of(cb);

		cb->seen_records = u.records;
		cb->seen_bytes = u.fill;
		w.fill += magnet_read_bytes(cb->seen_bytes, cb->seen_records);
		w.records += cb->seen_records;
		w.rings++;
	}
	return w;
}

/*
 * The reader of all rings. What they lack together is shared out: when the sum
 * is reached, some ring has got its share, and whoever is woken too early
 * shares out what is left. Size first, then count, as no ring need reach its
 * share of both. A record's bytes may be seen before it is counted, so that
 * the bytes of one are not waited for.
 */
static struct wake_point share(const struct magnet_reader *rd, const struct waiting *w,
			       const struct magnet_cpu_buffer *cb)
{
	struct wake_point at = {
		.bytes = cb->seen_bytes,
		.records = READ_ONCE(cb->ring_records_read),
	};

	if (w->fill < rd->readsize) {
		at.bytes += max_t(u64, div_u64(rd->readsize - w->fill, w->rings), 1);
	} else if (w->records < rd->readcount) {
		const u64 records = max_t(u64, div_u64(rd->readcount - w->records, w->rings), 1);

		at.bytes += (records - 1) * magnet_header_size();
		at.records += cb->seen_records + records;
	} else {
		at.bytes++;
	}
	return at;
}

static struct wake_point wake_point(const struct magnet_reader *rd, const struct waiting *w,
				    const struct magnet_cpu_buffer *cb, ktime_t now,
				    enum magnet_readiness ready)
{
	const struct magnet_ring *r = &cb->ring;

	/* An urgent record whose outermost writer has yet to publish it wakes then. */
	if (magnet_unread(READ_ONCE(r->tail), READ_ONCE(r->urgent)) ||
	    (ready == MAGNET_NOT_ENOUGH && rd->max_us &&
	     ktime_compare(now, ktime_add_us(READ_ONCE(rd->last), rd->max_us)) >= 0))
		return (struct wake_point){ 1, READ_ONCE(cb->ring_records_read) };
	if (ready == MAGNET_TOO_EARLY)
		return (struct wake_point){ magnet_three_quarters(r), 0 };
	return rd->cb ? minima_of(rd, w) : share(rd, w, cb);
}

/**
 * magnet_set_wake_points() - tell the writers from where on they have to look for us
 * @rd: reader
 * @now: CLOCK_MONOTONIC
 *
 * Return: true when a point came closer: its writer may have published while
 * it still saw the old one.
 */
bool magnet_set_wake_points(struct magnet_reader *rd, ktime_t now)
{
	struct magnet_cpu_buffer *cb;
	enum magnet_readiness ready;
	bool closer = false;
	unsigned long flags;
	struct waiting w;
	unsigned int i = 0;
	ktime_t again;

	spin_lock_irqsave(&rd->state, flags);
	ready = magnet_readiness(rd, now, &again);
	w = look_and_note(rd);
	while ((cb = magnet_next_ring(rd, &i))) {
		struct wake_point at = wake_point(rd, &w, cb, now, ready);
		struct magnet_ring *r = &cb->ring;

		at.bytes = clamp(at.bytes, 1UL, magnet_three_quarters(r));
		closer |= at.bytes < r->wake_bytes;
		WRITE_ONCE(r->wake_records, at.records);
		WRITE_ONCE(r->wake_bytes, at.bytes);
	}
	spin_unlock_irqrestore(&rd->state, flags);
	return closer;
}

/*
 * Ask the writer for a wake-up, then look once more. A full barrier stands
 * between the store of @armed and the load of the position in magnet_readiness(); it
 * pairs with the one in magnet_ring_wake_now().
 */
void magnet_arm(struct magnet_reader *rd)
{
	struct magnet_cpu_buffer *cb;
	unsigned int i = 0;

	while ((cb = magnet_next_ring(rd, &i)))
		WRITE_ONCE(cb->ring.armed, 1);
	/* Pairs with magnet_ring_wake_now(). */
	smp_mb();
}
