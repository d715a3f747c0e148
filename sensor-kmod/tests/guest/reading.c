// SPDX-License-Identifier: GPL-2.0-only
/*
 * When a read returns, and what: each attribute's effect on read and poll, which
 * always say the same.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "guest.h"
#include "processor.h"
#include "sensor.h"

#define HOUR_US		MAGNET_READ_TIMEOUT_MAX_US
/* More than a test logs, and less than the ring holds. */
#define MANY		1000

static struct sensor s;

static void set(unsigned int option, uint64_t value)
{
	attr_need(s.fd, option, value);
}

/* The next read gets exactly this many events. */
#define EXPECT_EVENTS(n)							\
	do {									\
		struct batch b_ = {};						\
		const ssize_t got_ = data_read_now(s.fd, &b_, DATA_ROOM);	\
										\
		EXPECT(got_ > 0, "read: %s", strerror(-got_));			\
		EXPECT(b_.events == (n), "%u events, not %u", b_.events, (n));	\
	} while (0)

#define EXPECT_AGAIN(room)							\
	do {									\
		struct batch b_ = {};						\
		const ssize_t got_ = data_read_now(s.fd, &b_, room);		\
										\
		EXPECT(got_ == -EAGAIN, "read: %zd", got_);			\
	} while (0)

/* ---- minima ---- */

static void one_record_is_enough(void)
{
	sensor_start(&s);
	EXPECT_NOT_READABLE(s.fd);
	EXPECT_AGAIN(DATA_ROOM);
	sensor_emit(1);
	EXPECT_READABLE(s.fd);
	EXPECT_EVENTS(1);
	EXPECT_NOT_READABLE(s.fd);
}

static void readsize_watermark(void)
{
	sensor_start(&s);
	set(MAGNET_ATTR_READSIZE_WATERMARK, 10 * records_event_size());
	sensor_emit(9);
	EXPECT_NOT_READABLE(s.fd);
	sensor_emit(1);
	EXPECT_READABLE(s.fd);
	EXPECT_EVENTS(10);

	/* A byte more than nine, a byte less than eleven. */
	set(MAGNET_ATTR_READSIZE_WATERMARK, 9 * records_event_size() + 1);
	sensor_emit(9);
	EXPECT_NOT_READABLE(s.fd);
	sensor_emit(1);
	EXPECT_READABLE(s.fd);
	EXPECT_EVENTS(10);
}

static void readcount_watermark(void)
{
	sensor_start(&s);
	set(MAGNET_ATTR_READCOUNT_WATERMARK, 10);
	sensor_emit(9);
	EXPECT_NOT_READABLE(s.fd);
	sensor_emit(1);
	EXPECT_READABLE(s.fd);
	sensor_emit(1);
	EXPECT_EVENTS(11);
	sensor_emit(9);
	EXPECT_NOT_READABLE(s.fd);
	sensor_emit(1);
	EXPECT_EVENTS(10);
}

static void both_watermarks_have_to_hold(void)
{
	sensor_start(&s);
	set(MAGNET_ATTR_READCOUNT_WATERMARK, 10);
	set(MAGNET_ATTR_READSIZE_WATERMARK, 5 * records_event_size());
	sensor_emit(5);
	EXPECT_NOT_READABLE(s.fd);
	sensor_emit(5);
	EXPECT_READABLE(s.fd);
	EXPECT_EVENTS(10);
	set(MAGNET_ATTR_READSIZE_WATERMARK, 12 * records_event_size());
	sensor_emit(10);
	EXPECT_NOT_READABLE(s.fd);
	sensor_emit(2);
	EXPECT_READABLE(s.fd);
}

/* What is left after a read counts for the next. */
static void watermark_counts_what_was_left(void)
{
	struct batch b = {};

	sensor_start(&s);
	set(MAGNET_ATTR_READCOUNT_WATERMARK, 5);
	sensor_emit(8);
	EXPECT_EQ(data_read_now(s.fd, &b, 4 * records_event_size()), 4 * records_event_size());
	EXPECT_NOT_READABLE(s.fd);
	sensor_emit(1);
	EXPECT_READABLE(s.fd);
	EXPECT_EVENTS(5);
}

static void min_holds_a_read_back(void)
{
	sensor_start(&s);
	set(MAGNET_ATTR_MIN_READ_TIMEOUT, HOUR_US);
	sensor_emit(3);
	EXPECT_NOT_READABLE(s.fd);
	set(MAGNET_ATTR_MIN_READ_TIMEOUT, 0);
	EXPECT_READABLE(s.fd);
	EXPECT_EVENTS(3);
}

/* It counts from the previous read's return; here, from before its call. */
static void min_passes_for_read_and_poll(void)
{
	const uint64_t min_us = 300000;
	struct sleeper reader;
	struct batch b = {};
	uint64_t before;

	sensor_start(&s);
	sensor_emit(1);
	before = guest_now_us();
	EXPECT(data_read_now(s.fd, &b, DATA_ROOM) > 0, "nothing there");
	set(MAGNET_ATTR_MIN_READ_TIMEOUT, min_us);
	sensor_emit(2);
	sleeper_poll(&reader, s.fd);
	EXPECT_EQ(sleeper_join(&reader), 1);
	EXPECT(reader.returned - before >= min_us, "poll returned after %llu us",
	       (unsigned long long)(reader.returned - before));
	EXPECT_READABLE(s.fd);

	before = guest_now_us();
	EXPECT(data_read_now(s.fd, &b, DATA_ROOM) > 0, "nothing there");
	sensor_emit(4);
	sleeper_read(&reader, s.fd);
	EXPECT(sleeper_join(&reader) > 0, "read: %s", strerror(-reader.result));
	EXPECT(reader.returned - before >= min_us, "read returned after %llu us",
	       (unsigned long long)(reader.returned - before));
	EXPECT_EQ(reader.batch.events, 4);
}

static void min_and_watermark_both_hold(void)
{
	sensor_start(&s);
	set(MAGNET_ATTR_READCOUNT_WATERMARK, 3);
	set(MAGNET_ATTR_MIN_READ_TIMEOUT, 1);
	sensor_emit(2);
	guest_nap();
	EXPECT_NOT_READABLE(s.fd);
	sensor_emit(1);
	guest_nap();
	EXPECT_READABLE(s.fd);
}

/* ---- the latest time ---- */

static void max_returns_what_is_there(void)
{
	const uint64_t max_us = 300000;
	struct sleeper reader;
	struct batch b = {};
	uint64_t before;

	sensor_start(&s);
	set(MAGNET_ATTR_READCOUNT_WATERMARK, MANY);
	set(MAGNET_ATTR_MAX_READ_TIMEOUT, HOUR_US);
	sensor_emit(3);
	EXPECT_NOT_READABLE(s.fd);
	set(MAGNET_ATTR_MAX_READ_TIMEOUT, 1);
	EXPECT_READABLE(s.fd);
	before = guest_now_us();
	EXPECT(data_read_now(s.fd, &b, DATA_ROOM) > 0, "nothing there");

	set(MAGNET_ATTR_MAX_READ_TIMEOUT, max_us);
	sensor_emit(2);
	sleeper_poll(&reader, s.fd);
	EXPECT_EQ(sleeper_join(&reader), 1);
	EXPECT(reader.returned - before >= max_us, "poll returned after %llu us",
	       (unsigned long long)(reader.returned - before));
	EXPECT_READABLE(s.fd);
	before = guest_now_us();
	EXPECT_EVENTS(2);

	sensor_emit(4);
	sleeper_read(&reader, s.fd);
	EXPECT(sleeper_join(&reader) > 0, "read: %s", strerror(-reader.result));
	EXPECT(reader.returned - before >= max_us, "read returned after %llu us",
	       (unsigned long long)(reader.returned - before));
	EXPECT_EQ(reader.batch.events, 4);
}

static void max_with_nothing_is_eagain(void)
{
	const uint64_t max_us = 200000;
	struct sleeper reader;
	struct pollfd pfd;

	sensor_start(&s);
	set(MAGNET_ATTR_MAX_READ_TIMEOUT, max_us);
	sleeper_read(&reader, s.fd);
	EXPECT_EQ(sleeper_join(&reader), -EAGAIN);
	EXPECT(reader.returned - reader.called >= max_us, "read returned after %llu us",
	       (unsigned long long)(reader.returned - reader.called));
	/* poll has its own time limit, and nothing to say. */
	pfd = (struct pollfd) { .fd = s.fd, .events = POLLIN };
	EXPECT_EQ(poll(&pfd, 1, 2 * max_us / 1000), 0);
	EXPECT_NOT_READABLE(s.fd);
}

/* The latest time is over: the first record that comes is enough. */
static void after_max_one_record_is_enough(void)
{
	struct sleeper sleeper;

	sensor_start(&s);
	set(MAGNET_ATTR_READCOUNT_WATERMARK, MANY);
	set(MAGNET_ATTR_MAX_READ_TIMEOUT, 1000);
	guest_nap();
	guest_nap();
	sleeper_poll(&sleeper, s.fd);
	EXPECT(sleeper_sleeps(&sleeper, SYS_OF_POLL), "poll found something");
	sensor_emit(1);
	EXPECT_EQ(sleeper_join(&sleeper), 1);
	EXPECT_READABLE(s.fd);
	EXPECT_EVENTS(1);
}

static void max_ends_min(void)
{
	sensor_start(&s);
	set(MAGNET_ATTR_MIN_READ_TIMEOUT, HOUR_US);
	set(MAGNET_ATTR_MAX_READ_TIMEOUT, 1000);
	sensor_emit(1);
	UNTIL(data_is_readable(s.fd));
	EXPECT_EVENTS(1);
}

/* ---- how much one read returns ---- */

static void max_read_watermark(void)
{
	const size_t event = records_event_size();
	struct batch b = {};

	sensor_start(&s);
	set(MAGNET_ATTR_MAX_READ_WATERMARK, 3 * event + event / 2);
	sensor_emit(8);
	EXPECT_EQ(data_read_now(s.fd, &b, DATA_ROOM), 3 * event);
	EXPECT_EQ(data_read_now(s.fd, &b, DATA_ROOM), 3 * event);
	EXPECT_EQ(data_read_now(s.fd, &b, DATA_ROOM), 2 * event);
	EXPECT_NOT_READABLE(s.fd);

	/* Less than the next record needs: it is there, and stays. */
	set(MAGNET_ATTR_MAX_READ_WATERMARK, records_header_size());
	sensor_emit(2);
	EXPECT_EQ(data_read_now(s.fd, &b, DATA_ROOM), -EMSGSIZE);
	set(MAGNET_ATTR_MAX_READ_WATERMARK, 0);
	EXPECT_EVENTS(2);
}

/* It says nothing about when: a minimum above it still has to hold. */
static void max_read_watermark_is_no_minimum(void)
{
	struct batch b = {};

	sensor_start(&s);
	set(MAGNET_ATTR_MAX_READ_WATERMARK, records_event_size());
	set(MAGNET_ATTR_READCOUNT_WATERMARK, 3);
	sensor_emit(2);
	EXPECT_NOT_READABLE(s.fd);
	sensor_emit(1);
	EXPECT_READABLE(s.fd);
	EXPECT_EQ(data_read_now(s.fd, &b, DATA_ROOM), records_event_size());
	EXPECT_NOT_READABLE(s.fd);
}

static void small_memory_is_emsgsize_and_loses_nothing(void)
{
	const size_t event = records_event_size();
	struct batch b = {}, first = {};
	unsigned int i;

	sensor_start(&s);
	for (i = 1; i <= 5; i++)
		sensor_emit_len(i);
	EXPECT_EQ(data_read_now(s.fd, &b, 1), -EMSGSIZE);
	EXPECT_EQ(data_read_now(s.fd, &b, event - 1), -EMSGSIZE);
	EXPECT_EQ(data_read(s.fd, &b, event - 1), -EMSGSIZE);
	EXPECT_EQ(data_read_now(s.fd, &b, 0), 0);
	EXPECT_READABLE(s.fd);
	EXPECT_EQ(data_read_now(s.fd, &first, event), event);
	EXPECT_EQ(first.first_len, 1);
	/* Whole records only. */
	first = (struct batch) {};
	EXPECT_EQ(data_read_now(s.fd, &first, 2 * event - 1), event);
	EXPECT_EQ(first.first_len, 2);
	EXPECT_EQ(data_read_now(s.fd, &b, event - 8), -EMSGSIZE);
	EXPECT_EQ(data_read_now(s.fd, &b, DATA_ROOM), 3 * event);
	EXPECT_EQ(b.first_len, 3);
	EXPECT_EQ(b.last_len, 5);
}

static void memory_in_pieces(void)
{
	const size_t event = records_event_size();
	char data[4 * 64];
	struct iovec iov[4];
	struct batch b = {};
	int i;

	sensor_start(&s);
	for (i = 0; i < 4; i++)
		iov[i] = (struct iovec) { data + 17 * i, 17 };
	iov[3].iov_len = sizeof(data) - 3 * 17;
	sensor_emit_len(11);
	sensor_emit_len(12);
	EXPECT_EQ(readv(s.fd, iov, 4), 2 * event);
	batch_add(&b, data, 2 * event);
	EXPECT_EQ(b.first_len, 11);
	EXPECT_EQ(b.last_len, 12);
}

/* Two pages, the second of which nobody may touch. */
static void bad_memory_loses_nothing(void)
{
	const size_t event = records_event_size();
	char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct batch b = {};

	sensor_start(&s);
	REQUIRE(page != MAP_FAILED && !mprotect(page + 4096, 4096, PROT_NONE), "no memory");
	sensor_emit_len(1);
	sensor_emit_len(2);
	sensor_emit_len(3);
	EXPECT(read(s.fd, page + 4096, 4096) < 0 && errno == EFAULT, "read: %s", strerror(errno));
	EXPECT(read(s.fd, page + 4096 - event + 1, 4096) < 0 && errno == EFAULT,
	       "read: %s", strerror(errno));
	/* One and a half records fit: the one is delivered. */
	EXPECT_EQ(read(s.fd, page + 4096 - event - 8, 4096), event);
	batch_add(&b, page + 4096 - event - 8, event);
	EXPECT_EQ(b.first_len, 1);
	b = (struct batch) {};
	EXPECT_EQ(data_read_now(s.fd, &b, DATA_ROOM), 2 * event);
	EXPECT_EQ(b.first_len, 2);
	EXPECT_EQ(b.last_len, 3);
}

/* ---- flush, urgent, nearly full ---- */

static void flush_makes_readable_what_is_there(void)
{
	sensor_start(&s);
	set(MAGNET_ATTR_READCOUNT_WATERMARK, MANY);
	set(MAGNET_ATTR_MIN_READ_TIMEOUT, HOUR_US);
	sensor_emit(3);
	EXPECT_NOT_READABLE(s.fd);
	set(MAGNET_ATTR_FLUSH, 0);
	EXPECT_READABLE(s.fd);
	/* What came since goes with it. */
	sensor_emit(1);
	EXPECT_EVENTS(4);
	/* Once: the minima hold again, and are as they were. */
	sensor_emit(1);
	EXPECT_NOT_READABLE(s.fd);
	EXPECT_EQ(attr_get(s.fd, MAGNET_ATTR_READCOUNT_WATERMARK), MANY);
}

static void flush_of_nothing_does_nothing(void)
{
	sensor_start(&s);
	set(MAGNET_ATTR_READCOUNT_WATERMARK, 2);
	set(MAGNET_ATTR_FLUSH, 0);
	EXPECT_NOT_READABLE(s.fd);
	sensor_emit(1);
	EXPECT_NOT_READABLE(s.fd);
	sensor_emit(1);
	EXPECT_EVENTS(2);
}

static void flush_in_pieces(void)
{
	struct batch b = {};

	sensor_start(&s);
	set(MAGNET_ATTR_READCOUNT_WATERMARK, MANY);
	sensor_emit(3);
	set(MAGNET_ATTR_FLUSH, 0);
	EXPECT_EQ(data_read_now(s.fd, &b, records_event_size()), records_event_size());
	EXPECT_READABLE(s.fd);
	EXPECT_EVENTS(2);
	EXPECT_NOT_READABLE(s.fd);
}

/* An urgent event takes along what waited before it. */
static void urgent_event_is_readable_at_once(void)
{
	struct batch b = {};

	sensor_start(&s);
	sensor_subscribe(&s, "sched_process_fork", MAGNET_F_URGENT);
	data_drain(s.fd);
	set(MAGNET_ATTR_READCOUNT_WATERMARK, MANY);
	set(MAGNET_ATTR_MIN_READ_TIMEOUT, HOUR_US);
	sensor_emit(2);
	EXPECT_NOT_READABLE(s.fd);
	if (!fork())
		_exit(0);
	EXPECT_READABLE(s.fd);
	EXPECT(data_read_now(s.fd, &b, DATA_ROOM) > 0, "nothing to read");
	EXPECT(b.events >= 3, "%u events", b.events);
	wait(NULL);
	data_drain(s.fd);
	sensor_emit(1);
	EXPECT_NOT_READABLE(s.fd);
}

static void urgent_event_wakes(void)
{
	struct sleeper sleeper;

	sensor_start(&s);
	sensor_subscribe(&s, "udp_sendmsg", MAGNET_F_URGENT);
	set(MAGNET_ATTR_READCOUNT_WATERMARK, MANY);
	set(MAGNET_ATTR_MIN_READ_TIMEOUT, HOUR_US);
	sleeper_read(&sleeper, s.fd);
	sensor_emit(1);
	EXPECT(sleeper_join(&sleeper) > 0, "read: %s", strerror(-sleeper.result));
	EXPECT_EQ(sleeper.batch.events, 2);
	sleeper_poll(&sleeper, s.fd);
	sensor_emit(1);
	EXPECT_EQ(sleeper_join(&sleeper), 1);
	EXPECT_READABLE(s.fd);
	EXPECT_EVENTS(2);
}

/* To the byte: three quarters of the ring end every minimum. */
static void three_quarters_full_is_readable(void)
{
	const size_t event = records_event_in_ring();
	unsigned int needed;

	sensor_start(&s);
	needed = (s.size / 4 * 3 + event - 1) / event;
	set(MAGNET_ATTR_MIN_READ_TIMEOUT, HOUR_US);
	sensor_emit(needed - 1);
	EXPECT_NOT_READABLE(s.fd);
	sensor_emit(1);
	EXPECT_READABLE(s.fd);
	EXPECT_EVENTS(needed);
}

static void three_quarters_full_wakes(void)
{
	const unsigned int needed = MAGNET_BUFFER_SIZE_MIN / 4 * 3 / 24 + 1;
	struct sleeper sleeper;

	sensor_start(&s);
	set(MAGNET_ATTR_MIN_READ_TIMEOUT, HOUR_US);
	set(MAGNET_ATTR_READCOUNT_WATERMARK, s.size / 4 * 3 / sizeof(struct magnet_record));
	sleeper_read(&sleeper, s.fd);
	sensor_emit(needed);
	EXPECT(sleeper_join(&sleeper) > 0, "read: %s", strerror(-sleeper.result));
	EXPECT(records_in_ring(sleeper.batch.bytes, sleeper.batch.events) >= s.size / 4 * 3,
	       "%zu bytes", sleeper.batch.bytes);
	data_drain(s.fd);
	sleeper_poll(&sleeper, s.fd);
	sensor_emit(needed);
	EXPECT_EQ(sleeper_join(&sleeper), 1);
	EXPECT_READABLE(s.fd);
}

/* ---- loss ---- */

/* Fill the ring until it drops @dropped events. */
static unsigned int overflow(unsigned int dropped)
{
	const unsigned int fit = s.size / records_event_in_ring();

	sensor_emit(fit + dropped);
	return fit;
}

static void loss_at_the_end_is_told(void)
{
	struct batch b = {};
	unsigned int fit;

	sensor_start(&s);
	fit = overflow(41);
	EXPECT(data_read_now(s.fd, &b, DATA_ROOM) > 0, "nothing to read");
	EXPECT_EQ(b.events, fit);
	EXPECT_EQ(b.lost, 41);
	EXPECT_EQ(b.lost_records, 1);
	EXPECT_NOT_READABLE(s.fd);
}

static void loss_is_told_where_it_happened(void)
{
	struct batch b = {};

	sensor_start(&s);
	overflow(7);
	/* Room for two, and for the LOST record in front of the first of them. */
	EXPECT(data_read_now(s.fd, &b, 10 * records_event_size()) > 0, "nothing to read");
	sensor_emit_len(99);
	b = (struct batch) {};
	EXPECT(data_read_now(s.fd, &b, DATA_ROOM) > 0, "nothing to read");
	EXPECT_EQ(b.lost, 7);
	EXPECT_EQ(b.last_len, 99);
	EXPECT_NOT_READABLE(s.fd);
}

/* A LOST record that does not fit stays, and so does what follows it. */
static void loss_does_not_fit(void)
{
	struct batch b = {};
	unsigned int fit;

	sensor_start(&s);
	fit = overflow(3);
	EXPECT(data_read_now(s.fd, &b, fit * records_event_size()) > 0, "nothing to read");
	EXPECT_EQ(b.lost, 0);
	EXPECT_READABLE(s.fd);
	EXPECT_EQ(data_read_now(s.fd, &b, records_event_size()), -EMSGSIZE);
	EXPECT_READABLE(s.fd);
	EXPECT(data_read_now(s.fd, &b, DATA_ROOM) > 0, "nothing to read");
	EXPECT_EQ(b.lost, 3);
	EXPECT_NOT_READABLE(s.fd);
}

/* ---- who waits is woken ---- */

static void event_wakes_read(void)
{
	struct sleeper reader;

	sensor_start(&s);
	sleeper_read(&reader, s.fd);
	EXPECT(sleeper_sleeps(&reader, SYS_read), "read found something");
	sensor_emit(1);
	EXPECT_EQ(sleeper_join(&reader), records_event_size());
}

static void event_of_another_cpu_wakes_read(void)
{
	struct sleeper reader;

	sensor_start(&s);
	close(s.fd);
	sensor_open(&s, 1);
	data_drain(s.fd);
	sleeper_read(&reader, s.fd);
	guest_on_cpu(1);
	sensor_emit(1);
	EXPECT_EQ(sleeper_join(&reader), records_event_size());
}

/*
 * A reader that was woken takes the count from what the writer noted then: in a read
 * that ends before, there, or behind it.
 */
static void records_are_counted_after_a_wake(void)
{
	const size_t event = records_event_size();
	struct sleeper sleeper;
	struct batch b;
	unsigned int i;

	sensor_start(&s);
	for (i = 1; i <= 8; i++) {
		set(MAGNET_ATTR_READCOUNT_WATERMARK, 5);
		sleeper_poll(&sleeper, s.fd);
		sensor_emit(5);
		EXPECT_EQ(sleeper_join(&sleeper), 1);
		sensor_emit(3);
		b = (struct batch) {};
		EXPECT_EQ(data_read_now(s.fd, &b, i * event), (ssize_t)(i * event));
		EXPECT_EQ(b.events, i);
		EXPECT_EQ(attr_get(s.fd, MAGNET_ATTR_COMPLETE_TO) >= (long long)b.timer, 1);
		/* What is left and one less than the watermark; then it. */
		set(MAGNET_ATTR_READCOUNT_WATERMARK, 12);
		sensor_emit(11 - (8 - i));
		EXPECT_NOT_READABLE(s.fd);
		sensor_emit(1);
		EXPECT_READABLE(s.fd);
		EXPECT_EVENTS(12);
	}
	set(MAGNET_ATTR_READCOUNT_WATERMARK, 5);
	sensor_emit(4);
	EXPECT_NOT_READABLE(s.fd);
	sensor_emit(1);
	EXPECT_READABLE(s.fd);
}

/* That it did not return before is seen from what it brings. */
static void watermark_wakes_read_and_poll(void)
{
	struct sleeper sleeper;
	int i;

	sensor_start(&s);
	for (i = 0; i < 2; i++) {
		set(i ? MAGNET_ATTR_READSIZE_WATERMARK : MAGNET_ATTR_READCOUNT_WATERMARK,
		    i ? 5 * records_event_size() : 5);
		set(i ? MAGNET_ATTR_READCOUNT_WATERMARK : MAGNET_ATTR_READSIZE_WATERMARK, 0);
		sleeper_read(&sleeper, s.fd);
		sensor_emit(4);
		EXPECT(sleeper_sleeps(&sleeper, SYS_read), "four events woke it");
		sensor_emit(1);
		EXPECT_EQ(sleeper_join(&sleeper), 5 * records_event_size());

		sleeper_poll(&sleeper, s.fd);
		sensor_emit(4);
		EXPECT(sleeper_sleeps(&sleeper, SYS_OF_POLL), "four events woke it");
		sensor_emit(1);
		EXPECT_EQ(sleeper_join(&sleeper), 1);
		EXPECT_EVENTS(5);
	}
}

static void select_says_the_same(void)
{
	struct timeval now = {};
	fd_set set;

	sensor_start(&s);
	FD_ZERO(&set);
	FD_SET(s.fd, &set);
	EXPECT_EQ(select(s.fd + 1, &set, NULL, NULL, &now), 0);
	sensor_emit(1);
	FD_SET(s.fd, &set);
	EXPECT_EQ(select(s.fd + 1, &set, NULL, NULL, NULL), 1);
	EXPECT(FD_ISSET(s.fd, &set), "select names another file");
}

static void epoll_by_level_and_by_edge(void)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };
	int level = epoll_create1(EPOLL_CLOEXEC), edge = epoll_create1(EPOLL_CLOEXEC);

	sensor_start(&s);
	set(MAGNET_ATTR_READCOUNT_WATERMARK, 2);
	REQUIRE(!epoll_ctl(edge, EPOLL_CTL_ADD, s.fd, &event), "epoll: %s", strerror(errno));
	event.events = EPOLLIN;
	REQUIRE(!epoll_ctl(level, EPOLL_CTL_ADD, s.fd, &event), "epoll: %s", strerror(errno));
	EXPECT_EQ(epoll_wait(level, &event, 1, 0), 0);
	sensor_emit(1);
	EXPECT_EQ(epoll_wait(level, &event, 1, 0), 0);
	sensor_emit(1);
	EXPECT_EQ(epoll_wait(level, &event, 1, -1), 1);
	EXPECT_EQ(epoll_wait(level, &event, 1, -1), 1);
	EXPECT_EQ(epoll_wait(edge, &event, 1, -1), 1);
	EXPECT_EQ(epoll_wait(edge, &event, 1, 0), 0);
	EXPECT_EVENTS(2);
	EXPECT_EQ(epoll_wait(level, &event, 1, 0), 0);
	/* The next edge comes with the next two. */
	sensor_emit(1);
	EXPECT_EQ(epoll_wait(level, &event, 1, 0), 0);
	sensor_emit(1);
	EXPECT_EQ(epoll_wait(edge, &event, 1, -1), 1);
}

static void nonblocking_file(void)
{
	char data[256];

	sensor_start(&s);
	fcntl(s.fd, F_SETFL, O_NONBLOCK);
	EXPECT(read(s.fd, data, sizeof(data)) < 0 && errno == EAGAIN, "read: %s", strerror(errno));
	set(MAGNET_ATTR_READCOUNT_WATERMARK, 2);
	sensor_emit(1);
	EXPECT(read(s.fd, data, sizeof(data)) < 0 && errno == EAGAIN, "read: %s", strerror(errno));
	sensor_emit(1);
	EXPECT_EQ(read(s.fd, data, sizeof(data)), 2 * records_event_size());
	/* Short of its time MAX_READ_TIMEOUT does not make it wait either. */
	set(MAGNET_ATTR_MAX_READ_TIMEOUT, HOUR_US);
	EXPECT(read(s.fd, data, sizeof(data)) < 0 && errno == EAGAIN, "read: %s", strerror(errno));
}

static void rwf_nowait(void)
{
	char data[256];
	struct iovec iov = { data, sizeof(data) };

	sensor_start(&s);
	EXPECT(preadv2(s.fd, &iov, 1, -1, RWF_NOWAIT) < 0 && errno == EAGAIN, "read: %s",
	       strerror(errno));
	sensor_emit(1);
	EXPECT_EQ(preadv2(s.fd, &iov, 1, -1, RWF_NOWAIT), records_event_size());
}

/* ---- attributes that change while somebody sleeps ---- */

static void change_completes_read(unsigned int option, uint64_t value)
{
	struct sleeper reader;

	sensor_emit(3);
	sleeper_read(&reader, s.fd);
	EXPECT(sleeper_sleeps(&reader, SYS_read), "read did not wait");
	EXPECT(!attr_set(s.fd, option, value), "attribute %u is refused", option);
	EXPECT(sleeper_join(&reader) > 0, "read: %s", strerror(-reader.result));
	EXPECT_EQ(reader.batch.events, 3);
}

static void change_completes_poll(unsigned int option, uint64_t value)
{
	struct sleeper sleeper;

	sensor_emit(3);
	sleeper_poll(&sleeper, s.fd);
	EXPECT(sleeper_sleeps(&sleeper, SYS_OF_POLL), "poll did not wait");
	EXPECT(!attr_set(s.fd, option, value), "attribute %u is refused", option);
	EXPECT_EQ(sleeper_join(&sleeper), 1);
	EXPECT_READABLE(s.fd);
	EXPECT_EVENTS(3);
}

static void changes_complete(void (*change)(unsigned int option, uint64_t value))
{
	sensor_start(&s);
	set(MAGNET_ATTR_READCOUNT_WATERMARK, MANY);
	change(MAGNET_ATTR_READCOUNT_WATERMARK, 3);
	set(MAGNET_ATTR_READCOUNT_WATERMARK, MANY);
	change(MAGNET_ATTR_READCOUNT_WATERMARK, 0);
	set(MAGNET_ATTR_READSIZE_WATERMARK, MANY * records_event_size());
	change(MAGNET_ATTR_READSIZE_WATERMARK, 3 * records_event_size());
	set(MAGNET_ATTR_READSIZE_WATERMARK, 0);
	set(MAGNET_ATTR_MIN_READ_TIMEOUT, HOUR_US);
	change(MAGNET_ATTR_MIN_READ_TIMEOUT, 0);
	set(MAGNET_ATTR_MIN_READ_TIMEOUT, HOUR_US);
	change(MAGNET_ATTR_MIN_READ_TIMEOUT, 1);
	set(MAGNET_ATTR_MIN_READ_TIMEOUT, HOUR_US);
	change(MAGNET_ATTR_MAX_READ_TIMEOUT, 1);
	set(MAGNET_ATTR_MAX_READ_TIMEOUT, 0);
	change(MAGNET_ATTR_FLUSH, 0);
}

static void changed_attribute_completes_read(void)
{
	changes_complete(change_completes_read);
}

static void changed_attribute_completes_poll(void)
{
	changes_complete(change_completes_poll);
}

/* A change that does not complete it: it goes on, by the new rule. */
static void changed_attribute_goes_on_by_the_new_rule(void)
{
	struct sleeper reader;

	sensor_start(&s);
	set(MAGNET_ATTR_READCOUNT_WATERMARK, 3);
	sensor_emit(2);
	sleeper_read(&reader, s.fd);
	set(MAGNET_ATTR_READCOUNT_WATERMARK, 6);
	sensor_emit(2);
	EXPECT(sleeper_sleeps(&reader, SYS_read), "four events completed it");
	sensor_emit(2);
	EXPECT(sleeper_join(&reader) > 0, "read: %s", strerror(-reader.result));
	EXPECT_EQ(reader.batch.events, 6);
}

/* With nothing there lseek must not hang behind the read, from wherever it comes. */
static void lseek_does_not_wait_for_a_read(void)
{
	struct sleeper reader;
	int other, status;
	pid_t child;

	sensor_start(&s);
	sleeper_read(&reader, s.fd);
	EXPECT_EQ(attr_set(s.fd, MAGNET_ATTR_READCOUNT_WATERMARK, 1), 0);
	EXPECT_EQ(attr_get(s.fd, MAGNET_ATTR_READCOUNT_WATERMARK), 1);
	EXPECT_EQ(attr_set(s.fd, 99, 1), -EINVAL);
	EXPECT(lseek(s.fd, 0, SEEK_CUR) < 0 && errno == ESPIPE, "lseek: %s", strerror(errno));
	EXPECT_EQ(attr_set(s.fd, MAGNET_ATTR_FLUSH, 0), 0);
	other = dup(s.fd);
	EXPECT_EQ(attr_set(other, MAGNET_ATTR_READCOUNT_WATERMARK, 2), 0);
	child = fork();
	if (!child)
		_exit(attr_set(s.fd, MAGNET_ATTR_READCOUNT_WATERMARK, 3) ? 1 : 0);
	waitpid(child, &status, 0);
	EXPECT_EQ(status, 0);
	EXPECT_EQ(attr_get(s.fd, MAGNET_ATTR_READCOUNT_WATERMARK), 3);
	EXPECT(sleeper_sleeps(&reader, SYS_read), "read returned");
	sensor_emit(3);
	EXPECT_EQ(sleeper_join(&reader), 3 * records_event_size());
}

static void poll_does_not_wait_for_a_read(void)
{
	struct sleeper reader;
	struct pollfd pfd;

	sensor_start(&s);
	sleeper_read(&reader, s.fd);
	pfd = (struct pollfd) { .fd = s.fd, .events = POLLIN };
	EXPECT_EQ(poll(&pfd, 1, 0), 0);
	/* A second reader waits for its turn; who must not wait does not. */
	EXPECT_AGAIN(DATA_ROOM);
	sensor_emit(1);
	sleeper_join(&reader);
}

/* ---- signals ---- */

static void on_signal(int sig)
{
	(void)sig;
}

static void signal_interrupts_read(void)
{
	struct sigaction action = { .sa_handler = on_signal };
	struct sleeper reader;

	sensor_start(&s);
	sigaction(SIGUSR1, &action, NULL);
	sleeper_read(&reader, s.fd);
	pthread_kill(reader.thread, SIGUSR1);
	EXPECT_EQ(sleeper_join(&reader), -EINTR);
	/* Also who waits for another reader's end. */
	sleeper_read(&reader, s.fd);
	{
		struct sleeper second;

		sleeper_read(&second, s.fd);
		pthread_kill(second.thread, SIGUSR1);
		EXPECT_EQ(sleeper_join(&second), -EINTR);
	}
	sensor_emit(1);
	EXPECT_EQ(sleeper_join(&reader), records_event_size());
}

static void signal_restarts_read(void)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	struct sleeper reader;
	int i;

	sensor_start(&s);
	set(MAGNET_ATTR_READCOUNT_WATERMARK, 2);
	sigaction(SIGUSR1, &action, NULL);
	sensor_emit(1);
	sleeper_read(&reader, s.fd);
	for (i = 0; i < 20; i++)
		pthread_kill(reader.thread, SIGUSR1);
	UNTIL(sleeper_sleeps(&reader, SYS_read));
	sensor_emit(1);
	EXPECT_EQ(sleeper_join(&reader), 2 * records_event_size());
}

/* ---- the end of a buffer ---- */

static void removed_buffer_is_read_to_its_end(void)
{
	struct pollfd pfd;
	struct batch b = {};

	sensor_start(&s);
	set(MAGNET_ATTR_READCOUNT_WATERMARK, MANY);
	set(MAGNET_ATTR_MIN_READ_TIMEOUT, HOUR_US);
	sensor_emit(3);
	REQUIRE(!ctl_buffer_del(&s.ctl, s.buffer), "%s", s.ctl.error);
	pfd = (struct pollfd) { .fd = s.fd, .events = POLLIN };
	EXPECT_EQ(poll(&pfd, 1, -1), 1);
	EXPECT_EQ(pfd.revents, POLLIN | POLLHUP);
	/* Nothing comes any more. */
	sensor_emit(1);
	EXPECT_EQ(data_read(s.fd, &b, 2 * records_event_size()), 2 * records_event_size());
	EXPECT_EQ(data_read(s.fd, &b, DATA_ROOM), records_event_size());
	EXPECT_EQ(data_read(s.fd, &b, DATA_ROOM), 0);
	EXPECT_EQ(data_read(s.fd, &b, DATA_ROOM), 0);
	EXPECT_EQ(poll(&pfd, 1, -1), 1);
	EXPECT_EQ(pfd.revents, POLLIN | POLLHUP);
	EXPECT_EQ(attr_set(s.fd, MAGNET_ATTR_READCOUNT_WATERMARK, 1), 0);
}

static void removal_ends_a_sleeping_read(void)
{
	struct sleeper reader, poller;

	sensor_start(&s);
	sleeper_read(&reader, s.fd);
	sleeper_poll(&poller, s.fd);
	REQUIRE(!ctl_buffer_del(&s.ctl, s.buffer), "%s", s.ctl.error);
	EXPECT_EQ(sleeper_join(&reader), 0);
	EXPECT_EQ(sleeper_join(&poller), 1);
	EXPECT_EQ(poller.revents, POLLIN | POLLHUP);
}

static void removal_delivers_to_a_sleeping_read(void)
{
	struct sleeper reader;
	char data[256];

	sensor_start(&s);
	set(MAGNET_ATTR_READCOUNT_WATERMARK, MANY);
	sensor_emit(2);
	sleeper_read(&reader, s.fd);
	REQUIRE(!ctl_buffer_del(&s.ctl, s.buffer), "%s", s.ctl.error);
	EXPECT_EQ(sleeper_join(&reader), 2 * records_event_size());
	EXPECT_EQ(read(s.fd, data, sizeof(data)), 0);
}

static void removed_buffer_tells_its_loss(void)
{
	struct batch b = {};

	sensor_start(&s);
	overflow(5);
	REQUIRE(!ctl_buffer_del(&s.ctl, s.buffer), "%s", s.ctl.error);
	while (data_read(s.fd, &b, DATA_ROOM) > 0)
		;
	EXPECT_EQ(b.lost, 5);
	EXPECT_EQ(data_read(s.fd, &b, DATA_ROOM), 0);
}

/* The owner's socket is closed: the same end. */
static void end_of_the_owner_ends_a_sleeping_read(void)
{
	struct sleeper reader;

	sensor_start(&s);
	sleeper_read(&reader, s.fd);
	ctl_close(&s.ctl);
	EXPECT_EQ(sleeper_join(&reader), 0);
}

/* An ended subscription is no end: what is there stays, and no more comes. */
static void end_of_a_subscription_leaves_the_data(void)
{
	sensor_start(&s);
	sensor_emit(3);
	REQUIRE(!ctl_sub_del(&s.ctl, s.sub, NULL), "%s", s.ctl.error);
	sensor_emit(3);
	EXPECT_EVENTS(3);
	EXPECT_NOT_READABLE(s.fd);
	sensor_subscribe(&s, "inet_sendmsg", 0);
	sensor_emit(2);
	EXPECT_EVENTS(2);
}

static const struct ktap_test tests[] = {
	KTAP_TEST(one_record_is_enough),
	KTAP_TEST(readsize_watermark),
	KTAP_TEST(readcount_watermark),
	KTAP_TEST(both_watermarks_have_to_hold),
	KTAP_TEST(watermark_counts_what_was_left),
	KTAP_TEST(min_holds_a_read_back),
	KTAP_TEST(min_passes_for_read_and_poll),
	KTAP_TEST(min_and_watermark_both_hold),
	KTAP_TEST(max_returns_what_is_there),
	KTAP_TEST(max_with_nothing_is_eagain),
	KTAP_TEST(after_max_one_record_is_enough),
	KTAP_TEST(max_ends_min),
	KTAP_TEST(max_read_watermark),
	KTAP_TEST(max_read_watermark_is_no_minimum),
	KTAP_TEST(small_memory_is_emsgsize_and_loses_nothing),
	KTAP_TEST(memory_in_pieces),
	KTAP_TEST(bad_memory_loses_nothing),
	KTAP_TEST(flush_makes_readable_what_is_there),
	KTAP_TEST(flush_of_nothing_does_nothing),
	KTAP_TEST(flush_in_pieces),
	KTAP_TEST(urgent_event_is_readable_at_once),
	KTAP_TEST(urgent_event_wakes),
	KTAP_TEST(three_quarters_full_is_readable),
	KTAP_TEST(three_quarters_full_wakes),
	KTAP_TEST(loss_at_the_end_is_told),
	KTAP_TEST(loss_is_told_where_it_happened),
	KTAP_TEST(loss_does_not_fit),
	KTAP_TEST(event_wakes_read),
	KTAP_TEST(event_of_another_cpu_wakes_read),
	KTAP_TEST(records_are_counted_after_a_wake),
	KTAP_TEST(watermark_wakes_read_and_poll),
	KTAP_TEST(select_says_the_same),
	KTAP_TEST(epoll_by_level_and_by_edge),
	KTAP_TEST(nonblocking_file),
	KTAP_TEST(rwf_nowait),
	KTAP_TEST(changed_attribute_completes_read),
	KTAP_TEST(changed_attribute_completes_poll),
	KTAP_TEST(changed_attribute_goes_on_by_the_new_rule),
	KTAP_TEST(lseek_does_not_wait_for_a_read),
	KTAP_TEST(poll_does_not_wait_for_a_read),
	KTAP_TEST(signal_interrupts_read),
	KTAP_TEST(signal_restarts_read),
	KTAP_TEST(removed_buffer_is_read_to_its_end),
	KTAP_TEST(removal_ends_a_sleeping_read),
	KTAP_TEST(removal_delivers_to_a_sleeping_read),
	KTAP_TEST(removed_buffer_tells_its_loss),
	KTAP_TEST(end_of_the_owner_ends_a_sleeping_read),
	KTAP_TEST(end_of_a_subscription_leaves_the_data),
};

int main(int argc, char **argv)
{
	return guest_main(tests, KTAP_SIZE(tests), argc, argv);
}
