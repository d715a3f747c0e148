// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading a ring: when a read completes, and what it returns.
 *
 * One predicate, readiness(), decides both for read and for poll. The writer
 * knows nothing of it but a fill in bytes, ring.wake_bytes, from which it
 * looks at ring.armed; whoever clears @armed wakes the reader, which decides
 * anew.
 */
#include <linux/hrtimer.h>
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/uio.h>

#include "magnet_internal.h"
#include "record.h"

/*
 * How long after lowering ring.wake_bytes the ring is looked at once more: a
 * writer may have published while it still saw the old value.
 */
#define RECHECK_NS	NSEC_PER_MSEC

/**
 * struct magnet_reader - an open data file
 * @cb: what it reads
 * @lock: one read at a time; descriptors may be shared
 * @state: orders changes of the wake point
 * @readsize: READSIZE_WATERMARK, bytes
 * @readcount: READCOUNT_WATERMARK, records
 * @min_us: MIN_READ_TIMEOUT
 * @max_bytes: MAX_READ_WATERMARK
 * @max_us: MAX_READ_TIMEOUT
 * @last: when the previous read returned, or open
 * @flush: position below which everything is readable
 * @timer: wakes pollers at @min_us and @max_us
 */
struct magnet_reader {
	struct magnet_cpu_buffer	*cb;
	struct mutex			lock; /* one read at a time */
	spinlock_t			state; /* the wake point */
	u64				readsize;
	u64				readcount;
	u64				min_us;
	u64				max_bytes;
	u64				max_us;
	ktime_t				last;
	unsigned long			flush;
	struct hrtimer			timer;
};

enum readiness {
	NOT_ENOUGH,	/* waits for events */
	TOO_EARLY,	/* enough is there, MIN_READ_TIMEOUT has to pass */
	READABLE,
};

static ktime_t earlier(ktime_t a, ktime_t b)
{
	return ktime_before(a, b) ? a : b;
}

static unsigned long three_quarters(const struct magnet_ring *r)
{
	return r->size / 4 * 3;
}

static bool below(unsigned long tail, unsigned long pos)
{
	return (long)(pos - tail) > 0;
}

/* Records that the reader has not yet got. */
static u64 records_waiting(const struct magnet_reader *rd)
{
	const struct magnet_cpu_buffer *cb = rd->cb;

	/* Pairs with the release in magnet_ring_publish(). */
	return smp_load_acquire(&cb->ring.commit_records) - READ_ONCE(cb->ring_records_read);
}

static bool minima_hold(const struct magnet_reader *rd, unsigned long fill)
{
	const u64 count = READ_ONCE(rd->readcount);

	return fill >= READ_ONCE(rd->readsize) &&
	       (!count || records_waiting(rd) >= count);
}

/**
 * readiness() - does a read return now?
 * @rd: reader
 * @now: CLOCK_MONOTONIC
 * @again: when to ask again although nothing was logged; KTIME_MAX = never
 *
 * Return: READABLE when there is something, and every minimum that is set
 * holds, or an urgent event came in, or the latest time has passed, or it was
 * flushed, or the ring is three quarters full, or the buffer was removed.
 */
static enum readiness readiness(struct magnet_reader *rd, ktime_t now, ktime_t *again)
{
	struct magnet_ring *r = &rd->cb->ring;
	const unsigned long tail = READ_ONCE(r->tail);
	const unsigned long fill = magnet_ring_published(r) - tail;
	const u64 min_us = READ_ONCE(rd->min_us), max_us = READ_ONCE(rd->max_us);
	const ktime_t last = READ_ONCE(rd->last);

	*again = KTIME_MAX;
	if (!fill && !magnet_ring_tail_loss(r))
		return NOT_ENOUGH;
	if (magnet_buffer_dead(rd->cb->buffer))
		return READABLE;
	if (below(tail, READ_ONCE(rd->flush)) || below(tail, READ_ONCE(r->urgent)))
		return READABLE;
	if (fill >= three_quarters(r))
		return READABLE;
	if (max_us) {
		*again = ktime_add_us(last, max_us);
		if (ktime_compare(now, *again) >= 0)
			return READABLE;
	}
	if (!minima_hold(rd, fill))
		return NOT_ENOUGH;
	if (!min_us || ktime_compare(now, ktime_add_us(last, min_us)) >= 0)
		return READABLE;
	*again = earlier(*again, ktime_add_us(last, min_us));
	return TOO_EARLY;
}

/**
 * set_wake_point() - tell the writer from where on it has to look for us
 * @rd: reader
 * @now: CLOCK_MONOTONIC
 *
 * A record has at least a header, so a count of records is also a fill in
 * bytes; the writer's rare path then compares the count itself.
 *
 * Return: true when the point came closer: the writer may have published
 * while it still saw the old one.
 */
static bool set_wake_point(struct magnet_reader *rd, ktime_t now)
{
	struct magnet_ring *r = &rd->cb->ring;
	unsigned long flags, bytes, records, old;
	ktime_t again;

	spin_lock_irqsave(&rd->state, flags);
	bytes = max_t(u64, rd->readsize, rd->readcount * magnet_header_size());
	records = READ_ONCE(rd->cb->ring_records_read) + rd->readcount;
	/* An urgent record whose outermost writer has yet to publish it wakes then. */
	if (below(READ_ONCE(r->tail), READ_ONCE(r->urgent)) ||
	    (rd->max_us && ktime_compare(now, ktime_add_us(rd->last, rd->max_us)) >= 0)) {
		bytes = 1;
		records = READ_ONCE(rd->cb->ring_records_read);
	} else if (readiness(rd, now, &again) == TOO_EARLY) {
		bytes = three_quarters(r);
	}
	old = r->wake_bytes;
	bytes = clamp(bytes, 1UL, three_quarters(r));
	WRITE_ONCE(r->wake_records, records);
	WRITE_ONCE(r->wake_bytes, bytes);
	spin_unlock_irqrestore(&rd->state, flags);
	return bytes < old;
}

/*
 * Ask the writer for a wake-up, then look once more. A full barrier stands
 * between the store of @armed and the load of the position in readiness(); it
 * pairs with the one in magnet_ring_wake_now().
 */
static void arm(struct magnet_ring *r)
{
	WRITE_ONCE(r->armed, 1);
	/* Pairs with magnet_ring_wake_now(). */
	smp_mb();
}

/**
 * magnet_ring_wake_now() - wake the reader if it sleeps
 * @r: the ring of this CPU
 *
 * Context: any; hence irq_work: a probe may run under the run queue's lock or
 * in an NMI.
 */
void magnet_ring_wake_now(struct magnet_ring *r)
{
	/* Pairs with the barrier in arm(): position first, then @armed. */
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

	if (below(local_read(&r->records), READ_ONCE(r->wake_records)) &&
	    fill < three_quarters(r))
		return;
	magnet_ring_wake_now(r);
}

static void wake_readers(struct irq_work *work)
{
	struct magnet_cpu_buffer *cb = container_of(work, struct magnet_cpu_buffer, wake_work);

	wake_up_interruptible_poll(&cb->wait, EPOLLIN | EPOLLRDNORM);
}

void magnet_reader_init_work(struct magnet_cpu_buffer *cb)
{
	init_irq_work(&cb->wake_work, wake_readers);
}

/* ---- what a read returns ---- */

/* Whole records at the end of what was read. */
struct batch {
	unsigned long	end;
	u64		records;
	u64		timer;
};

/* As many as there are below @end and fit into @room. */
static struct batch whole_records(struct magnet_ring *r, unsigned long end, size_t room)
{
	struct batch b = { .end = r->tail };

	while (b.end != end) {
		const void *rec = magnet_ring_at(r, b.end);
		const u32 size = magnet_record_size_of(rec);

		if (b.end + size - r->tail > room)
			break;
		b.end += size;
		b.records++;
		b.timer = magnet_record_timer_of(rec);
	}
	return b;
}

static ssize_t read_ring(struct magnet_reader *rd, struct iov_iter *to, size_t room)
{
	struct magnet_cpu_buffer *cb = rd->cb;
	struct magnet_ring *r = &cb->ring;
	const unsigned long tail = r->tail, commit = magnet_ring_published(r);
	struct batch b = whole_records(r, commit, room);
	size_t copied;

	if (!b.records)
		return -EMSGSIZE;
	copied = copy_to_iter(magnet_ring_at(r, tail), b.end - tail, to);
	if (copied != b.end - tail) {
		/* The caller's memory ended early: whole records still count. */
		iov_iter_revert(to, copied);
		b = whole_records(r, commit, copied);
		if (!b.records)
			return -EFAULT;
		iov_iter_advance(to, b.end - tail);
	}
	WRITE_ONCE(cb->ring_records_read, cb->ring_records_read + b.records);
	cb->records_read += b.records;
	cb->bytes_read += b.end - tail;
	magnet_ring_consume(r, b.end, b.timer);
	return b.end - tail;
}

/* A loss after the last record is told at the end of a read. */
static ssize_t read_tail_loss(struct magnet_reader *rd, struct iov_iter *to, size_t room)
{
	u8 rec[sizeof(struct magnet_record) + sizeof(struct magnet_lost)] __aligned(8);
	struct magnet_cpu_buffer *cb = rd->cb;
	u32 size;

	if (!magnet_ring_tail_loss(&cb->ring))
		return 0;
	if (room < magnet_header_size() + sizeof(struct magnet_lost))
		return -EMSGSIZE;
	size = magnet_ring_lost_record(&cb->ring, rec);
	if (!size)
		return 0;
	if (copy_to_iter(rec, size, to) != size) {
		magnet_ring_lost_untold(&cb->ring, rec + size);
		return -EFAULT;
	}
	rd->flush = cb->ring.tail;
	cb->records_read++;
	cb->bytes_read += size;
	return size;
}

static ssize_t read_now(struct magnet_reader *rd, struct iov_iter *to)
{
	struct magnet_ring *r = &rd->cb->ring;
	size_t room = iov_iter_count(to);
	ssize_t done = 0, loss;

	if (rd->max_bytes)
		room = min_t(u64, room, rd->max_bytes);
	if (magnet_ring_published(r) != r->tail) {
		done = read_ring(rd, to, room);
		if (done < 0)
			return done;
	}
	loss = read_tail_loss(rd, to, room - done);
	if (loss < 0)
		return done ?: loss;
	return done + loss;
}

/* ---- waiting ---- */

/*
 * Sleep until something is readable.
 *
 * Return: 0; 1 when the buffer was removed and read to its end; -EAGAIN when
 * MAX_READ_TIMEOUT passed with nothing there; -ERESTARTSYS.
 */
static int wait_readable(struct magnet_reader *rd)
{
	struct magnet_cpu_buffer *cb = rd->cb;
	const ktime_t start = ktime_get();
	DEFINE_WAIT(wait);
	int err = 0;

	for (;;) {
		ktime_t now, until;
		bool closer;

		prepare_to_wait(&cb->wait, &wait, TASK_INTERRUPTIBLE);
		now = ktime_get();
		closer = set_wake_point(rd, now);
		arm(&cb->ring);
		if (readiness(rd, now, &until) == READABLE)
			break;
		if (magnet_buffer_dead(cb->buffer)) {
			err = 1;
			break;
		}
		if (signal_pending(current)) {
			err = -ERESTARTSYS;
			break;
		}
		if (READ_ONCE(rd->max_us)) {
			const ktime_t end = ktime_add_us(start, READ_ONCE(rd->max_us));

			if (ktime_compare(now, end) >= 0) {
				err = -EAGAIN;
				break;
			}
			until = earlier(until, end);
		}
		if (closer)
			until = earlier(until, ktime_add_ns(now, RECHECK_NS));
		if (until == KTIME_MAX)
			schedule();
		else
			schedule_hrtimeout(&until, HRTIMER_MODE_ABS);
	}
	finish_wait(&cb->wait, &wait);
	return err;
}

static ssize_t read_locked(struct magnet_reader *rd, struct iov_iter *to, bool nonblock)
{
	ktime_t again;
	int err;

	for (;;) {
		ssize_t done;

		if (readiness(rd, ktime_get(), &again) != READABLE) {
			if (nonblock)
				return magnet_buffer_dead(rd->cb->buffer) ? 0 : -EAGAIN;
			err = wait_readable(rd);
			if (err)
				return err == 1 ? 0 : err;
		}
		done = read_now(rd, to);
		/* 0: the pending loss went into a record of the writer's. */
		if (done)
			return done;
	}
}

/**
 * magnet_reader_read() - read(2) on a data file
 * @rd: reader
 * @to: where to; whole records only
 * @nonblock: -EAGAIN instead of sleeping
 *
 * Context: may sleep.
 * Return: bytes; 0 when the buffer was removed and read to its end, or @to
 * is empty; -EAGAIN; -EMSGSIZE when the next record does not fit, nothing is
 * consumed then; -EFAULT; -ERESTARTSYS.
 */
ssize_t magnet_reader_read(struct magnet_reader *rd, struct iov_iter *to, bool nonblock)
{
	ssize_t done;

	if (!iov_iter_count(to))
		return 0;
	if (nonblock) {
		if (!mutex_trylock(&rd->lock))
			return -EAGAIN;
	} else if (mutex_lock_interruptible(&rd->lock)) {
		return -ERESTARTSYS;
	}
	done = read_locked(rd, to, nonblock);
	if (done > 0 || (done == -EAGAIN && !nonblock))
		WRITE_ONCE(rd->last, ktime_get());
	mutex_unlock(&rd->lock);
	return done;
}

/* When a poller has to look again although nothing is logged; KTIME_MAX = never. */
static ktime_t poll_deadline(struct magnet_reader *rd, ktime_t now, ktime_t again,
			     bool closer)
{
	const ktime_t latest = ktime_add_us(rd->last, READ_ONCE(rd->max_us));

	if (READ_ONCE(rd->max_us) && ktime_before(now, latest))
		again = earlier(again, latest);
	if (closer)
		again = earlier(again, ktime_add_ns(now, RECHECK_NS));
	return again;
}

/*
 * A poller's time has come. If nothing is there although the latest time has
 * passed, the first record wakes; look again shortly, in case the writer
 * published just before it saw that.
 */
static enum hrtimer_restart timer_expired(struct hrtimer *timer)
{
	struct magnet_reader *rd = container_of(timer, struct magnet_reader, timer);
	const ktime_t now = ktime_get();
	ktime_t again;
	bool closer;

	if (readiness(rd, now, &again) == READABLE) {
		wake_up_interruptible_poll(&rd->cb->wait, EPOLLIN | EPOLLRDNORM);
		return HRTIMER_NORESTART;
	}
	closer = set_wake_point(rd, now);
	again = poll_deadline(rd, now, again, closer);
	if (again == KTIME_MAX)
		return HRTIMER_NORESTART;
	hrtimer_set_expires(timer, again);
	return HRTIMER_RESTART;
}

/**
 * magnet_reader_poll() - poll(2) on a data file
 * @rd: reader
 * @file: its file
 * @wait: as for any poll
 *
 * Context: may sleep.
 * Return: EPOLLIN exactly when a read would return at once; EPOLLHUP when the
 * buffer was removed.
 */
__poll_t magnet_reader_poll(struct magnet_reader *rd, struct file *file,
			    struct poll_table_struct *wait)
{
	const ktime_t now = ktime_get();
	ktime_t again;
	bool closer;

	poll_wait(file, &rd->cb->wait, wait);
	closer = set_wake_point(rd, now);
	arm(&rd->cb->ring);
	if (magnet_buffer_dead(rd->cb->buffer))
		return EPOLLIN | EPOLLRDNORM | EPOLLHUP;
	if (readiness(rd, now, &again) == READABLE)
		return EPOLLIN | EPOLLRDNORM;
	again = poll_deadline(rd, now, again, closer);
	if (again != KTIME_MAX)
		hrtimer_start(&rd->timer, again, HRTIMER_MODE_ABS);
	return 0;
}

/* ---- attributes ---- */

static void nothing(void *info)
{
}

/*
 * A changed attribute counts at once, also for who sleeps already. The call
 * to the owner CPU makes sure that its writer sees the new wake point and
 * that we see what it published under the old one.
 */
static void attributes_changed(struct magnet_reader *rd)
{
	set_wake_point(rd, ktime_get());
	smp_call_function_single(rd->cb->ring.cpu, nothing, NULL, 1);
	wake_up_interruptible_poll(&rd->cb->wait, EPOLLIN | EPOLLRDNORM);
}

static u64 *attribute(struct magnet_reader *rd, unsigned int option)
{
	switch (option) {
	case MAGNET_ATTR_READSIZE_WATERMARK:
		return &rd->readsize;
	case MAGNET_ATTR_READCOUNT_WATERMARK:
		return &rd->readcount;
	case MAGNET_ATTR_MIN_READ_TIMEOUT:
		return &rd->min_us;
	case MAGNET_ATTR_MAX_READ_WATERMARK:
		return &rd->max_bytes;
	case MAGNET_ATTR_MAX_READ_TIMEOUT:
		return &rd->max_us;
	default:
		return NULL;
	}
}

/* The largest value an attribute may have. */
static u64 attribute_max(const struct magnet_reader *rd, unsigned int option)
{
	const u64 most = three_quarters(&rd->cb->ring);

	switch (option) {
	case MAGNET_ATTR_READSIZE_WATERMARK:
		return most;
	case MAGNET_ATTR_READCOUNT_WATERMARK:
		return most / magnet_header_size();
	case MAGNET_ATTR_MIN_READ_TIMEOUT:
	case MAGNET_ATTR_MAX_READ_TIMEOUT:
		return MAGNET_READ_TIMEOUT_MAX_US;
	default:
		return MAGNET_ATTR_VALUE_MASK;
	}
}

static void flush_reader(struct magnet_reader *rd)
{
	/* What an idle or busy owner has published must be seen from here. */
	smp_call_function_single(rd->cb->ring.cpu, nothing, NULL, 1);
	WRITE_ONCE(rd->flush, magnet_ring_published(&rd->cb->ring) +
			      magnet_ring_tail_loss(&rd->cb->ring));
	wake_up_interruptible_poll(&rd->cb->wait, EPOLLIN | EPOLLRDNORM);
}

/**
 * magnet_reader_set() - lseek(2) with an attribute, SEEK_SET
 * @rd: reader; a read may be sleeping in it
 * @option: enum magnet_attr
 * @value: its value
 *
 * Context: may sleep.
 * Return: 0 or -EINVAL.
 */
long long magnet_reader_set(struct magnet_reader *rd, unsigned int option, u64 value)
{
	u64 *attr = attribute(rd, option);
	unsigned long flags;

	if (option == MAGNET_ATTR_FLUSH) {
		if (value)
			return -EINVAL;
		flush_reader(rd);
		return 0;
	}
	if (!attr || value > attribute_max(rd, option))
		return -EINVAL;
	if (option == MAGNET_ATTR_MAX_READ_WATERMARK && value &&
	    value < magnet_header_size())
		return -EINVAL;
	spin_lock_irqsave(&rd->state, flags);
	WRITE_ONCE(*attr, value);
	spin_unlock_irqrestore(&rd->state, flags);
	attributes_changed(rd);
	return 0;
}

/**
 * magnet_reader_get() - lseek(2) with an attribute, SEEK_CUR
 * @rd: reader
 * @option: enum magnet_attr
 *
 * Return: the value, or -EINVAL.
 */
long long magnet_reader_get(struct magnet_reader *rd, unsigned int option)
{
	const u64 *attr = attribute(rd, option);

	return attr ? READ_ONCE(*attr) : -EINVAL;
}

/* ---- open and close ---- */

struct magnet_buffer *magnet_reader_buffer(const struct magnet_reader *rd)
{
	return rd->cb->buffer;
}

/**
 * magnet_reader_open() - become the reader of a ring
 * @cb: the ring; the caller holds a reference to its buffer for us
 *
 * Context: may sleep.
 * Return: the reader, or an ERR_PTR: -EBUSY when there is one already.
 */
struct magnet_reader *magnet_reader_open(struct magnet_cpu_buffer *cb)
{
	struct magnet_reader *rd;

	if (test_and_set_bit(0, &cb->reader))
		return ERR_PTR(-EBUSY);
	rd = kzalloc(sizeof(*rd), GFP_KERNEL);
	if (!rd) {
		clear_bit_unlock(0, &cb->reader);
		return ERR_PTR(-ENOMEM);
	}
	rd->cb = cb;
	mutex_init(&rd->lock);
	spin_lock_init(&rd->state);
	hrtimer_init(&rd->timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
	rd->timer.function = timer_expired;
	rd->last = ktime_get();
	rd->flush = cb->ring.tail;
	return rd;
}

/**
 * magnet_reader_close() - the reverse
 * @rd: reader
 *
 * Context: may sleep.
 */
void magnet_reader_close(struct magnet_reader *rd)
{
	struct magnet_cpu_buffer *cb = rd->cb;
	struct magnet_ring *r = &cb->ring;

	hrtimer_cancel(&rd->timer);
	WRITE_ONCE(r->wake_bytes, ULONG_MAX);
	WRITE_ONCE(r->armed, 0);
	kfree(rd);
	clear_bit_unlock(0, &cb->reader);
}
