// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "guest.h"
#include "ways.h"

static ssize_t result_of(ssize_t result)
{
	return result < 0 ? -errno : result;
}

ssize_t way_read_now(int fd, void *to, size_t room)
{
	const struct iovec iov = { .iov_base = to, .iov_len = room };

	return result_of(preadv2(fd, &iov, 1, -1, RWF_NOWAIT));
}

/* Read what is there; if nothing is, wait in this way and try again. */
static ssize_t read_or(int fd, void *to, size_t room, void (*wait)(int fd))
{
	ssize_t got;

	while ((got = way_read_now(fd, to, room)) == -EAGAIN)
		wait(fd);
	return got;
}

static void begin_nothing(int fd)
{
	(void)fd;
}

/* ---- read, poll, epoll ---- */

/* A sleeping read says -EAGAIN when MAX_READ_TIMEOUT is over and nothing came. */
static ssize_t get_read(int fd, void *to, size_t room)
{
	ssize_t got;

	do {
		got = result_of(read(fd, to, room));
	} while (got == -EAGAIN);
	return got;
}

static void wait_poll(int fd)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };

	NEED(poll(&pfd, 1, -1) == 1, "poll: %s", strerror(errno));
}

static ssize_t get_poll(int fd, void *to, size_t room)
{
	return read_or(fd, to, room, wait_poll);
}

static __thread int epoll_fd;

static void begin_epoll(int fd)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };

	epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	NEED(epoll_fd >= 0 && !epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event), "epoll");
}

static void wait_epoll(int fd)
{
	struct epoll_event event;

	(void)fd;
	NEED(epoll_wait(epoll_fd, &event, 1, -1) == 1, "epoll: %s", strerror(errno));
}

static ssize_t get_epoll(int fd, void *to, size_t room)
{
	return read_or(fd, to, room, wait_epoll);
}

/* ---- signals ---- */

void ways_block_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, WAY_SIGNAL);
	sigaddset(&set, SIGIO);
	NEED(!pthread_sigmask(SIG_BLOCK, &set, NULL), "sigmask");
}

void way_want_signal(int fd, int signal)
{
	const struct f_owner_ex owner = { .type = F_OWNER_TID, .pid = guest_tid() };

	NEED(!fcntl(fd, F_SETOWN_EX, &owner), "F_SETOWN_EX: %s", strerror(errno));
	NEED(!fcntl(fd, F_SETSIG, signal), "F_SETSIG: %s", strerror(errno));
	NEED(!fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_ASYNC), "O_ASYNC: %s",
	     strerror(errno));
	NEED(fcntl(fd, F_GETFL) & O_ASYNC, "O_ASYNC stays off");
}

static void begin_signal(int fd)
{
	way_want_signal(fd, WAY_SIGNAL);
}

static void wait_signal(int fd)
{
	siginfo_t info;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, WAY_SIGNAL);
	sigaddset(&set, SIGIO);
	NEED(sigwaitinfo(&set, &info) > 0, "sigwaitinfo: %s", strerror(errno));
	EXPECT(info.si_signo == SIGIO || info.si_fd == fd, "a signal for descriptor %d",
	       info.si_fd);
}

static ssize_t get_signal(int fd, void *to, size_t room)
{
	return read_or(fd, to, room, wait_signal);
}

/* ---- Linux AIO ---- */

void aio_begin(struct aio *aio)
{
	aio->context = 0;
	NEED(!syscall(SYS_io_setup, 64, &aio->context), "io_setup: %s", strerror(errno));
}

struct iocb aio_request(int opcode, int fd, const void *memory, size_t len)
{
	return (struct iocb) {
		.aio_lio_opcode = opcode, .aio_fildes = fd,
		.aio_buf = (uintptr_t)memory, .aio_nbytes = len,
	};
}

long aio_submit(struct aio *aio, struct iocb *iocb)
{
	return result_of(syscall(SYS_io_submit, aio->context, 1, &iocb));
}

bool aio_get(struct aio *aio, struct io_event *event, bool wait)
{
	long got;

	do {
		got = syscall(SYS_io_getevents, aio->context, wait, 1, event, NULL);
	} while (got < 0 && errno == EINTR);
	NEED(got >= 0, "io_getevents: %s", strerror(errno));
	return got;
}

long aio_cancel(struct aio *aio, struct iocb *iocb)
{
	struct io_event unused;

	return result_of(syscall(SYS_io_cancel, aio->context, iocb, &unused));
}

void aio_end(struct aio *aio)
{
	NEED(!syscall(SYS_io_destroy, aio->context), "io_destroy: %s", strerror(errno));
}

static __thread struct aio thread_aio;

static void begin_aio(int fd)
{
	(void)fd;
	aio_begin(&thread_aio);
}

static long long aio_do(struct iocb iocb)
{
	struct io_event event;

	NEED(aio_submit(&thread_aio, &iocb) == 1, "io_submit: %s", strerror(errno));
	aio_get(&thread_aio, &event, true);
	return event.res;
}

static ssize_t get_aio(int fd, void *to, size_t room)
{
	return aio_do(aio_request(IOCB_CMD_PREAD, fd, to, room));
}

static void wait_aio_poll(int fd)
{
	struct iocb iocb = aio_request(IOCB_CMD_POLL, fd, NULL, 0);

	iocb.aio_buf = POLLIN;
	NEED(aio_do(iocb) & POLLIN, "no POLLIN");
}

static ssize_t get_aio_poll(int fd, void *to, size_t room)
{
	return read_or(fd, to, room, wait_aio_poll);
}

/* ---- io_uring ---- */

#define URING_ENTRIES	16

static void *map_ring(const struct uring *ring, size_t size, uint64_t offset)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring->fd,
			offset);

	NEED(at != MAP_FAILED, "io_uring: %s", strerror(errno));
	return at;
}

void uring_begin(struct uring *ring)
{
	struct io_uring_params p = {};
	char *sq, *cq;

	ring->fd = syscall(SYS_io_uring_setup, URING_ENTRIES, &p);
	NEED(ring->fd >= 0, "io_uring_setup: %s", strerror(errno));
	sq = map_ring(ring, p.sq_off.array + p.sq_entries * sizeof(__u32), IORING_OFF_SQ_RING);
	cq = map_ring(ring, p.cq_off.cqes + p.cq_entries * sizeof(struct io_uring_cqe),
		      IORING_OFF_CQ_RING);
	ring->sqes = map_ring(ring, p.sq_entries * sizeof(struct io_uring_sqe), IORING_OFF_SQES);
	ring->sq_tail = (void *)(sq + p.sq_off.tail);
	ring->sq_mask = (void *)(sq + p.sq_off.ring_mask);
	ring->sq_array = (void *)(sq + p.sq_off.array);
	ring->cq_head = (void *)(cq + p.cq_off.head);
	ring->cq_tail = (void *)(cq + p.cq_off.tail);
	ring->cq_mask = (void *)(cq + p.cq_off.ring_mask);
	ring->cqes = (void *)(cq + p.cq_off.cqes);
}

static long enter(const struct uring *ring, unsigned int submit, unsigned int wait)
{
	long done;

	do {
		done = syscall(SYS_io_uring_enter, ring->fd, submit, wait,
			       wait ? IORING_ENTER_GETEVENTS : 0, NULL, 0);
	} while (done < 0 && errno == EINTR);
	NEED(done >= 0, "io_uring_enter: %s", strerror(errno));
	return done;
}

static void submit(struct uring *ring, const struct io_uring_sqe *sqe)
{
	const unsigned int at = *ring->sq_tail & *ring->sq_mask;

	ring->sqes[at] = *sqe;
	ring->sq_array[at] = at;
	__atomic_store_n(ring->sq_tail, *ring->sq_tail + 1, __ATOMIC_RELEASE);
	NEED(enter(ring, 1, 0) == 1, "not submitted");
}

void uring_read(struct uring *ring, int fd, void *to, size_t room, int rw_flags)
{
	const struct io_uring_sqe sqe = {
		.opcode = IORING_OP_READ, .fd = fd, .addr = (uintptr_t)to, .len = room,
		.off = -1, .rw_flags = rw_flags,
	};

	submit(ring, &sqe);
}

void uring_poll(struct uring *ring, int fd)
{
	const struct io_uring_sqe sqe = {
		.opcode = IORING_OP_POLL_ADD, .fd = fd, .poll32_events = POLLIN,
	};

	submit(ring, &sqe);
}

void uring_poll_multishot(struct uring *ring, int fd)
{
	const struct io_uring_sqe sqe = {
		.opcode = IORING_OP_POLL_ADD, .fd = fd, .poll32_events = POLLIN,
		.len = IORING_POLL_ADD_MULTI,
	};

	submit(ring, &sqe);
}

bool uring_get_flagged(struct uring *ring, int *result, bool *last, bool wait)
{
	const unsigned int head = *ring->cq_head;

	/* Also lets the kernel finish what this thread has to do for it. */
	enter(ring, 0, wait);
	if (__atomic_load_n(ring->cq_tail, __ATOMIC_ACQUIRE) == head)
		return false;
	*result = ring->cqes[head & *ring->cq_mask].res;
	*last = !(ring->cqes[head & *ring->cq_mask].flags & IORING_CQE_F_MORE);
	__atomic_store_n(ring->cq_head, head + 1, __ATOMIC_RELEASE);
	return true;
}

bool uring_get(struct uring *ring, int *result, bool wait)
{
	bool last;

	return uring_get_flagged(ring, result, &last, wait);
}

static __thread struct uring thread_ring;

static void begin_uring(int fd)
{
	(void)fd;
	uring_begin(&thread_ring);
}

static ssize_t get_uring(int fd, void *to, size_t room)
{
	int result;

	uring_read(&thread_ring, fd, to, room, 0);
	while (!uring_get(&thread_ring, &result, true))
		;
	return result;
}

static void wait_uring_poll(int fd)
{
	int result;

	uring_poll(&thread_ring, fd);
	while (!uring_get(&thread_ring, &result, true))
		;
	NEED(result > 0 && result & POLLIN, "io_uring poll: %d", result);
}

static ssize_t get_uring_poll(int fd, void *to, size_t room)
{
	return read_or(fd, to, room, wait_uring_poll);
}

/* The request stays; what it says is that the file became readable, not that it is. */
static __thread bool asked;

static void wait_uring_multishot(int fd)
{
	bool last;
	int result;

	if (!asked)
		uring_poll_multishot(&thread_ring, fd);
	while (!uring_get_flagged(&thread_ring, &result, &last, true))
		;
	asked = !last;
	NEED(result > 0 && result & POLLIN, "io_uring multishot poll: %d", result);
}

static ssize_t get_uring_multishot(int fd, void *to, size_t room)
{
	return read_or(fd, to, room, wait_uring_multishot);
}

/* ---- splice ---- */

static __thread int pipe_fds[2], socket_fds[2], file_fd;

static void begin_splice(int fd)
{
	(void)fd;
	NEED(!pipe2(pipe_fds, O_CLOEXEC), "pipe: %s", strerror(errno));
	NEED(!socketpair(AF_UNIX, SOCK_STREAM, 0, socket_fds), "socketpair: %s", strerror(errno));
	file_fd = syscall(SYS_memfd_create, "splice", 0);
	NEED(file_fd >= 0, "memfd: %s", strerror(errno));
}

/* All of it, which is there or about to come. */
static void read_all(int from, void *to, size_t len)
{
	ssize_t got;

	for (; len; len -= got, to = (char *)to + got) {
		got = read(from, to, len);
		NEED(got > 0, "what was spliced is not there: %s", strerror(errno));
	}
}

static ssize_t splice_in(int fd, size_t room)
{
	ssize_t got;

	do {
		got = result_of(splice(fd, NULL, pipe_fds[1], NULL, room, 0));
	} while (got == -EAGAIN);
	return got;
}

static ssize_t get_splice(int fd, void *to, size_t room)
{
	const ssize_t got = splice_in(fd, room);

	if (got > 0)
		read_all(pipe_fds[0], to, got);
	return got;
}

static ssize_t get_splice_to_file(int fd, void *to, size_t room)
{
	const ssize_t got = splice_in(fd, room);
	loff_t at = 0;

	if (got <= 0)
		return got;
	NEED(splice(pipe_fds[0], NULL, file_fd, &at, got, 0) == got, "splice to a file: %s",
	     strerror(errno));
	NEED(pread(file_fd, to, got, 0) == got, "pread: %s", strerror(errno));
	return got;
}

/* Piece by piece, as the socket takes no more than its reader makes room for. */
static ssize_t get_splice_to_socket(int fd, void *to, size_t room)
{
	const ssize_t got = splice_in(fd, room);
	ssize_t done, moved;

	for (done = 0; done < got; done += moved) {
		moved = splice(pipe_fds[0], NULL, socket_fds[0], NULL, got - done,
			       SPLICE_F_NONBLOCK);
		NEED(moved > 0, "splice to a socket: %s", strerror(errno));
		read_all(socket_fds[1], (char *)to + done, moved);
	}
	return got;
}

const struct way
way_read		= { "read", begin_nothing, get_read },
way_poll		= { "poll", begin_nothing, get_poll },
way_epoll		= { "epoll", begin_epoll, get_epoll },
way_signal		= { "signal", begin_signal, get_signal },
way_aio			= { "aio", begin_aio, get_aio },
way_aio_poll		= { "aio poll", begin_aio, get_aio_poll },
way_uring		= { "io_uring", begin_uring, get_uring },
way_uring_poll		= { "io_uring poll", begin_uring, get_uring_poll },
way_uring_multishot	= { "io_uring multishot poll", begin_uring, get_uring_multishot },
way_splice		= { "splice", begin_splice, get_splice },
way_splice_to_file	= { "splice to a file", begin_splice, get_splice_to_file },
way_splice_to_socket	= { "splice to a socket", begin_splice, get_splice_to_socket };
