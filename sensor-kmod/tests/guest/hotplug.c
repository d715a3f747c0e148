// SPDX-License-Identifier: GPL-2.0-only
/*
 * CPUs that come and go while events flow: each has its ring from the first
 * time it comes up, what is in there stays readable, and nothing is lost
 * without being counted.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "guest.h"
#include "marks.h"
#include "processor.h"
#include "request.h"
#include "sensor.h"

#define KIB	1024ULL
#define MIB	(1024 * KIB)
#define FILLERS	64
#define SMALL	16
#define CPUS	2
#define TURNS	12

static struct sensor s;
static char other[MAGNET_NAME_SIZE];

static void online(bool on)
{
	NEED(guest_write_file("/sys/devices/system/cpu/cpu1/online", on ? "1" : "0"),
	     "CPU 1 does not go %s: %s", on ? "on" : "off", strerror(errno));
}

static void start(bool cpu1)
{
	guest_on_cpu(0);
	online(true);
	if (!cpu1)
		online(false);
	sensor_make(&s, 64 * KIB);
	snprintf(other, sizeof(other), "test-other-%d", (int)getpid());
}

static void marks_on(unsigned int cpu, uint64_t first, uint64_t last)
{
	guest_on_cpu(cpu);
	marks_write(first, last, SMALL);
	guest_on_cpu(0);
}

static struct marks marks_of(const char *buffer, unsigned int cpu)
{
	const int fd = ctl_data_open(buffer, cpu, 0);
	struct marks m = {};

	NEED(fd >= 0, "%s, CPU %u: %s", buffer, cpu, strerror(-fd));
	marks_read(fd, &m);
	close(fd);
	return m;
}

/* "ring NAME cpu1 size" of control/stats; -1: there is no such ring. */
static long long ring_size(const char *buffer)
{
	char word[128];

	snprintf(word, sizeof(word), "ring %s cpu1 size", buffer);
	return guest_file_number(MAGNET_CONTROL "/stats", word);
}

/* ---- counters per CPU ---- */

struct counters {
	uint64_t	hits;
	uint64_t	committed;
	uint64_t	dropped;	/* for whatever reason */
	uint64_t	left_out;	/* on purpose */
};

static void read_counters(struct attrs attrs, void *arg)
{
	struct counters *c = arg;
	struct attrs cpu;
	uint16_t type;

	while (attrs_next(&attrs, &type, &cpu)) {
		if (type != MAGNET_A_CPU_STATS)
			continue;
		NEED(attrs_u32(cpu, MAGNET_A_CPU) < CPUS, "CPU %u",
		     attrs_u32(cpu, MAGNET_A_CPU));
		c[attrs_u32(cpu, MAGNET_A_CPU)] = (struct counters) {
			.hits = attrs_u64(cpu, MAGNET_A_HITS),
			.committed = attrs_u64(cpu, MAGNET_A_COMMITTED),
			.dropped = attrs_u64(cpu, MAGNET_A_DROPPED_FULL) +
				   attrs_u64(cpu, MAGNET_A_DROPPED_BIG) +
				   attrs_u64(cpu, MAGNET_A_DROPPED_RECURSION),
			.left_out = attrs_u64(cpu, MAGNET_A_FILTERED) +
				    attrs_u64(cpu, MAGNET_A_SAMPLED_OUT),
		};
	}
}

/* End a subscription; its counters are final. */
static void unsubscribe(uint32_t sub, struct counters *c)
{
	struct answer a;
	struct request r;

	memset(c, 0, CPUS * sizeof(*c));
	request_begin(&r, &s.ctl, MAGNET_CMD_SUB_DEL);
	request_put_u32(&r, MAGNET_A_SUB_ID, sub);
	a = request_send(&r, &s.ctl, read_counters, c);
	NEED(!a.error, "%s", a.text);
}

/* ---- one after the other ---- */

static void ring_stays_readable(void)
{
	struct marks m;

	start(true);
	sensor_subscribe(&s, "marker", 0);
	marks_on(1, 1, 300);
	online(false);
	m = marks_of(s.buffer, 1);
	EXPECT_EQ(m.first, 1);
	EXPECT_EQ(m.events, 300);
	online(true);
}

static void reader_sleeps_through_it(void)
{
	struct sleeper reader;
	int fd;

	start(true);
	sensor_subscribe(&s, "marker", 0);
	fd = ctl_data_open(s.buffer, 1, 0);
	NEED(fd >= 0, "cpu1: %s", strerror(-fd));
	data_drain(fd);
	sleeper_read(&reader, fd);
	online(false);
	online(true);
	marks_on(1, 1, 1);
	EXPECT(sleeper_join(&reader) > 0, "read: %ld", reader.result);
	EXPECT_EQ(reader.batch.events, 1);
}

/* Before and after it was off: one ring, one order, one count. */
static void ring_goes_on(void)
{
	struct counters c[CPUS];
	struct marks m;
	unsigned int i;
	uint64_t n = 0;

	start(true);
	sensor_subscribe(&s, "marker", 0);
	for (i = 0; i < 4; i++) {
		marks_on(1, n + 1, n + 50);
		n += 50;
		online(false);
		online(true);
	}
	m = marks_of(s.buffer, 1);
	EXPECT_EQ(m.first, 1);
	EXPECT_EQ(m.events, n);
	unsubscribe(s.sub, c);
	EXPECT_EQ(c[1].hits, n);
	EXPECT_EQ(c[1].committed, n);
	EXPECT_EQ(c[0].hits, 0);
}

/* Its memory is exchanged although nobody runs there. */
static void ring_is_resized_while_off(void)
{
	struct marks m;

	start(true);
	sensor_subscribe(&s, "marker", 0);
	marks_on(1, 1, 100);
	online(false);
	NEED(!ctl_buffer_resize(&s.ctl, s.buffer, 1024 * KIB, NULL), "%s", s.ctl.error);
	EXPECT_EQ(ring_size(s.buffer), 1024 * KIB);
	NEED(!ctl_buffer_resize(&s.ctl, s.buffer, 128 * KIB, NULL), "%s", s.ctl.error);
	online(true);
	marks_on(1, 101, 200);
	m = marks_of(s.buffer, 1);
	EXPECT_EQ(m.first, 1);
	EXPECT_EQ(m.events, 200);
}

static void ring_is_in_a_snapshot_while_off(void)
{
	char recorder[MAGNET_NAME_SIZE];
	struct marks m;

	start(true);
	snprintf(recorder, sizeof(recorder), "test-recorder-%d", (int)getpid());
	NEED(!ctl_buffer_new(&s.ctl, recorder, 0, MAGNET_F_OVERWRITE, NULL), "%s", s.ctl.error);
	NEED(!ctl_sub_new(&s.ctl, "marker", recorder, 0, NULL), "%s", s.ctl.error);
	marks_on(1, 1, 100);
	online(false);
	NEED(!ctl_buffer_snapshot(&s.ctl, recorder, other, 0), "%s", s.ctl.error);
	m = marks_of(other, 1);
	EXPECT_EQ(m.events, 100);
	NEED(!ctl_buffer_del(&s.ctl, other), "%s", s.ctl.error);
	online(true);
	marks_on(1, 101, 150);
	NEED(!ctl_buffer_snapshot(&s.ctl, recorder, other, 0), "%s", s.ctl.error);
	m = marks_of(other, 1);
	EXPECT_EQ(m.first, 101);
	EXPECT_EQ(m.events, 50);
}

/* ---- a CPU that comes up for the first time ---- */

static void first_time_up(void)
{
	char path[128];
	struct marks m;

	start(false);
	sensor_subscribe(&s, "marker", 0);
	EXPECT_EQ(ctl_data_open(s.buffer, 1, 0), -ENOENT);
	EXPECT_EQ(ring_size(s.buffer), -1);
	marks_on(0, 1, 10);
	/* Its ring has the size that the buffer has by then. */
	NEED(!ctl_buffer_resize(&s.ctl, s.buffer, 128 * KIB, NULL), "%s", s.ctl.error);
	online(true);
	EXPECT_EQ(ring_size(s.buffer), 128 * KIB);
	marks_on(1, 11, 30);
	m = marks_of(s.buffer, 1);
	EXPECT_EQ(m.first, 11);
	EXPECT_EQ(m.events, 20);
	marks_expect_clocks(m.clocks, 1);
	snprintf(path, sizeof(path), MAGNET_DEBUGFS "/data/%s/cpu1", s.buffer);
	EXPECT(!access(path, F_OK), "debugfs has no file for it");
	snprintf(path, sizeof(path), "/dev/magnet/%s/cpu1", s.buffer);
	EXPECT(!access(path, F_OK), "there is no node for it");
	m = marks_of(s.buffer, 0);
	EXPECT_EQ(m.events, 10);
}

/* A flight recorder gets a ring as well, which overwrites; a snapshot gets none. */
static void first_time_up_with_a_recorder(void)
{
	char recorder[MAGNET_NAME_SIZE], second[MAGNET_NAME_SIZE];
	struct marks m;

	start(false);
	snprintf(recorder, sizeof(recorder), "test-recorder-%d", (int)getpid());
	snprintf(second, sizeof(second), "test-second-%d", (int)getpid());
	NEED(!ctl_buffer_new(&s.ctl, recorder, 64 * KIB, MAGNET_F_OVERWRITE, NULL), "%s",
	     s.ctl.error);
	NEED(!ctl_sub_new(&s.ctl, "marker", recorder, 0, NULL), "%s", s.ctl.error);
	NEED(!ctl_buffer_snapshot(&s.ctl, recorder, other, 0), "%s", s.ctl.error);
	online(true);
	EXPECT_EQ(ring_size(recorder), 64 * KIB);
	EXPECT_EQ(ring_size(other), -1);
	EXPECT_EQ(ctl_data_open(recorder, 1, 0), -EOPNOTSUPP);
	marks_on(1, 1, 3001);
	NEED(!ctl_buffer_snapshot(&s.ctl, recorder, second, 0), "%s", s.ctl.error);
	m = marks_of(second, 1);
	EXPECT_EQ(m.last, 3001);
	EXPECT(m.first > 1000, "all of %llu markers are there", (unsigned long long)m.events);
	EXPECT_EQ(m.lost, 0);
}

/* Until no ring of any size can be had any more. */
static unsigned int take_memory(void)
{
	uint64_t size = 256 * MIB;
	unsigned int n = 0;
	char name[32];

	while (size >= 64 * KIB) {
		NEED(n < FILLERS, "%u buffers are less than half of the memory", n);
		snprintf(name, sizeof(name), "test-filler-%u", n);
		if (ctl_buffer_new(&s.ctl, name, size, 0, NULL))
			size /= 2;
		else
			n++;
	}
	return n;
}

static void give_memory_back(unsigned int n)
{
	char name[32];

	while (n--) {
		snprintf(name, sizeof(name), "test-filler-%u", n);
		NEED(!ctl_buffer_del(&s.ctl, name), "%s: %s", name, s.ctl.error);
	}
}

/*
 * All buffers may take half of the memory: where nothing of it is left, the ring
 * of a CPU that comes has none, and says what it lost. It gets some when the
 * buffer gets another size.
 */
static void first_time_up_without_memory(void)
{
	struct counters c[CPUS];
	unsigned int fillers;
	struct marks m;

	start(false);
	sensor_subscribe(&s, "marker", 0);
	fillers = take_memory();
	EXPECT(fillers > 3, "%u buffers", fillers);
	online(true);
	EXPECT_EQ(ring_size(s.buffer), 0);
	marks_on(0, 1, 10);
	marks_on(1, 11, 110);
	EXPECT_EQ(marks_of(s.buffer, 0).events, 10);
	m = marks_of(s.buffer, 1);
	EXPECT_EQ(m.events, 0);
	EXPECT_EQ(m.lost, 100);
	give_memory_back(fillers);
	NEED(!ctl_buffer_resize(&s.ctl, s.buffer, 128 * KIB, NULL), "%s", s.ctl.error);
	EXPECT_EQ(ring_size(s.buffer), 128 * KIB);
	marks_on(1, 111, 130);
	m = marks_of(s.buffer, 1);
	EXPECT_EQ(m.events, 20);
	EXPECT_EQ(m.lost, 0);
	unsubscribe(s.sub, c);
	EXPECT_EQ(c[0].committed, 10);
	EXPECT_EQ(c[1].hits, 120);
	EXPECT_EQ(c[1].committed, 20);
	EXPECT_EQ(c[1].dropped, 100);
}

/* ---- CPUs that are possible and have never been there ---- */

static void count_rings(struct attrs attrs, void *arg)
{
	struct attrs cpu;
	uint16_t type;

	if (strcmp(attrs_text(attrs, MAGNET_A_BUFFER), s.buffer))
		return;
	while (attrs_next(&attrs, &type, &cpu))
		if (type == MAGNET_A_CPU_STATS)
			++*(long *)arg;
}

static long count_files(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	long files = 0;

	NEED(dir, "%s: %s", path, strerror(errno));
	while ((entry = readdir(dir)))
		files += !strncmp(entry->d_name, "cpu", 3);
	closedir(dir);
	return files;
}

/* Each CPU that has been online has a ring, and no other. */
static void only_cpus_that_were_online_have_rings(void)
{
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	long rings = 0, counted = 0;
	char path[128];
	uint64_t n;
	long i;

	start(true);
	sensor_subscribe(&s, "marker", 0);
	NEED(!request_dump(&s.ctl, MAGNET_CMD_BUFFER_GET, count_rings, &rings).error, "no dump");
	NEED(!request_dump(&s.ctl, MAGNET_CMD_SUB_GET, count_rings, &counted).error, "no dump");
	EXPECT_EQ(rings, cpus);
	EXPECT_EQ(counted, cpus);
	snprintf(path, sizeof(path), "/dev/magnet/%s", s.buffer);
	EXPECT_EQ(count_files(path), cpus);
	snprintf(path, sizeof(path), MAGNET_DEBUGFS "/data/%s", s.buffer);
	EXPECT_EQ(count_files(path), cpus);
	EXPECT_EQ(ctl_data_open(s.buffer, cpus, 0), -ENOENT);
	for (i = 0; i < cpus; i++)
		marks_on(i, 1, 10 + i);
	for (i = 0, n = 0; i < cpus; i++)
		n += marks_of(s.buffer, i).events;
	EXPECT_EQ(n, 10 * cpus + cpus * (cpus - 1) / 2);
}

/* ---- while events flow ---- */

static bool over;

static bool is_over(void)
{
	return __atomic_load_n(&over, __ATOMIC_ACQUIRE);
}

/* On whatever CPU there is. */
static void *storm(void *unused)
{
	cpu_set_t all;

	memset(&all, 0xff, sizeof(all));
	sched_setaffinity(0, sizeof(all), &all);
	while (!is_over()) {
		sensor_emit(20);
		sched_yield();
	}
	return unused;
}

struct side {
	pthread_t	thread;
	int		fd;
	struct batch	batch;
};

static void *read_side(void *arg)
{
	struct side *side = arg;

	while (data_read(side->fd, &side->batch, DATA_ROOM) > 0)
		;
	return NULL;
}

static void take_off_and_on(unsigned int turns)
{
	while (turns--) {
		online(false);
		usleep(20000);
		online(true);
		usleep(20000);
	}
}

/* Every hit on a CPU was logged or is counted; what was logged is read, in order. */
static void storm_is_counted_exactly(void)
{
	struct counters sends[CPUS], switches[CPUS];
	struct side sides[CPUS] = {};
	pthread_t threads[3];
	unsigned int i;
	uint32_t sub;

	start(true);
	sensor_subscribe(&s, "inet_sendmsg", 0);
	NEED(!ctl_sub_new(&s.ctl, "sched_switch", s.buffer, 0, &sub), "%s", s.ctl.error);
	for (i = 0; i < CPUS; i++) {
		sides[i].fd = ctl_data_open(s.buffer, i, 0);
		NEED(sides[i].fd >= 0, "cpu%u: %s", i, strerror(-sides[i].fd));
		NEED(!pthread_create(&sides[i].thread, NULL, read_side, &sides[i]), "no thread");
	}
	for (i = 0; i < KTAP_SIZE(threads); i++)
		NEED(!pthread_create(&threads[i], NULL, storm, NULL), "no thread");
	take_off_and_on(TURNS);
	__atomic_store_n(&over, true, __ATOMIC_RELEASE);
	for (i = 0; i < KTAP_SIZE(threads); i++)
		pthread_join(threads[i], NULL);
	/* The last events are those of a CPU that is off when they are read. */
	online(false);
	unsubscribe(s.sub, sends);
	unsubscribe(sub, switches);
	NEED(!ctl_buffer_del(&s.ctl, s.buffer), "%s", s.ctl.error);
	for (i = 0; i < CPUS; i++) {
		pthread_join(sides[i].thread, NULL);
		EXPECT_EQ(sends[i].hits, sends[i].committed + sends[i].dropped);
		EXPECT_EQ(switches[i].hits, switches[i].committed + switches[i].dropped);
		EXPECT_EQ(sends[i].left_out + switches[i].left_out, 0);
		EXPECT_EQ(sides[i].batch.events, sends[i].committed + switches[i].committed);
		EXPECT_EQ(sides[i].batch.lost, sends[i].dropped + switches[i].dropped);
		EXPECT(sends[i].hits && switches[i].hits, "CPU %u had nothing to do", i);
		printf("# CPU %u: %llu sends, %llu switches, %llu lost\n", i,
		       (unsigned long long)sends[i].hits, (unsigned long long)switches[i].hits,
		       (unsigned long long)sides[i].batch.lost);
	}
	online(true);
}

static void *change_buffers(void *unused)
{
	unsigned int i;
	int err;

	for (i = 0; !is_over(); i++) {
		err = ctl_buffer_resize(&s.ctl, s.buffer, 64 * KIB << i % 4, NULL);
		NEED(!err || err == -EBUSY, "resize: %s", s.ctl.error);
		NEED(!ctl_buffer_snapshot(&s.ctl, s.buffer, other, 0), "%s", s.ctl.error);
		NEED(!ctl_buffer_del(&s.ctl, other), "%s", s.ctl.error);
	}
	return unused;
}

/*
 * A kprobe is set under the lock that keeps CPUs as they are; what a CPU does
 * when it comes or goes must not wait for who sets it.
 */
static void *set_probes(void *turns)
{
	char point[MAGNET_NAME_SIZE];
	uint32_t sub;

	for (; !is_over(); ++*(unsigned int *)turns) {
		NEED(!ctl_point_insert(&s.ctl, NULL, "p:" SYS_FUNCTION "sched_get_priority_max", 0,
				       point), "%s", s.ctl.error);
		NEED(!ctl_sub_new(&s.ctl, point, s.buffer, 0, &sub), "%s", s.ctl.error);
		NEED(!ctl_point_remove(&s.ctl, point), "%s", s.ctl.error);
	}
	return NULL;
}

static void probes_are_set_meanwhile(void)
{
	unsigned int turns = 0;
	pthread_t setter;

	start(true);
	NEED(!pthread_create(&setter, NULL, set_probes, &turns), "no thread");
	take_off_and_on(TURNS);
	__atomic_store_n(&over, true, __ATOMIC_RELEASE);
	pthread_join(setter, NULL);
	EXPECT(turns, "no probe was set");
}

static void written_is_accounted_for(struct attrs attrs, void *arg)
{
	struct attrs cpu;
	uint16_t type;

	if (strcmp(attrs_text(attrs, MAGNET_A_BUFFER), s.buffer))
		return;
	while (attrs_next(&attrs, &type, &cpu)) {
		if (type != MAGNET_A_CPU_STATS)
			continue;
		EXPECT_EQ(attrs_u64(cpu, MAGNET_A_RECORDS_WRITTEN),
			  attrs_u64(cpu, MAGNET_A_OVERWRITTEN) +
			  attrs_u64(cpu, MAGNET_A_RECORDS_READ));
		++*(unsigned int *)arg;
	}
}

/* Sizes and snapshots at the same time: nobody waits for the other for ever. */
static void buffers_change_meanwhile(void)
{
	pthread_t threads[2], changer;
	struct counters c[CPUS];
	unsigned int i, rings = 0;

	start(true);
	NEED(!ctl_buffer_del(&s.ctl, s.buffer), "%s", s.ctl.error);
	NEED(!ctl_buffer_new(&s.ctl, s.buffer, 64 * KIB, MAGNET_F_OVERWRITE, NULL), "%s",
	     s.ctl.error);
	sensor_subscribe(&s, "inet_sendmsg", 0);
	for (i = 0; i < KTAP_SIZE(threads); i++)
		NEED(!pthread_create(&threads[i], NULL, storm, NULL), "no thread");
	NEED(!pthread_create(&changer, NULL, change_buffers, NULL), "no thread");
	take_off_and_on(TURNS);
	__atomic_store_n(&over, true, __ATOMIC_RELEASE);
	pthread_join(changer, NULL);
	for (i = 0; i < KTAP_SIZE(threads); i++)
		pthread_join(threads[i], NULL);
	unsubscribe(s.sub, c);
	for (i = 0; i < CPUS; i++)
		EXPECT_EQ(c[i].hits, c[i].committed + c[i].dropped);
	NEED(!ctl_buffer_snapshot(&s.ctl, s.buffer, other, 0), "%s", s.ctl.error);
	NEED(!request_dump(&s.ctl, MAGNET_CMD_BUFFER_GET, written_is_accounted_for, &rings).error,
	     "no dump");
	EXPECT_EQ(rings, CPUS);
}

static const struct ktap_test tests[] = {
	KTAP_TEST(ring_stays_readable),
	KTAP_TEST(reader_sleeps_through_it),
	KTAP_TEST(ring_goes_on),
	KTAP_TEST(ring_is_resized_while_off),
	KTAP_TEST(ring_is_in_a_snapshot_while_off),
	KTAP_TEST(first_time_up),
	KTAP_TEST(first_time_up_with_a_recorder),
	KTAP_TEST(first_time_up_without_memory),
	KTAP_TEST(only_cpus_that_were_online_have_rings),
	KTAP_TEST(storm_is_counted_exactly),
	KTAP_TEST(buffers_change_meanwhile),
	KTAP_TEST(probes_are_set_meanwhile),
};

int main(int argc, char **argv)
{
	return guest_main(tests, KTAP_SIZE(tests), argc, argv);
}
