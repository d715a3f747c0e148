// SPDX-License-Identifier: GPL-2.0-only
/*
 * Major page faults: pages of a device that takes a known time are touched one by
 * one. The kernel counts the same for the thread that waits.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "guest.h"
#include "recording.h"
#include "sensor.h"

#define PAGES		101
#define SLOW_US		5000
#define US_PER_S	1000000ULL

static size_t page_size(void)
{
	return sysconf(_SC_PAGESIZE);
}

/* ---- a slow device ---- */

#define NULL_BLK	"/sys/kernel/config/nullb/faults"

static void set(const char *what, uint64_t value)
{
	char path[64], text[32];

	snprintf(path, sizeof(path), NULL_BLK "/%s", what);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	NEED(guest_write_file(path, text), "%s: %s", path, strerror(errno));
}

/* Newer kernels call the disk as the folder, older ones by its number. */
static int open_disk(void)
{
	FILE *f = fopen(NULL_BLK "/index", "r");
	char path[32];
	unsigned int n;
	int fd;

	NEED(f && fscanf(f, "%u", &n) == 1, NULL_BLK "/index: %s", strerror(errno));
	fclose(f);
	snprintf(path, sizeof(path), "/dev/nullb%u", n);
	UNTIL((fd = open("/dev/faults", O_RDWR | O_CLOEXEC)) >= 0 ||
	      (fd = open(path, O_RDWR | O_CLOEXEC)) >= 0);
	return fd;
}

/* Each request takes this time. */
static int slow_device(uint64_t us)
{
	NEED(!system("modprobe null_blk nr_devices=0"), "no null_blk");
	mount("none", "/sys/kernel/config", "configfs", 0, NULL);
	rmdir(NULL_BLK);
	NEED(!mkdir(NULL_BLK, 0700), NULL_BLK ": %s", strerror(errno));
	set("size", 64);
	set("irqmode", 2);
	set("completion_nsec", 1000 * us);
	set("power", 1);
	return open_disk();
}

/* Pages of a device, not in memory and not read ahead. */
static char *pages_of(int fd, unsigned int n, int protection, int flags)
{
	char *p = mmap(NULL, n * page_size(), protection, flags, fd, 1 << 20);

	NEED(p != MAP_FAILED, "mmap: %s", strerror(errno));
	NEED(!posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) &&
	     !madvise(p, n * page_size(), MADV_RANDOM), "pages of the device: %s", strerror(errno));
	return p;
}

/* ---- ways to touch a page ---- */

static void by_program(char *at)
{
	(void)*(volatile char *)at;
}

static void by_program_that_writes(char *at)
{
	*(volatile char *)at = 1;
}

static int ends[2];

/* The kernel copies from it. */
static void by_system_call(char *at)
{
	char got;

	NEED(write(ends[1], at, 1) == 1 && read(ends[0], &got, 1) == 1, "pipe: %s",
	     strerror(errno));
}

/* The kernel takes the page itself. */
static void by_its_page(char *at)
{
	char got;
	struct iovec to = { &got, 1 }, from = { at, 1 };

	NEED(process_vm_readv(getpid(), &to, 1, &from, 1, 0) == 1, "process_vm_readv: %s",
	     strerror(errno));
}

/* ---- tests ---- */

struct touched {
	const char	*from;
	uint32_t	write;
};

static bool is_page(const struct record *rec, const void *arg)
{
	const struct magnet_major_fault *fault = rec->payload;
	const struct touched *touched = arg;

	return rec->event == MAGNET_EVENT_MAJOR_FAULT && rec->tgid == (uint32_t)getpid() &&
	       fault->address / page_size() == (uintptr_t)touched->from / page_size() &&
	       fault->write == touched->write;
}

static uint64_t us_of(uint64_t ticks)
{
	return ticks * 1000 / guest_file_number(MAGNET_CONTROL "/clock", "khz");
}

static void expect_each_page_once(const char *from, uint32_t write, uint64_t elapsed_us)
{
	struct touched touched = { from, write };
	uint64_t sum = 0, ticks;
	unsigned int i;

	for (i = 0; i < PAGES; i++, touched.from += page_size()) {
		const struct record *rec = recording_find(NULL, is_page, &touched);
		const struct magnet_major_fault *fault;

		REQUIRE(rec && recording_count(is_page, &touched) == 1, "page %u: %u events", i,
			recording_count(is_page, &touched));
		fault = rec->payload;
		ticks = fault->latency;
		EXPECT(us_of(ticks) >= SLOW_US, "page %u: %llu us", i,
		       (unsigned long long)us_of(ticks));
		EXPECT(fault->tries >= 1 && fault->tries <= 3, "page %u: %u tries", i,
		       fault->tries);
		sum += ticks;
	}
	EXPECT(us_of(sum) <= elapsed_us, "they took %llu us, and all of it %llu us",
	       (unsigned long long)us_of(sum), (unsigned long long)elapsed_us);
}

static void touch_by(void (*touch)(char *at), int protection, int flags, uint32_t write)
{
	const int fd = slow_device(SLOW_US);
	char *p = pages_of(fd, PAGES, protection, flags);
	const long long counted = guest_file_number("/proc/vmstat", "pgmajfault");
	struct rusage before, after;
	uint64_t began;
	unsigned int i;

	NEED(!pipe(ends), "pipe: %s", strerror(errno));
	RECORD("major_fault");
	getrusage(RUSAGE_THREAD, &before);
	began = guest_now_us();
	for (i = 0; i < PAGES; i++)
		touch(p + i * page_size());
	began = guest_now_us() - began;
	getrusage(RUSAGE_THREAD, &after);
	/* They are in memory now. */
	for (i = 0; i < PAGES; i++)
		touch(p + i * page_size());
	recording_stop();
	EXPECT_EQ(after.ru_majflt - before.ru_majflt, PAGES);
	EXPECT(guest_file_number("/proc/vmstat", "pgmajfault") - counted >= PAGES, "pgmajfault");
	EXPECT_EQ(recording_own(MAGNET_EVENT_MAJOR_FAULT), PAGES);
	expect_each_page_once(p, write, began);
}

static void each_major_fault_is_logged(void)
{
	touch_by(by_program, PROT_READ, MAP_SHARED, 0);
}

static void those_of_writes_are_told_apart(void)
{
	touch_by(by_program_that_writes, PROT_READ | PROT_WRITE, MAP_PRIVATE, 1);
}

static void those_of_the_kernel_count(void)
{
	touch_by(by_system_call, PROT_READ, MAP_SHARED, 0);
}

static void those_of_pages_that_the_kernel_takes_count(void)
{
	touch_by(by_its_page, PROT_READ, MAP_SHARED, 0);
}

static void minor_faults_are_not_logged(void)
{
	const size_t len = PAGES * page_size();
	struct rusage before, after;
	unsigned int i;
	char *p;

	p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	NEED(p != MAP_FAILED && !madvise(p, len, MADV_NOHUGEPAGE), "mmap: %s", strerror(errno));
	RECORD("major_fault");
	getrusage(RUSAGE_THREAD, &before);
	for (i = 0; i < PAGES; i++)
		p[i * page_size()] = 1;
	getrusage(RUSAGE_THREAD, &after);
	recording_stop();
	EXPECT(after.ru_minflt - before.ru_minflt >= PAGES && after.ru_majflt == before.ru_majflt,
	       "%ld minor, %ld major", after.ru_minflt - before.ru_minflt,
	       after.ru_majflt - before.ru_majflt);
	EXPECT_EQ(recording_own(MAGNET_EVENT_MAJOR_FAULT), 0);
}

/* ---- many at once ---- */

#define THREADS		64
#define EACH		16

struct toucher {
	pthread_t	thread;
	char		*from;
	unsigned int	pages;
	uint32_t	tid;
	long		majors;
};

static void *touch_some(void *arg)
{
	struct toucher *t = arg;
	struct rusage usage;
	unsigned int i;

	__atomic_store_n(&t->tid, guest_tid(), __ATOMIC_RELAXED);
	for (i = 0; i < t->pages; i++)
		by_program(t->from + i * page_size());
	getrusage(RUSAGE_THREAD, &usage);
	t->majors = usage.ru_majflt;
	return NULL;
}

static bool is_of_thread(const struct record *rec, const void *tid)
{
	return rec->event == MAGNET_EVENT_MAJOR_FAULT && rec->tid == *(const uint32_t *)tid;
}

static void threads_that_wait_at_once_are_told_apart(void)
{
	char *p = pages_of(slow_device(SLOW_US), THREADS * EACH, PROT_READ, MAP_SHARED);
	struct toucher touchers[THREADS] = {};
	unsigned int i;
	long all = 0;

	RECORD("major_fault");
	for (i = 0; i < THREADS; i++) {
		touchers[i].from = p + i * EACH * page_size();
		touchers[i].pages = EACH;
		NEED(!pthread_create(&touchers[i].thread, NULL, touch_some, &touchers[i]),
		     "no thread");
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(touchers[i].thread, NULL);
	recording_stop();
	for (i = 0; i < THREADS; i++) {
		all += touchers[i].majors;
		if (!records_classic())
			EXPECT_EQ(recording_count(is_of_thread, &touchers[i].tid),
				  touchers[i].majors);
	}
	EXPECT(all >= THREADS * EACH, "%ld major faults", all);
	EXPECT_EQ(recording_own(MAGNET_EVENT_MAJOR_FAULT), all);
}

/* ---- a fault whose begin nobody saw ---- */

static bool waits_for_device(pid_t tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/task/%d/status", (int)tid);
	return guest_file_has(path, "D (disk sleep)");
}

static void a_fault_that_began_before_is_counted_as_missed(void)
{
	struct toucher toucher = {
		.from = pages_of(slow_device(5 * US_PER_S), 2, PROT_READ, MAP_SHARED),
		.pages = 2,
	};
	struct magnet_ctl_counters c;
	struct sensor s = {};

	sensor_make(&s, 1 << 16);
	NEED(!pthread_create(&toucher.thread, NULL, touch_some, &toucher), "no thread");
	UNTIL(__atomic_load_n(&toucher.tid, __ATOMIC_RELAXED) && waits_for_device(toucher.tid));
	sensor_subscribe(&s, "major_fault", 0);
	pthread_join(toucher.thread, NULL);
	NEED(!ctl_sub_del(&s.ctl, s.sub, &c), "%s", s.ctl.error);
	EXPECT_EQ(c.missed, 1);
	EXPECT_EQ(toucher.majors, 2);
	EXPECT(c.hits, "nor is the next one logged");
	ctl_close(&s.ctl);
}

static const struct ktap_test tests[] = {
	KTAP_TEST(each_major_fault_is_logged),
	KTAP_TEST(those_of_writes_are_told_apart),
	KTAP_TEST(those_of_the_kernel_count),
	KTAP_TEST(those_of_pages_that_the_kernel_takes_count),
	KTAP_TEST(minor_faults_are_not_logged),
	KTAP_TEST(threads_that_wait_at_once_are_told_apart),
	KTAP_TEST(a_fault_that_began_before_is_counted_as_missed),
};

int main(int argc, char **argv)
{
	/*
	 * The program and its libraries are in memory: what is a major fault
	 * is what a test touches, and not a thread's way out, say.
	 */
	if (mlockall(MCL_CURRENT)) {
		perror("mlockall");
		return 1;
	}
	return guest_main(tests, KTAP_SIZE(tests), argc, argv);
}
