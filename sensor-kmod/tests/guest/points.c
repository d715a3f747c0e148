// SPDX-License-Identifier: GPL-2.0-only
/*
 * Points outside the network: known work, exact answer.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

#include "guest.h"
#include "recording.h"

/* ---- scheduler ---- */

#define MIGRATIONS	101

struct migration {
	uint32_t	tid;
	unsigned int	dest_cpu;
};

static bool is_migration(const struct record *rec, const void *arg)
{
	const struct magnet_migrate *migrate = rec->payload;
	const struct migration *want = arg;

	return rec->event == MAGNET_EVENT_SCHED_MIGRATE_TASK && rec->id == want->tid &&
	       migrate->dest_cpu == want->dest_cpu && migrate->orig_cpu != want->dest_cpu;
}

static void each_migration_is_logged(void)
{
	struct migration want = { .tid = guest_tid() };
	unsigned int i;

	guest_on_cpu(0);
	RECORD("sched_migrate_task");
	for (i = 1; i <= MIGRATIONS; i++)
		guest_on_cpu(i % 2);
	recording_stop();
	want.dest_cpu = 0;
	EXPECT_EQ(recording_count(is_migration, &want), MIGRATIONS / 2);
	want.dest_cpu = 1;
	EXPECT_EQ(recording_count(is_migration, &want), MIGRATIONS - MIGRATIONS / 2);
}

/* ---- time of CPUs ---- */

#define ROUNDS	101

static bool is_time_of_cpu(const struct record *rec, const void *cpu)
{
	return rec->event == MAGNET_EVENT_CPU_TIME && rec->cpu == *(const uint32_t *)cpu;
}

static uint64_t total(const struct magnet_cpu_time *t)
{
	return t->user + t->nice + t->system + t->idle + t->irq + t->softirq;
}

static bool has_grown(const struct magnet_cpu_time *from, const struct magnet_cpu_time *to)
{
	return to->user >= from->user && to->nice >= from->nice && to->system >= from->system &&
	       to->idle >= from->idle && to->irq >= from->irq && to->softirq >= from->softirq;
}

/* The sums reach up to just before a record's own time stamp, and beyond that of the one before. */
static struct magnet_cpu_time check_times(uint32_t cpu)
{
	const struct record *rec = recording_find(NULL, is_time_of_cpu, &cpu), *first = rec;
	const struct record *last = rec, *before = NULL;
	struct magnet_cpu_time sum = {}, begin, end;

	NEED(first, "CPU %u has no record", cpu);
	while ((rec = recording_find(last + 1, is_time_of_cpu, &cpu))) {
		const struct magnet_cpu_time *from = last->payload, *to = rec->payload;

		EXPECT(has_grown(from, to), "a sum went back");
		EXPECT(to->mode <= MAGNET_CPU_IDLE, "mode %u", to->mode);
		EXPECT(total(to) - total(first->payload) >= last->timer - first->timer,
		       "time is missing");
		EXPECT(!before || total(to) - total(from) <= rec->timer - before->timer,
		       "time counts twice");
		before = last;
		last = rec;
	}
	NEED(last != first, "CPU %u has one record only", cpu);
	begin = *(const struct magnet_cpu_time *)first->payload;
	end = *(const struct magnet_cpu_time *)last->payload;
	sum.user = end.user - begin.user;
	sum.nice = end.nice - begin.nice;
	sum.system = end.system - begin.system;
	sum.idle = end.idle - begin.idle;
	sum.irq = end.irq - begin.irq;
	sum.softirq = end.softirq - begin.softirq;
	return sum;
}

static void compute(void)
{
	volatile unsigned int n;

	for (n = 0; n < 1000000; n++)
		;
}

static int zeros;
/* Touched beforehand: the copies shall not fault. */
static char copied[1 << 20] = { 1 };

static void call(void)
{
	NEED(read(zeros, copied, sizeof(copied)) == sizeof(copied), "read: %s",
	     strerror(errno));
}

static int compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/*
 * Does it so often, and gives the time that it takes when no quarter of the rounds is
 * quicker: a machine that stands still meanwhile, wherever it does, adds nothing to that.
 */
static uint64_t work_us(void (*work)(void))
{
	uint64_t took[ROUNDS], begin;
	unsigned int i;

	for (i = 0; i < ROUNDS; i++) {
		begin = guest_now_us();
		work();
		took[i] = guest_now_us() - begin;
	}
	qsort(took, ROUNDS, sizeof(*took), compare);
	return took[ROUNDS / 4] * ROUNDS;
}

/* @least: ticks that the work takes */
static struct magnet_cpu_time times_of(void (*work)(void), uint64_t *least)
{
	uint64_t us;

	guest_on_cpu(0);
	work();
	RECORD("cpu_time");
	us = work_us(work);
	/* Idling is told. */
	guest_nap();
	recording_stop();
	*least = us * guest_file_number(MAGNET_CONTROL "/clock", "khz") / 1000;
	return check_times(0);
}

/* Three quarters of the rounds take that long, with the interrupts that come meanwhile. */
static void expect_most(const char *what, uint64_t ticks, const struct magnet_cpu_time *t,
			uint64_t least)
{
	EXPECT(4 * (ticks + t->irq + t->softirq) > 3 * least, "%s: %llu of %llu ticks", what,
	       (unsigned long long)ticks, (unsigned long long)least);
}

static void time_of_programs_is_theirs(void)
{
	uint64_t least;
	const struct magnet_cpu_time t = times_of(compute, &least);

	expect_most("user", t.user, &t, least);
}

static void time_of_nice_programs_is_apart(void)
{
	struct magnet_cpu_time t;
	uint64_t least;

	NEED(nice(10) == 10, "nice: %s", strerror(errno));
	t = times_of(compute, &least);
	expect_most("nice", t.nice, &t, least);
}

static void time_of_system_calls_is_the_kernels(void)
{
	struct magnet_cpu_time t;
	uint64_t least;

	zeros = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	NEED(zeros >= 0, "/dev/zero: %s", strerror(errno));
	memset(copied, 1, sizeof(copied));
	t = times_of(call, &least);
	close(zeros);
	expect_most("system", t.system, &t, least);
}

/* ---- memory ---- */

#define PAGES	1009

static size_t page_size(void)
{
	return sysconf(_SC_PAGESIZE);
}

static char *fresh_pages(unsigned int n)
{
	char *p = mmap(NULL, n * page_size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);

	NEED(p != MAP_FAILED, "mmap: %s", strerror(errno));
	madvise(p, n * page_size(), MADV_NOHUGEPAGE);
	return p;
}

struct range {
	unsigned int	event;
	const char	*from;
	size_t		len;
};

static bool is_fault_in(const struct record *rec, const void *arg)
{
	const struct magnet_page_fault *fault = rec->payload;
	const struct range *range = arg;

	return rec->event == range->event && rec->tgid == (uint32_t)getpid() &&
	       fault->address - (uintptr_t)range->from < range->len;
}

static void each_touched_page_is_one_fault(void)
{
	struct range range = {
		.event = MAGNET_EVENT_PAGE_FAULT_USER,
		.from = fresh_pages(PAGES),
		.len = PAGES * page_size(),
	};
	struct rusage before, after;
	unsigned int i;

	guest_on_cpu(0);
	RECORD("page_fault_user");
	getrusage(RUSAGE_SELF, &before);
	for (i = 0; i < PAGES; i++)
		*(volatile char *)(range.from + i * page_size()) = 1;
	getrusage(RUSAGE_SELF, &after);
	recording_stop();
	EXPECT_EQ(recording_count(is_fault_in, &range), PAGES);
	EXPECT_EQ(after.ru_minflt - before.ru_minflt, PAGES);
}

/* read() into pages that are not there: the kernel touches them. */
static void faults_of_the_kernel_are_told_apart(void)
{
	struct range range = {
		.event = MAGNET_EVENT_PAGE_FAULT_KERNEL,
		.from = fresh_pages(PAGES),
		.len = PAGES * page_size(),
	};
	const int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	unsigned int i;

	guest_on_cpu(0);
	RECORD("page_fault_user", "page_fault_kernel");
	for (i = 0; i < PAGES; i++)
		NEED(read(fd, (char *)range.from + i * page_size(), 1) == 1, "read: %s",
		     strerror(errno));
	recording_stop();
	EXPECT_EQ(recording_count(is_fault_in, &range), PAGES);
	range.event = MAGNET_EVENT_PAGE_FAULT_USER;
	EXPECT_EQ(recording_count(is_fault_in, &range), 0);
}

#define CGROUP	"/tmp/magnet-cgroup"

/* A group with less memory than its only process wants. */
static bool poor_group(void)
{
	mkdir(CGROUP, 0700);
	if (mount("none", CGROUP, "cgroup2", 0, NULL))
		return false;
	mkdir(CGROUP "/poor", 0700);
	return guest_write_file(CGROUP "/cgroup.subtree_control", "+memory") &&
	       guest_write_file(CGROUP "/poor/memory.max", "8388608");
}

static void want_too_much(void)
{
	NEED(guest_write_file(CGROUP "/poor/cgroup.procs", "0"), "cgroup.procs: %s",
	     strerror(errno));
	memset(fresh_pages(16384), 1, 16384 * page_size());
	_exit(0);
}

static bool is_victim(const struct record *rec, const void *pid)
{
	return rec->event == MAGNET_EVENT_MARK_VICTIM && rec->id == *(const uint64_t *)pid;
}

static void each_victim_is_logged(void)
{
	uint64_t victim;
	int status;
	pid_t child;

	if (!poor_group())
		guest_skip("no control group with a limit for memory");
	RECORD("mark_victim");
	child = fork();
	if (!child)
		want_too_much();
	waitpid(child, &status, 0);
	recording_stop();
	EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "status %#x", status);
	victim = child;
	EXPECT_EQ(recording_count(is_victim, &victim), 1);
	EXPECT_EQ(guest_file_number(CGROUP "/poor/memory.events", "oom_kill"), 1);
	rmdir(CGROUP "/poor");
	umount(CGROUP);
}

/* ---- system calls ---- */

#define CALLS	1009

static bool is_call(const struct record *rec, const void *arg)
{
	const struct record *want = arg;

	return rec->event == want->event && rec->id == want->id && rec->tgid == (uint32_t)getpid();
}

static void each_system_call_is_logged(void)
{
	const struct record enters = { .event = MAGNET_EVENT_SYS_ENTER, .id = SYS_dup };
	const struct record exits = { .event = MAGNET_EVENT_SYS_EXIT, .id = SYS_dup };
	const struct record *rec;
	unsigned int i;

	guest_on_cpu(0);
	RECORD("sys_enter", "sys_exit");
	for (i = 0; i < CALLS; i++)
		syscall(SYS_dup, -1, i, 77);
	recording_stop();
	EXPECT_EQ(recording_count(is_call, &enters), CALLS);
	EXPECT_EQ(recording_count(is_call, &exits), CALLS);
	rec = recording_find(NULL, is_call, &enters);
	for (i = 0; rec && i < CALLS; i++) {
		const struct magnet_sys_enter *enter = rec->payload;
		const struct magnet_sys_exit *exit;

		EXPECT(enter->arg1 == i && enter->arg2 == 77 && !enter->compat,
		       "call %u: arguments %llu %llu", i, (unsigned long long)enter->arg1,
		       (unsigned long long)enter->arg2);
		rec = recording_find(rec, is_call, &exits);
		REQUIRE(rec, "call %u does not return", i);
		exit = rec->payload;
		EXPECT_EQ((long long)exit->ret, -EBADF);
		rec = recording_find(rec, is_call, &enters);
	}
}

/* ---- interrupts ---- */

#define WORK		211
#define IRQS_MAX	256
/* Its place in /proc/softirqs is its number. */
#define NET_RX		3

/* What is behind the colon in the line of this name; empty without such a line. */
static const char *kernel_line(const char *path, const char *name)
{
	static char line[4096];
	FILE *file = fopen(path, "re");
	const char *found = "";
	char label[32];

	NEED(file, "%s: %s", path, strerror(errno));
	while (!*found && fgets(line, sizeof(line), file)) {
		char *colon = strchr(line, ':');

		if (colon && sscanf(line, " %31[^:]", label) == 1 && !strcmp(label, name))
			found = colon + 1;
	}
	fclose(file);
	return found;
}

/* The kernel's own count, of all CPUs. */
static uint64_t kernel_counts(const char *path, const char *name)
{
	const char *at = kernel_line(path, name);
	uint64_t sum = 0;
	unsigned int cpu;
	char *end;

	for (cpu = 0; cpu < sysconf(_SC_NPROCESSORS_ONLN); cpu++, at = end)
		sum += strtoull(at, &end, 10);
	return sum;
}

/* What both points of an interrupt logged, and what the kernel counted meanwhile. */
struct interrupt {
	const char	*path;
	const char	*name;		/* of the line */
	uint64_t	id;
	const char	*entry, *exit;	/* the points */
	unsigned int	entry_event, exit_event;
};

static bool has_id(const struct record *rec, const void *arg)
{
	const struct record *want = arg;

	return rec->event == want->event && rec->id == want->id;
}

/*
 * The kernel's counts are the same before and after the subscriptions begin, and
 * before and after they end: then no such interrupt came between those.
 */
static void expect_as_the_kernel_counts(const struct interrupt *irq, void (*work)(void))
{
	const struct record enters = { .event = irq->entry_event, .id = irq->id };
	const struct record exits = { .event = irq->exit_event, .id = irq->id };
	const uint64_t before = kernel_counts(irq->path, irq->name);
	uint64_t first, last, after;

	RECORD(irq->entry, irq->exit);
	first = kernel_counts(irq->path, irq->name);
	work();
	last = kernel_counts(irq->path, irq->name);
	recording_stop();
	after = kernel_counts(irq->path, irq->name);
	if (before != first || last != after)
		guest_disturbed();
	printf("# %s: %llu\n", irq->name, (unsigned long long)(last - first));
	EXPECT(last - first >= WORK, "the work made less than %u", WORK);
	EXPECT_EQ(recording_count(has_id, &enters), last - first);
	EXPECT_EQ(recording_count(has_id, &exits), last - first);
}

/* A packet each, received before the next is sent. */
static void send_to_itself(void)
{
	struct sockaddr_in a = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	socklen_t len = sizeof(a);
	unsigned int i;
	char c = 0;

	NEED(!bind(fd, (void *)&a, len) && !getsockname(fd, (void *)&a, &len) &&
	     !connect(fd, (void *)&a, len), "socket: %s", strerror(errno));
	for (i = 0; i < WORK; i++)
		NEED(send(fd, &c, 1, 0) == 1 && recv(fd, &c, 1, 0) == 1, "packet %u: %s", i,
		     strerror(errno));
	close(fd);
}

static void soft_interrupts_are_as_the_kernel_counts(void)
{
	const struct interrupt irq = {
		"/proc/softirqs", "NET_RX", NET_RX, "softirq_entry", "softirq_exit",
		MAGNET_EVENT_SOFTIRQ_ENTRY, MAGNET_EVENT_SOFTIRQ_EXIT,
	};

	guest_on_cpu(0);
	expect_as_the_kernel_counts(&irq, send_to_itself);
}

/* Each of these names is looked up on the host, whose answer is an interrupt. */
static void ask_the_host(void)
{
	static unsigned int n;
	char path[64];
	unsigned int i;

	for (i = 0; i < WORK; i++) {
		snprintf(path, sizeof(path), "/usr/no-such-file-%d-%u", (int)getpid(), n++);
		NEED(access(path, F_OK) < 0 && errno == ENOENT, "%s is there", path);
	}
}

/* A timer's comes whatever the work is, and on a slow machine all the time. */
static bool is_timer(const char *name)
{
	return strstr(kernel_line("/proc/interrupts", name), "timer");
}

/* The interrupt that does it. */
static unsigned int busiest(void (*work)(void))
{
	uint64_t before[IRQS_MAX], most = 0;
	unsigned int i, found = 0;
	char name[16];

	for (i = 0; i < IRQS_MAX; i++) {
		snprintf(name, sizeof(name), "%u", i);
		before[i] = kernel_counts("/proc/interrupts", name);
	}
	work();
	for (i = 0; i < IRQS_MAX; i++) {
		uint64_t n;

		snprintf(name, sizeof(name), "%u", i);
		n = kernel_counts("/proc/interrupts", name) - before[i];
		if (n > most && !is_timer(name)) {
			most = n;
			found = i;
		}
	}
	NEED(most >= WORK, "no interrupt came %u times", WORK);
	return found;
}

static void hard_interrupts_are_as_the_kernel_counts(void)
{
	char name[16];
	struct interrupt irq = {
		"/proc/interrupts", name, busiest(ask_the_host), "irq_handler_entry",
		"irq_handler_exit", MAGNET_EVENT_IRQ_HANDLER_ENTRY, MAGNET_EVENT_IRQ_HANDLER_EXIT,
	};

	snprintf(name, sizeof(name), "%u", (unsigned int)irq.id);
	expect_as_the_kernel_counts(&irq, ask_the_host);
}

/* ---- block devices ---- */

#define BLOCKS		101
#define REQUEST_SIZE	4096

static int block_device(uint32_t *dev)
{
	struct stat st;
	int fd;

	NEED(!system("modprobe null_blk nr_devices=1 gb=1"), "no null_blk");
	UNTIL((fd = open("/dev/nullb0", O_RDWR | O_DIRECT | O_CLOEXEC)) >= 0);
	NEED(!fstat(fd, &st), "fstat: %s", strerror(errno));
	*dev = major(st.st_rdev) << 20 | minor(st.st_rdev);
	return fd;
}

struct block_wanted {
	unsigned int	event;
	uint32_t	dev;
	uint32_t	op;
};

static bool is_request(const struct record *rec, const void *arg)
{
	const struct block_wanted *want = arg;
	const struct magnet_block *block = rec->payload;

	return rec->event == want->event && block->dev == want->dev && block->op == want->op;
}

static bool is_end_of(const struct record *rec, const void *arg)
{
	const struct record *issued = arg;

	return rec->event == MAGNET_EVENT_BLOCK_RQ_COMPLETE && rec->id == issued->id;
}

/* Each request comes back: the same place, the same length, no error. */
static void check_request(const struct record *issued, unsigned int n)
{
	const struct record *done = recording_find(issued, is_end_of, issued);
	const struct magnet_block *a = issued->payload, *b;

	REQUIRE(done, "request %u does not come back", n);
	b = done->payload;
	EXPECT(a->sector == n * (REQUEST_SIZE / 512) && b->sector == a->sector, "request %u: sector %llu",
	       n, (unsigned long long)a->sector);
	EXPECT(a->bytes == REQUEST_SIZE && b->bytes == REQUEST_SIZE && !b->error,
	       "request %u: %u bytes, %u done, error %u", n, a->bytes, b->bytes, b->error);
}

static void each_request_is_issued_and_completed(void)
{
	struct block_wanted want = { MAGNET_EVENT_BLOCK_RQ_ISSUE, 0, 1 };
	const int fd = block_device(&want.dev);
	void *data = aligned_alloc(REQUEST_SIZE, REQUEST_SIZE);
	const struct record *rec = NULL;
	unsigned int i;

	memset(data, 1, REQUEST_SIZE);
	RECORD("block_rq_issue", "block_rq_complete");
	for (i = 0; i < BLOCKS; i++)
		NEED(pwrite(fd, data, REQUEST_SIZE, i * REQUEST_SIZE) == REQUEST_SIZE, "write: %s",
		     strerror(errno));
	recording_stop();
	close(fd);
	EXPECT_EQ(recording_count(is_request, &want), BLOCKS);
	for (i = 0; i < BLOCKS; i++) {
		rec = recording_find(rec ? rec + 1 : NULL, is_request, &want);
		REQUIRE(rec, "request %u is missing", i);
		check_request(rec, i);
	}
	want.event = MAGNET_EVENT_BLOCK_RQ_COMPLETE;
	EXPECT_EQ(recording_count(is_request, &want), BLOCKS);
}

/* ---- user markers ---- */

#define MARKERS	1009

struct text {
	uint64_t	id;
	const char	*text;
};

static bool is_marker(const struct record *rec, const void *arg)
{
	const struct magnet_marker *marker = rec->payload;
	const struct text *want = arg;

	return rec->event == MAGNET_EVENT_MARKER && rec->id == want->id &&
	       rec->tgid == (uint32_t)getpid() && marker->len == strlen(want->text) &&
	       !memcmp(marker + 1, want->text, marker->len);
}

static int write_marker(int fd, const void *text, size_t len)
{
	const ssize_t done = write(fd, text, len);

	return done < 0 ? -errno : done == (ssize_t)len ? 0 : -EIO;
}

static void markers_at(const char *path)
{
	static const struct text expected[] = {
		{ 7, "7 seven" }, { 0, "7seven" }, { 0, "no number" }, { 12345, "12345" },
		{ UINT64_MAX, "18446744073709551615 largest" },
		{ 0, "18446744073709551616 too large" },
	};
	const struct text many = { 42, "42 again" };
	char longest[MAGNET_MARKER_MAX + 1];
	const int fd = open(path, O_WRONLY | O_CLOEXEC);
	const void *volatile nowhere = NULL;
	unsigned int i;

	REQUIRE(fd >= 0, "%s: %s", path, strerror(errno));
	memset(longest, 'x', sizeof(longest));
	/* Nobody listens: nothing to log, and no error. */
	EXPECT_EQ(write_marker(fd, "unheard", 7), 0);
	RECORD("marker");
	for (i = 0; i < KTAP_SIZE(expected); i++)
		EXPECT_EQ(write_marker(fd, expected[i].text, strlen(expected[i].text)), 0);
	for (i = 0; i < MARKERS; i++)
		EXPECT_EQ(write_marker(fd, "42 again\n", 9), 0);
	EXPECT_EQ(write_marker(fd, longest, MAGNET_MARKER_MAX), 0);
	EXPECT_EQ(write_marker(fd, longest, MAGNET_MARKER_MAX + 1), -EMSGSIZE);
	EXPECT_EQ(write_marker(fd, longest, 0), -EINVAL);
	EXPECT_EQ(write_marker(fd, "\n", 1), -EINVAL);
	EXPECT_EQ(write_marker(fd, nowhere, 5), -EFAULT);
	recording_stop();
	for (i = 0; i < KTAP_SIZE(expected); i++)
		EXPECT(recording_count(is_marker, &expected[i]) == 1, "%s", expected[i].text);
	EXPECT_EQ(recording_count(is_marker, &many), MARKERS);
	EXPECT_EQ(recording_events(MAGNET_EVENT_MARKER), MARKERS + KTAP_SIZE(expected) + 1);
}

static void markers_by_debugfs_are_logged(void)
{
	markers_at(MAGNET_DEBUGFS "/marker");
}

static void markers_by_node_are_logged(void)
{
	markers_at("/dev/magnet/marker");
}

static const struct ktap_test tests[] = {
	KTAP_TEST(each_migration_is_logged),
	KTAP_TEST(time_of_programs_is_theirs),
	KTAP_TEST(time_of_nice_programs_is_apart),
	KTAP_TEST(time_of_system_calls_is_the_kernels),
	KTAP_TEST(each_touched_page_is_one_fault),
	KTAP_TEST(faults_of_the_kernel_are_told_apart),
	KTAP_TEST(each_victim_is_logged),
	KTAP_TEST(each_system_call_is_logged),
	KTAP_TEST(soft_interrupts_are_as_the_kernel_counts),
	KTAP_TEST(hard_interrupts_are_as_the_kernel_counts),
	KTAP_TEST(markers_by_debugfs_are_logged),
	KTAP_TEST(markers_by_node_are_logged),
	KTAP_TEST(each_request_is_issued_and_completed),
};

int main(int argc, char **argv)
{
	return guest_main(tests, KTAP_SIZE(tests), argc, argv);
}
