/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An open data file: the reader of one ring, or of all rings of a buffer in
 * the order of time. readiness.c says when a read returns, drain.c what.
 */
#ifndef _MAGNET_READER_H
#define _MAGNET_READER_H

#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "ring/buffer.h"

struct file;
struct iov_iter;
struct kiocb;

/**
 * struct magnet_reader - an open data file
 * @buffer: what it reads
 * @cb: the ring, or NULL: all of them, merged
 * @wait: where it sleeps
 * @lock: one read at a time; descriptors may be shared
 * @state: orders changes of the wake points
 * @readsize: READSIZE_WATERMARK, bytes
 * @readcount: READCOUNT_WATERMARK, records
 * @min_us: MIN_READ_TIMEOUT
 * @max_bytes: MAX_READ_WATERMARK
 * @max_us: MAX_READ_TIMEOUT
 * @hold_us: HOLD_BACK, merged only
 * @last: when the previous read returned, or open
 * @newest: timer of the newest record handed out, merged only
 * @old: that is of an older epoch of the timer
 * @timer: wakes pollers when only time has to pass
 * @watching: @watch is in @wait's queue, because there were signals or
 *	asynchronous reads
 * @watch: tells those; what is below is under that queue's lock
 * @fasync: who gets SIGIO
 * @signalled: it was sent since the previous read
 * @end_signalled: it was sent for the buffer's end
 * @requests: asynchronous reads that wait, in the order they came
 * @serve: completes them
 */
struct magnet_reader {
	struct magnet_buffer		*buffer;
	struct magnet_cpu_buffer	*cb;
	wait_queue_head_t		*wait;
	struct mutex			lock; /* one read at a time */
	spinlock_t			state; /* the wake points */
	u64				readsize;
	u64				readcount;
	u64				min_us;
	u64				max_bytes;
	u64				max_us;
	u64				hold_us;
	ktime_t				last;
	u64				newest;
	bool				old;
	struct hrtimer			timer;
	bool				watching;
	struct wait_queue_entry		watch;
	struct fasync_struct		*fasync;
	bool				signalled;
	bool				end_signalled;
	struct list_head		requests;
	struct work_struct		serve;
};

/* The reader's next ring; @i counts on and begins with 0. NULL at the end. */
static inline struct magnet_cpu_buffer *
magnet_next_ring(const struct magnet_reader *rd, unsigned int *i)
{
	if (rd->cb)
		return (*i)++ ? NULL : rd->cb;
	return magnet_buffer_next(rd->buffer, i);
}

static inline ktime_t magnet_earlier(ktime_t a, ktime_t b)
{
	return ktime_before(a, b) ? a : b;
}

/**
 * enum magnet_readiness - does a read return?
 * @MAGNET_NOT_ENOUGH: it waits for events
 * @MAGNET_TOO_EARLY: enough is there, only time has to pass
 * @MAGNET_READABLE: it does
 */
enum magnet_readiness {
	MAGNET_NOT_ENOUGH,
	MAGNET_TOO_EARLY,
	MAGNET_READABLE,
};

enum magnet_readiness magnet_readiness(struct magnet_reader *rd, ktime_t now, ktime_t *again);
bool magnet_pressing(struct magnet_reader *rd);
u64 magnet_held_until(const struct magnet_reader *rd);
bool magnet_set_wake_points(struct magnet_reader *rd, ktime_t now);
void magnet_arm(struct magnet_reader *rd);

bool magnet_watch(struct magnet_reader *rd);

struct magnet_reader *magnet_reader_open(struct magnet_data_file *data);
void magnet_reader_close(struct magnet_reader *rd);
ssize_t magnet_reader_read(struct magnet_reader *rd, struct iov_iter *to,
			   bool nonblock);
ssize_t magnet_reader_read_later(struct magnet_reader *rd, struct kiocb *iocb,
				 struct iov_iter *to);
int magnet_reader_fasync(struct magnet_reader *rd, int fd, struct file *file, int on);
int magnet_reader_wait(struct magnet_reader *rd, ktime_t latest);
__poll_t magnet_reader_poll(struct magnet_reader *rd, struct file *file,
			    struct poll_table_struct *wait);
long long magnet_reader_set(struct magnet_reader *rd, unsigned int option,
			    u64 value);
long long magnet_reader_get(struct magnet_reader *rd, unsigned int option);
struct magnet_buffer *magnet_reader_buffer(const struct magnet_reader *rd);

/* async.c */
void magnet_async_init(struct magnet_reader *rd);
void magnet_async_exit(struct magnet_reader *rd);
void magnet_async_was_read(struct magnet_reader *rd);

bool magnet_drain_oldest(struct magnet_cpu_buffer *cb, u64 *timer);
bool magnet_drain_is_old(const struct magnet_cpu_buffer *cb);
ssize_t magnet_drain(struct magnet_reader *rd, struct iov_iter *to, u64 until);

#endif /* _MAGNET_READER_H */
