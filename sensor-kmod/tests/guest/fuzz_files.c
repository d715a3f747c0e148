// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls on data files, the marker and control files, in any order, with
 * descriptors that other threads use and close.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "fuzz.h"
#include "sensor.h"

#define ROOM	(1 << 20)

/* -1 where none is open. */
static int files[FUZZ_FILES];
static int epolls[2];
static int pipes[2];

static int some_file(struct chance *c)
{
	return __atomic_load_n(&files[chance_below(c, FUZZ_FILES)], __ATOMIC_RELAXED);
}

static void put_file(struct chance *c, int fd)
{
	const int old = __atomic_exchange_n(&files[chance_below(c, FUZZ_FILES)], fd,
					    __ATOMIC_RELAXED);

	if (old >= 0)
		close(old);
}

void fuzz_open(struct chance *c)
{
	static const char *const names[] = { "cpu0", "cpu1", "merged", "cpu0", "cpu7" };
	static const int modes[] = { O_RDONLY, O_RDONLY, O_RDONLY, O_RDONLY, O_RDWR, O_PATH };
	char buffer[MAGNET_NAME_SIZE], path[160];
	int fd;

	fuzz_buffer_name(c, buffer, sizeof(buffer));
	snprintf(path, sizeof(path), "%s/%s/%s",
		 chance_one_of(c, 2) ? "/dev/magnet" : MAGNET_DEBUGFS "/data", buffer,
		 names[chance_below(c, KTAP_SIZE(names))]);
	fd = open(path, modes[chance_below(c, KTAP_SIZE(modes))] | O_CLOEXEC |
		  (chance_below(c, 4) ? O_NONBLOCK : 0));
	if (fd < 0)
		return;
	fuzz_note(FUZZ_OPENED);
	put_file(c, fd);
}

void fuzz_close(struct chance *c)
{
	put_file(c, -1);
}

void fuzz_lseek(struct chance *c)
{
	const unsigned int option = chance_below(c, 8) ? chance_below(c, 9) : chance_next(c) & 0xff;
	uint64_t value = chance_below(c, 4) ? chance_below(c, 100000) : chance_number(c);
	static const int whences[] = { SEEK_SET, SEEK_SET, SEEK_CUR, SEEK_END, SEEK_DATA };

	/* Most attributes keep a read from returning; few are to be set at a time. */
	if (chance_below(c, 3))
		value = 0;
	if (lseek(some_file(c), chance_below(c, 16) ? MAGNET_ATTR(option, value) :
		  (off_t)chance_number(c), whences[chance_below(c, KTAP_SIZE(whences))]) >= 0)
		fuzz_note(FUZZ_SET);
}

static size_t room_of(struct chance *c)
{
	static const size_t rooms[] = { 0, 1, 31, 32, 40, 64, 4096, 65536, ROOM };

	return chance_one_of(c, 4) ? chance_below(c, ROOM) :
				     rooms[chance_below(c, KTAP_SIZE(rooms))];
}

static char *memory(void)
{
	static __thread char *data;

	if (!data)
		data = malloc(ROOM);
	NEED(data, "no memory");
	return data;
}

void fuzz_read(struct chance *c)
{
	static const int flags[] = { RWF_NOWAIT, RWF_NOWAIT, RWF_NOWAIT, 0, RWF_HIPRI, RWF_APPEND,
				     RWF_NOWAIT | RWF_HIPRI, 1 << 20 };
	char *data = memory();
	struct iovec iov[5];
	unsigned int i, n = 1 + chance_below(c, 5);

	/* Where reads block, the main thread's signal ends that after a while. */
	if (chance_one_of(c, 50)) {
		read(some_file(c), data, room_of(c));
		return;
	}
	for (i = 0; i < n; i++) {
		iov[i].iov_base = chance_below(c, 30) ? data : (void *)(uintptr_t)chance_number(c);
		iov[i].iov_len = room_of(c);
	}
	if (chance_below(c, 10)) {
		if (preadv2(some_file(c), iov, n, -1, flags[chance_below(c, 3)]) > 0)
			fuzz_note(FUZZ_READ);
	} else {
		preadv2(some_file(c), iov, n, chance_one_of(c, 2) ? -1 : (off_t)chance_number(c),
			flags[chance_below(c, KTAP_SIZE(flags))]);
	}
}

void fuzz_poll(struct chance *c)
{
	struct epoll_event events[4], event = { .events = EPOLLIN | EPOLLPRI };
	struct pollfd fds[3];
	unsigned int i;

	event.events |= chance_one_of(c, 2) ? EPOLLET : 0;
	event.events |= chance_one_of(c, 4) ? EPOLLONESHOT : 0;
	if (chance_one_of(c, 4)) {
		epoll_ctl(epolls[chance_below(c, 2)], 1 + chance_below(c, 3), some_file(c), &event);
		return;
	}
	if (chance_one_of(c, 4)) {
		epoll_wait(epolls[chance_below(c, 2)], events, 4, chance_one_of(c, 100));
		return;
	}
	for (i = 0; i < KTAP_SIZE(fds); i++)
		fds[i] = (struct pollfd){ .fd = some_file(c), .events = chance_next(c) };
	if (poll(fds, KTAP_SIZE(fds), chance_one_of(c, 100)) > 0 && fds[0].revents & POLLIN)
		fuzz_note(FUZZ_POLLED);
}

/*
 * A descriptor that another thread has just closed may by now be anything that
 * this process opens: the calls stay harmless then.
 */
void fuzz_odd(struct chance *c)
{
	const int fd = some_file(c);
	char text[64] = "no reader writes";
	struct stat st;
	void *at;

	switch (chance_below(c, 9)) {
	case 0:
		fcntl(fd, F_SETFL, (chance_one_of(c, 2) ? O_NONBLOCK : 0) |
		      (chance_one_of(c, 2) ? O_ASYNC : 0));
		break;
	case 1:
		fcntl(fd, F_SETOWN, chance_one_of(c, 2) ? getpid() : 0);
		break;
	case 2:
		at = mmap(NULL, 4096 << chance_below(c, 6), PROT_READ, MAP_SHARED, fd, 0);
		if (at != MAP_FAILED)
			munmap(at, 4096);
		break;
	case 3:
		ioctl(fd, chance_number(c), memory());
		break;
	case 4:
		write(fd, text, chance_below(c, sizeof(text)));
		break;
	case 5:
		fstat(fd, &st);
		break;
	case 6:
		splice(fd, NULL, pipes[1], NULL, room_of(c), SPLICE_F_NONBLOCK);
		break;
	case 7:
		sendfile(pipes[1], fd, NULL, room_of(c));
		break;
	default:
		/* Makes room in the pipe, and answers what splice put there. */
		while (read(pipes[0], memory(), ROOM) > 0)
			;
	}
}

void fuzz_share(struct chance *c)
{
	const int fd = some_file(c);
	pid_t pid;

	if (chance_below(c, 20)) {
		const int copy = fcntl(fd, F_DUPFD_CLOEXEC, 100);

		if (copy >= 0)
			put_file(c, copy);
		return;
	}
	pid = fork();
	if (!pid) {
		const struct iovec iov = { .iov_base = memory(), .iov_len = ROOM };

		preadv2(fd, &iov, 1, -1, RWF_NOWAIT);
		_exit(0);
	}
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

void fuzz_marker(struct chance *c)
{
	static const char *const paths[] = { "/dev/magnet/marker", MAGNET_DEBUGFS "/marker" };
	char text[5000];
	const size_t len = chance_below(c, 4) ? chance_below(c, 64) : chance_below(c, sizeof(text));
	const int fd = open(paths[chance_below(c, 2)], O_WRONLY | O_CLOEXEC);

	memset(text, 'a' + chance_below(c, 26), len);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)chance_number(c));
	if (write(fd, text, len) == (ssize_t)len && len)
		fuzz_note(FUZZ_MARKED);
	close(fd);
}

void fuzz_control_file(struct chance *c)
{
	static const char *const names[] = { "events", "buffers", "filters", "format", "clock",
					     "stats", "version", "drop_reasons" };
	const size_t room = 1 + chance_below(c, 8192);
	char path[128];
	int fd;

	snprintf(path, sizeof(path), MAGNET_CONTROL "/%s",
		 names[chance_below(c, KTAP_SIZE(names))]);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	while (chance_below(c, 20) && read(fd, memory(), room) > 0)
		if (chance_one_of(c, 20))
			lseek(fd, chance_number(c), SEEK_SET);
	close(fd);
}

/* The points that are subscribed most often. */
void fuzz_events(struct chance *c)
{
	static int fd = -1;
	unsigned int n = 1 + chance_below(c, 20);

	if (fd < 0)
		fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	while (n--)
		send(fd, memory(), 1, 0);
}

void fuzz_files_begin(void)
{
	unsigned int i;

	for (i = 0; i < FUZZ_FILES; i++)
		files[i] = -1;
	for (i = 0; i < 2; i++)
		epolls[i] = epoll_create1(EPOLL_CLOEXEC);
	NEED(!pipe2(pipes, O_NONBLOCK | O_CLOEXEC), "no pipe");
}

void fuzz_files_end(void)
{
	unsigned int i;

	for (i = 0; i < FUZZ_FILES; i++)
		if (files[i] >= 0)
			close(files[i]);
	for (i = 0; i < 2; i++) {
		close(epolls[i]);
		close(pipes[i]);
	}
}
