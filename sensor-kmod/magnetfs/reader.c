// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading a data file: waiting, polling, attributes.
 */
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/uio.h>

#include "reader.h"
#include "ring/buffer.h"
#include "ring/clock.h"
#include "ring/clock_record.h"
#include "ring/epoch.h"
#include "ring/record.h"
#include "ring/ring.h"

/*
 * How long after lowering ring.wake_bytes the ring is looked at once more: a
 * writer may have published while it still saw the old value.
 */
#define RECHECK_NS	NSEC_PER_MSEC
/* However often attributes are set: a ring's CPU is not interrupted more often than this. */
#define MEET_US		1000

/* ---- waiting ---- */

/* Has somebody told this thread to do something else? */
static int interrupted(void)
{
	if (signal_pending(current))
		return -ERESTARTSYS;
	return current->flags & PF_KTHREAD && kthread_should_stop() ? -EINTR : 0;
}

/*
 * Sleep until something is readable.
 *
 * Return: 0; 1 when the buffer was removed and read to its end; -EAGAIN when
 * MAX_READ_TIMEOUT passed with nothing there; -ETIME at @latest; -ERESTARTSYS;
 * -EINTR in a kernel thread that is to stop.
 */
static int wait_readable(struct magnet_reader *rd, ktime_t latest)
{
	const ktime_t start = ktime_get();
	DEFINE_WAIT(wait);
	int err = 0;

	for (;;) {
		ktime_t now, until;
		bool closer, dead;

		prepare_to_wait(rd->wait, &wait, TASK_INTERRUPTIBLE);
		now = ktime_get();
		closer = magnet_set_wake_points(rd, now);
		magnet_arm(rd);
		/* Before the look: what was logged until it died is read first. */
		dead = magnet_buffer_dead(rd->buffer);
		if (magnet_readiness(rd, now, &until) == MAGNET_READABLE)
			break;
		if (dead) {
			err = 1;
			break;
		}
		err = interrupted();
		if (!err && ktime_compare(now, latest) >= 0)
			err = -ETIME;
		if (err)
			break;
		until = magnet_earlier(until, latest);
		if (READ_ONCE(rd->max_us)) {
			const ktime_t end = ktime_add_us(start, READ_ONCE(rd->max_us));

			if (ktime_compare(now, end) >= 0) {
				err = -EAGAIN;
				break;
			}
			until = magnet_earlier(until, end);
		}
		if (closer)
			until = magnet_earlier(until, ktime_add_ns(now, RECHECK_NS));
		if (until == KTIME_MAX)
			schedule();
		else
			schedule_hrtimeout(&until, HRTIMER_MODE_ABS);
	}
	finish_wait(rd->wait, &wait);
	return err;
}

/* What is pressing goes before the hold-back, and the rest of it with it. */
static ssize_t drain(struct magnet_reader *rd, struct iov_iter *to)
{
	/* Of one ring nothing is held back, so that nothing is looked at for it. */
	const bool all = rd->cb || magnet_pressing(rd);

	return magnet_drain(rd, to, all ? U64_MAX : magnet_held_until(rd));
}

static ssize_t read_locked(struct magnet_reader *rd, struct iov_iter *to, bool nonblock)
{
	ktime_t again;
	int err;

	for (;;) {
		const bool dead = magnet_buffer_dead(rd->buffer);
		ssize_t done;

		if (magnet_readiness(rd, ktime_get(), &again) != MAGNET_READABLE) {
			if (nonblock)
				return dead ? 0 : -EAGAIN;
			err = wait_readable(rd, KTIME_MAX);
			if (err)
				return err == 1 ? 0 : err;
		}
		done = drain(rd, to);
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
	if (nonblock && !magnet_buffer_dead(rd->buffer)) {
		/* Whoever has it may sleep. It tells others when it has read. */
		if (!mutex_trylock(&rd->lock))
			return -EAGAIN;
	} else if (mutex_lock_interruptible(&rd->lock)) {
		return -ERESTARTSYS;
	}
	done = read_locked(rd, to, nonblock);
	if (done > 0 || (done == -EAGAIN && !nonblock))
		WRITE_ONCE(rd->last, ktime_get());
	mutex_unlock(&rd->lock);
	magnet_async_was_read(rd);
	return done;
}

/**
 * magnet_reader_wait() - sleep until a read would return, in the kernel
 * @rd: reader
 * @latest: at most until then, CLOCK_MONOTONIC; KTIME_MAX: without end
 *
 * Context: may sleep; one thread at a time.
 * Return: 0; -EAGAIN when MAX_READ_TIMEOUT passed with nothing there; -ETIME;
 * -ERESTARTSYS; -EINTR in a kernel thread that is to stop.
 */
int magnet_reader_wait(struct magnet_reader *rd, ktime_t latest)
{
	ktime_t again;
	int err;

	if (magnet_readiness(rd, ktime_get(), &again) == MAGNET_READABLE)
		return 0;
	err = wait_readable(rd, latest);
	return err == 1 ? 0 : err;
}

/* When a poller has to look again although nothing is logged; KTIME_MAX = never. */
static ktime_t poll_deadline(struct magnet_reader *rd, ktime_t now, ktime_t again,
			     bool closer)
{
	const ktime_t latest = ktime_add_us(READ_ONCE(rd->last), READ_ONCE(rd->max_us));

	if (READ_ONCE(rd->max_us) && ktime_before(now, latest))
		again = magnet_earlier(again, latest);
	if (closer)
		again = magnet_earlier(again, ktime_add_ns(now, RECHECK_NS));
	return again;
}

/* Whoever else watches may have started it: the earlier time counts. */
static void start_timer(struct magnet_reader *rd, ktime_t at)
{
	unsigned long flags;

	spin_lock_irqsave(&rd->state, flags);
	if (!hrtimer_is_queued(&rd->timer) ||
	    ktime_before(at, hrtimer_get_expires(&rd->timer)))
		hrtimer_start(&rd->timer, at, HRTIMER_MODE_ABS);
	spin_unlock_irqrestore(&rd->state, flags);
}

/**
 * magnet_watch() - have @rd->wait woken when a read would return
 * @rd: reader
 *
 * Who sleeps without a time limit of its own needs the timer as well: when
 * only time has to pass, when the latest time passes, after which the first
 * record is enough, and shortly after a wake point came closer, in case the
 * writer published just before it saw that. Being woken may turn out to be
 * too early; then watch again.
 *
 * Context: any but NMI.
 * Return: true when a read returns now, and nothing has to be waited for.
 */
bool magnet_watch(struct magnet_reader *rd)
{
	const ktime_t now = ktime_get();
	ktime_t again;
	bool closer;

	closer = magnet_set_wake_points(rd, now);
	magnet_arm(rd);
	if (magnet_readiness(rd, now, &again) == MAGNET_READABLE)
		return true;
	again = poll_deadline(rd, now, again, closer);
	if (again != KTIME_MAX)
		start_timer(rd, again);
	return false;
}

static enum hrtimer_restart timer_expired(struct hrtimer *timer)
{
	struct magnet_reader *rd = container_of(timer, struct magnet_reader, timer);

	if (magnet_watch(rd))
		wake_up_interruptible_poll(rd->wait, EPOLLIN | EPOLLRDNORM);
	return HRTIMER_NORESTART;
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
	bool readable;

	poll_wait(file, rd->wait, wait);
	readable = magnet_watch(rd);
	if (magnet_buffer_dead(rd->buffer))
		return EPOLLIN | EPOLLRDNORM | EPOLLHUP;
	return readable ? EPOLLIN | EPOLLRDNORM : 0;
}

/* ---- attributes ---- */

/*
 * May the ring's CPU be interrupted now? That it has an empty ring and is idle
 * can't be seen from here: a writer may have taken its time stamp already.
 */
static bool may_meet(struct magnet_cpu_buffer *cb)
{
	const u64 now = ktime_get_ns();
	u64 last = READ_ONCE(cb->met);

	return now - last >= MEET_US * NSEC_PER_USEC && try_cmpxchg64(&cb->met, &last, now);
}

static void nothing(void *info)
{
}

/*
 * From here on their owner CPUs' writers see what we stored, and we what they
 * published. If somebody else interrupts such a CPU all the time, then one of
 * the interrupts comes after we stored it.
 */
static void meet_writers(struct magnet_reader *rd)
{
	const u64 begin = ktime_get_ns();
	struct magnet_cpu_buffer *cb;
	unsigned int i = 0;

	while ((cb = magnet_next_ring(rd, &i))) {
		bool met = may_meet(cb);

		while (!met && READ_ONCE(cb->met) <= begin) {
			usleep_range(MEET_US, 2 * MEET_US);
			met = may_meet(cb);
		}
		if (met)
			smp_call_function_single(cb->ring.cpu, nothing, NULL, 1);
	}
}

/* A changed attribute counts at once, also for who sleeps already. */
static void attributes_changed(struct magnet_reader *rd)
{
	magnet_set_wake_points(rd, ktime_get());
	meet_writers(rd);
	wake_up_interruptible_poll(rd->wait, EPOLLIN | EPOLLRDNORM);
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
	case MAGNET_ATTR_HOLD_BACK:
		return rd->cb ? NULL : &rd->hold_us;
	default:
		return NULL;
	}
}

/* A fill that a reader may wait for: what is above is read in any case. */
static u64 most_bytes(const struct magnet_reader *rd)
{
	struct magnet_cpu_buffer *cb;
	unsigned int i = 0;
	u64 most = 0;

	while ((cb = magnet_next_ring(rd, &i)))
		most += magnet_three_quarters(&cb->ring);
	return most;
}

/* The largest value an attribute may have. */
static u64 attribute_max(const struct magnet_reader *rd, unsigned int option)
{
	const u64 most = most_bytes(rd);

	switch (option) {
	case MAGNET_ATTR_READSIZE_WATERMARK:
		return most;
	case MAGNET_ATTR_READCOUNT_WATERMARK:
		return most / magnet_header_size();
	case MAGNET_ATTR_MIN_READ_TIMEOUT:
	case MAGNET_ATTR_MAX_READ_TIMEOUT:
		return MAGNET_READ_TIMEOUT_MAX_US;
	case MAGNET_ATTR_HOLD_BACK:
		return MAGNET_HOLD_BACK_MAX_US;
	default:
		return MAGNET_ATTR_VALUE_MASK;
	}
}

/**
 * struct flush - what is found on a ring's CPU
 * @cb: the ring
 * @whole: no writer was interrupted: what follows holds
 * @pos: up to there the ring has all records that are no younger than @timer
 * @timer: so far
 */
struct flush {
	struct magnet_cpu_buffer	*cb;
	bool				whole;
	unsigned long			pos;
	u64				timer;
};

/*
 * On the ring's CPU with interrupts off, or while that CPU is offline. Only an
 * NMI comes in between; what it logs is whole when it returns, and below @pos or
 * younger than @timer. A writer that was interrupted may have taken its time
 * stamp: then an older answer is still right, and this one would not be.
 */
static void flush_here(void *info)
{
	struct flush *f = info;
	struct magnet_ring *r = &f->cb->ring;
	struct magnet_clock_pair pair;

	/* A timer that jumped is seen here first, while somebody reads. */
	magnet_clock_pair_now(&pair);
	if (!magnet_epoch_told(f->cb))
		magnet_log_clock(f->cb);
	/* Where the clock stands still the next record may have the same time. */
	f->timer = magnet_clock(&r->last_timer) - 1;
	barrier();
	f->whole = !magnet_ring_busy(r);
	barrier();
	f->pos = magnet_ring_published(r);
}

/* Ask the ring's CPU; the caller lets no CPU come or go. */
static void flush_there(struct flush *f)
{
	unsigned long flags;

	if (!smp_call_function_single(f->cb->ring.cpu, flush_here, f, 1))
		return;
	local_irq_save(flags);
	flush_here(f);
	local_irq_restore(flags);
}

/*
 * A snapshot's rings are nobody's; where a CPU was asked a moment ago, what it
 * said still holds.
 */
static void flush_ring(struct magnet_reader *rd, struct magnet_cpu_buffer *cb)
{
	struct flush f = { .cb = cb };
	unsigned long flags;

	if (!magnet_buffer_dead(rd->buffer) && may_meet(cb))
		flush_there(&f);
	if (f.whole) {
		spin_lock_irqsave(&rd->state, flags);
		cb->whole = f.pos;
		cb->whole_timer = f.timer;
		spin_unlock_irqrestore(&rd->state, flags);
	}
	WRITE_ONCE(cb->flush, magnet_ring_published(&cb->ring) +
			      magnet_ring_tail_loss(&cb->ring));
}

static void flush_reader(struct magnet_reader *rd)
{
	struct magnet_cpu_buffer *cb;
	unsigned int i = 0;

	cpus_read_lock();
	while ((cb = magnet_next_ring(rd, &i)))
		flush_ring(rd, cb);
	cpus_read_unlock();
	wake_up_interruptible_poll(rd->wait, EPOLLIN | EPOLLRDNORM);
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
	    value < magnet_read_header_size())
		return -EINVAL;
	spin_lock_irqsave(&rd->state, flags);
	WRITE_ONCE(*attr, value);
	spin_unlock_irqrestore(&rd->state, flags);
	attributes_changed(rd);
	return 0;
}

/*
 * Order in a ring is order in time: all up to the last record that was read
 * has been read. What was read up to where the last flush found the ring whole
 * says more. A loss that is not yet told has its time, too.
 */
static long long complete_to(struct magnet_reader *rd)
{
	struct magnet_cpu_buffer *cb = rd->cb;
	unsigned long tail, flags;
	u64 timer;

	spin_lock_irqsave(&rd->state, flags);
	/* Pairs with the release in magnet_ring_consume(): not older than @tail. */
	tail = smp_load_acquire(&cb->ring.tail);
	timer = READ_ONCE(cb->ring.tail_timer);
	if (tail == cb->whole && !atomic_long_read(&cb->ring.lost_pending))
		timer = cb->whole_timer;
	spin_unlock_irqrestore(&rd->state, flags);
	return min_t(u64, timer, S64_MAX);
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

	if (option == MAGNET_ATTR_COMPLETE_TO && rd->cb)
		return complete_to(rd);
	return attr ? READ_ONCE(*attr) : -EINVAL;
}

/* ---- open and close ---- */

struct magnet_buffer *magnet_reader_buffer(const struct magnet_reader *rd)
{
	return rd->buffer;
}

/*
 * @buffer->readers counts the open files of single rings, or is -1 while the
 * merged one is open.
 */
static bool claim(struct magnet_buffer *buffer, struct magnet_cpu_buffer *cb)
{
	if (!cb)
		return !atomic_cmpxchg(&buffer->readers, 0, -1);
	if (test_and_set_bit(0, &cb->reader))
		return false;
	if (atomic_inc_unless_negative(&buffer->readers))
		return true;
	clear_bit_unlock(0, &cb->reader);
	return false;
}

static void give_up(struct magnet_buffer *buffer, struct magnet_cpu_buffer *cb)
{
	if (!cb) {
		atomic_set_release(&buffer->readers, 0);
		return;
	}
	clear_bit_unlock(0, &cb->reader);
	atomic_dec_return_release(&buffer->readers);
}

/**
 * magnet_reader_open() - become the reader of a ring, or of all of a buffer
 * @data: which; the caller holds a reference to its buffer for us
 *
 * Context: may sleep.
 * Return: the reader, or an ERR_PTR: -EBUSY when there is one already;
 * -EOPNOTSUPP when it is a flight recorder, whose writers take the records away
 * from under a reader: its snapshots are read.
 */
struct magnet_reader *magnet_reader_open(struct magnet_data_file *data)
{
	struct magnet_cpu_buffer *cb;
	struct magnet_reader *rd;
	unsigned int i = 0;

	if (data->buffer->flags & MAGNET_F_OVERWRITE)
		return ERR_PTR(-EOPNOTSUPP);
	if (!claim(data->buffer, data->cb))
		return ERR_PTR(-EBUSY);
	rd = kzalloc(sizeof(*rd), GFP_KERNEL_ACCOUNT);
	if (!rd) {
		give_up(data->buffer, data->cb);
		return ERR_PTR(-ENOMEM);
	}
	rd->buffer = data->buffer;
	rd->cb = data->cb;
	rd->wait = data->cb ? &data->cb->wait : &data->buffer->wait;
	rd->hold_us = data->cb ? 0 : MAGNET_HOLD_BACK_DEFAULT_US;
	mutex_init(&rd->lock);
	spin_lock_init(&rd->state);
	hrtimer_setup(&rd->timer, timer_expired, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
	magnet_async_init(rd);
	rd->last = ktime_get();
	while ((cb = magnet_next_ring(rd, &i)))
		cb->flush = cb->ring.tail;
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
	struct magnet_cpu_buffer *cb;
	unsigned int i = 0;

	magnet_async_exit(rd);
	hrtimer_cancel(&rd->timer);
	while ((cb = magnet_next_ring(rd, &i))) {
		WRITE_ONCE(cb->ring.wake_bytes, ULONG_MAX);
		WRITE_ONCE(cb->ring.armed, 0);
	}
	give_up(rd->buffer, rd->cb);
	kfree(rd);
}
