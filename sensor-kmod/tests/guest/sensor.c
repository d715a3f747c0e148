// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <netinet/in.h>

#include "guest.h"
#include "processor.h"
#include "sensor.h"

void sensor_make(struct sensor *s, uint64_t size)
{
	memset(s, 0, sizeof(*s));
	s->fd = -1;
	NEED(!ctl_open(&s->ctl), "%s", s->ctl.error);
	snprintf(s->buffer, sizeof(s->buffer), "test-%d", (int)getpid());
	NEED(!ctl_buffer_new(&s->ctl, s->buffer, size, 0, &s->size), "buffer: %s", s->ctl.error);
}

void sensor_subscribe(struct sensor *s, const char *point, uint32_t flags)
{
	NEED(!ctl_sub_new(&s->ctl, point, s->buffer, flags, &s->sub), "%s: %s", point,
	     s->ctl.error);
}

void sensor_open(struct sensor *s, unsigned int cpu)
{
	s->cpu = cpu;
	s->fd = ctl_data_open(s->buffer, cpu, 0);
	NEED(s->fd >= 0, "cpu%u: %s", cpu, strerror(-s->fd));
}

void sensor_end(struct sensor *s)
{
	char path[128];

	snprintf(path, sizeof(path), MAGNET_DEBUGFS "/data/%s", s->buffer);
	ctl_close(&s->ctl);
	UNTIL(access(path, F_OK) && errno == ENOENT);
}

/* ---- events ---- */

void sensor_emit_len(size_t len)
{
	static char data[65536];
	static int fd = -1;

	if (fd < 0)
		fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	NEED(fd >= 0 && len <= sizeof(data), "no socket");
	/* Without a destination it ends in udp_sendmsg(): an event, and no packet. */
	NEED(send(fd, data, len, 0) < 0 && errno == EDESTADDRREQ, "send: %s", strerror(errno));
}

void sensor_emit(unsigned int n)
{
	while (n--)
		sensor_emit_len(1);
}

/* ---- the data file ---- */

long long attr_set(int fd, unsigned int option, uint64_t value)
{
	const off_t result = lseek(fd, MAGNET_ATTR(option, value), SEEK_SET);

	return result < 0 ? -errno : result;
}

long long attr_get(int fd, unsigned int option)
{
	const off_t result = lseek(fd, MAGNET_ATTR(option, 0), SEEK_CUR);

	return result < 0 ? -errno : result;
}

void attr_need(int fd, unsigned int option, uint64_t value)
{
	const long long result = attr_set(fd, option, value);

	NEED(!result, "attribute %u = %llu: %lld", option, (unsigned long long)value, result);
}

static char *memory(void)
{
	static __thread char *data;

	if (!data)
		data = malloc(DATA_ROOM);
	NEED(data, "no memory");
	return data;
}

static ssize_t got(ssize_t result, struct batch *b, const void *data)
{
	const unsigned int clocks = b->clocks;

	if (result < 0)
		return -errno;
	batch_add(b, data, result);
	if (b->clocks != clocks)
		guest_disturbed();
	return result;
}

ssize_t data_read(int fd, struct batch *b, size_t room)
{
	char *data = memory();

	return got(read(fd, data, room), b, data);
}

ssize_t data_read_now(int fd, struct batch *b, size_t room)
{
	const struct iovec iov = { .iov_base = memory(), .iov_len = room };

	return got(preadv2(fd, &iov, 1, -1, RWF_NOWAIT), b, iov.iov_base);
}

static struct batch drain(int fd)
{
	const struct iovec iov = { .iov_base = memory(), .iov_len = DATA_ROOM };
	struct batch b = {};
	ssize_t result;

	for (;;) {
		attr_need(fd, MAGNET_ATTR_FLUSH, 0);
		result = preadv2(fd, &iov, 1, -1, RWF_NOWAIT);
		if (result <= 0)
			break;
		batch_add(&b, iov.iov_base, result);
	}
	NEED(!result || errno == EAGAIN, "read: %s", strerror(errno));
	return b;
}

struct batch data_drain(int fd)
{
	const struct batch b = drain(fd);

	if (b.clocks)
		guest_disturbed();
	return b;
}

void sensor_start(struct sensor *s)
{
	sensor_make(s, MAGNET_BUFFER_SIZE_MIN);
	sensor_subscribe(s, "inet_sendmsg", 0);
	sensor_open(s, 0);
	guest_on_cpu(0);
	/* Every ring begins with a CLOCK record. */
	drain(s->fd);
}

/* A read into no memory at all says whether it would return, and takes nothing. */
static bool read_would_return(int fd)
{
	const struct iovec iov = { .iov_base = memory(), .iov_len = 1 };
	const ssize_t result = preadv2(fd, &iov, 1, -1, RWF_NOWAIT);

	NEED(!result || errno == EAGAIN || errno == EMSGSIZE, "read: %zd %s", result,
	     strerror(errno));
	return !result || errno == EMSGSIZE;
}

static bool poll_says_readable(int fd)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };

	return poll(&pfd, 1, 0) == 1 && pfd.revents & POLLIN;
}

/* A time may pass between two questions; so read has to agree with one of two polls. */
bool data_is_readable(int fd)
{
	const bool before = poll_says_readable(fd);
	const bool read_says = read_would_return(fd);
	const bool after = poll_says_readable(fd);

	EXPECT(read_says == before || read_says == after, "poll says %s, read says %s",
	       before ? "yes" : "no", read_says ? "yes" : "no");
	return read_says;
}

/* ---- sleepers ---- */

static void *read_thread(void *arg)
{
	struct sleeper *s = arg;

	s->called = guest_now_us();
	__atomic_store_n(&s->tid, guest_tid(), __ATOMIC_RELEASE);
	s->result = data_read(s->fd, &s->batch, s->room);
	s->returned = guest_now_us();
	__atomic_store_n(&s->done, true, __ATOMIC_RELEASE);
	return NULL;
}

static void *poll_thread(void *arg)
{
	struct sleeper *s = arg;
	struct pollfd pfd = { .fd = s->fd, .events = POLLIN };

	s->called = guest_now_us();
	__atomic_store_n(&s->tid, guest_tid(), __ATOMIC_RELEASE);
	s->result = poll(&pfd, 1, -1);
	if (s->result < 0)
		s->result = -errno;
	s->revents = pfd.revents;
	s->returned = guest_now_us();
	__atomic_store_n(&s->done, true, __ATOMIC_RELEASE);
	return NULL;
}

/* Who was woken to look again sleeps again in a moment. */
bool sleeper_sleeps(const struct sleeper *s, long syscall_nr)
{
	UNTIL(__atomic_load_n(&s->done, __ATOMIC_ACQUIRE) || guest_sleeps_in(s->tid, syscall_nr));
	return !__atomic_load_n(&s->done, __ATOMIC_ACQUIRE);
}

static void start(struct sleeper *s, int fd, void *(*run)(void *), long syscall_nr)
{
	memset(s, 0, sizeof(*s));
	s->fd = fd;
	s->room = DATA_ROOM;
	NEED(!pthread_create(&s->thread, NULL, run, s), "no thread");
	UNTIL(__atomic_load_n(&s->tid, __ATOMIC_ACQUIRE));
	sleeper_sleeps(s, syscall_nr);
}

void sleeper_read(struct sleeper *s, int fd)
{
	start(s, fd, read_thread, SYS_read);
}

void sleeper_poll(struct sleeper *s, int fd)
{
	start(s, fd, poll_thread, SYS_OF_POLL);
}

long sleeper_join(struct sleeper *s)
{
	pthread_join(s->thread, NULL);
	return s->result;
}
