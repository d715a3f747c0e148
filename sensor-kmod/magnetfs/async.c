// SPDX-License-Identifier: GPL-2.0-only
/*
 * Readers that do not wait: SIGIO, and the requests of io_submit(2).
 *
 * Both are one more sleeper in the reader's wait queue, whose function decides
 * anew as any sleeper would when it is woken. What probes wake they wake by
 * irq_work; here is never inside of one. io_uring needs nothing of this: it
 * polls.
 */
#include <linux/aio.h>
#include <linux/fs.h>
#include <linux/kthread.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uio.h>

#include "reader.h"
#include "ring/buffer.h"

/**
 * struct request - an asynchronous read that waits
 * @node: in magnet_reader.requests
 * @rd: of which file; the request holds it open
 * @iocb: the kernel's
 * @to: where the records go
 * @iov: copy of what @to points to, or NULL
 * @mm: whose memory @to is. It stays: who ends waits for its requests first
 * @cancelled: it is not wanted any more
 */
struct request {
	struct list_head	node;
	struct magnet_reader	*rd;
	struct kiocb		*iocb;
	struct iov_iter		to;
	const void		*iov;
	struct mm_struct	*mm;
	bool			cancelled;
};

/* ---- who is to be told; under the lock of the wait queue ---- */

static void begin_serving(struct magnet_reader *rd)
{
	/* The system's: copying may wait for memory. */
	queue_work(system_unbound_wq, &rd->serve);
}

/* Nobody is told twice of what was not read since; and of the end only once. */
static void send_signal(struct magnet_reader *rd, bool dead)
{
	bool *told = dead ? &rd->end_signalled : &rd->signalled;

	if (*told)
		return;
	*told = true;
	kill_fasync(&rd->fasync, SIGIO, dead ? POLL_HUP : POLL_IN);
}

static void look_and_tell(struct magnet_reader *rd)
{
	/* Before the look, as in wait_readable(). */
	const bool dead = magnet_buffer_dead(rd->buffer);
	const bool signal = READ_ONCE(rd->fasync) && (dead || !rd->signalled);
	const bool requests = !list_empty(&rd->requests);

	if (!signal && !requests)
		return;
	if (!magnet_watch(rd) && !dead)
		return;
	if (signal)
		send_signal(rd, dead);
	if (requests)
		begin_serving(rd);
}

static int on_wake(struct wait_queue_entry *entry, unsigned int mode, int sync, void *key)
{
	look_and_tell(container_of(entry, struct magnet_reader, watch));
	return 0;
}

static bool is_watching(const struct magnet_reader *rd)
{
	return READ_ONCE(rd->watching);
}

static void begin_watching(struct magnet_reader *rd)
{
	if (is_watching(rd))
		return;
	__add_wait_queue(rd->wait, &rd->watch);
	WRITE_ONCE(rd->watching, true);
}

/**
 * magnet_async_was_read() - a read returned
 * @rd: reader
 *
 * The times count from here, also for who waits and will not ask again, such as
 * epoll by edge. From here on there may be a signal again; at once if more is
 * readable. A request that found a read in progress gets its turn.
 *
 * Context: may sleep.
 */
void magnet_async_was_read(struct magnet_reader *rd)
{
	if (!wq_has_sleeper(rd->wait))
		return;
	magnet_watch(rd);
	if (!is_watching(rd))
		return;
	spin_lock_irq(&rd->wait->lock);
	rd->signalled = false;
	look_and_tell(rd);
	spin_unlock_irq(&rd->wait->lock);
}

/**
 * magnet_reader_fasync() - fcntl(2) with O_ASYNC
 * @rd: reader
 * @fd: descriptor
 * @file: its file
 * @on: switched on, or off
 *
 * Context: may sleep.
 * Return: 0 or -errno.
 */
int magnet_reader_fasync(struct magnet_reader *rd, int fd, struct file *file, int on)
{
	const int err = fasync_helper(fd, file, on, &rd->fasync);

	if (err < 0 || !on)
		return err < 0 ? err : 0;
	spin_lock_irq(&rd->wait->lock);
	begin_watching(rd);
	rd->signalled = false;
	look_and_tell(rd);
	spin_unlock_irq(&rd->wait->lock);
	return 0;
}

/* ---- requests ---- */

static struct request *new_request(struct magnet_reader *rd, struct kiocb *iocb,
				   struct iov_iter *to)
{
	struct request *req = kzalloc(sizeof(*req), GFP_KERNEL_ACCOUNT);

	if (!req)
		return NULL;
	req->rd = rd;
	req->iocb = iocb;
	req->mm = current->mm;
	req->iov = dup_iter(&req->to, to, GFP_KERNEL);
	if (!req->iov && !iter_is_ubuf(&req->to)) {
		kfree(req);
		return NULL;
	}
	return req;
}

/* Under the lock of the request's io context, which completion takes: so not here. */
static int cancel(struct kiocb *iocb)
{
	struct request *req = iocb->private;
	struct magnet_reader *rd = req->rd;
	unsigned long flags;

	spin_lock_irqsave(&rd->wait->lock, flags);
	req->cancelled = true;
	begin_serving(rd);
	spin_unlock_irqrestore(&rd->wait->lock, flags);
	return 0;
}

/**
 * magnet_reader_read_later() - io_submit(2) with a read
 * @rd: reader
 * @iocb: the request
 * @to: where to; whole records only
 *
 * Requests are served in the order they came. They have no time limit of
 * their own: MAX_READ_TIMEOUT with nothing there leaves them waiting.
 *
 * Context: may sleep, but not for events.
 * Return: as magnet_reader_read() if it can be said at once; -EIOCBQUEUED when
 * @iocb is completed later; -ENOMEM.
 */
ssize_t magnet_reader_read_later(struct magnet_reader *rd, struct kiocb *iocb,
				 struct iov_iter *to)
{
	struct request *req;
	ssize_t done;

	if (list_empty(&rd->requests)) {
		done = magnet_reader_read(rd, to, true);
		if (done != -EAGAIN)
			return done;
	}
	req = new_request(rd, iocb, to);
	if (!req)
		return -ENOMEM;
	/* First, as nobody may complete what could not be cancelled yet. */
	iocb->private = req;
	kiocb_set_cancel_fn(iocb, cancel);
	spin_lock_irq(&rd->wait->lock);
	begin_watching(rd);
	list_add_tail(&req->node, &rd->requests);
	look_and_tell(rd);
	if (req->cancelled)
		begin_serving(rd);
	spin_unlock_irq(&rd->wait->lock);
	return -EIOCBQUEUED;
}

/* Who was cancelled goes first, then who came first. */
static struct request *next_request(struct magnet_reader *rd, bool *cancelled)
{
	struct request *req, *next;

	spin_lock_irq(&rd->wait->lock);
	next = list_first_entry_or_null(&rd->requests, struct request, node);
	list_for_each_entry(req, &rd->requests, node) {
		if (req->cancelled) {
			next = req;
			break;
		}
	}
	*cancelled = next && next->cancelled;
	spin_unlock_irq(&rd->wait->lock);
	return next;
}

static ssize_t read_for(struct request *req)
{
	ssize_t done;

	kthread_use_mm(req->mm);
	done = magnet_reader_read(req->rd, &req->to, true);
	kthread_unuse_mm(req->mm);
	return done;
}

/* Until it is completed it can be cancelled, so that it is freed after that. */
static void complete_request(struct request *req, ssize_t done)
{
	spin_lock_irq(&req->rd->wait->lock);
	list_del(&req->node);
	spin_unlock_irq(&req->rd->wait->lock);
	req->iocb->ki_complete(req->iocb, done);
	kfree(req->iov);
	kfree(req);
}

/* -EAGAIN: who reads now, or the next event, has this called again. */
static void serve(struct work_struct *work)
{
	struct magnet_reader *rd = container_of(work, struct magnet_reader, serve);
	struct request *req;
	bool cancelled;
	ssize_t done;

	while ((req = next_request(rd, &cancelled))) {
		done = cancelled ? -ECANCELED : read_for(req);
		if (done == -EAGAIN)
			return;
		complete_request(req, done);
	}
}

/* ---- open and close ---- */

void magnet_async_init(struct magnet_reader *rd)
{
	init_waitqueue_func_entry(&rd->watch, on_wake);
	INIT_LIST_HEAD(&rd->requests);
	INIT_WORK(&rd->serve, serve);
}

/* Each request holds the file open, so there are none; the last may just have gone. */
void magnet_async_exit(struct magnet_reader *rd)
{
	if (is_watching(rd))
		remove_wait_queue(rd->wait, &rd->watch);
	cancel_work_sync(&rd->serve);
}
