// SPDX-License-Identifier: GPL-2.0-only
/*
 * Flight recorders: the newest events overwrite the oldest, and snapshots take
 * what is there. Nothing is lost unseen: a record is in a snapshot, in the ring
 * after it, or was overwritten.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "guest.h"
#include "marks.h"
#include "request.h"
#include "sensor.h"

#define KIB	1024ULL
#define SMALL	16
#define LARGE	3900

static struct sensor s;
/* Names of this process alone: what the one before had may still be on its way out. */
static char shot[MAGNET_NAME_SIZE], other[MAGNET_NAME_SIZE], plain[MAGNET_NAME_SIZE];

static void start(uint64_t size)
{
	memset(&s, 0, sizeof(s));
	snprintf(shot, sizeof(shot), "test-shot-%d", (int)getpid());
	snprintf(other, sizeof(other), "test-other-%d", (int)getpid());
	snprintf(plain, sizeof(plain), "test-plain-%d", (int)getpid());
	NEED(!ctl_open(&s.ctl), "%s", s.ctl.error);
	snprintf(s.buffer, sizeof(s.buffer), "test-%d", (int)getpid());
	NEED(!ctl_buffer_new(&s.ctl, s.buffer, size, MAGNET_F_OVERWRITE, &s.size), "%s",
	     s.ctl.error);
	guest_on_cpu(0);
}

static void start_marks(uint64_t size)
{
	start(size);
	sensor_subscribe(&s, "marker", 0);
}

static void snapshot(const char *name)
{
	NEED(!ctl_buffer_snapshot(&s.ctl, s.buffer, name, 0), "snapshot: %s", s.ctl.error);
}

static int open_file(const char *buffer, const char *name)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "/dev/magnet/%s/%s", buffer, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int need_file(const char *buffer, const char *name)
{
	const int fd = open_file(buffer, name);

	NEED(fd >= 0, "%s/%s: %s", buffer, name, strerror(-fd));
	return fd;
}

/* Read a snapshot's ring and remove the snapshot. */
static struct marks take(const char *name)
{
	const int fd = need_file(name, "cpu0");
	struct marks m = {};

	marks_read(fd, &m);
	EXPECT(m.ended, "the snapshot does not end");
	close(fd);
	NEED(!ctl_buffer_del(&s.ctl, name), "%s", s.ctl.error);
	return m;
}

#define EXPECT_REFUSED(asked, code, words)					\
	do {									\
		const int err_ = (asked);					\
										\
		EXPECT(err_ == -(code), "the answer is \"%s\", not \"%s\"",	\
		       strerror(-err_), strerror(code));			\
		EXPECT(strstr(s.ctl.error, words), "the text is \"%s\", without \"%s\"",	\
		       s.ctl.error, words);					\
	} while (0)

/* ---- what BUFFER_GET says ---- */

struct ring {
	uint64_t	written;
	uint64_t	read;		/* a flight recorder: taken by snapshots */
	uint64_t	bytes_written;
	uint64_t	bytes_read;
	uint64_t	lost;
	uint64_t	overwritten;
};

struct question {
	const char	*buffer;
	unsigned int	cpu;
	struct ring	ring;
	uint32_t	flags;
	bool		found;
};

static void find_ring(struct attrs attrs, void *arg)
{
	struct question *q = arg;
	struct attrs cpu;
	uint16_t type;

	if (strcmp(attrs_text(attrs, MAGNET_A_BUFFER), q->buffer))
		return;
	q->flags = attrs_u32(attrs, MAGNET_A_FLAGS);
	EXPECT_EQ(attrs_u64(attrs, MAGNET_A_MERGED_LATE), 0);
	while (attrs_next(&attrs, &type, &cpu)) {
		if (type != MAGNET_A_CPU_STATS || attrs_u32(cpu, MAGNET_A_CPU) != q->cpu)
			continue;
		q->found = true;
		q->ring = (struct ring) {
			.written = attrs_u64(cpu, MAGNET_A_RECORDS_WRITTEN),
			.read = attrs_u64(cpu, MAGNET_A_RECORDS_READ),
			.bytes_written = attrs_u64(cpu, MAGNET_A_BYTES_WRITTEN),
			.bytes_read = attrs_u64(cpu, MAGNET_A_BYTES_READ),
			.lost = attrs_u64(cpu, MAGNET_A_LOST),
			.overwritten = attrs_u64(cpu, MAGNET_A_OVERWRITTEN),
		};
	}
}

static struct ring ring_of(const char *buffer, unsigned int cpu)
{
	struct question q = { .buffer = buffer, .cpu = cpu };
	const struct answer a = request_dump(&s.ctl, MAGNET_CMD_BUFFER_GET, find_ring, &q);

	NEED(!a.error && q.found, "buffer %s, CPU %u: %s", buffer, cpu, a.text);
	return q.ring;
}

/* ---- the newest stay ---- */

/* Far more than the ring holds: it has the newest without a gap, and counts the others. */
static void newest_without_a_gap(void)
{
	const uint64_t n = 20011;
	struct ring ring;
	struct marks m;
	size_t in_ring;

	start_marks(64 * KIB);
	marks_write(1, n, SMALL);
	snapshot(shot);
	ring = ring_of(shot, 0);
	m = take(shot);
	EXPECT_EQ(m.last, n);
	EXPECT_EQ(m.first, n + 1 - m.events);
	EXPECT_EQ(m.lost, 0);
	/* No more than an eighth was given up in advance. */
	in_ring = records_in_ring(m.bytes, m.records);
	EXPECT(in_ring >= 56 * KIB - 200 && in_ring <= 64 * KIB, "%zu bytes", in_ring);
	EXPECT_EQ(ring.written, m.records);
	EXPECT_EQ(ring.bytes_written, m.bytes);
	EXPECT_EQ(ring.overwritten, 0);
	ring = ring_of(s.buffer, 0);
	/* One CLOCK record at its beginning, one when the snapshot was taken. */
	marks_expect_clocks(ring.written - n, 2);
	EXPECT_EQ(ring.read, m.records);
	EXPECT_EQ(ring.bytes_read, m.bytes);
	EXPECT_EQ(ring.overwritten, ring.written - m.records);
	EXPECT_EQ(ring.lost, 0);
}

static void records_of_any_size(void)
{
	struct marks m;
	unsigned int i;
	uint64_t n = 0;

	start_marks(64 * KIB);
	for (i = 0; i < 500; i++) {
		marks_write(n + 1, n + 3, i * 7 % LARGE);
		n += 3;
	}
	snapshot(shot);
	m = take(shot);
	EXPECT_EQ(m.last, n);
	EXPECT_EQ(m.lost, 0);
	EXPECT(m.bytes >= 48 * KIB, "%llu bytes", (unsigned long long)m.bytes);
}

/* As long as there is room nothing is overwritten. */
static void all_is_there_until_it_is_full(void)
{
	struct marks m;

	start_marks(256 * KIB);
	marks_write(1, 2000, SMALL);
	EXPECT_EQ(ring_of(s.buffer, 0).overwritten, 0);
	snapshot(shot);
	m = take(shot);
	EXPECT_EQ(m.first, 1);
	EXPECT_EQ(m.events, 2000);
	marks_expect_clocks(m.clocks, 2);
}

/* One after the other they have all there ever was. */
static void snapshots_follow_each_other(void)
{
	struct ring ring;
	uint64_t n = 0, records = 0;
	unsigned int i;

	start_marks(64 * KIB);
	for (i = 0; i < 30; i++) {
		struct marks m;

		marks_write(n + 1, n + 100 + i, SMALL);
		snapshot(shot);
		m = take(shot);
		REQUIRE_EQ(m.first, n + 1);
		n += 100 + i;
		REQUIRE_EQ(m.last, n);
		records += m.records;
	}
	ring = ring_of(s.buffer, 0);
	EXPECT_EQ(ring.written, records);
	EXPECT_EQ(ring.read, records);
	EXPECT_EQ(ring.overwritten, 0);
}

static void snapshot_explains_its_times(void)
{
	struct marks m;
	unsigned int i;

	start_marks(64 * KIB);
	for (i = 0; i < 3; i++) {
		marks_write(1, 1000, LARGE);
		snapshot(shot);
		m = take(shot);
		marks_expect_clocks(m.clocks, 1);
	}
}

/* A snapshot is a buffer like others, of which nothing more comes. */
static void snapshot_is_read_in_all_ways(void)
{
	struct pollfd pfd = { .events = POLLIN };
	struct batch b = {};
	int fd;

	start_marks(64 * KIB);
	marks_write(1, 10, SMALL);
	guest_on_cpu(1);
	marks_write(11, 20, SMALL);
	snapshot(shot);
	fd = need_file(shot, "merged");
	EXPECT_EQ(open_file(shot, "cpu0"), -EBUSY);
	/* Whatever is asked for, all is there that will ever be. */
	attr_need(fd, MAGNET_ATTR_READCOUNT_WATERMARK, 1000);
	EXPECT(data_read(fd, &b, DATA_ROOM) > 0, "nothing to read");
	EXPECT_EQ(b.events, 20);
	EXPECT_EQ(data_read(fd, &b, DATA_ROOM), 0);
	EXPECT_EQ(data_read_now(fd, &b, DATA_ROOM), 0);
	pfd.fd = fd;
	EXPECT_EQ(poll(&pfd, 1, -1), 1);
	EXPECT(pfd.revents & POLLIN && pfd.revents & POLLHUP, "poll says %#x", pfd.revents);
	marks_write(21, 30, SMALL);
	EXPECT_EQ(data_read(fd, &b, DATA_ROOM), 0);
	close(fd);
	fd = need_file(shot, "cpu1");
	EXPECT_EQ(data_read(fd, &b, DATA_ROOM), 0);
}

/* ---- what can't be had ---- */

static void files_do_not_open(void)
{
	char path[128];

	start_marks(64 * KIB);
	EXPECT_EQ(open_file(s.buffer, "cpu0"), -EOPNOTSUPP);
	EXPECT_EQ(open_file(s.buffer, "merged"), -EOPNOTSUPP);
	snprintf(path, sizeof(path), MAGNET_DEBUGFS "/data/%s/cpu1", s.buffer);
	EXPECT(open(path, O_RDONLY) < 0 && errno == EOPNOTSUPP, "debugfs: %s", strerror(errno));
}

static void refusals(void)
{
	start_marks(64 * KIB);
	marks_write(1, 10, SMALL);
	EXPECT_REFUSED(ctl_buffer_snapshot(&s.ctl, "no-such-buffer", shot, 0), ENOENT,
		       "no buffer of this name");
	EXPECT_REFUSED(ctl_buffer_snapshot(&s.ctl, s.buffer, s.buffer, 0), EEXIST, "exists");
	EXPECT_REFUSED(ctl_buffer_snapshot(&s.ctl, s.buffer, "a/b", 0), EINVAL, "letters");
	EXPECT_REFUSED(ctl_buffer_snapshot(&s.ctl, s.buffer, "marker", 0), EINVAL, "taken");
	snapshot(shot);
	EXPECT_REFUSED(ctl_buffer_snapshot(&s.ctl, shot, other, 0), EOPNOTSUPP,
		       "only a flight recorder");
	EXPECT_REFUSED(ctl_buffer_resize(&s.ctl, shot, 128 * KIB, NULL), EROFS,
		       "a snapshot can't be resized");
	EXPECT_REFUSED(ctl_sub_new(&s.ctl, "marker", shot, 0, NULL), EROFS,
		       "nothing is logged there");
	EXPECT_EQ(take(shot).events, 10);
	NEED(!ctl_buffer_new(&s.ctl, plain, 0, 0, NULL), "%s", s.ctl.error);
	EXPECT_REFUSED(ctl_buffer_snapshot(&s.ctl, plain, shot, 0), EOPNOTSUPP,
		       "only a flight recorder");
	EXPECT_EQ(open_file(shot, "cpu0"), -ENOENT);
}

static void control_files_tell(void)
{
	char line[160];

	start_marks(64 * KIB);
	marks_write(1, 100, LARGE);
	snapshot(shot);
	snprintf(line, sizeof(line), " 0 recorder %llu\n",
		 (unsigned long long)ring_of(s.buffer, 0).overwritten);
	EXPECT(guest_file_has(MAGNET_CONTROL "/buffers", line), "no line has \"%s\"", line);
	snprintf(line, sizeof(line), "%s %llu 0 port:", shot, 64 * KIB);
	EXPECT(guest_file_has(MAGNET_CONTROL "/buffers", line), "no line has \"%s\"", line);
	EXPECT(guest_file_has(MAGNET_CONTROL "/buffers", " 0 snapshot 0\n"), "no snapshot");
	snprintf(line, sizeof(line), " overwritten %llu ",
		 (unsigned long long)ring_of(s.buffer, 0).overwritten);
	EXPECT(guest_file_has(MAGNET_CONTROL "/stats", line), "no line has \"%s\"", line);
}

static void snapshot_ends_with_its_socket(void)
{
	struct magnet_ctl ctl;

	start_marks(64 * KIB);
	NEED(!ctl_open(&ctl), "%s", ctl.error);
	NEED(!ctl_buffer_snapshot(&ctl, s.buffer, shot, 0), "%s", ctl.error);
	NEED(!ctl_buffer_snapshot(&ctl, s.buffer, other, MAGNET_F_PERSISTENT), "%s",
	     ctl.error);
	ctl_close(&ctl);
	UNTIL(open_file(shot, "cpu0") == -ENOENT);
	EXPECT(open_file(other, "cpu0") >= 0, "what is persistent is gone");
	NEED(!ctl_buffer_del(&s.ctl, other), "%s", s.ctl.error);
}

/* A reader of the snapshot needs nothing of the flight recorder. */
static void snapshot_outlives_its_recorder(void)
{
	start_marks(64 * KIB);
	marks_write(1, 2000, SMALL);
	snapshot(shot);
	NEED(!ctl_buffer_del(&s.ctl, s.buffer), "%s", s.ctl.error);
	EXPECT_EQ(take(shot).last, 2000);
}

/* ---- another size ---- */

static void resize(uint64_t size)
{
	NEED(!ctl_buffer_resize(&s.ctl, s.buffer, size, NULL), "resize: %s", s.ctl.error);
}

static void larger_keeps_all(void)
{
	struct marks m;

	start_marks(64 * KIB);
	marks_write(1, 100, 400);
	resize(1024 * KIB);
	marks_write(101, 1000, 400);
	snapshot(shot);
	m = take(shot);
	EXPECT_EQ(m.first, 1);
	EXPECT_EQ(m.last, 1000);
	EXPECT_EQ(m.events, 1000);
}

/* It gives up the oldest, and counts them. */
static void smaller_keeps_the_newest(void)
{
	struct ring ring;
	struct marks m;
	size_t in_ring;

	start_marks(4096 * KIB);
	marks_write(1, 10007, SMALL);
	resize(64 * KIB);
	ring = ring_of(s.buffer, 0);
	snapshot(shot);
	m = take(shot);
	EXPECT_EQ(m.last, 10007);
	EXPECT_EQ(m.events, m.last + 1 - m.first);
	in_ring = records_in_ring(m.bytes, m.records);
	EXPECT(in_ring > 63 * KIB, "%zu bytes are left", in_ring);
	marks_expect_clocks(ring.written - 10007, 1);
	ring = ring_of(s.buffer, 0);
	marks_expect_clocks(ring.written - 10007, 2);
	EXPECT_EQ(ring.written, ring.overwritten + m.records);
}

/* ---- while events flow ---- */

#define ROUNDS	60

static bool over;

static void *storm(void *arg)
{
	guest_on_cpu((uintptr_t)arg);
	while (!__atomic_load_n(&over, __ATOMIC_ACQUIRE))
		sensor_emit(50);
	return NULL;
}

struct sum {
	struct batch	batch;
	uint64_t	records;
};

/* What a snapshot has of a CPU, after what those before it had. */
static void add_snapshot(struct sum *sum, unsigned int cpu)
{
	struct batch before = sum->batch;
	int fd = ctl_data_open(shot, cpu, 0);

	NEED(fd >= 0, "cpu%u: %s", cpu, strerror(-fd));
	while (data_read(fd, &sum->batch, DATA_ROOM) > 0)
		;
	close(fd);
	sum->records += sum->batch.events - before.events + sum->batch.clocks - before.clocks +
			sum->batch.lost_records - before.lost_records;
}

/*
 * Storms on both CPUs, one snapshot after another, and other sizes in between:
 * what was written was overwritten or is in a snapshot, and an event was logged
 * or is counted as lost.
 */
static void storm_is_counted_exactly(void)
{
	struct magnet_ctl_counters c;
	struct sum sums[2] = {};
	uint64_t overwritten = 0, lost = 0;
	pthread_t storms[2];
	unsigned int i, cpu;

	start(64 * KIB);
	sensor_subscribe(&s, "inet_sendmsg", 0);
	for (cpu = 0; cpu < 2; cpu++)
		NEED(!pthread_create(&storms[cpu], NULL, storm, (void *)(uintptr_t)cpu),
		     "no thread");
	for (i = 0; i <= ROUNDS; i++) {
		if (i == ROUNDS) {
			/* A slow machine may not have filled a ring between any two snapshots. */
			UNTIL(ring_of(s.buffer, 0).overwritten || ring_of(s.buffer, 1).overwritten);
			__atomic_store_n(&over, true, __ATOMIC_RELEASE);
			for (cpu = 0; cpu < 2; cpu++)
				pthread_join(storms[cpu], NULL);
			NEED(!ctl_sub_del(&s.ctl, s.sub, &c), "%s", s.ctl.error);
		} else if (i % 3 == 2) {
			resize(64 * KIB << i % 4);
		}
		snapshot(shot);
		for (cpu = 0; cpu < 2; cpu++)
			add_snapshot(&sums[cpu], cpu);
		NEED(!ctl_buffer_del(&s.ctl, shot), "%s", s.ctl.error);
	}
	for (cpu = 0; cpu < 2; cpu++) {
		const struct ring ring = ring_of(s.buffer, cpu);

		EXPECT_EQ(ring.read, sums[cpu].records);
		EXPECT_EQ(ring.written, ring.overwritten + ring.read);
		EXPECT_EQ(ring.bytes_written >= ring.bytes_read, 1);
		overwritten += ring.overwritten;
		lost += ring.lost;
	}
	EXPECT_EQ(c.hits, c.committed + c.dropped_full);
	EXPECT_EQ(c.dropped_full, lost);
	EXPECT(overwritten, "nothing was overwritten");
	printf("# %llu events, %llu dropped, %llu records overwritten, %llu in snapshots\n",
	       (unsigned long long)c.committed, (unsigned long long)c.dropped_full,
	       (unsigned long long)overwritten,
	       (unsigned long long)(sums[0].records + sums[1].records));
}

static void *marks_storm(void *arg)
{
	uint64_t *last = arg;

	guest_on_cpu(0);
	while (!__atomic_load_n(&over, __ATOMIC_ACQUIRE)) {
		marks_write(*last + 1, *last + 100, SMALL);
		__atomic_fetch_add(last, 100, __ATOMIC_RELEASE);
	}
	return NULL;
}

/* Within each snapshot no number is missing, and the next begins after it. */
static void storm_has_no_gaps(void)
{
	uint64_t last = 0, before = 0, events = 0;
	struct ring ring;
	pthread_t thread;
	struct marks m;
	unsigned int i;

	start_marks(128 * KIB);
	NEED(!pthread_create(&thread, NULL, marks_storm, &last), "no thread");
	for (i = 0; i <= ROUNDS; i++) {
		if (i == ROUNDS) {
			__atomic_store_n(&over, true, __ATOMIC_RELEASE);
			pthread_join(thread, NULL);
		}
		snapshot(shot);
		m = take(shot);
		EXPECT(!m.events || m.first > before, "marker %llu comes after %llu",
		       (unsigned long long)m.first, (unsigned long long)before);
		before = m.events ? m.last : before;
		events += m.events;
	}
	EXPECT_EQ(before, last);
	ring = ring_of(s.buffer, 0);
	EXPECT_EQ(ring.written, ring.overwritten + ring.read);
	EXPECT(events + ring.overwritten + ring.lost >= last, "%llu of %llu are accounted for",
	       (unsigned long long)(events + ring.overwritten + ring.lost),
	       (unsigned long long)last);
}

/* Beside it others get all the events. */
static void several_at_once(void)
{
	struct marks m = {};
	int fd;

	start_marks(64 * KIB);
	NEED(!ctl_buffer_new(&s.ctl, plain, 4096 * KIB, 0, NULL), "%s", s.ctl.error);
	NEED(!ctl_buffer_new(&s.ctl, other, 64 * KIB, MAGNET_F_OVERWRITE, NULL), "%s",
	     s.ctl.error);
	NEED(!ctl_sub_new(&s.ctl, "marker", plain, 0, NULL), "%s", s.ctl.error);
	NEED(!ctl_sub_new(&s.ctl, "marker", other, 0, NULL), "%s", s.ctl.error);
	marks_write(1, 3001, SMALL);
	snapshot(shot);
	marks_write(3002, 5003, SMALL);
	fd = need_file(plain, "cpu0");
	marks_read(fd, &m);
	EXPECT_EQ(m.events, 5003);
	EXPECT_EQ(take(shot).last, 3001);
	NEED(!ctl_buffer_snapshot(&s.ctl, other, shot, 0), "%s", s.ctl.error);
	EXPECT_EQ(take(shot).last, 5003);
	snapshot(shot);
	m = take(shot);
	EXPECT_EQ(m.last, 5003);
	EXPECT(m.first >= 3002, "the first is %llu", (unsigned long long)m.first);
}

static const struct ktap_test tests[] = {
	KTAP_TEST(newest_without_a_gap),
	KTAP_TEST(records_of_any_size),
	KTAP_TEST(all_is_there_until_it_is_full),
	KTAP_TEST(snapshots_follow_each_other),
	KTAP_TEST(snapshot_explains_its_times),
	KTAP_TEST(snapshot_is_read_in_all_ways),
	KTAP_TEST(files_do_not_open),
	KTAP_TEST(refusals),
	KTAP_TEST(control_files_tell),
	KTAP_TEST(snapshot_ends_with_its_socket),
	KTAP_TEST(snapshot_outlives_its_recorder),
	KTAP_TEST(larger_keeps_all),
	KTAP_TEST(smaller_keeps_the_newest),
	KTAP_TEST(storm_is_counted_exactly),
	KTAP_TEST(storm_has_no_gaps),
	KTAP_TEST(several_at_once),
};

int main(int argc, char **argv)
{
	return guest_main(tests, KTAP_SIZE(tests), argc, argv);
}
