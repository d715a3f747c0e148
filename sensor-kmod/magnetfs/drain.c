// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a read returns: whole records of one ring, or of all rings of a buffer
 * merged by time.
 */
#include <linux/pagemap.h>
#include <linux/uaccess.h>
#include <linux/sched/signal.h>
#include <linux/uio.h>

#include "reader.h"
#include "ring/buffer.h"
#include "ring/epoch.h"
#include "ring/mark.h"
#include "ring/record.h"
#include "ring/ring.h"

/*
 * What a read returns, or returns up to some record: where it ends in the ring, and
 * its bytes as they are read.
 */
struct batch {
	unsigned long	end;
	size_t		bytes;
	u64		records;
	u64		timer;
	u64		newest;
	u64		late;
};

/* Up to the mark, if that is in the next @most bytes; else nothing. */
static struct batch marked_records(const struct magnet_cpu_buffer *cb, size_t most)
{
	struct magnet_ring_mark mark;

	if (!magnet_ring_mark_take(&cb->ring, most, &mark))
		return (struct batch){ .end = cb->ring.tail };
	return (struct batch){
		.end = mark.pos,
		.records = mark.records - cb->ring_records_read,
		.timer = mark.timer,
	};
}

/*
 * As many as there are below @end and fit into @room, of a CPU's own file: nobody
 * asks for their order there, so they are not looked at up to the mark. The ring's
 * memory is mapped twice in a row.
 */
static struct batch own_records(struct magnet_cpu_buffer *cb, unsigned long end, size_t room)
{
	struct magnet_ring *r = &cb->ring;
	const size_t most = min_t(size_t, end - r->tail, room);
	const void *first = magnet_ring_at(r, r->tail), *last = first + most;
	struct batch b = marked_records(cb, most);
	const void *next = first + (b.end - r->tail), *rec = NULL;

	while (next != last) {
		const u32 size = magnet_record_size_of(next);

		if (size > last - next)
			break;
		rec = next;
		next += size;
		b.records++;
	}
	b.bytes = next - first;
	b.end = r->tail + b.bytes;
	if (rec)
		b.timer = magnet_record_timer_of(rec);
	return b;
}

/*
 * As many as there are below @end, fit into @room and, where rings are merged, are
 * no younger than @until.
 */
static struct batch whole_records(const struct magnet_reader *rd, struct magnet_cpu_buffer *cb,
				  unsigned long end, size_t room, u64 until)
{
	struct magnet_ring *r = &cb->ring;
	struct batch b = { .end = r->tail, .newest = rd->newest };

	if (rd->cb && !magnet_classic)
		return own_records(cb, end, room);

	while (b.end != end) {
		const void *rec = magnet_ring_at(r, b.end);
		const u32 size = magnet_record_size_of(rec);
		const u64 timer = magnet_record_timer_of(rec);

		if (timer > until || b.bytes + magnet_read_size_of(rec) > room)
			break;
		b.end += size;
		b.bytes += magnet_read_size_of(rec);
		b.records++;
		b.timer = timer;
		b.late += timer < b.newest;
		b.newest = max(b.newest, timer);
	}
	return b;
}

/* How far one read of a ring may go: of all rings, what is of an older epoch is read first. */
static unsigned long readable_end(const struct magnet_reader *rd, struct magnet_cpu_buffer *cb)
{
	const unsigned long commit = magnet_ring_published(&cb->ring);
	const unsigned long border = READ_ONCE(cb->border);

	return !rd->cb && magnet_unread(cb->ring.tail, border) ? border : commit;
}

/* What a reader of all rings has handed out, for the count of misordered records. */
static void note_order(struct magnet_reader *rd, u64 newest, u64 late)
{
	if (rd->cb)
		return;
	WRITE_ONCE(rd->buffer->merged_late, rd->buffer->merged_late + late);
	rd->newest = max(rd->newest, newest);
}

/* A record as it is read where layout=classic is in force. Return: bytes that were copied. */
static size_t copy_as_classic(const struct magnet_record *rec, struct iov_iter *to)
{
	const struct magnet_record_classic header = magnet_classic_of(rec);
	const size_t copied = copy_to_iter(&header, sizeof(header), to);

	if (copied != sizeof(header))
		return copied;
	return copied + copy_to_iter(rec + 1, rec->size - sizeof(*rec), to);
}

/* Return: bytes that were copied; of the last record it may be a part. */
static size_t copy_batch(const struct magnet_ring *r, const struct batch *b, struct iov_iter *to)
{
	unsigned long pos = r->tail;
	size_t copied = 0;

	if (!magnet_classic)
		return copy_to_iter(magnet_ring_at(r, pos), b->bytes, to);
	while (pos != b->end) {
		const struct magnet_record *rec = magnet_ring_at(r, pos);
		const size_t now = copy_as_classic(rec, to);

		copied += now;
		if (now != magnet_read_size_of(rec))
			break;
		pos += rec->size;
	}
	return copied;
}

/* What the caller's memory lacks: for all that is to be copied, and for the first record. */
struct missing {
	size_t	all;
	size_t	first;
};

/*
 * Copy what fits without a page fault: only whole records count.
 *
 * Return: their bytes; -EMSGSIZE.
 */
static ssize_t copy_records(struct magnet_reader *rd, struct magnet_cpu_buffer *cb,
			    struct iov_iter *to, size_t room, u64 until,
			    struct missing *missing)
{
	struct magnet_ring *r = &cb->ring;
	const unsigned long end = readable_end(rd, cb);
	struct batch b = whole_records(rd, cb, end, room, until);
	const size_t wanted = b.bytes;
	size_t copied;

	*missing = (struct missing){};
	if (!b.records)
		return -EMSGSIZE;
	pagefault_disable();
	copied = copy_batch(r, &b, to);
	pagefault_enable();
	if (copied != wanted) {
		/* What a pipe gives back is gone, so only the rest goes back. */
		b = whole_records(rd, cb, end, copied, until);
		iov_iter_revert(to, copied - b.bytes);
		missing->all = wanted - b.bytes;
		missing->first = magnet_read_size_of(magnet_ring_at(r, b.end));
		if (!b.records)
			return 0;
	}
	WRITE_ONCE(cb->ring_records_read, cb->ring_records_read + b.records);
	WRITE_ONCE(cb->bytes_read, cb->bytes_read + b.bytes);
	magnet_ring_consume(r, b.end, b.timer);
	note_order(rd, b.newest, b.late);
	return b.bytes;
}

/* False when not even the first record has a place: the caller's memory ends there. */
static bool get_memory(struct iov_iter *to, const struct missing *missing)
{
	/* A pipe that is full stays so. */
	if (!user_backed_iter(to))
		return false;
	fault_in_iov_iter_writeable(to, missing->all);
	return !fault_in_iov_iter_writeable(to, missing->first);
}

/*
 * The caller knows that there is a record that is no younger than @until. Page
 * faults may last as long as the caller likes; so they are not taken while the
 * ring's memory is held.
 */
static ssize_t read_ring(struct magnet_reader *rd, struct magnet_cpu_buffer *cb,
			 struct iov_iter *to, size_t room, u64 until)
{
	struct missing missing;
	ssize_t done = 0, run;

	do {
		mutex_lock(&cb->memory);
		run = copy_records(rd, cb, to, room - done, until, &missing);
		mutex_unlock(&cb->memory);
		if (run < 0)
			return done ?: run;
		done += run;
	} while (missing.all && !fatal_signal_pending(current) && get_memory(to, &missing));
	return done ?: -EFAULT;
}

/* A loss after the last record is told at the end of a read. */
static ssize_t read_tail_loss(struct magnet_reader *rd, struct magnet_cpu_buffer *cb,
			      struct iov_iter *to, size_t room)
{
	const u32 read_size = magnet_read_header_size() + sizeof(struct magnet_lost);
	u8 rec[sizeof(struct magnet_record) + sizeof(struct magnet_lost)] __aligned(8);
	size_t copied;
	u32 size;

	if (!magnet_ring_tail_loss(&cb->ring))
		return 0;
	if (room < read_size)
		return -EMSGSIZE;
	size = magnet_ring_lost_record(&cb->ring, rec);
	if (!size)
		return 0;
	copied = magnet_classic ? copy_as_classic((const struct magnet_record *)rec, to) :
				  copy_to_iter(rec, size, to);
	if (copied != read_size) {
		iov_iter_revert(to, copied);
		magnet_ring_lost_untold(&cb->ring, rec + size);
		return -EFAULT;
	}
	note_order(rd, magnet_record_timer_of(rec), magnet_record_timer_of(rec) < rd->newest);
	WRITE_ONCE(cb->flush, cb->ring.tail);
	WRITE_ONCE(cb->told_read, cb->told_read + 1);
	WRITE_ONCE(cb->bytes_read, cb->bytes_read + read_size);
	return read_size;
}

static ssize_t drain_ring(struct magnet_reader *rd, struct iov_iter *to, size_t room)
{
	struct magnet_ring *r = &rd->cb->ring;
	ssize_t done = 0, loss;

	if (magnet_ring_published(r) != r->tail) {
		done = read_ring(rd, rd->cb, to, room, U64_MAX);
		if (done < 0)
			return done;
	}
	loss = read_tail_loss(rd, rd->cb, to, room - done);
	if (loss < 0)
		return done ?: loss;
	return done + loss;
}

/**
 * magnet_drain_oldest() - time of what a reader gets next from a ring
 * @cb: the ring
 * @timer: its time
 *
 * Context: the reader's.
 * Return: false when there is nothing.
 */
bool magnet_drain_oldest(struct magnet_cpu_buffer *cb, u64 *timer)
{
	struct magnet_ring *r = &cb->ring;
	unsigned long tail, flags;
	bool unread;

	raw_spin_lock_irqsave(&cb->peek, flags);
	tail = READ_ONCE(r->tail);
	unread = magnet_ring_published(r) != tail;
	if (unread)
		*timer = magnet_record_timer_of(magnet_ring_at(r, tail));
	raw_spin_unlock_irqrestore(&cb->peek, flags);
	if (unread)
		return true;
	if (magnet_ring_tail_loss(r))
		*timer = magnet_ring_loss_timer(r, READ_ONCE(r->lost_last));
	else
		return false;
	return true;
}

/**
 * magnet_drain_is_old() - is what a reader gets next from a ring of an older epoch?
 * @cb: the ring; it has something
 *
 * Where it has no CLOCK record of this epoch, all of it counts as old: then its
 * CPU is away, or there was no room. A ring without memory never has one.
 *
 * Context: the reader's.
 */
bool magnet_drain_is_old(const struct magnet_cpu_buffer *cb)
{
	if (!READ_ONCE(cb->ring.size))
		return false;
	return !magnet_epoch_told(cb) ||
	       magnet_unread(READ_ONCE(cb->ring.tail), READ_ONCE(cb->border));
}

/**
 * struct next_run - what the reader of all rings gets next
 * @cb: from which ring; NULL: nothing
 * @old: it is of an older epoch
 * @timer: of the first record
 * @next: of the first one that any other ring has, in the same epoch
 */
struct next_run {
	struct magnet_cpu_buffer	*cb;
	bool				old;
	u64				timer;
	u64				next;
};

/* Timers of two epochs can't be compared: all that is old comes before the rest. */
static struct next_run next_run(struct magnet_reader *rd)
{
	struct next_run run = { .timer = U64_MAX, .next = U64_MAX };
	struct magnet_cpu_buffer *cb;
	unsigned int i = 0;
	u64 t;

	while ((cb = magnet_next_ring(rd, &i))) {
		bool old;

		if (!magnet_drain_oldest(cb, &t))
			continue;
		old = magnet_drain_is_old(cb);
		if (old < run.old)
			continue;
		if (old > run.old)
			run = (struct next_run){ .old = true, .timer = U64_MAX, .next = U64_MAX };
		if (!run.cb || t < run.timer) {
			run.next = run.timer;
			run.timer = t;
			run.cb = cb;
		} else if (t < run.next) {
			run.next = t;
		}
	}
	return run;
}

/* What a ring has up to @until, or a loss after its last record. */
static ssize_t read_run(struct magnet_reader *rd, struct magnet_cpu_buffer *cb,
			struct iov_iter *to, size_t room, u64 until)
{
	struct magnet_ring *r = &cb->ring;

	if (magnet_ring_published(r) != r->tail)
		return read_ring(rd, cb, to, room, until);
	return read_tail_loss(rd, cb, to, room);
}

/*
 * Run by run: what one ring has up to the next record of another. A look at
 * each ring for each run: with few CPUs that is as quick as a heap.
 */
static ssize_t merge(struct magnet_reader *rd, struct iov_iter *to, size_t room, u64 until)
{
	struct next_run next;
	size_t done = 0;
	ssize_t run;

	while ((next = next_run(rd)).cb) {
		/* Nothing older can come there. */
		const u64 most = next.old ? U64_MAX : until;

		if (next.timer > most)
			break;
		if (rd->old && !next.old)
			rd->newest = 0;
		rd->old = next.old;
		run = read_run(rd, next.cb, to, room - done, min(next.next, most));
		if (run < 0)
			return done ?: run;
		done += run;
	}
	return done;
}

/**
 * magnet_drain() - copy what is there
 * @rd: reader, its lock held
 * @to: where to; whole records only
 * @until: merged: leave what is younger than this
 *
 * Context: may sleep.
 * Return: bytes; 0 when a loss that was seen went into a record of the
 * writer's meanwhile; -EMSGSIZE; -EFAULT.
 */
ssize_t magnet_drain(struct magnet_reader *rd, struct iov_iter *to, u64 until)
{
	const u64 most = READ_ONCE(rd->max_bytes);
	size_t room = iov_iter_count(to);

	if (most)
		room = min_t(u64, room, most);
	return rd->cb ? drain_ring(rd, to, room) : merge(rd, to, room, until);
}
