// SPDX-License-Identifier: GPL-2.0-only
/*
 * A handler that does not come to an end, while a request wants to exchange
 * the memory of all rings: nothing has changed, or the answer says what has.
 * magnet_stuck.ko, which has to be loaded, lets rings look so.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "guest.h"
#include "marks.h"
#include "sensor.h"

#define KIB		1024ULL
#define PARAMETERS	"/sys/module/magnet_stuck/parameters"

static struct sensor s;
static char shot[MAGNET_NAME_SIZE];

/* Ten markers on each CPU: 1 to 10, 11 to 20. */
static void start(uint64_t size, uint32_t flags)
{
	unsigned int cpu;

	snprintf(shot, sizeof(shot), "test-shot-%d", (int)getpid());
	snprintf(s.buffer, sizeof(s.buffer), "test-%d", (int)getpid());
	NEED(!ctl_open(&s.ctl), "%s", s.ctl.error);
	NEED(!ctl_buffer_new(&s.ctl, s.buffer, size, flags, &s.size), "%s", s.ctl.error);
	sensor_subscribe(&s, "marker", 0);
	for (cpu = 0; cpu < 2; cpu++) {
		guest_on_cpu(cpu);
		marks_write(10 * cpu + 1, 10 * cpu + 10, 16);
	}
	guest_on_cpu(0);
}

static void stick(const char *rings, const char *late)
{
	NEED(guest_write_file(PARAMETERS "/rings", rings) &&
	     guest_write_file(PARAMETERS "/late", late), "magnet_stuck: %s", strerror(errno));
}

static void unstick(void)
{
	stick("0", "0");
}

static void expect_again(int err, const char *words)
{
	EXPECT_EQ(err, -EAGAIN);
	EXPECT(strstr(s.ctl.error, words), "the text is \"%s\", without \"%s\"", s.ctl.error,
	       words);
}

static struct marks marks_of(const char *buffer, unsigned int cpu)
{
	const int fd = ctl_data_open(buffer, cpu, O_NONBLOCK);
	struct marks m = {};

	NEED(fd >= 0, "%s, CPU %u: %s", buffer, cpu, strerror(-fd));
	marks_read(fd, &m);
	close(fd);
	return m;
}

static void expect_marks(const char *buffer, unsigned int cpu)
{
	const struct marks m = marks_of(buffer, cpu);

	EXPECT_EQ(m.events, 10);
	EXPECT_EQ(m.first, 10 * cpu + 1);
	EXPECT_EQ(m.last, 10 * cpu + 10);
	EXPECT_EQ(m.lost, 0);
}

static void expect_size(unsigned int cpu, uint64_t size)
{
	char line[96];

	snprintf(line, sizeof(line), "ring %s cpu%u size %llu ", s.buffer, cpu,
		 (unsigned long long)size);
	EXPECT(guest_file_has(MAGNET_CONTROL "/stats", line), "no line has \"%s\"", line);
}

/* Nothing was taken, so that the next one has it all. */
static void no_snapshot_without_a_cpu(void)
{
	start(64 * KIB, MAGNET_F_OVERWRITE);
	stick("2", "0");
	expect_again(ctl_buffer_snapshot(&s.ctl, s.buffer, shot, 0), "nothing has changed");
	EXPECT_EQ(ctl_data_open(shot, 0, 0), -ENOENT);
	unstick();
	NEED(!ctl_buffer_snapshot(&s.ctl, s.buffer, shot, 0), "%s", s.ctl.error);
	expect_marks(shot, 0);
	expect_marks(shot, 1);
}

/* What was taken is there, and the answer says so; the rest is in the next one. */
static void half_a_snapshot_is_told(void)
{
	start(64 * KIB, MAGNET_F_OVERWRITE);
	stick("2", "1");
	expect_again(ctl_buffer_snapshot(&s.ctl, s.buffer, shot, 0), "the snapshot is there, without");
	unstick();
	expect_marks(shot, 0);
	EXPECT_EQ(marks_of(shot, 1).events, 0);
	NEED(!ctl_buffer_del(&s.ctl, shot), "%s", s.ctl.error);
	NEED(!ctl_buffer_snapshot(&s.ctl, s.buffer, shot, 0), "%s", s.ctl.error);
	EXPECT_EQ(marks_of(shot, 0).events, 0);
	expect_marks(shot, 1);
}

/* Of both rings the size and what is in them, when none is stuck any more. */
static void expect_as_it_was(void)
{
	unstick();
	expect_size(0, 64 * KIB);
	expect_size(1, 64 * KIB);
	expect_marks(s.buffer, 0);
	expect_marks(s.buffer, 1);
}

static void no_other_size_without_a_cpu(void)
{
	start(64 * KIB, 0);
	stick("2", "0");
	expect_again(ctl_buffer_resize(&s.ctl, s.buffer, 128 * KIB, NULL), "nothing has changed");
	expect_as_it_was();
}

/* The ring that had the new size gets the old one again. */
static void size_is_as_it_was(void)
{
	start(64 * KIB, 0);
	stick("2", "1");
	expect_again(ctl_buffer_resize(&s.ctl, s.buffer, 128 * KIB, NULL), "the size is as it was");
	expect_as_it_was();
}

/* That ring is stuck by then as well: the answer says so, and asking again mends it. */
static void some_rings_have_the_new_size(void)
{
	start(64 * KIB, 0);
	stick("3", "1");
	expect_again(ctl_buffer_resize(&s.ctl, s.buffer, 128 * KIB, NULL),
		     "only some CPUs' rings have the new size");
	unstick();
	expect_size(0, 128 * KIB);
	expect_size(1, 64 * KIB);
	NEED(!ctl_buffer_resize(&s.ctl, s.buffer, 64 * KIB, NULL), "%s", s.ctl.error);
	expect_size(0, 64 * KIB);
	expect_size(1, 64 * KIB);
	expect_marks(s.buffer, 0);
	expect_marks(s.buffer, 1);
}

static const struct ktap_test tests[] = {
	KTAP_TEST(no_snapshot_without_a_cpu),
	KTAP_TEST(half_a_snapshot_is_told),
	KTAP_TEST(no_other_size_without_a_cpu),
	KTAP_TEST(size_is_as_it_was),
	KTAP_TEST(some_rings_have_the_new_size),
};

int main(int argc, char **argv)
{
	return guest_main(tests, KTAP_SIZE(tests), argc, argv);
}
