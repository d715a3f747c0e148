// SPDX-License-Identifier: GPL-2.0-only
/*
 * lseek on a data file: what sets an attribute, what reads it back, and what is
 * refused and how.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/uio.h>

#include "guest.h"
#include "sensor.h"

#define VALUE_MAX	((1ULL << MAGNET_ATTR_VALUE_BITS) - 1)

static struct sensor s;

struct attribute {
	const char	*name;
	unsigned int	option;
	uint64_t	least;		/* least value but 0 */
	uint64_t	most;
};

#define ATTRIBUTES	5

/* Of a buffer of 64 KiB, in the layout that is in force. */
static const struct attribute *attributes(void)
{
	static struct attribute table[ATTRIBUTES];
	const uint64_t most = s.size / 4 * 3;

	table[0] = (struct attribute) { "READSIZE_WATERMARK", 1, 1, most };
	table[1] = (struct attribute) { "READCOUNT_WATERMARK", 2, 1,
					most / sizeof(struct magnet_record) };
	table[2] = (struct attribute) { "MIN_READ_TIMEOUT", 3, 1, MAGNET_READ_TIMEOUT_MAX_US };
	table[3] = (struct attribute) { "MAX_READ_WATERMARK", 4, records_header_size(),
					VALUE_MAX };
	table[4] = (struct attribute) { "MAX_READ_TIMEOUT", 5, 1, MAGNET_READ_TIMEOUT_MAX_US };
	return table;
}

#define for_each_attribute(a) \
	for (a = attributes(); a < attributes() + ATTRIBUTES; a++)

static void zero_after_open(void)
{
	const struct attribute *a;

	sensor_start(&s);
	for_each_attribute(a)
		EXPECT(attr_get(s.fd, a->option) == 0, "%s is %lld", a->name,
		       attr_get(s.fd, a->option));
}

static void set_and_read_back(void)
{
	const struct attribute *a;
	unsigned int i;

	sensor_start(&s);
	for_each_attribute(a) {
		const uint64_t values[] = { a->least, a->least + 7, a->most / 2, a->most - 1,
					    a->most, 0 };

		for (i = 0; i < KTAP_SIZE(values); i++) {
			EXPECT(!attr_set(s.fd, a->option, values[i]), "%s = %llu is refused",
			       a->name, (unsigned long long)values[i]);
			EXPECT((uint64_t)attr_get(s.fd, a->option) == values[i],
			       "%s is %lld, not %llu", a->name, attr_get(s.fd, a->option),
			       (unsigned long long)values[i]);
		}
	}
}

/* All at once, to see that none is stored in another's place. */
static void each_has_its_own_value(void)
{
	const struct attribute *a;

	sensor_start(&s);
	for_each_attribute(a)
		attr_need(s.fd, a->option, 100 + a->option);
	for_each_attribute(a)
		EXPECT(attr_get(s.fd, a->option) == 100 + a->option, "%s is %lld", a->name,
		       attr_get(s.fd, a->option));
}

static void bad_value_is_refused_and_changes_nothing(void)
{
	const struct attribute *a;

	sensor_start(&s);
	for_each_attribute(a) {
		const uint64_t good = a->least + 1;

		attr_need(s.fd, a->option, good);
		if (a->most < VALUE_MAX) {
			EXPECT(attr_set(s.fd, a->option, a->most + 1) == -EINVAL,
			       "%s: %llu is too much", a->name, (unsigned long long)a->most + 1);
			EXPECT(attr_set(s.fd, a->option, VALUE_MAX) == -EINVAL,
			       "%s: the largest value is too much", a->name);
		}
		if (a->least > 1) {
			EXPECT(attr_set(s.fd, a->option, a->least - 1) == -EINVAL,
			       "%s: %llu is too little", a->name, (unsigned long long)a->least - 1);
			EXPECT(attr_set(s.fd, a->option, 1) == -EINVAL, "%s: 1 is too little",
			       a->name);
		}
		EXPECT((uint64_t)attr_get(s.fd, a->option) == good, "%s is %lld, not %llu", a->name,
		       attr_get(s.fd, a->option), (unsigned long long)good);
	}
}

static void flush_has_no_value(void)
{
	sensor_start(&s);
	EXPECT_EQ(attr_set(s.fd, MAGNET_ATTR_FLUSH, 0), 0);
	EXPECT_EQ(attr_set(s.fd, MAGNET_ATTR_FLUSH, 1), -EINVAL);
	EXPECT_EQ(attr_set(s.fd, MAGNET_ATTR_FLUSH, VALUE_MAX), -EINVAL);
	EXPECT_EQ(attr_get(s.fd, MAGNET_ATTR_FLUSH), -EINVAL);
}

static void bad_option_is_refused(void)
{
	unsigned int option;

	sensor_start(&s);
	for (option = 0; option < 256; option++) {
		if (option >= MAGNET_ATTR_READSIZE_WATERMARK && option <= MAGNET_ATTR_FLUSH)
			continue;
		EXPECT(attr_set(s.fd, option, 0) == -EINVAL, "option %u is taken", option);
		EXPECT(attr_set(s.fd, option, 1) == -EINVAL, "option %u is taken", option);
		if (option == MAGNET_ATTR_COMPLETE_TO)
			EXPECT(attr_get(s.fd, option) > 0, "the first record was read");
		else
			EXPECT(attr_get(s.fd, option) == -EINVAL, "option %u can be read", option);
	}
}

static int errno_of_lseek(off_t offset, int whence)
{
	return lseek(s.fd, offset, whence) < 0 ? errno : 0;
}

static void whence_with_magic(void)
{
	const off_t attr = MAGNET_ATTR(MAGNET_ATTR_READSIZE_WATERMARK, 64);
	const off_t query = MAGNET_ATTR(MAGNET_ATTR_READSIZE_WATERMARK, 0);
	int whence;

	sensor_start(&s);
	EXPECT_EQ(errno_of_lseek(attr, SEEK_SET), 0);
	EXPECT_EQ(errno_of_lseek(query, SEEK_CUR), 0);
	EXPECT_EQ(errno_of_lseek(attr, SEEK_CUR), EINVAL);
	for (whence = SEEK_END; whence <= 6; whence++) {
		EXPECT(errno_of_lseek(attr, whence) == EINVAL, "whence %d is taken", whence);
		EXPECT(errno_of_lseek(query, whence) == EINVAL, "whence %d is taken", whence);
	}
	EXPECT_EQ(errno_of_lseek(attr, -1), EINVAL);
	EXPECT_EQ(attr_get(s.fd, MAGNET_ATTR_READSIZE_WATERMARK), 64);
}

/* A shell or stdio that probes must see a pipe. */
static void no_magic_is_espipe(void)
{
	static const off_t offsets[] = {
		0, 1, 4096, -1, -4096, INT32_MAX, UINT32_MAX, INT64_MAX, INT64_MIN,
		(off_t)MAGNET_ATTR_MAGIC, (off_t)MAGNET_ATTR_MAGIC << 48,
		(off_t)(MAGNET_ATTR_MAGIC - 1) << 56 | 1ULL << 48,
		(off_t)(MAGNET_ATTR_MAGIC + 1) << 56 | 1ULL << 48,
		(off_t)((MAGNET_ATTR_MAGIC | 0x80ULL) << 56 | 1ULL << 48),
	};
	unsigned int i;
	int whence;

	sensor_start(&s);
	for (i = 0; i < KTAP_SIZE(offsets); i++)
		for (whence = 0; whence <= 4; whence++)
			EXPECT(errno_of_lseek(offsets[i], whence) == ESPIPE,
			       "offset %#llx whence %d: %s", (unsigned long long)offsets[i], whence,
			       strerror(errno_of_lseek(offsets[i], whence)));
	EXPECT_EQ(errno_of_lseek(0, 5), EINVAL);
	EXPECT_EQ(errno_of_lseek(0, 6), EINVAL);
}

/* ---- the calls of a 32-bit program ---- */

#define I386_LSEEK	19
#define I386__LLSEEK	140

#ifdef __x86_64__
/* As a 32-bit program makes it: its result or -errno. */
static int call_i386(int nr, int a, int b, int c, int d, int e)
{
	int result;

	__asm__ __volatile__("int $0x80"
			     : "=a" (result)
			     : "0" (nr), "b" (a), "c" (b), "d" (c), "S" (d), "D" (e)
			     : "memory", "r8", "r9", "r10", "r11");
	return result;
}

static void no_i386(int sig)
{
	(void)sig;
	guest_skip("this kernel runs no 32-bit programs");
}

static void calls_of_32_bit_programs(void)
{
	int64_t *result = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	const int at = (uintptr_t)result;
	uint64_t attr;

	sensor_start(&s);
	signal(SIGSEGV, no_i386);
	/* Its old call has no room for the magic. */
	EXPECT_EQ(call_i386(I386_LSEEK, s.fd, 0, SEEK_SET, 0, 0), -ESPIPE);
	EXPECT_EQ(call_i386(I386_LSEEK, s.fd, -1, SEEK_END, 0, 0), -ESPIPE);

	attr = MAGNET_ATTR(MAGNET_ATTR_MAX_READ_TIMEOUT, MAGNET_READ_TIMEOUT_MAX_US);
	EXPECT_EQ(call_i386(I386__LLSEEK, s.fd, attr >> 32, attr, at, SEEK_SET), 0);
	EXPECT_EQ(*result, 0);
	attr = MAGNET_ATTR(MAGNET_ATTR_MAX_READ_TIMEOUT, 0);
	EXPECT_EQ(call_i386(I386__LLSEEK, s.fd, attr >> 32, attr, at, SEEK_CUR), 0);
	EXPECT_EQ(*result, MAGNET_READ_TIMEOUT_MAX_US);
}
#else
static void calls_of_32_bit_programs(void)
{
	guest_skip("a 64-bit program makes no 32-bit calls on this processor");
}
#endif

static void reading_at_a_position_is_espipe(void)
{
	char data[4096];
	struct iovec iov = { data, sizeof(data) };
	off_t at[] = { 0, 1, 4096 };
	unsigned int i;

	sensor_start(&s);
	sensor_emit(1);
	for (i = 0; i < KTAP_SIZE(at); i++) {
		EXPECT(pread(s.fd, data, sizeof(data), at[i]) < 0 && errno == ESPIPE,
		       "pread at %lld: %s", (long long)at[i], strerror(errno));
		EXPECT(preadv(s.fd, &iov, 1, at[i]) < 0 && errno == ESPIPE,
		       "preadv at %lld: %s", (long long)at[i], strerror(errno));
	}
	EXPECT_EQ(data_drain(s.fd).events, 1);
}

/* A reader that could map the ring could write over what is not read yet. */
static void expect_no_mapping(const char *folder, const char *file)
{
	static const int protections[] = { PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE };
	int fd, writable = ENODEV;
	char path[128];
	unsigned int i;

	snprintf(path, sizeof(path), "%s/%s/%s", folder, s.buffer, file);
	fd = open(path, O_RDWR | O_CLOEXEC);
	/* Lockdown lets files of debugfs be read only; then writing fails for that already. */
	if (fd < 0 && errno == EPERM) {
		fd = open(path, O_RDONLY | O_CLOEXEC);
		writable = EACCES;
	}
	REQUIRE(fd >= 0, "%s: %s", path, strerror(errno));
	for (i = 0; i < KTAP_SIZE(protections); i++) {
		const int err = protections[i] & PROT_WRITE ? writable : ENODEV;

		errno = 0;
		EXPECT(mmap(NULL, 4096, protections[i], MAP_SHARED, fd, 0) == MAP_FAILED &&
		       errno == err, "%s, protection %d, shared: %s", path, protections[i],
		       strerror(errno));
		errno = 0;
		EXPECT(mmap(NULL, 4096, protections[i], MAP_PRIVATE, fd, 0) == MAP_FAILED &&
		       errno == ENODEV, "%s, protection %d, private: %s", path, protections[i],
		       strerror(errno));
	}
	close(fd);
}

/* Of nodes and of debugfs, of one CPU and merged; root may open them for writing. */
static void data_files_are_not_mapped(void)
{
	sensor_start(&s);
	close(s.fd);
	expect_no_mapping("/dev/magnet", "cpu0");
	expect_no_mapping("/dev/magnet", "merged");
	expect_no_mapping(MAGNET_DEBUGFS "/data", "cpu0");
	expect_no_mapping(MAGNET_DEBUGFS "/data", "merged");
}

static void nothing_else_works(void)
{
	char path[128];
	int fd, value;

	sensor_start(&s);
	EXPECT(write(s.fd, "x", 1) < 0 && errno == EBADF, "write: %s", strerror(errno));
	EXPECT(ioctl(s.fd, FIONREAD, &value) < 0 && errno == ENOTTY, "ioctl: %s", strerror(errno));
	EXPECT(ftruncate(s.fd, 0) < 0 && errno == EINVAL, "ftruncate: %s", strerror(errno));
	close(s.fd);
	/* root may open for writing, and can't write. */
	snprintf(path, sizeof(path), "/dev/magnet/%s/cpu0", s.buffer);
	fd = open(path, O_RDWR);
	REQUIRE(fd >= 0, "%s: %s", path, strerror(errno));
	EXPECT(write(fd, "x", 1) < 0 && errno == EINVAL, "write: %s", strerror(errno));
	EXPECT(pwrite(fd, "x", 1, 0) < 0 && errno == ESPIPE, "pwrite: %s", strerror(errno));
}

/* What is refused neither changes an attribute nor takes a record. */
static void refusals_take_nothing(void)
{
	struct batch b = {};

	sensor_start(&s);
	sensor_emit(3);
	errno_of_lseek(0, SEEK_SET);
	errno_of_lseek(0, SEEK_END);
	attr_set(s.fd, 200, 1);
	attr_set(s.fd, MAGNET_ATTR_READSIZE_WATERMARK, VALUE_MAX);
	EXPECT(data_read_now(s.fd, &b, DATA_ROOM) > 0, "nothing to read");
	EXPECT_EQ(b.events, 3);
}

/* The next opener begins with none. */
static void attributes_end_with_the_file(void)
{
	const struct attribute *a;

	sensor_start(&s);
	for_each_attribute(a)
		attr_need(s.fd, a->option, a->most);
	close(s.fd);
	sensor_open(&s, 0);
	for_each_attribute(a)
		EXPECT(!attr_get(s.fd, a->option), "%s is %lld", a->name,
		       attr_get(s.fd, a->option));
	sensor_emit(1);
	EXPECT_READABLE(s.fd);
}

/* Each CPU's file has its own. */
static void attributes_are_of_one_file(void)
{
	int other;

	sensor_start(&s);
	other = ctl_data_open(s.buffer, 1, 0);
	REQUIRE(other >= 0, "cpu1: %s", strerror(-other));
	attr_need(s.fd, MAGNET_ATTR_READCOUNT_WATERMARK, 5);
	EXPECT_EQ(attr_get(other, MAGNET_ATTR_READCOUNT_WATERMARK), 0);
}

/* debugfs and the node have the same operations. */
static void debugfs_is_the_same(void)
{
	const struct attribute *a;
	char path[128];

	sensor_start(&s);
	close(s.fd);
	snprintf(path, sizeof(path), MAGNET_DEBUGFS "/data/%s/cpu0", s.buffer);
	s.fd = open(path, O_RDONLY);
	REQUIRE(s.fd >= 0, "%s: %s", path, strerror(errno));
	for_each_attribute(a) {
		EXPECT_EQ(attr_set(s.fd, a->option, a->most), 0);
		EXPECT_EQ(attr_get(s.fd, a->option), a->most);
		EXPECT_EQ(attr_set(s.fd, a->option, 0), 0);
	}
	EXPECT_EQ(errno_of_lseek(0, SEEK_SET), ESPIPE);
	EXPECT_EQ(errno_of_lseek(0, SEEK_END), ESPIPE);
	sensor_emit(1);
	EXPECT_READABLE(s.fd);
	EXPECT_EQ(data_drain(s.fd).events, 1);
}

/* The time of the last record that was read; the flush's own when that was all there was. */
static void complete_to_is_what_was_read(void)
{
	struct batch b = {};
	uint64_t complete;

	sensor_start(&s);
	sensor_emit(3);
	attr_need(s.fd, MAGNET_ATTR_MAX_READ_WATERMARK, records_event_size());
	REQUIRE(data_read(s.fd, &b, DATA_ROOM) > 0, "nothing was read");
	EXPECT_EQ(attr_get(s.fd, MAGNET_ATTR_COMPLETE_TO), b.timer);
	/* Longer than a CPU is left alone. */
	usleep(10000);
	attr_need(s.fd, MAGNET_ATTR_FLUSH, 0);
	EXPECT_EQ(attr_get(s.fd, MAGNET_ATTR_COMPLETE_TO), b.timer);
	attr_need(s.fd, MAGNET_ATTR_MAX_READ_WATERMARK, 0);
	REQUIRE(data_read(s.fd, &b, DATA_ROOM) > 0, "nothing was read");
	EXPECT_EQ(b.events, 3);
	complete = attr_get(s.fd, MAGNET_ATTR_COMPLETE_TO);
	EXPECT(complete > b.timer, "complete to %llu, the last record is of %llu",
	       (unsigned long long)complete, (unsigned long long)b.timer);
	sensor_emit(1);
	REQUIRE(data_read(s.fd, &b, DATA_ROOM) > 0, "nothing was read");
	EXPECT_EQ(attr_get(s.fd, MAGNET_ATTR_COMPLETE_TO), b.timer);
	EXPECT(b.timer > complete, "it was not complete");
}

/* Who asks again and again is told the same, and does not keep the CPU busy. */
static void flushes_in_a_row_are_one(void)
{
	struct batch b = {};
	uint64_t begin;
	unsigned int i, answers = 0;
	long long last = -1;

	sensor_start(&s);
	sensor_emit(1);
	REQUIRE(data_read(s.fd, &b, DATA_ROOM) > 0, "nothing was read");
	begin = guest_now_us();
	for (i = 0; i < 2000; i++) {
		attr_need(s.fd, MAGNET_ATTR_FLUSH, 0);
		answers += attr_get(s.fd, MAGNET_ATTR_COMPLETE_TO) != last;
		last = attr_get(s.fd, MAGNET_ATTR_COMPLETE_TO);
	}
	EXPECT(answers <= (guest_now_us() - begin) / 1000 + 2, "%u answers in %llu us", answers,
	       (unsigned long long)(guest_now_us() - begin));
}

/* ---- who may read a file may not keep the CPU that fills it busy ---- */

/* Once in so long, docs/control.md. */
#define MEET_US		1000
/* The kernel's own: it has reasons besides. */
#define OTHERS		100

/* How often a CPU was interrupted to call a function, says the kernel. */
static unsigned long long interrupts_of(unsigned int cpu)
{
	FILE *file = fopen("/proc/interrupts", "r");
	unsigned long long n = 0;
	char line[1024], *at;
	unsigned int i;

	NEED(file, "no /proc/interrupts");
	while (fgets(line, sizeof(line), file)) {
		at = strchr(line, ':');
		for (i = 0; at && strstr(line, "Function call interrupts") && i <= cpu; i++)
			n = strtoull(at + 1, &at, 10);
	}
	fclose(file);
	return n;
}

/* From one CPU, of the other one's file. */
static void expect_few_interrupts(unsigned int option, const uint64_t *values, unsigned int calls)
{
	unsigned long long before, asked;
	uint64_t begin, us;
	unsigned int i;

	sensor_make(&s, 1 << 16);
	sensor_open(&s, 1);
	guest_on_cpu(0);
	before = interrupts_of(1);
	begin = guest_now_us();
	for (i = 0; i < calls; i++)
		attr_need(s.fd, option, values[i % 2]);
	us = guest_now_us() - begin;
	asked = interrupts_of(1) - before;
	EXPECT(asked, "it was never interrupted");
	EXPECT(asked <= us / MEET_US + OTHERS, "%llu interrupts in %llu us", asked,
	       (unsigned long long)us);
	printf("# %u calls, %llu interrupts in %llu us\n", calls, asked, (unsigned long long)us);
}

static void flushes_interrupt_a_cpu_no_more_often_than_they_may(void)
{
	static const uint64_t values[2];

	expect_few_interrupts(MAGNET_ATTR_FLUSH, values, 50000);
}

/* Each of these waits until it may. */
static void settings_interrupt_a_cpu_no_more_often_than_they_may(void)
{
	static const uint64_t values[2] = { 100, 200 };

	expect_few_interrupts(MAGNET_ATTR_READSIZE_WATERMARK, values, 1000);
}

/* A limit depends on the buffer's size: three quarters of it. */
static void limits_grow_with_the_buffer(void)
{
	sensor_make(&s, 1 << 20);
	sensor_open(&s, 0);
	EXPECT_EQ(attr_set(s.fd, MAGNET_ATTR_READSIZE_WATERMARK, 3 << 18), 0);
	EXPECT_EQ(attr_set(s.fd, MAGNET_ATTR_READSIZE_WATERMARK, (3 << 18) + 1), -EINVAL);
}

static const struct ktap_test tests[] = {
	KTAP_TEST(zero_after_open),
	KTAP_TEST(set_and_read_back),
	KTAP_TEST(each_has_its_own_value),
	KTAP_TEST(bad_value_is_refused_and_changes_nothing),
	KTAP_TEST(flush_has_no_value),
	KTAP_TEST(bad_option_is_refused),
	KTAP_TEST(whence_with_magic),
	KTAP_TEST(no_magic_is_espipe),
	KTAP_TEST(calls_of_32_bit_programs),
	KTAP_TEST(reading_at_a_position_is_espipe),
	KTAP_TEST(data_files_are_not_mapped),
	KTAP_TEST(nothing_else_works),
	KTAP_TEST(refusals_take_nothing),
	KTAP_TEST(attributes_end_with_the_file),
	KTAP_TEST(attributes_are_of_one_file),
	KTAP_TEST(debugfs_is_the_same),
	KTAP_TEST(complete_to_is_what_was_read),
	KTAP_TEST(flushes_in_a_row_are_one),
	KTAP_TEST(flushes_interrupt_a_cpu_no_more_often_than_they_may),
	KTAP_TEST(settings_interrupt_a_cpu_no_more_often_than_they_may),
	KTAP_TEST(limits_grow_with_the_buffer),
};

int main(int argc, char **argv)
{
	return guest_main(tests, KTAP_SIZE(tests), argc, argv);
}
