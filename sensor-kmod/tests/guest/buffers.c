// SPDX-License-Identifier: GPL-2.0-only
/*
 * Buffers that get another size while events flow and readers wait; several at
 * once; and their end.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/syscall.h>

#include "guest.h"
#include "marks.h"
#include "processor.h"
#include "sensor.h"

#define KIB	1024ULL
#define MIB	(1024 * KIB)

/* Bytes of a small marker, about, and of a large one. */
#define SMALL	16
#define LARGE	3900

static struct sensor s;

static void start(uint64_t size)
{
	struct marks m = {};

	sensor_make(&s, size);
	sensor_subscribe(&s, "marker", 0);
	sensor_open(&s, 0);
	guest_on_cpu(0);
	marks_read(s.fd, &m);
}

static int open_at(unsigned int cpu)
{
	const int fd = ctl_data_open(s.buffer, cpu, 0);

	NEED(fd >= 0, "cpu%u: %s", cpu, strerror(-fd));
	return fd;
}

static int open_merged(void)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "/dev/magnet/%s/merged", s.buffer);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	NEED(fd >= 0, "merged: %s", strerror(errno));
	return fd;
}

static void resize(uint64_t size)
{
	NEED(!ctl_buffer_resize(&s.ctl, s.buffer, size, &s.size), "resize: %s", s.ctl.error);
	NEED(s.size == size, "%llu bytes became %llu", (unsigned long long)size,
	     (unsigned long long)s.size);
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

/* "ring NAME cpuN size" of control/stats. */
static long long ring_size(unsigned int cpu)
{
	char word[128];

	snprintf(word, sizeof(word), "ring %s cpu%u size", s.buffer, cpu);
	return guest_file_number(MAGNET_CONTROL "/stats", word);
}

/* ---- what is unread stays ---- */

static void unread_stays(void)
{
	struct marks m = {};

	start(64 * KIB);
	marks_write(1, 300, SMALL);
	resize(256 * KIB);
	EXPECT_EQ(ring_size(0), 256 * KIB);
	EXPECT_EQ(ring_size(1), 256 * KIB);
	marks_write(301, 500, SMALL);
	resize(64 * KIB);
	marks_read(s.fd, &m);
	EXPECT_EQ(m.events, 500);
	marks_write(501, 600, SMALL);
	resize(128 * KIB);
	marks_read(s.fd, &m);
	EXPECT_EQ(m.events, 600);
	EXPECT_EQ(m.first, 1);
	EXPECT_EQ(m.lost, 0);
}

/* At whatever place of the ring the unread begins and ends. */
static void unread_stays_wherever_it_is(void)
{
	struct marks m = {};
	uint64_t n = 0;
	unsigned int i;

	start(64 * KIB);
	for (i = 0; i < 60; i++) {
		marks_write(n + 1, n + 11, LARGE);
		n += 11;
		resize(i % 2 ? 64 * KIB : 128 * KIB);
		marks_write(n + 1, n + 2, LARGE);
		n += 2;
		marks_read(s.fd, &m);
		REQUIRE_EQ(m.last, n);
	}
	EXPECT_EQ(m.events, n);
	EXPECT_EQ(m.lost, 0);
}

static void every_size(void)
{
	struct marks m = {};
	uint64_t size, n = 0;

	start(64 * KIB);
	for (size = 64 * KIB; size <= 16 * MIB; size *= 2) {
		resize(size);
		marks_write(n + 1, n + 50, SMALL);
		n += 50;
	}
	for (size = 8 * MIB; size >= 64 * KIB; size /= 2) {
		resize(size);
		marks_write(n + 1, n + 20, SMALL);
		n += 20;
	}
	marks_read(s.fd, &m);
	EXPECT_EQ(m.events, n);
	EXPECT_EQ(m.lost, 0);
}

/* More room is room for more, at once. */
static void larger_holds_more(void)
{
	struct marks m = {};

	start(64 * KIB);
	resize(1 * MIB);
	marks_write(1, 250, LARGE);
	marks_read(s.fd, &m);
	EXPECT_EQ(m.events, 250);
	EXPECT_EQ(m.lost, 0);
}

/* A loss that is not yet told is told after what precedes it. */
static void loss_stays(void)
{
	struct marks m = {};

	start(64 * KIB);
	marks_write(1, 40, LARGE);
	resize(256 * KIB);
	marks_write(41, 60, LARGE);
	marks_read(s.fd, &m);
	EXPECT_EQ(m.last, 60);
	EXPECT_EQ(m.events + m.lost, 60);
	EXPECT(m.lost > 20 && m.lost < 30, "%llu of 40 were lost in 64 KiB",
	       (unsigned long long)m.lost);
}

/* ---- what can't be had ---- */

static void sizes_are_rounded_up(void)
{
	static const uint64_t sizes[][2] = {
		{ 0, 64 * KIB }, { 1, 64 * KIB }, { 64 * KIB + 1, 128 * KIB },
		{ 100000, 128 * KIB }, { 1 * MIB, 1 * MIB }, { 3 * MIB, 4 * MIB },
	};
	unsigned int i;
	uint64_t made;

	start(64 * KIB);
	for (i = 0; i < KTAP_SIZE(sizes); i++) {
		REQUIRE(!ctl_buffer_resize(&s.ctl, s.buffer, sizes[i][0], &made), "%s",
			s.ctl.error);
		EXPECT_EQ(made, sizes[i][1]);
		EXPECT_EQ(ring_size(1), sizes[i][1]);
	}
	EXPECT_REFUSED(ctl_buffer_resize(&s.ctl, s.buffer, 256 * MIB + 1, NULL), EINVAL,
		       "at most 256 MiB");
	EXPECT_REFUSED(ctl_buffer_resize(&s.ctl, s.buffer, -1, NULL), EINVAL, "at most 256 MiB");
	EXPECT_REFUSED(ctl_buffer_resize(&s.ctl, "no-such-buffer", 64 * KIB, NULL), ENOENT,
		       "no buffer of this name");
	EXPECT_EQ(ring_size(0), 4 * MIB);
}

/* One CPU's unread does not fit: the others' rings stay as they were, too. */
static void too_small_is_refused(void)
{
	struct marks m = {}, other = {};
	int fd;

	start(256 * KIB);
	fd = open_at(1);
	marks_read(fd, &other);
	marks_write(1, 30, SMALL);
	guest_on_cpu(1);
	marks_write(1000, 1029, LARGE);
	EXPECT_REFUSED(ctl_buffer_resize(&s.ctl, s.buffer, 64 * KIB, NULL), EBUSY,
		       "more is unread than fits");
	EXPECT_EQ(ring_size(0), 256 * KIB);
	EXPECT_EQ(ring_size(1), 256 * KIB);
	marks_write(1030, 1040, LARGE);
	guest_on_cpu(0);
	marks_write(31, 40, SMALL);
	marks_read(s.fd, &m);
	marks_read(fd, &other);
	EXPECT_EQ(m.events, 40);
	EXPECT_EQ(other.events, 41);
	EXPECT_EQ(m.lost + other.lost, 0);
	resize(64 * KIB);
	marks_write(41, 50, SMALL);
	marks_read(s.fd, &m);
	EXPECT_EQ(m.events, 50);
}

/*
 * Free pages that each CPU keeps for itself, in KiB. MemAvailable leaves them
 * out, and from 6.7 on they may be an eighth of the memory.
 */
static long long kept_by_cpus(void)
{
	FILE *file = fopen("/proc/zoneinfo", "re");
	long long pages = 0;
	char line[256];
	int n;

	NEED(file, "/proc/zoneinfo: %s", strerror(errno));
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, " count: %d", &n) == 1)
			pages += n;
	fclose(file);
	return pages * sysconf(_SC_PAGESIZE) / KIB;
}

static void memory_in_kib(long long *total, long long *unused)
{
	*total = guest_file_number("/proc/meminfo", "MemTotal");
	*unused = guest_file_number("/proc/meminfo", "MemAvailable");
	NEED(*total > 0 && *unused > 0, "/proc/meminfo says nothing");
	*unused += kept_by_cpus();
}

/* Other buffers until less than one of the largest is left of half the memory. */
static void take_memory(void)
{
	const unsigned int cpus = sysconf(_SC_NPROCESSORS_ONLN);
	char name[MAGNET_NAME_SIZE];
	long long total, unused;
	uint64_t taken = 0;
	unsigned int i;

	memory_in_kib(&total, &unused);
	for (i = 0; taken + 256 * MIB * cpus <= total * KIB / 2; i++) {
		snprintf(name, sizeof(name), "test-%d-%u", (int)getpid(), i);
		NEED(!ctl_buffer_new(&s.ctl, name, 256 * MIB, 0, NULL), "%s: %s", name,
		     s.ctl.error);
		taken += 256 * MIB * cpus;
	}
}

static void short_memory_is_refused(void)
{
	long long total, before, after;
	struct marks m = {};

	start(64 * KIB);
	take_memory();
	marks_write(1, 100, SMALL);
	memory_in_kib(&total, &before);
	EXPECT_REFUSED(ctl_buffer_resize(&s.ctl, s.buffer, 256 * MIB, NULL), ENOMEM,
		       "more than half of the memory");
	EXPECT_EQ(ring_size(0), 64 * KIB);
	EXPECT_EQ(ring_size(1), 64 * KIB);
	marks_write(101, 200, SMALL);
	marks_read(s.fd, &m);
	EXPECT_EQ(m.events, 200);
	EXPECT_EQ(m.lost, 0);
	memory_in_kib(&total, &after);
	EXPECT(before - after < 64 * 1024, "%lld KiB are gone", before - after);
}

/* The old memory is given back: many times the machine's would not do. */
static void memory_is_given_back(void)
{
	long long total, before, after;
	unsigned int i;

	start(64 * KIB);
	memory_in_kib(&total, &before);
	for (i = 0; i < 40; i++)
		resize(i % 2 ? 64 * KIB : 64 * MIB);
	memory_in_kib(&total, &after);
	printf("# %lld KiB unused before, %lld after, of which the CPUs keep %lld\n", before,
	       after, kept_by_cpus());
	EXPECT(before - after < 64 * 1024, "%lld KiB are gone", before - after);
}

/* ---- readers that sleep ---- */

static void sleeping_read_goes_on(void)
{
	struct sleeper reader;
	unsigned int i;

	start(64 * KIB);
	sleeper_read(&reader, s.fd);
	for (i = 0; i < 6; i++) {
		resize(i % 2 ? 64 * KIB : 1 * MIB);
		REQUIRE(sleeper_sleeps(&reader, SYS_read), "read returned %ld", reader.result);
	}
	marks_write(1, 1, SMALL);
	EXPECT(sleeper_join(&reader) > 0, "read: %ld", reader.result);
	EXPECT_EQ(reader.batch.events, 1);
}

static void sleeping_poll_goes_on(void)
{
	struct sleeper reader;

	start(64 * KIB);
	attr_need(s.fd, MAGNET_ATTR_READCOUNT_WATERMARK, 50);
	sleeper_poll(&reader, s.fd);
	marks_write(1, 20, SMALL);
	resize(1 * MIB);
	marks_write(21, 49, SMALL);
	EXPECT(sleeper_sleeps(&reader, SYS_OF_POLL), "poll returned %ld", reader.result);
	resize(64 * KIB);
	EXPECT(sleeper_sleeps(&reader, SYS_OF_POLL), "poll returned %ld", reader.result);
	marks_write(50, 50, SMALL);
	EXPECT_EQ(sleeper_join(&reader), 1);
	EXPECT_READABLE(s.fd);
	EXPECT_EQ(data_drain(s.fd).events, 50);
}

/* A watermark that the smaller ring never reaches: three quarters of it are enough. */
static void watermark_above_the_new_size(void)
{
	struct sleeper reader;

	start(1 * MIB);
	attr_need(s.fd, MAGNET_ATTR_READSIZE_WATERMARK, 700 * KIB);
	sleeper_read(&reader, s.fd);
	marks_write(1, 5, LARGE);
	resize(64 * KIB);
	EXPECT(sleeper_sleeps(&reader, SYS_read), "read returned %ld", reader.result);
	marks_write(6, 16, LARGE);
	EXPECT(sleeper_join(&reader) >= (long)(48 * KIB), "read returned %ld", reader.result);
	EXPECT_EQ(attr_get(s.fd, MAGNET_ATTR_READSIZE_WATERMARK), 700 * KIB);
	EXPECT_EQ(attr_set(s.fd, MAGNET_ATTR_READSIZE_WATERMARK, 700 * KIB), -EINVAL);
}

/* More than three quarters of the smaller ring are unread: there is no reason to sleep on. */
static void three_quarters_of_the_new_size(void)
{
	struct sleeper reader;

	start(1 * MIB);
	attr_need(s.fd, MAGNET_ATTR_READSIZE_WATERMARK, 700 * KIB);
	sleeper_read(&reader, s.fd);
	marks_write(1, 14, LARGE);
	EXPECT(sleeper_sleeps(&reader, SYS_read), "read returned %ld", reader.result);
	resize(64 * KIB);
	EXPECT(sleeper_join(&reader) >= (long)(48 * KIB), "read returned %ld", reader.result);
	EXPECT_EQ(reader.batch.events, 14);
}

static void sleeping_merged_goes_on(void)
{
	struct sleeper reader;
	int fd;

	start(64 * KIB);
	close(s.fd);
	fd = open_merged();
	data_drain(fd);
	attr_need(fd, MAGNET_ATTR_HOLD_BACK, 0);
	attr_need(fd, MAGNET_ATTR_READCOUNT_WATERMARK, 10);
	sleeper_read(&reader, fd);
	marks_write(1, 5, SMALL);
	resize(2 * MIB);
	guest_on_cpu(1);
	marks_write(6, 9, SMALL);
	EXPECT(sleeper_sleeps(&reader, SYS_read), "read returned %ld", reader.result);
	resize(64 * KIB);
	EXPECT(sleeper_sleeps(&reader, SYS_read), "read returned %ld", reader.result);
	marks_write(10, 10, SMALL);
	EXPECT(sleeper_join(&reader) > 0, "read: %ld", reader.result);
	EXPECT_EQ(reader.batch.events, 10);
}

/* ---- events that flow ---- */

#define ROUNDS	120

static bool over;

struct side {
	pthread_t	thread;
	unsigned int	cpu;
	int		fd;
	struct batch	batch;
};

static void *storm(void *arg)
{
	guest_on_cpu((uintptr_t)arg);
	while (!__atomic_load_n(&over, __ATOMIC_ACQUIRE))
		sensor_emit(50);
	return NULL;
}

static void *read_side(void *arg)
{
	struct side *side = arg;

	while (data_read(side->fd, &side->batch, DATA_ROOM) > 0)
		;
	return NULL;
}

/* "subscription ID POINT BUFFER cpuN hits" of control/stats. */
static uint64_t hits_on(unsigned int cpu)
{
	char word[160];

	snprintf(word, sizeof(word), "subscription %u inet_sendmsg %s cpu%u hits", s.sub, s.buffer,
		 cpu);
	return guest_file_number(MAGNET_CONTROL "/stats", word);
}

/*
 * Storms on both CPUs, a reader of each ring, and one size after another: each
 * event is delivered or counted as lost, per CPU.
 */
static void storm_is_counted_exactly(void)
{
	struct side sides[2] = {};
	struct magnet_ctl_counters c;
	pthread_t storms[2];
	unsigned int i, refused = 0;
	uint64_t hits[2];

	sensor_make(&s, 64 * KIB);
	sensor_subscribe(&s, "inet_sendmsg", 0);
	for (i = 0; i < 2; i++) {
		sides[i].fd = open_at(i);
		NEED(!pthread_create(&sides[i].thread, NULL, read_side, &sides[i]), "no thread");
		NEED(!pthread_create(&storms[i], NULL, storm, (void *)(uintptr_t)i), "no thread");
	}
	for (i = 0; i < ROUNDS; i++) {
		const int err = ctl_buffer_resize(&s.ctl, s.buffer, 64 * KIB << i % 5, NULL);

		NEED(!err || err == -EBUSY, "resize %u: %s", i, s.ctl.error);
		refused += err == -EBUSY;
		usleep(2000);
	}
	__atomic_store_n(&over, true, __ATOMIC_RELEASE);
	for (i = 0; i < 2; i++) {
		pthread_join(storms[i], NULL);
		hits[i] = hits_on(i);
	}
	REQUIRE(!ctl_sub_del(&s.ctl, s.sub, &c), "%s", s.ctl.error);
	REQUIRE(!ctl_buffer_del(&s.ctl, s.buffer), "%s", s.ctl.error);
	for (i = 0; i < 2; i++) {
		pthread_join(sides[i].thread, NULL);
		EXPECT_EQ(sides[i].batch.events + sides[i].batch.lost, hits[i]);
	}
	EXPECT_EQ(c.hits, hits[0] + hits[1]);
	EXPECT_EQ(c.committed, sides[0].batch.events + sides[1].batch.events);
	EXPECT_EQ(c.dropped_full, sides[0].batch.lost + sides[1].batch.lost);
	EXPECT_EQ(c.hits, c.committed + c.dropped_full);
	printf("# %llu events, %llu lost, %u of %u sizes too small\n",
	       (unsigned long long)c.committed, (unsigned long long)c.dropped_full, refused,
	       ROUNDS);
}

static void storm_is_merged_exactly(void)
{
	struct magnet_ctl_counters c;
	struct batch b = {};
	pthread_t storms[2];
	unsigned int i;
	int fd;

	sensor_make(&s, 64 * KIB);
	sensor_subscribe(&s, "inet_sendmsg", 0);
	fd = open_merged();
	attr_need(fd, MAGNET_ATTR_HOLD_BACK, 0);
	for (i = 0; i < 2; i++)
		NEED(!pthread_create(&storms[i], NULL, storm, (void *)(uintptr_t)i), "no thread");
	for (i = 0; i < ROUNDS; i++) {
		static char data[DATA_ROOM];
		const ssize_t len = read(fd, data, sizeof(data));
		const int err = ctl_buffer_resize(&s.ctl, s.buffer, 64 * KIB << i % 3, NULL);
		const void *at = data;
		struct record rec;

		NEED(!err || err == -EBUSY, "resize %u: %s", i, s.ctl.error);
		NEED(len > 0, "read: %s", strerror(errno));
		while (records_next(&at, data + len, &rec)) {
			b.events += rec.event == MAGNET_EVENT_INET_SENDMSG;
			if (rec.event == MAGNET_EVENT_LOST)
				b.lost += ((const struct magnet_lost *)rec.payload)->count;
		}
	}
	__atomic_store_n(&over, true, __ATOMIC_RELEASE);
	for (i = 0; i < 2; i++)
		pthread_join(storms[i], NULL);
	REQUIRE(!ctl_sub_del(&s.ctl, s.sub, &c), "%s", s.ctl.error);
	REQUIRE(!ctl_buffer_del(&s.ctl, s.buffer), "%s", s.ctl.error);
	while (data_read(fd, &b, DATA_ROOM) > 0)
		;
	EXPECT_EQ(c.committed, b.events);
	EXPECT_EQ(c.dropped_full, b.lost);
	EXPECT_EQ(c.hits, c.committed + c.dropped_full);
}

/* ---- several at once, and their end ---- */

#define BUFFERS	4

static void several_at_once(void)
{
	char names[BUFFERS][MAGNET_NAME_SIZE];
	struct marks m;
	unsigned int i;
	int fd;

	sensor_make(&s, 64 * KIB);
	guest_on_cpu(0);
	for (i = 0; i < BUFFERS; i++) {
		snprintf(names[i], sizeof(names[i]), "%s-%u", s.buffer, i);
		NEED(!ctl_buffer_new(&s.ctl, names[i], 64 * KIB << i, 0, NULL), "%s", s.ctl.error);
		NEED(!ctl_sub_new(&s.ctl, "marker", names[i], 0, NULL), "%s", s.ctl.error);
	}
	marks_write(1, 100, SMALL);
	NEED(!ctl_buffer_resize(&s.ctl, names[1], 4 * MIB, NULL), "%s", s.ctl.error);
	NEED(!ctl_buffer_resize(&s.ctl, names[3], 64 * KIB, NULL), "%s", s.ctl.error);
	NEED(!ctl_buffer_del(&s.ctl, names[0]), "%s", s.ctl.error);
	marks_write(101, 300, SMALL);
	for (i = 1; i < BUFFERS; i++) {
		memset(&m, 0, sizeof(m));
		fd = ctl_data_open(names[i], 0, 0);
		NEED(fd >= 0, "%s: %s", names[i], strerror(-fd));
		marks_read(fd, &m);
		EXPECT_EQ(m.events, 300);
		EXPECT_EQ(m.first, 1);
		EXPECT_EQ(m.lost, 0);
		close(fd);
	}
}

static void *marks_storm(void *arg)
{
	uint64_t *last = arg;

	guest_on_cpu(1);
	while (!__atomic_load_n(&over, __ATOMIC_ACQUIRE)) {
		marks_write(*last + 1, *last + 10, SMALL);
		__atomic_fetch_add(last, 10, __ATOMIC_RELEASE);
	}
	return NULL;
}

/* Who reads gets all up to the end without a gap, then 0; who sleeps, 0. */
static void removed_while_events_flow(void)
{
	uint64_t last = 0, reached;
	struct sleeper reader;
	struct marks m = {};
	pthread_t thread;
	int fd;

	start(256 * KIB);
	fd = open_at(1);
	sleeper_read(&reader, s.fd);
	NEED(!pthread_create(&thread, NULL, marks_storm, &last), "no thread");
	UNTIL(__atomic_load_n(&last, __ATOMIC_ACQUIRE) > 1000);
	resize(1 * MIB);
	reached = __atomic_load_n(&last, __ATOMIC_ACQUIRE);
	UNTIL(__atomic_load_n(&last, __ATOMIC_ACQUIRE) > reached + 200);
	REQUIRE(!ctl_buffer_del(&s.ctl, s.buffer), "%s", s.ctl.error);
	EXPECT_EQ(sleeper_join(&reader), 0);
	marks_read(fd, &m);
	EXPECT(m.ended, "the end is not told");
	EXPECT_EQ(m.first, 1);
	EXPECT(m.last > reached, "the last is %llu, before %llu", (unsigned long long)m.last,
	       (unsigned long long)reached);
	EXPECT_EQ(m.events + m.lost - m.untold, m.last);
	__atomic_store_n(&over, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
}

static const struct ktap_test tests[] = {
	KTAP_TEST(unread_stays),
	KTAP_TEST(unread_stays_wherever_it_is),
	KTAP_TEST(every_size),
	KTAP_TEST(larger_holds_more),
	KTAP_TEST(loss_stays),
	KTAP_TEST(sizes_are_rounded_up),
	KTAP_TEST(too_small_is_refused),
	KTAP_TEST(short_memory_is_refused),
	KTAP_TEST(memory_is_given_back),
	KTAP_TEST(sleeping_read_goes_on),
	KTAP_TEST(sleeping_poll_goes_on),
	KTAP_TEST(watermark_above_the_new_size),
	KTAP_TEST(three_quarters_of_the_new_size),
	KTAP_TEST(sleeping_merged_goes_on),
	KTAP_TEST(storm_is_counted_exactly),
	KTAP_TEST(storm_is_merged_exactly),
	KTAP_TEST(several_at_once),
	KTAP_TEST(removed_while_events_flow),
};

int main(int argc, char **argv)
{
	return guest_main(tests, KTAP_SIZE(tests), argc, argv);
}
