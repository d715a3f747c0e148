/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ways to read a data file. Whatever the way, it is asked for the next
 * records and waits until there are some.
 */
#ifndef MAGNET_GUEST_WAYS_H
#define MAGNET_GUEST_WAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <signal.h>
#include <sys/types.h>
#include <linux/aio_abi.h>
#include <linux/io_uring.h>

/**
 * struct way - a way to read
 * @name: in complaints
 * @begin: in the thread that reads
 * @get: waits for records; bytes, 0 at the buffer's end, or -errno
 */
struct way {
	const char	*name;
	void		(*begin)(int fd);
	ssize_t		(*get)(int fd, void *to, size_t room);
};

extern const struct way way_read, way_poll, way_epoll, way_signal, way_aio, way_aio_poll,
			way_uring, way_uring_poll, way_uring_multishot, way_splice,
			way_splice_to_file, way_splice_to_socket;

/* The signal of way_signal, which every thread must block. */
#define WAY_SIGNAL	(SIGRTMIN + 3)
void ways_block_signals(void);
/* From here on this thread gets WAY_SIGNAL, or SIGIO with @signal 0. */
void way_want_signal(int fd, int signal);

ssize_t way_read_now(int fd, void *to, size_t room);

/* ---- Linux AIO ---- */

struct aio {
	aio_context_t	context;
};

void aio_begin(struct aio *aio);
/* The number of requests taken, or -errno. */
long aio_submit(struct aio *aio, struct iocb *iocb);
struct iocb aio_request(int opcode, int fd, const void *memory, size_t len);
/* One that is completed; with @wait, as soon as there is one. */
bool aio_get(struct aio *aio, struct io_event *event, bool wait);
long aio_cancel(struct aio *aio, struct iocb *iocb);
void aio_end(struct aio *aio);

/* ---- io_uring ---- */

struct uring {
	int			fd;
	unsigned int		*sq_tail, *sq_mask, *sq_array;
	unsigned int		*cq_head, *cq_tail, *cq_mask;
	struct io_uring_sqe	*sqes;
	struct io_uring_cqe	*cqes;
};

void uring_begin(struct uring *ring);
void uring_read(struct uring *ring, int fd, void *to, size_t room, int rw_flags);
void uring_poll(struct uring *ring, int fd);
/* One request, and a completion each time that it is woken, until one says that it is the last. */
void uring_poll_multishot(struct uring *ring, int fd);
bool uring_get(struct uring *ring, int *result, bool wait);
/* As uring_get(); @last: it was the request's last one. */
bool uring_get_flagged(struct uring *ring, int *result, bool *last, bool wait);

#endif
