// SPDX-License-Identifier: GPL-2.0-only
/*
 * The file of all CPUs: one order, one sum, and nobody else at the rings.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/syscall.h>

#include "guest.h"
#include "sensor.h"

static struct sensor s;

enum place { NODE, DEBUGFS };

/* The file's descriptor or -errno. */
static int open_at(enum place place, const char *name)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s/%s",
		 place == NODE ? "/dev/magnet" : MAGNET_DEBUGFS "/data", s.buffer, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static void open_merged(enum place place)
{
	s.fd = open_at(place, "merged");
	NEED(s.fd >= 0, "merged: %s", strerror(-s.fd));
}

/* A subscribed buffer of 64 KiB a CPU with its merged file open and empty. */
static void start(void)
{
	sensor_make(&s, 0);
	sensor_subscribe(&s, "inet_sendmsg", 0);
	open_merged(NODE);
	data_drain(s.fd);
}

static void emit_on(unsigned int cpu, unsigned int n)
{
	guest_on_cpu(cpu);
	sensor_emit(n);
}

/* "merged NAME late N" of control/stats. */
static long long late(void)
{
	char word[80];

	snprintf(word, sizeof(word), "merged %s late", s.buffer);
	return guest_file_number(MAGNET_CONTROL "/stats", word);
}

/* ---- one order ---- */

#define TURNS	200

/* Each event says in its length which one it is. */
static void all_cpus_come_in_one_order(void)
{
	struct batch b = {};
	unsigned int i;

	start();
	for (i = 1; i <= TURNS; i++) {
		guest_on_cpu(i % 3 == 0);
		sensor_emit_len(i);
	}
	attr_need(s.fd, MAGNET_ATTR_FLUSH, 0);
	for (i = 1; i <= TURNS; i++) {
		memset(&b, 0, sizeof(b));
		REQUIRE_EQ(data_read_now(s.fd, &b, records_event_size()), records_event_size());
		REQUIRE_EQ(b.first_len, i);
	}
	EXPECT_EQ(late(), 0);
}

static void one_read_has_all_cpus(void)
{
	struct batch b = {};

	start();
	emit_on(0, 3);
	emit_on(1, 4);
	emit_on(0, 5);
	attr_need(s.fd, MAGNET_ATTR_FLUSH, 0);
	EXPECT_EQ(data_read_now(s.fd, &b, DATA_ROOM), 12 * records_event_size());
	EXPECT_EQ(b.events, 12);
}

static void most_bytes_of_a_read(void)
{
	struct batch b = {};

	start();
	attr_need(s.fd, MAGNET_ATTR_MAX_READ_WATERMARK, 5 * records_event_size());
	emit_on(0, 4);
	emit_on(1, 4);
	attr_need(s.fd, MAGNET_ATTR_FLUSH, 0);
	EXPECT_EQ(data_read_now(s.fd, &b, DATA_ROOM), 5 * records_event_size());
	EXPECT_EQ(data_read_now(s.fd, &b, DATA_ROOM), 3 * records_event_size());
}

static void too_small_a_read_takes_nothing(void)
{
	struct batch b = {};

	start();
	emit_on(1, 2);
	attr_need(s.fd, MAGNET_ATTR_FLUSH, 0);
	EXPECT_EQ(data_read_now(s.fd, &b, records_event_size() - 1), -EMSGSIZE);
	EXPECT_EQ(data_read_now(s.fd, &b, DATA_ROOM), 2 * records_event_size());
}

/* ---- who may have the files ---- */

static void merged_excludes_the_others(void)
{
	enum place first, second;

	sensor_make(&s, 0);
	for (first = NODE; first <= DEBUGFS; first++) {
		open_merged(first);
		for (second = NODE; second <= DEBUGFS; second++) {
			EXPECT_EQ(open_at(second, "merged"), -EBUSY);
			EXPECT_EQ(open_at(second, "cpu0"), -EBUSY);
			EXPECT_EQ(open_at(second, "cpu1"), -EBUSY);
		}
		close(s.fd);
	}
}

static void others_exclude_merged(void)
{
	int cpu0, cpu1;

	sensor_make(&s, 0);
	cpu0 = open_at(NODE, "cpu0");
	cpu1 = open_at(DEBUGFS, "cpu1");
	REQUIRE(cpu0 >= 0 && cpu1 >= 0, "cpu0 and cpu1 do not open");
	EXPECT_EQ(open_at(NODE, "merged"), -EBUSY);
	close(cpu0);
	EXPECT_EQ(open_at(NODE, "merged"), -EBUSY);
	close(cpu1);
	open_merged(DEBUGFS);
	close(s.fd);
	EXPECT(open_at(NODE, "cpu0") >= 0, "cpu0 is busy although nobody has it");
}

/* What the one did not read is there for the other. */
static void files_go_on_where_another_ended(void)
{
	struct batch b = {};

	start();
	emit_on(0, 5);
	attr_need(s.fd, MAGNET_ATTR_FLUSH, 0);
	EXPECT_EQ(data_read_now(s.fd, &b, 2 * records_event_size()), 2 * records_event_size());
	close(s.fd);
	sensor_open(&s, 0);
	EXPECT_EQ(data_drain(s.fd).events, 3);
}

/* ---- minima are sums ---- */

/* A sleeper wakes when the CPUs have the minimum together, and not before. */
static void wakes_at(unsigned int option, uint64_t value, unsigned int events)
{
	struct sleeper reader;

	start();
	attr_need(s.fd, MAGNET_ATTR_HOLD_BACK, 0);
	attr_need(s.fd, option, value);
	EXPECT_NOT_READABLE(s.fd);
	sleeper_read(&reader, s.fd);
	emit_on(0, events / 2);
	EXPECT(sleeper_sleeps(&reader, SYS_read), "read returned %ld", reader.result);
	emit_on(1, events - events / 2 - 1);
	EXPECT(sleeper_sleeps(&reader, SYS_read), "read returned %ld", reader.result);
	emit_on(1, 1);
	EXPECT_EQ(sleeper_join(&reader), events * records_event_size());
	EXPECT_EQ(reader.batch.events, events);
}

static void readcount_is_of_all(void)
{
	wakes_at(MAGNET_ATTR_READCOUNT_WATERMARK, 101, 101);
}

static void readsize_is_of_all(void)
{
	wakes_at(MAGNET_ATTR_READSIZE_WATERMARK, 100 * records_event_size() + 1, 101);
}

static void first_record_of_any_cpu_wakes(void)
{
	struct sleeper reader;
	unsigned int cpu;

	start();
	for (cpu = 0; cpu < 2; cpu++) {
		sleeper_poll(&reader, s.fd);
		emit_on(cpu, 1);
		EXPECT_EQ(sleeper_join(&reader), 1);
		EXPECT_EQ(data_drain(s.fd).events, 1);
	}
}

static void watermark_counts_all_rings(void)
{
	start();
	/* More than three quarters of one ring, and of both. */
	EXPECT_EQ(attr_set(s.fd, MAGNET_ATTR_READSIZE_WATERMARK, s.size), 0);
	EXPECT_EQ(attr_get(s.fd, MAGNET_ATTR_READSIZE_WATERMARK), s.size);
	EXPECT_EQ(attr_set(s.fd, MAGNET_ATTR_READSIZE_WATERMARK, 64 * s.size), -EINVAL);
}

/* ---- the hold-back ---- */

static void hold_back_is_an_attribute(void)
{
	start();
	EXPECT_EQ(attr_get(s.fd, MAGNET_ATTR_HOLD_BACK), MAGNET_HOLD_BACK_DEFAULT_US);
	attr_need(s.fd, MAGNET_ATTR_HOLD_BACK, MAGNET_HOLD_BACK_MAX_US);
	EXPECT_EQ(attr_get(s.fd, MAGNET_ATTR_HOLD_BACK), MAGNET_HOLD_BACK_MAX_US);
	EXPECT_EQ(attr_set(s.fd, MAGNET_ATTR_HOLD_BACK, MAGNET_HOLD_BACK_MAX_US + 1), -EINVAL);
	close(s.fd);
	sensor_open(&s, 0);
	EXPECT_EQ(attr_set(s.fd, MAGNET_ATTR_HOLD_BACK, 0), -EINVAL);
	EXPECT_EQ(attr_get(s.fd, MAGNET_ATTR_HOLD_BACK), -EINVAL);
}

static void record_is_held_back(void)
{
	struct sleeper reader;
	uint64_t before;

	start();
	attr_need(s.fd, MAGNET_ATTR_HOLD_BACK, MAGNET_HOLD_BACK_MAX_US);
	sleeper_read(&reader, s.fd);
	before = guest_now_us();
	emit_on(0, 1);
	EXPECT_EQ(sleeper_join(&reader), records_event_size());
	EXPECT(reader.returned - before >= MAGNET_HOLD_BACK_MAX_US, "read returned after %llu us",
	       (unsigned long long)(reader.returned - before));
}

static void flush_goes_before_it(void)
{
	struct batch b = {};

	start();
	attr_need(s.fd, MAGNET_ATTR_HOLD_BACK, MAGNET_HOLD_BACK_MAX_US);
	emit_on(0, 1);
	emit_on(1, 1);
	attr_need(s.fd, MAGNET_ATTR_FLUSH, 0);
	EXPECT_READABLE(s.fd);
	EXPECT_EQ(data_read_now(s.fd, &b, DATA_ROOM), 2 * records_event_size());
}

static void urgent_goes_before_it(void)
{
	struct sleeper reader;

	sensor_make(&s, 0);
	sensor_subscribe(&s, "inet_sendmsg", MAGNET_F_URGENT);
	open_merged(NODE);
	data_drain(s.fd);
	attr_need(s.fd, MAGNET_ATTR_READCOUNT_WATERMARK, 1000);
	sleeper_read(&reader, s.fd);
	emit_on(1, 1);
	EXPECT_EQ(sleeper_join(&reader), records_event_size());
}

/* ---- storms and ends ---- */

#define STORM	20011

static void *storm(void *arg)
{
	guest_on_cpu((uintptr_t)arg);
	sensor_emit(STORM);
	return NULL;
}

/* What was read, and how often time stepped back in it. */
struct tally {
	uint64_t	events;
	uint64_t	lost;
	uint64_t	newest;
	long long	late;
};

static ssize_t tally(struct tally *t)
{
	static char data[DATA_ROOM];
	const ssize_t len = read(s.fd, data, sizeof(data));
	const void *at = data;
	struct record rec;

	while (len > 0 && records_next(&at, data + len, &rec)) {
		if (rec.timer < t->newest)
			t->late++;
		else
			t->newest = rec.timer;
		if (rec.event == MAGNET_EVENT_LOST)
			t->lost += ((const struct magnet_lost *)rec.payload)->count;
		else if (rec.event != MAGNET_EVENT_CLOCK)
			t->events++;
	}
	return len;
}

/* Whatever comes too late is counted, and nothing is missing. */
static void storm_is_counted_exactly(void)
{
	struct tally t = {};
	pthread_t threads[2];
	uintptr_t cpu;

	start();
	for (cpu = 0; cpu < 2; cpu++)
		NEED(!pthread_create(&threads[cpu], NULL, storm, (void *)cpu), "no thread");
	while (t.events + t.lost < 2 * STORM)
		REQUIRE(tally(&t) > 0, "read: %s", strerror(errno));
	for (cpu = 0; cpu < 2; cpu++)
		pthread_join(threads[cpu], NULL);
	EXPECT_EQ(t.events + t.lost, 2 * STORM);
	EXPECT_EQ(late(), t.late);
}

static void removed_buffer_is_read_to_its_end(void)
{
	struct batch b = {};
	struct sleeper reader;

	start();
	emit_on(0, 1);
	emit_on(1, 1);
	REQUIRE(!ctl_buffer_del(&s.ctl, s.buffer), "%s", s.ctl.error);
	EXPECT_EQ(data_read(s.fd, &b, DATA_ROOM), 2 * records_event_size());
	EXPECT_EQ(data_read(s.fd, &b, DATA_ROOM), 0);

	start();
	sleeper_read(&reader, s.fd);
	REQUIRE(!ctl_buffer_del(&s.ctl, s.buffer), "%s", s.ctl.error);
	EXPECT_EQ(sleeper_join(&reader), 0);
}

/* ---- CPUs come and go ---- */

static void online(bool on)
{
	NEED(guest_write_file("/sys/devices/system/cpu/cpu1/online", on ? "1" : "0"),
	     "CPU 1 does not go %s", on ? "on" : "off");
}

/* The ring of a CPU that comes up later is a part of the open file. */
static void new_cpu_is_read(void)
{
	struct sleeper reader;

	if (access("/sys/devices/system/cpu/cpu1/online", W_OK))
		guest_skip("CPU 1 can't be taken off");
	guest_on_cpu(0);
	online(false);
	start();
	sleeper_read(&reader, s.fd);
	online(true);
	/* A ring begins with a CLOCK record. */
	sleeper_join(&reader);
	EXPECT_EQ(reader.batch.clocks, 1);
	data_drain(s.fd);
	sleeper_read(&reader, s.fd);
	emit_on(1, 1);
	sleeper_join(&reader);
	EXPECT_EQ(reader.batch.events, 1);
}

static const struct ktap_test tests[] = {
	KTAP_TEST(all_cpus_come_in_one_order),
	KTAP_TEST(one_read_has_all_cpus),
	KTAP_TEST(most_bytes_of_a_read),
	KTAP_TEST(too_small_a_read_takes_nothing),
	KTAP_TEST(merged_excludes_the_others),
	KTAP_TEST(others_exclude_merged),
	KTAP_TEST(files_go_on_where_another_ended),
	KTAP_TEST(readcount_is_of_all),
	KTAP_TEST(readsize_is_of_all),
	KTAP_TEST(first_record_of_any_cpu_wakes),
	KTAP_TEST(watermark_counts_all_rings),
	KTAP_TEST(hold_back_is_an_attribute),
	KTAP_TEST(record_is_held_back),
	KTAP_TEST(flush_goes_before_it),
	KTAP_TEST(urgent_goes_before_it),
	KTAP_TEST(storm_is_counted_exactly),
	KTAP_TEST(removed_buffer_is_read_to_its_end),
	KTAP_TEST(new_cpu_is_read),
};

int main(int argc, char **argv)
{
	return guest_main(tests, KTAP_SIZE(tests), argc, argv);
}
