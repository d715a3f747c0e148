// SPDX-License-Identifier: GPL-2.0-only
/*
 * One reader for each ring: who else may have its file, and what happens when
 * several use it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "guest.h"
#include "sensor.h"

static struct sensor s;

enum place { NODE, DEBUGFS };

/* The file's descriptor or -errno. */
static int open_at(enum place place, unsigned int cpu)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s/cpu%u",
		 place == NODE ? "/dev/magnet" : MAGNET_DEBUGFS "/data", s.buffer, cpu);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static void second_open_is_busy(void)
{
	enum place first, second;

	sensor_make(&s, 0);
	for (first = NODE; first <= DEBUGFS; first++) {
		const int fd = open_at(first, 0);

		REQUIRE(fd >= 0, "open: %s", strerror(-fd));
		for (second = NODE; second <= DEBUGFS; second++)
			EXPECT(open_at(second, 0) == -EBUSY, "%s was open, %s opens as well",
			       first == NODE ? "the node" : "debugfs",
			       second == NODE ? "the node" : "debugfs");
		close(fd);
	}
}

static void other_rings_are_free(void)
{
	sensor_start(&s);
	EXPECT(open_at(NODE, 1) >= 0, "the other CPU's file is busy");
	REQUIRE(!ctl_buffer_new(&s.ctl, "test-other", 0, 0, NULL), "%s", s.ctl.error);
	strcpy(s.buffer, "test-other");
	EXPECT(open_at(NODE, 0) >= 0, "another buffer's file is busy");
}

static void closing_makes_it_free(void)
{
	int i;

	sensor_start(&s);
	for (i = 0; i < 10; i++) {
		close(s.fd);
		s.fd = open_at(i % 2, 0);
		REQUIRE(s.fd >= 0, "open %d: %s", i, strerror(-s.fd));
	}
	sensor_emit(1);
	EXPECT_EQ(data_drain(s.fd).events, 1);
}

/* What was not read is there for the next. */
static void next_opener_gets_the_rest(void)
{
	struct batch b = {};

	sensor_start(&s);
	sensor_emit(5);
	EXPECT_EQ(data_read_now(s.fd, &b, 2 * records_event_size()), 2 * records_event_size());
	close(s.fd);
	sensor_emit(1);
	sensor_open(&s, 0);
	EXPECT_EQ(data_drain(s.fd).events, 4);
}

static void duplicate_is_the_same_file(void)
{
	struct batch b = {};
	int other;

	sensor_start(&s);
	other = dup(s.fd);
	REQUIRE(other >= 0, "dup: %s", strerror(errno));
	attr_need(other, MAGNET_ATTR_READCOUNT_WATERMARK, 2);
	EXPECT_EQ(attr_get(s.fd, MAGNET_ATTR_READCOUNT_WATERMARK), 2);
	sensor_emit(4);
	EXPECT_EQ(data_read_now(s.fd, &b, 2 * records_event_size()), 2 * records_event_size());
	EXPECT_EQ(data_read_now(other, &b, DATA_ROOM), 2 * records_event_size());
	/* It is open until the last descriptor is closed. */
	close(s.fd);
	EXPECT_EQ(open_at(NODE, 0), -EBUSY);
	sensor_emit(2);
	EXPECT_READABLE(other);
	close(other);
	EXPECT(open_at(NODE, 0) >= 0, "it is busy although nobody has it");
}

static void child_shares_the_file(void)
{
	struct batch b = {};
	int status;
	pid_t child;

	sensor_start(&s);
	sensor_emit(3);
	child = fork();
	if (!child)
		_exit(data_read_now(s.fd, &b, records_event_size()) !=
		      (ssize_t)records_event_size());
	waitpid(child, &status, 0);
	EXPECT_EQ(status, 0);
	EXPECT_EQ(data_drain(s.fd).events, 2);
}

/* The child lives on with the file: it stays busy until that ends, too. */
static void file_stays_open_in_a_child(void)
{
	pid_t child;
	int go[2];

	sensor_start(&s);
	REQUIRE(!pipe(go), "pipe: %s", strerror(errno));
	child = fork();
	if (!child) {
		char c;

		close(go[1]);
		_exit(read(go[0], &c, 1) != 0);
	}
	close(s.fd);
	EXPECT_EQ(open_at(NODE, 0), -EBUSY);
	close(go[1]);
	waitpid(child, NULL, 0);
	EXPECT(open_at(NODE, 0) >= 0, "it is busy although nobody has it");
}

/* Closing a descriptor does not pull the file away from who sleeps in it. */
static void closed_while_a_read_sleeps(void)
{
	struct sleeper reader;

	sensor_start(&s);
	sleeper_read(&reader, s.fd);
	close(s.fd);
	EXPECT(sleeper_sleeps(&reader, SYS_read), "read returned %ld", reader.result);
	EXPECT_EQ(open_at(NODE, 0), -EBUSY);
	sensor_emit(1);
	EXPECT_EQ(sleeper_join(&reader), records_event_size());
	UNTIL((s.fd = open_at(NODE, 0)) >= 0);
}

/* ---- several readers of one descriptor ---- */

#define READERS	4
#define EVENTS	10007

struct share {
	pthread_t	thread;
	unsigned int	events;
	uint64_t	lost;
};

static void *take_share(void *arg)
{
	struct share *share = arg;
	struct batch b = {};

	/* Each sees a part of the stream; within it time does not go back. */
	while (data_read(s.fd, &b, 16 * records_event_size()) > 0)
		;
	share->events = b.events;
	share->lost = b.lost;
	return NULL;
}

static void readers_share_and_nothing_comes_twice(void)
{
	struct share shares[READERS] = {};
	unsigned int events = 0, lost = 0, i;

	sensor_start(&s);
	for (i = 0; i < READERS; i++)
		NEED(!pthread_create(&shares[i].thread, NULL, take_share, &shares[i]), "no thread");
	sensor_emit(EVENTS);
	REQUIRE(!ctl_buffer_del(&s.ctl, s.buffer), "%s", s.ctl.error);
	for (i = 0; i < READERS; i++) {
		pthread_join(shares[i].thread, NULL);
		events += shares[i].events;
		lost += shares[i].lost;
	}
	EXPECT(events + lost == EVENTS, "%u events and %u lost, not %u", events, lost, EVENTS);
}

/* ---- what is open keeps what it needs ---- */

static void file_outlives_its_name(void)
{
	struct batch b = {};
	struct sensor next;
	int fd;

	sensor_start(&s);
	sensor_emit(2);
	REQUIRE(!ctl_buffer_del(&s.ctl, s.buffer), "%s", s.ctl.error);
	EXPECT_EQ(open_at(NODE, 0), -ENOENT);
	EXPECT_EQ(open_at(DEBUGFS, 0), -ENOENT);
	/* A new buffer of the same name is another one. */
	fd = s.fd;
	sensor_make(&next, 0);
	sensor_open(&next, 0);
	EXPECT_EQ(data_read_now(fd, &b, DATA_ROOM), 2 * records_event_size());
	EXPECT_EQ(data_read_now(fd, &b, DATA_ROOM), 0);
}

static const struct ktap_test tests[] = {
	KTAP_TEST(second_open_is_busy),
	KTAP_TEST(other_rings_are_free),
	KTAP_TEST(closing_makes_it_free),
	KTAP_TEST(next_opener_gets_the_rest),
	KTAP_TEST(duplicate_is_the_same_file),
	KTAP_TEST(child_shares_the_file),
	KTAP_TEST(file_stays_open_in_a_child),
	KTAP_TEST(closed_while_a_read_sleeps),
	KTAP_TEST(readers_share_and_nothing_comes_twice),
	KTAP_TEST(file_outlives_its_name),
};

int main(int argc, char **argv)
{
	return guest_main(tests, KTAP_SIZE(tests), argc, argv);
}
