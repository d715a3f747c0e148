// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every way to read, on both kinds of data file: all records, each once, in
 * order, and whoever waits is woken when it is due.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <poll.h>

#include "guest.h"
#include "sensor.h"
#include "ways.h"

#define HOUR_US		MAGNET_READ_TIMEOUT_MAX_US
/* More than a ring holds by far, and a prime. */
#define EVENTS		5003
/* The writer is never so far ahead that something is lost. */
#define AHEAD		800
#define WATERMARK	50

enum kind { NODE, DEBUGFS };

static struct sensor s;
static enum kind kind;

/* As sensor_start(), with the file of the kind that is tested. */
static void start(void)
{
	char path[128];

	ways_block_signals();
	sensor_make(&s, MAGNET_BUFFER_SIZE_MIN);
	sensor_subscribe(&s, "inet_sendmsg", 0);
	snprintf(path, sizeof(path), kind == NODE ? "/dev/magnet/%s/cpu0" :
		 MAGNET_DEBUGFS "/data/%s/cpu0", s.buffer);
	s.fd = open(path, O_RDONLY | O_CLOEXEC);
	NEED(s.fd >= 0, "%s: %s", path, strerror(errno));
	guest_on_cpu(0);
	/* Every ring begins with a CLOCK record. */
	data_drain(s.fd);
}

static void end(void)
{
	close(s.fd);
	sensor_end(&s);
}

static void set(unsigned int option, uint64_t value)
{
	attr_need(s.fd, option, value);
}

/* Each event asks to send as many bytes as it is the n-th. */
static void emit(unsigned int first, unsigned int last)
{
	while (first <= last)
		sensor_emit_len(first++);
}

/* ---- what was read ---- */

/* How often each event was read, and how many were. */
static unsigned char seen[EVENTS + 1];
static unsigned int received;

struct tally {
	unsigned int	events;
	unsigned int	others;		/* CLOCK records */
	uint32_t	last;		/* number of the last event */
};

static void count(struct tally *t, const void *data, size_t len)
{
	const void *last = (const char *)data + len;
	struct record rec;

	while (records_next(&data, last, &rec)) {
		uint32_t n = ((const struct magnet_sock *)rec.payload)->len;

		EXPECT(rec.event != MAGNET_EVENT_LOST, "events were lost");
		if (rec.event != MAGNET_EVENT_INET_SENDMSG) {
			t->others++;
			continue;
		}
		REQUIRE(n > t->last && n <= EVENTS, "event %u after %u", n, t->last);
		EXPECT(!__atomic_fetch_add(&seen[n], 1, __ATOMIC_RELAXED), "event %u again", n);
		t->last = n;
		t->events++;
		__atomic_fetch_add(&received, 1, __ATOMIC_RELEASE);
	}
}

static unsigned int received_now(void)
{
	return __atomic_load_n(&received, __ATOMIC_ACQUIRE);
}

static void forget(void)
{
	memset(seen, 0, sizeof(seen));
	received = 0;
}

/* ---- a thread that reads in some way, to the buffer's end ---- */

struct reading {
	pthread_t		thread;
	const struct way	*way;
	bool			began;
	bool			*flushed;	/* the minima do not hold any more */
	unsigned int		least;		/* events that a get has to give */
	struct tally		tally;
	ssize_t			result;		/* of the last get */
	uint64_t		first_us;	/* when the first returned */
};

static void note_get(struct reading *r, const void *data)
{
	const struct tally before = r->tally;
	unsigned int got;

	if (!r->first_us)
		r->first_us = guest_now_us();
	count(&r->tally, data, r->result);
	got = r->tally.events - before.events + r->tally.others - before.others;
	EXPECT(got >= r->least || __atomic_load_n(r->flushed, __ATOMIC_ACQUIRE),
	       "%s gave %u records, not %u", r->way->name, got, r->least);
}

static void *reading_thread(void *arg)
{
	struct reading *r = arg;
	char *data = malloc(DATA_ROOM);

	guest_on_cpu(1);
	r->way->begin(s.fd);
	__atomic_store_n(&r->began, true, __ATOMIC_RELEASE);
	while ((r->result = r->way->get(s.fd, data, 65536)) > 0)
		note_get(r, data);
	free(data);
	return NULL;
}

static bool flushed;

static void begin_reading(struct reading *r, const struct way *way, unsigned int least)
{
	*r = (struct reading) { .way = way, .least = least, .flushed = &flushed };
	NEED(!pthread_create(&r->thread, NULL, reading_thread, r), "no thread");
	UNTIL(__atomic_load_n(&r->began, __ATOMIC_ACQUIRE));
}

/* The buffer goes, and with it whoever waits. */
static void remove_buffer(void)
{
	__atomic_store_n(&flushed, true, __ATOMIC_RELEASE);
	NEED(!ctl_buffer_del(&s.ctl, s.buffer), "%s", s.ctl.error);
}

static void end_reading(struct reading *r)
{
	pthread_join(r->thread, NULL);
	EXPECT(!r->result, "%s ended with %zd", r->way->name, r->result);
}

static void emit_all(void)
{
	unsigned int n;

	for (n = 1; n <= EVENTS; n++) {
		emit(n, n);
		UNTIL(n - received_now() < AHEAD);
	}
}

static void expect_received(unsigned int events)
{
	unsigned int n;

	EXPECT_EQ(received_now(), events);
	for (n = 1; n <= events; n++)
		if (!seen[n])
			FAIL("event %u is missing", n);
}

/* ---- what every way has to do ---- */

static void begin_test(void)
{
	flushed = false;
	forget();
	start();
}

static void every_record(const struct way *way)
{
	struct reading r;

	begin_test();
	begin_reading(&r, way, 1);
	emit_all();
	UNTIL(received_now() >= EVENTS);
	remove_buffer();
	end_reading(&r);
	expect_received(EVENTS);
	end();
}

static void by_watermark(const struct way *way)
{
	struct reading r;

	begin_test();
	set(MAGNET_ATTR_READCOUNT_WATERMARK, WATERMARK);
	begin_reading(&r, way, WATERMARK);
	emit_all();
	/* The rest is less than the watermark. */
	UNTIL(EVENTS - received_now() < WATERMARK);
	__atomic_store_n(&flushed, true, __ATOMIC_RELEASE);
	set(MAGNET_ATTR_FLUSH, 0);
	UNTIL(received_now() >= EVENTS);
	remove_buffer();
	end_reading(&r);
	expect_received(EVENTS);
	end();
}

/* The watermark is not reached, but the latest time comes. */
static void by_latest_time(const struct way *way)
{
	const uint64_t max_us = 200000;
	uint64_t since;
	struct reading r;

	begin_test();
	emit(1, 1);
	/* It counts from this read's return; here, from before its call. */
	since = guest_now_us();
	EXPECT(data_read_now(s.fd, &(struct batch){}, DATA_ROOM) > 0, "nothing there");
	set(MAGNET_ATTR_READCOUNT_WATERMARK, EVENTS / 10);
	set(MAGNET_ATTR_MAX_READ_TIMEOUT, max_us);
	emit(2, 4);
	begin_reading(&r, way, 1);
	UNTIL(received_now() >= 3);
	EXPECT(r.first_us - since >= max_us, "%s gave them after %llu us", way->name,
	       (unsigned long long)(r.first_us - since));
	/* Nothing for longer than that, and then one more. */
	usleep(2 * max_us);
	emit(5, 5);
	UNTIL(received_now() >= 4);
	remove_buffer();
	end_reading(&r);
	EXPECT_EQ(r.tally.events, 4);
	end();
}

/* Who waits gets what is there, and then the end. */
static void by_removal(const struct way *way)
{
	struct reading r;

	begin_test();
	set(MAGNET_ATTR_READCOUNT_WATERMARK, EVENTS / 10);
	begin_reading(&r, way, 0);
	emit(1, 7);
	usleep(100000);
	EXPECT_EQ(received_now(), 0);
	remove_buffer();
	end_reading(&r);
	expect_received(7);
	end();
}

static void all_of(const struct way *way, enum kind of)
{
	kind = of;
	every_record(way);
	by_watermark(way);
	by_latest_time(way);
	by_removal(way);
}

/* On debugfs it waits until its memory is full; see below. */
static void uring_on_node(void)
{
	all_of(&way_uring, NODE);
}

#define TESTS_OF(way)								\
	static void way##_on_node(void)						\
	{									\
		all_of(&way_##way, NODE);					\
	}									\
	static void way##_on_debugfs(void)					\
	{									\
		all_of(&way_##way, DEBUGFS);					\
	}

TESTS_OF(read)
TESTS_OF(poll)
TESTS_OF(epoll)
TESTS_OF(signal)
TESTS_OF(aio)
TESTS_OF(aio_poll)
TESTS_OF(uring_poll)
TESTS_OF(uring_multishot)
TESTS_OF(splice)
TESTS_OF(splice_to_file)
TESTS_OF(splice_to_socket)

/* Two that read the same file: together they get every record once. */
static void two_ways(const struct way *one, const struct way *other)
{
	struct reading a, b;

	begin_test();
	begin_reading(&a, one, 0);
	begin_reading(&b, other, 0);
	emit_all();
	UNTIL(received_now() >= EVENTS);
	remove_buffer();
	end_reading(&a);
	end_reading(&b);
	expect_received(EVENTS);
	EXPECT_EQ(a.tally.events + b.tally.events, EVENTS);
	end();
}

static void two_ways_at_once(void)
{
	kind = NODE;
	two_ways(&way_read, &way_aio);
	two_ways(&way_signal, &way_uring);
	two_ways(&way_aio, &way_aio);
	two_ways(&way_aio, &way_signal);
	two_ways(&way_epoll, &way_splice);
	two_ways(&way_uring_multishot, &way_aio);
	kind = DEBUGFS;
	two_ways(&way_read, &way_signal);
	two_ways(&way_aio_poll, &way_aio);
	two_ways(&way_splice, &way_uring_poll);
}

/* ---- signals ---- */

static bool take_signal(siginfo_t *info, long wait_s)
{
	const struct timespec limit = { .tv_sec = wait_s };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, WAY_SIGNAL);
	sigaddset(&set, SIGIO);
	return sigtimedwait(&set, info, &limit) > 0;
}

/* One that is sent is there as soon as the event is logged: nothing has to be waited for. */
#define EXPECT_NO_SIGNAL()							\
	do {									\
		siginfo_t info_;						\
										\
		guest_nap();							\
		EXPECT(!take_signal(&info_, 0), "a signal too many");		\
	} while (0)

#define EXPECT_SIGNAL(code)							\
	do {									\
		siginfo_t info_ = {};						\
										\
		REQUIRE(take_signal(&info_, 60), "no signal");			\
		EXPECT_EQ(info_.si_signo, WAY_SIGNAL);				\
		EXPECT_EQ(info_.si_fd, s.fd);					\
		EXPECT_EQ(info_.si_code, code);					\
	} while (0)

#define EXPECT_EVENTS(n)							\
	do {									\
		struct batch b_ = {};						\
		const ssize_t got_ = data_read_now(s.fd, &b_, DATA_ROOM);	\
										\
		EXPECT(got_ > 0, "read: %s", strerror(-got_));			\
		EXPECT_EQ(b_.events, n);					\
	} while (0)

static void start_signals(enum kind of)
{
	kind = of;
	start();
	way_want_signal(s.fd, WAY_SIGNAL);
}

/* A real-time signal is queued as often as it is sent. */
static void one_signal_per_crossing(void)
{
	unsigned int i;

	start_signals(DEBUGFS);
	set(MAGNET_ATTR_READCOUNT_WATERMARK, 10);
	for (i = 0; i < 50; i++) {
		sensor_emit(9);
		EXPECT_NO_SIGNAL();
		sensor_emit(1);
		EXPECT_SIGNAL(POLL_IN);
		sensor_emit(30);
		EXPECT_NO_SIGNAL();
		EXPECT_EVENTS(40);
	}
	EXPECT_NO_SIGNAL();
}

static void what_a_read_leaves_is_signalled(void)
{
	const size_t event = records_event_size();
	struct batch b = {};

	start_signals(NODE);
	sensor_emit(5);
	EXPECT_SIGNAL(POLL_IN);
	EXPECT_EQ(data_read_now(s.fd, &b, 2 * event), 2 * event);
	EXPECT_SIGNAL(POLL_IN);
	EXPECT_EVENTS(3);
	EXPECT_NO_SIGNAL();
}

static void signal_for_what_is_there_already(void)
{
	kind = NODE;
	start();
	sensor_emit(1);
	way_want_signal(s.fd, WAY_SIGNAL);
	EXPECT_SIGNAL(POLL_IN);
	EXPECT_EVENTS(1);
	EXPECT_NO_SIGNAL();
}

static void plain_sigio(void)
{
	siginfo_t info;

	kind = DEBUGFS;
	start();
	way_want_signal(s.fd, 0);
	sensor_emit(1);
	REQUIRE(take_signal(&info, 60), "no signal");
	EXPECT_EQ(info.si_signo, SIGIO);
	EXPECT_EVENTS(1);
}

static void signal_when_time_has_passed(void)
{
	struct batch b = {};

	start_signals(NODE);
	set(MAGNET_ATTR_READCOUNT_WATERMARK, 100);
	set(MAGNET_ATTR_MAX_READ_TIMEOUT, HOUR_US);
	sensor_emit(3);
	EXPECT_NO_SIGNAL();
	set(MAGNET_ATTR_MAX_READ_TIMEOUT, 100000);
	EXPECT_SIGNAL(POLL_IN);
	EXPECT_EVENTS(3);
	/* The time passes again, with nothing there: then one record is enough. */
	usleep(200000);
	EXPECT_NO_SIGNAL();
	sensor_emit(1);
	EXPECT_SIGNAL(POLL_IN);
	EXPECT(data_read_now(s.fd, &b, DATA_ROOM) > 0, "nothing there");

	/* Enough is there, and the least time has to pass. */
	set(MAGNET_ATTR_MAX_READ_TIMEOUT, 0);
	set(MAGNET_ATTR_READCOUNT_WATERMARK, 0);
	set(MAGNET_ATTR_MIN_READ_TIMEOUT, HOUR_US);
	sensor_emit(2);
	EXPECT_NO_SIGNAL();
	set(MAGNET_ATTR_MIN_READ_TIMEOUT, 100000);
	EXPECT_SIGNAL(POLL_IN);
}

static void signal_for_changed_attributes(void)
{
	start_signals(NODE);
	set(MAGNET_ATTR_READCOUNT_WATERMARK, 100);
	sensor_emit(5);
	EXPECT_NO_SIGNAL();
	set(MAGNET_ATTR_READCOUNT_WATERMARK, 5);
	EXPECT_SIGNAL(POLL_IN);
	EXPECT_EVENTS(5);
	set(MAGNET_ATTR_READCOUNT_WATERMARK, 100);
	sensor_emit(5);
	EXPECT_NO_SIGNAL();
	set(MAGNET_ATTR_FLUSH, 0);
	EXPECT_SIGNAL(POLL_IN);
	EXPECT_NO_SIGNAL();
}

/* Once, also for who was told of events and has not read them; and no more after that. */
static void signal_for_the_end(void)
{
	start_signals(NODE);
	sensor_emit(3);
	EXPECT_SIGNAL(POLL_IN);
	remove_buffer();
	EXPECT_SIGNAL(POLL_HUP);
	EXPECT_EVENTS(3);
	EXPECT_EQ(data_read_now(s.fd, &(struct batch){}, DATA_ROOM), 0);
	EXPECT_NO_SIGNAL();
}

static void no_signal_when_switched_off(void)
{
	start_signals(NODE);
	sensor_emit(1);
	EXPECT_SIGNAL(POLL_IN);
	NEED(!fcntl(s.fd, F_SETFL, fcntl(s.fd, F_GETFL) & ~O_ASYNC), "F_SETFL");
	EXPECT_EVENTS(1);
	sensor_emit(1);
	EXPECT_NO_SIGNAL();
}

/* Of all CPUs, after the hold-back. */
static void signal_of_merged(void)
{
	char path[128];

	kind = NODE;
	start();
	close(s.fd);
	snprintf(path, sizeof(path), "/dev/magnet/%s/merged", s.buffer);
	s.fd = open(path, O_RDONLY | O_CLOEXEC);
	NEED(s.fd >= 0, "%s: %s", path, strerror(errno));
	data_drain(s.fd);
	way_want_signal(s.fd, WAY_SIGNAL);
	guest_on_cpu(0);
	sensor_emit(1);
	EXPECT_SIGNAL(POLL_IN);
	EXPECT_EVENTS(1);
	guest_on_cpu(1);
	sensor_emit(1);
	EXPECT_SIGNAL(POLL_IN);
	EXPECT_EVENTS(1);
}

/* ---- Linux AIO ---- */

static char memory[8][DATA_ROOM / 8];

static void io_submit_does_not_wait(void)
{
	struct iocb iocb = aio_request(IOCB_CMD_PREAD, 0, memory[0], sizeof(memory[0]));
	struct io_event event;
	struct batch b = {};
	struct aio aio;

	kind = DEBUGFS;
	start();
	aio_begin(&aio);
	iocb.aio_fildes = s.fd;
	iocb.aio_data = 42;
	EXPECT_EQ(aio_submit(&aio, &iocb), 1);
	EXPECT(!aio_get(&aio, &event, false), "completed with %lld", (long long)event.res);
	sensor_emit(2);
	EXPECT(aio_get(&aio, &event, true), "not completed");
	EXPECT(event.res > 0 && !(event.res % (long long)records_event_size()), "%lld bytes",
	       (long long)event.res);
	EXPECT_EQ(event.data, 42);
	batch_add(&b, memory[0], event.res);
	EXPECT(b.events >= 1, "no event");
	aio_end(&aio);
}

/* The oldest request gets the oldest records. */
static void requests_are_served_in_order(void)
{
	const size_t n = KTAP_SIZE(memory);
	const size_t event = records_event_size();
	struct iocb iocbs[KTAP_SIZE(memory)];
	struct tally tally = {};
	struct io_event done;
	struct aio aio;
	size_t i;

	kind = NODE;
	begin_test();
	aio_begin(&aio);
	set(MAGNET_ATTR_MAX_READ_WATERMARK, 3 * event);
	set(MAGNET_ATTR_READCOUNT_WATERMARK, 3);
	for (i = 0; i < n; i++) {
		iocbs[i] = aio_request(IOCB_CMD_PREAD, s.fd, memory[i], sizeof(memory[i]));
		iocbs[i].aio_data = i;
		EXPECT_EQ(aio_submit(&aio, &iocbs[i]), 1);
	}
	emit(1, 3 * n);
	for (i = 0; i < n; i++) {
		aio_get(&aio, &done, true);
		REQUIRE_EQ(done.data, i);
		REQUIRE_EQ(done.res, 3 * event);
		count(&tally, memory[i], done.res);
	}
	expect_received(3 * n);
	aio_end(&aio);
}

static void aio_into_pieces(void)
{
	const size_t event = records_event_size();
	char *at = memory[0];
	struct iovec pieces[] = { { at, 5 }, { at + 100, event }, { at + 300, event } };
	struct iocb iocb = aio_request(IOCB_CMD_PREADV, 0, pieces, KTAP_SIZE(pieces));
	struct batch b = {};
	struct io_event done;
	struct aio aio;

	kind = NODE;
	start();
	aio_begin(&aio);
	set(MAGNET_ATTR_READCOUNT_WATERMARK, 2);
	iocb.aio_fildes = s.fd;
	EXPECT_EQ(aio_submit(&aio, &iocb), 1);
	/* They were taken over. */
	memset(pieces, 0, sizeof(pieces));
	sensor_emit(2);
	aio_get(&aio, &done, true);
	EXPECT_EQ(done.res, 2 * event);
	memmove(at + 5, at + 100, event);
	memmove(at + 5 + event, at + 300, event - 5);
	batch_add(&b, at, 2 * event);
	EXPECT_EQ(b.events, 2);
	aio_end(&aio);
}

/* Memory that is too small, or is gone when it is needed: nothing is consumed. */
static void aio_into_bad_memory(void)
{
	void *gone = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct io_event done;
	struct iocb iocb;
	struct aio aio;

	kind = NODE;
	start();
	aio_begin(&aio);
	iocb = aio_request(IOCB_CMD_PREAD, s.fd, gone, 4096);
	EXPECT_EQ(aio_submit(&aio, &iocb), 1);
	munmap(gone, 4096);
	sensor_emit(1);
	aio_get(&aio, &done, true);
	EXPECT_EQ(done.res, -EFAULT);
	iocb = aio_request(IOCB_CMD_PREAD, s.fd, memory[0], records_header_size());
	EXPECT_EQ(aio_submit(&aio, &iocb), 1);
	aio_get(&aio, &done, true);
	EXPECT_EQ(done.res, -EMSGSIZE);
	EXPECT_EVENTS(1);
	aio_end(&aio);
}

static void cancelled_request_takes_nothing(void)
{
	struct iocb first, second;
	struct io_event done;
	struct aio aio;

	kind = NODE;
	start();
	aio_begin(&aio);
	set(MAGNET_ATTR_READCOUNT_WATERMARK, 5);
	first = aio_request(IOCB_CMD_PREAD, s.fd, memory[0], sizeof(memory[0]));
	second = aio_request(IOCB_CMD_PREAD, s.fd, memory[1], sizeof(memory[1]));
	EXPECT_EQ(aio_submit(&aio, &first), 1);
	EXPECT_EQ(aio_submit(&aio, &second), 1);
	sensor_emit(4);
	/* The younger one: the elder keeps its place. */
	EXPECT_EQ(aio_cancel(&aio, &second), -EINPROGRESS);
	aio_get(&aio, &done, true);
	EXPECT_EQ(done.res, -ECANCELED);
	EXPECT_EQ(done.obj, (uintptr_t)&second);
	EXPECT_EQ(aio_cancel(&aio, &second), -EINVAL);
	sensor_emit(1);
	aio_get(&aio, &done, true);
	EXPECT_EQ(done.obj, (uintptr_t)&first);
	EXPECT_EQ(done.res, 5 * records_event_size());
	aio_end(&aio);
}

static void end_of_the_context_cancels(void)
{
	struct iocb iocb;
	struct aio aio;

	kind = NODE;
	start();
	aio_begin(&aio);
	iocb = aio_request(IOCB_CMD_PREAD, s.fd, memory[0], sizeof(memory[0]));
	EXPECT_EQ(aio_submit(&aio, &iocb), 1);
	aio_end(&aio);
	sensor_emit(2);
	EXPECT_EVENTS(2);
}

/* A process ends with a request, and with a thread in a read; then the file is free. */
static void end_of_the_process_cancels(void)
{
	int status, fd, i;

	kind = NODE;
	start();
	for (i = 0; i < 20; i++) {
		pid_t child = fork();

		if (!child) {
			struct aio aio;
			struct iocb iocb = aio_request(IOCB_CMD_PREAD, s.fd, memory[0], 4096);
			struct sleeper reader;

			aio_begin(&aio);
			NEED(aio_submit(&aio, &iocb) == 1, "io_submit");
			if (i % 2)
				sleeper_read(&reader, s.fd);
			if (i % 4 < 2)
				sensor_emit(1);
			_exit(0);
		}
		EXPECT_EQ(waitpid(child, &status, 0), child);
		EXPECT_EQ(status, 0);
	}
	close(s.fd);
	/* The kernel closes a file a moment after its last request. */
	UNTIL((fd = ctl_data_open(s.buffer, 0, 0)) != -EBUSY);
	EXPECT(fd >= 0, "open: %s", strerror(-fd));
}

/* The descriptor is closed; the request holds the file. */
static void aio_after_close(void)
{
	struct io_event done;
	struct iocb iocb;
	struct aio aio;
	int fd;

	kind = DEBUGFS;
	start();
	aio_begin(&aio);
	iocb = aio_request(IOCB_CMD_PREAD, s.fd, memory[0], sizeof(memory[0]));
	EXPECT_EQ(aio_submit(&aio, &iocb), 1);
	close(s.fd);
	EXPECT_EQ(ctl_data_open(s.buffer, 0, 0), -EBUSY);
	sensor_emit(1);
	aio_get(&aio, &done, true);
	EXPECT_EQ(done.res, records_event_size());
	UNTIL((fd = ctl_data_open(s.buffer, 0, 0)) != -EBUSY);
	EXPECT(fd >= 0, "open: %s", strerror(-fd));
	aio_end(&aio);
}

static void aio_without_waiting(void)
{
	struct io_event done;
	struct iocb iocb;
	struct aio aio;

	kind = NODE;
	start();
	aio_begin(&aio);
	iocb = aio_request(IOCB_CMD_PREAD, s.fd, memory[0], sizeof(memory[0]));
	iocb.aio_rw_flags = RWF_NOWAIT;
	EXPECT_EQ(aio_submit(&aio, &iocb), 1);
	aio_get(&aio, &done, true);
	EXPECT_EQ(done.res, -EAGAIN);
	aio_end(&aio);
}

/* ---- io_uring ---- */

static void uring_read_is_short_on_a_node(void)
{
	const int event = records_event_size();
	struct uring ring;
	int result;

	kind = NODE;
	start();
	uring_begin(&ring);
	uring_read(&ring, s.fd, memory[0], sizeof(memory[0]), 0);
	EXPECT(!uring_get(&ring, &result, false), "completed with %d", result);
	set(MAGNET_ATTR_READCOUNT_WATERMARK, 3);
	sensor_emit(3);
	UNTIL(uring_get(&ring, &result, false));
	EXPECT_EQ(result, 3 * event);
	uring_read(&ring, s.fd, memory[0], sizeof(memory[0]), RWF_NOWAIT);
	UNTIL(uring_get(&ring, &result, false));
	EXPECT_EQ(result, -EAGAIN);
}

/*
 * The kernel wants a regular file's memory filled, so it completes when no
 * further record fits; what it had before the end is not lost.
 */
static void uring_read_fills_up_on_debugfs(void)
{
	const int event = records_event_size();
	struct uring ring;
	struct batch b = {};
	int result;

	kind = DEBUGFS;
	start();
	uring_begin(&ring);
	uring_read(&ring, s.fd, memory[0], 10 * event + event / 2, 0);
	sensor_emit(4);
	EXPECT(!uring_get(&ring, &result, false), "completed with %d", result);
	sensor_emit(7);
	UNTIL(uring_get(&ring, &result, false));
	EXPECT_EQ(result, 10 * event);
	batch_add(&b, memory[0], result);
	EXPECT_EQ(b.events, 10);
	EXPECT_EVENTS(1);

	uring_read(&ring, s.fd, memory[0], 10 * event, RWF_NOWAIT);
	UNTIL(uring_get(&ring, &result, false));
	EXPECT_EQ(result, -EAGAIN);

	uring_read(&ring, s.fd, memory[0], 10 * event, 0);
	sensor_emit(4);
	EXPECT(!uring_get(&ring, &result, false), "completed with %d", result);
	remove_buffer();
	UNTIL(uring_get(&ring, &result, false));
	EXPECT_EQ(result, 4 * event);
}

/* ---- one request to io_uring for all that comes ---- */

/* Completions that are there now: how many, and the flags of the last. */
static unsigned int take_completions(struct uring *ring, int *result, bool *last)
{
	unsigned int n = 0;

	while (uring_get_flagged(ring, result, last, false))
		n++;
	return n;
}

/* It goes on until it is cancelled or the buffer ends, and says nothing in between. */
static void multishot_tells_of_each_crossing(enum kind of)
{
	struct uring ring;
	struct batch b;
	bool last = false;
	unsigned int i;
	int result;

	kind = of;
	start();
	set(MAGNET_ATTR_READCOUNT_WATERMARK, 3);
	uring_begin(&ring);
	uring_poll_multishot(&ring, s.fd);
	for (i = 0; i < 101; i++) {
		sensor_emit(2);
		EXPECT(!take_completions(&ring, &result, &last), "below the watermark: %#x",
		       result);
		sensor_emit(1);
		UNTIL(uring_get_flagged(&ring, &result, &last, false));
		EXPECT(result > 0 && result & POLLIN && !(result & POLLHUP) && !last,
		       "crossing %u: %#x%s", i, result, last ? ", the last" : "");
		b = (struct batch){};
		NEED(data_read_now(s.fd, &b, DATA_ROOM) > 0, "nothing there");
		if (b.clocks)
			guest_disturbed();
		EXPECT_EQ(b.events, 3);
	}
	remove_buffer();
	UNTIL(uring_get_flagged(&ring, &result, &last, false));
	EXPECT(result > 0 && result & POLLHUP, "the end: %#x", result);
	end();
}

static void multishot_on_node_tells_of_each_crossing(void)
{
	multishot_tells_of_each_crossing(NODE);
}

static void multishot_on_debugfs_tells_of_each_crossing(void)
{
	multishot_tells_of_each_crossing(DEBUGFS);
}

/* ---- splice ---- */

static int pipe_fds[2];

static ssize_t splice_now(size_t len)
{
	const ssize_t got = splice(s.fd, NULL, pipe_fds[1], NULL, len, SPLICE_F_NONBLOCK);

	return got < 0 ? -errno : got;
}

/* Start with a file that does not block and a pipe of so many pages. */
static void start_splice(enum kind of, int pages)
{
	kind = of;
	begin_test();
	NEED(!fcntl(s.fd, F_SETFL, O_NONBLOCK), "F_SETFL");
	NEED(!pipe2(pipe_fds, O_CLOEXEC | O_NONBLOCK), "pipe: %s", strerror(errno));
	NEED(fcntl(pipe_fds[1], F_SETPIPE_SZ, pages * 4096) == pages * 4096, "F_SETPIPE_SZ");
}

/* Whatever the pipe has room for, each record goes into it whole or stays. */
static void splice_into(enum kind of, int pages)
{
	static char data[DATA_ROOM], zeros[65536];
	unsigned int next = 1, seed = pages, partial = 0;
	ssize_t got, before, all;
	struct tally tally = {};

	start_splice(of, pages);
	while (next <= 4000) {
		const unsigned int more = rand_r(&seed) % 200;

		/* No further ahead than the ring has room. */
		if (next - received_now() < AHEAD) {
			emit(next, next + more);
			next += more + 1;
		}
		before = write(pipe_fds[1], zeros, rand_r(&seed) % (pages * 4096 + 1));
		got = splice_now(rand_r(&seed) % 16384 + 1);
		EXPECT(got > 0 || got == -EAGAIN || got == -EMSGSIZE, "splice: %zd", got);
		partial += got > 0 && received_now() + got / records_event_size() < next - 1;
		before = before < 0 ? 0 : before;
		got = got < 0 ? 0 : got;
		all = read(pipe_fds[0], data, sizeof(data));
		NEED((all < 0 ? 0 : all) == before + got, "the pipe has %zd, not %zd + %zd", all,
		     before, got);
		count(&tally, data + before, got);
	}
	while ((got = way_read_now(s.fd, data, sizeof(data))) > 0)
		count(&tally, data, got);
	expect_received(next - 1);
	EXPECT(partial > 10, "the pipe was too small only %u times", partial);
	end();
}

static void splice_into_a_pipe_that_is_nearly_full(void)
{
	int pages;

	for (pages = 1; pages <= 4; pages *= 2) {
		splice_into(NODE, pages);
		splice_into(DEBUGFS, pages);
	}
}

/* No room for the next record, or for none at all: nothing is consumed. */
static void splice_without_room(void)
{
	const ssize_t event = records_event_size();
	static char full[4096];
	struct batch b = {};

	start_splice(NODE, 1);
	sensor_emit(3);
	EXPECT_EQ(splice_now(event - 1), -EMSGSIZE);
	NEED(write(pipe_fds[1], full, sizeof(full)) == sizeof(full), "the pipe has no room");
	EXPECT_EQ(splice_now(4096), -EAGAIN);
	NEED(read(pipe_fds[0], full, sizeof(full)) == sizeof(full), "the pipe is not full");
	EXPECT_EQ(splice_now(2 * event + 1), 2 * event);
	NEED(read(pipe_fds[0], full, sizeof(full)) == 2 * event, "not two records");
	batch_add(&b, full, 2 * event);
	EXPECT_EQ(b.events, 2);
	EXPECT_EVENTS(1);
	EXPECT_EQ(splice_now(4096), -EAGAIN);
	remove_buffer();
	EXPECT_EQ(splice_now(4096), 0);
}

static void tee_gives_both_the_same(void)
{
	const ssize_t all = 50 * records_event_size();
	struct tally tally = {};
	int other[2];

	start_splice(DEBUGFS, 4);
	NEED(!pipe2(other, O_CLOEXEC), "pipe: %s", strerror(errno));
	emit(1, 50);
	EXPECT_EQ(splice_now(65536), all);
	EXPECT_EQ(tee(pipe_fds[0], other[1], 65536, 0), all);
	EXPECT_EQ(read(pipe_fds[0], memory[0], sizeof(memory[0])), all);
	EXPECT_EQ(read(other[0], memory[1], sizeof(memory[1])), all);
	EXPECT(!memcmp(memory[0], memory[1], all), "they differ");
	count(&tally, memory[1], all);
	expect_received(50);
}

/* As of any stream, it goes on until the file has nothing or no further record fits. */
static void sendfile_to(enum kind of, int out, int in)
{
	const ssize_t event = records_event_size();
	struct tally tally = {};
	ssize_t got;

	start_splice(of, 1);
	emit(1, 500);
	EXPECT_EQ(sendfile(out, s.fd, NULL, 100 * event + 1), 100 * event);
	EXPECT_EQ(sendfile(out, s.fd, NULL, DATA_ROOM), 400 * event);
	EXPECT(sendfile(out, s.fd, NULL, DATA_ROOM) < 0 && errno == EAGAIN, "not EAGAIN");
	for (got = 0; got < 500 * event; )
		got += read(in, memory[0] + got, 500 * event - got);
	count(&tally, memory[0], got);
	expect_received(500);
	end();
}

static void sendfile_to_file_and_socket(void)
{
	enum kind of;

	for (of = NODE; of <= DEBUGFS; of++) {
		const int file = syscall(SYS_memfd_create, "sendfile", 0);
		char path[64];
		int sockets[2];

		snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
		sendfile_to(of, file, open(path, O_RDONLY));
		NEED(!socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), "socketpair");
		sendfile_to(of, sockets[0], sockets[1]);
	}
}

static const struct ktap_test tests[] = {
	KTAP_TEST(read_on_node),
	KTAP_TEST(read_on_debugfs),
	KTAP_TEST(poll_on_node),
	KTAP_TEST(poll_on_debugfs),
	KTAP_TEST(epoll_on_node),
	KTAP_TEST(epoll_on_debugfs),
	KTAP_TEST(signal_on_node),
	KTAP_TEST(signal_on_debugfs),
	KTAP_TEST(aio_on_node),
	KTAP_TEST(aio_on_debugfs),
	KTAP_TEST(aio_poll_on_node),
	KTAP_TEST(aio_poll_on_debugfs),
	KTAP_TEST(uring_poll_on_node),
	KTAP_TEST(uring_poll_on_debugfs),
	KTAP_TEST(uring_multishot_on_node),
	KTAP_TEST(uring_multishot_on_debugfs),
	KTAP_TEST(splice_on_node),
	KTAP_TEST(splice_on_debugfs),
	KTAP_TEST(splice_to_file_on_node),
	KTAP_TEST(splice_to_file_on_debugfs),
	KTAP_TEST(splice_to_socket_on_node),
	KTAP_TEST(splice_to_socket_on_debugfs),
	KTAP_TEST(uring_on_node),
	KTAP_TEST(two_ways_at_once),
	KTAP_TEST(one_signal_per_crossing),
	KTAP_TEST(what_a_read_leaves_is_signalled),
	KTAP_TEST(signal_for_what_is_there_already),
	KTAP_TEST(plain_sigio),
	KTAP_TEST(signal_when_time_has_passed),
	KTAP_TEST(signal_for_changed_attributes),
	KTAP_TEST(signal_for_the_end),
	KTAP_TEST(no_signal_when_switched_off),
	KTAP_TEST(signal_of_merged),
	KTAP_TEST(io_submit_does_not_wait),
	KTAP_TEST(requests_are_served_in_order),
	KTAP_TEST(aio_into_pieces),
	KTAP_TEST(aio_into_bad_memory),
	KTAP_TEST(cancelled_request_takes_nothing),
	KTAP_TEST(end_of_the_context_cancels),
	KTAP_TEST(end_of_the_process_cancels),
	KTAP_TEST(aio_after_close),
	KTAP_TEST(aio_without_waiting),
	KTAP_TEST(uring_read_is_short_on_a_node),
	KTAP_TEST(uring_read_fills_up_on_debugfs),
	KTAP_TEST(multishot_on_node_tells_of_each_crossing),
	KTAP_TEST(multishot_on_debugfs_tells_of_each_crossing),
	KTAP_TEST(splice_into_a_pipe_that_is_nearly_full),
	KTAP_TEST(splice_without_room),
	KTAP_TEST(tee_gives_both_the_same),
	KTAP_TEST(sendfile_to_file_and_socket),
};

int main(int argc, char **argv)
{
	return guest_main(tests, KTAP_SIZE(tests), argc, argv);
}
