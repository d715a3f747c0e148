// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads that have to free memory before they get any: because their control
 * group has none left, and because the machine has none. The kernel's own
 * tracer counts the same in the same run.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "guest.h"
#include "recording.h"

#define MB	(1ULL << 20)

/* ---- the tracer as a witness ---- */

#define TRACER	"/sys/kernel/tracing/instances/magnet_reclaim"
#define EVENT(name)	TRACER "/events/vmscan/mm_vmscan_" name "/enable"

static const struct {
	const char	*enable;
	bool		group;	/* not in a kernel whose control groups know no memory */
} traced[] = {
	{ EVENT("direct_reclaim_begin"), false }, { EVENT("direct_reclaim_end"), false },
	{ EVENT("memcg_reclaim_begin"), true }, { EVENT("memcg_reclaim_end"), true },
};

static void trace(const char *value)
{
	unsigned int i;

	for (i = 0; i < KTAP_SIZE(traced); i++)
		NEED(guest_write_file(traced[i].enable, value) ||
		     (traced[i].group && errno == ENOENT), "%s: %s", traced[i].enable,
		     strerror(errno));
}

static void witness_start(void)
{
	NEED(!mkdir(TRACER, 0700) || errno == EEXIST, "%s: %s", TRACER, strerror(errno));
	NEED(guest_write_file(TRACER "/buffer_size_kb", "8192") &&
	     guest_write_file(TRACER "/trace", ""), "the tracer's buffer: %s", strerror(errno));
	trace("1");
}

static void witness_stop(void)
{
	trace("0");
	EXPECT_EQ(guest_file_number(TRACER "/per_cpu/cpu0/stats", "overrun"), 0);
	EXPECT_EQ(guest_file_number(TRACER "/per_cpu/cpu1/stats", "overrun"), 0);
}

/* Lines are: name-tid [cpu] flags time: event: fields */
static unsigned int witness_count(const char *event, pid_t tid)
{
	FILE *f = fopen(TRACER "/trace", "r");
	char line[1024], by[32], what[64];
	unsigned int n = 0;

	NEED(f, "%s/trace: %s", TRACER, strerror(errno));
	snprintf(by, sizeof(by), "-%d ", (int)tid);
	snprintf(what, sizeof(what), ": mm_vmscan_%s:", event);
	while (fgets(line, sizeof(line), f)) {
		const char *cpu = strchr(line, '[');
		const char *from = strstr(line, by);

		n += *line != '#' && cpu && from && from < cpu && strstr(cpu, what);
	}
	fclose(f);
	return n;
}

/* ---- what was logged ---- */

struct wanted {
	uint32_t	tid;	/* 0: any */
	unsigned int	event;
	bool		cgroup;
};

static bool is_cgroups(const struct record *rec)
{
	const struct magnet_reclaim_begin *begin = rec->payload;
	const struct magnet_reclaim_end *end = rec->payload;

	return rec->event == MAGNET_EVENT_MM_VMSCAN_DIRECT_RECLAIM_BEGIN ? begin->cgroup :
									   end->cgroup;
}

static bool is_wanted(const struct record *rec, const void *arg)
{
	const struct wanted *want = arg;

	return rec->event == want->event && (!want->tid || rec->tid == want->tid) &&
	       is_cgroups(rec) == want->cgroup;
}

static unsigned int begins(pid_t tid, bool cgroup)
{
	const struct wanted want = { tid, MAGNET_EVENT_MM_VMSCAN_DIRECT_RECLAIM_BEGIN, cgroup };

	return recording_count(is_wanted, &want);
}

static unsigned int ends(pid_t tid, bool cgroup)
{
	const struct wanted want = { tid, MAGNET_EVENT_MM_VMSCAN_DIRECT_RECLAIM_END, cgroup };

	return recording_count(is_wanted, &want);
}

static bool is_by(const struct record *rec, const void *tid)
{
	return rec->tid == *(const uint32_t *)tid;
}

/* Begin and end take turns, and are of one kind. Returns the pages that were freed. */
static uint64_t check_pairs(uint32_t tid)
{
	const struct record *rec = recording_find(NULL, is_by, &tid), *begin = NULL;
	uint64_t pages = 0;

	for (; rec; rec = recording_find(rec + 1, is_by, &tid)) {
		const struct magnet_reclaim_end *end = rec->payload;

		if (rec->event == MAGNET_EVENT_MM_VMSCAN_DIRECT_RECLAIM_BEGIN) {
			EXPECT(!begin, "it begins twice");
			begin = rec;
			continue;
		}
		EXPECT(begin && is_cgroups(begin) == is_cgroups(rec), "an end without its beginning");
		begin = NULL;
		pages += end->pages;
	}
	EXPECT(!begin, "it does not end");
	return pages;
}

static void check_against_tracer(pid_t tid)
{
	EXPECT_EQ(begins(tid, false), witness_count("direct_reclaim_begin", tid));
	EXPECT_EQ(ends(tid, false), witness_count("direct_reclaim_end", tid));
	EXPECT_EQ(begins(tid, true), witness_count("memcg_reclaim_begin", tid));
	EXPECT_EQ(ends(tid, true), witness_count("memcg_reclaim_end", tid));
	printf("# %u of the machine, %u of the group\n", begins(tid, false), begins(tid, true));
}

/* ---- work ---- */

/* What is read of it stays in memory until somebody wants that for something else. */
static int disk(void)
{
	int fd;

	NEED(!system("modprobe null_blk nr_devices=1 gb=1"), "no null_blk");
	UNTIL((fd = open("/dev/nullb0", O_RDONLY | O_CLOEXEC)) >= 0);
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	return fd;
}

static void read_disk(int fd, uint64_t bytes)
{
	const size_t part = 256 << 10;
	char *data = malloc(part);
	uint64_t at;

	for (at = 0; at < bytes; at += part)
		NEED(pread(fd, data, part, at) == (ssize_t)part, "read: %s", strerror(errno));
	free(data);
}

static void finish(pid_t child)
{
	int status;

	waitpid(child, &status, 0);
	NEED(WIFEXITED(status) && !WEXITSTATUS(status), "the work ended with %#x", status);
}

#define RECORD_RECLAIM()	\
	RECORD("mm_vmscan_direct_reclaim_begin", "mm_vmscan_direct_reclaim_end")

/* ---- a control group ---- */

#define CGROUP	"/tmp/magnet-reclaim"
#define TIGHT	CGROUP "/tight"

static bool tight_group(void)
{
	mkdir(CGROUP, 0700);
	if (mount("none", CGROUP, "cgroup2", 0, NULL))
		return false;
	mkdir(TIGHT, 0700);
	return guest_write_file(CGROUP "/cgroup.subtree_control", "+memory") &&
	       guest_write_file(TIGHT "/memory.max", "8388608");
}

static void leave_group(void)
{
	rmdir(TIGHT);
	umount(CGROUP);
}

static void each_reclaim_in_a_group_is_logged(void)
{
	uint64_t pages;
	pid_t child;
	int fd;

	if (!tight_group())
		guest_skip("no control group with a limit for memory");
	fd = disk();
	witness_start();
	RECORD_RECLAIM();
	child = fork();
	if (!child) {
		NEED(guest_write_file(TIGHT "/cgroup.procs", "0"), "cgroup.procs: %s",
		     strerror(errno));
		read_disk(fd, 64 * MB);
		_exit(0);
	}
	finish(child);
	recording_stop();
	witness_stop();
	check_against_tracer(child);
	EXPECT(begins(child, true) >= 100, "only %u", begins(child, true));
	pages = check_pairs(child);
	/* The group counts its reclaims, and the pages of files and programs that they freed. */
	EXPECT_EQ(guest_file_number(TIGHT "/memory.events", "max"), begins(child, true));
	EXPECT(pages >= (uint64_t)guest_file_number(TIGHT "/memory.stat", "pgsteal"),
	       "%llu pages freed, %lld by the group's account", (unsigned long long)pages,
	       guest_file_number(TIGHT "/memory.stat", "pgsteal"));
	leave_group();
}

/* ---- the machine ---- */

static pid_t kswapd(void)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	pid_t pid = 0;

	while (!pid && (entry = readdir(proc))) {
		char path[300];

		snprintf(path, sizeof(path), "/proc/%s/comm", entry->d_name);
		if (atoi(entry->d_name) && !access(path, R_OK) && guest_file_has(path, "kswapd0"))
			pid = atoi(entry->d_name);
	}
	closedir(proc);
	NEED(pid, "there is no kswapd");
	return pid;
}

static void let_run(pid_t pid, int policy, unsigned int first_cpu)
{
	const struct sched_param none = {};
	unsigned int cpu;
	cpu_set_t set;

	CPU_ZERO(&set);
	for (cpu = first_cpu; cpu < 2; cpu++)
		CPU_SET(cpu, &set);
	NEED(!sched_setscheduler(pid, policy, &none) && !sched_setaffinity(pid, sizeof(set), &set),
	     "kswapd: %s", strerror(errno));
}

/* The thread that frees memory in the background comes too late from here on. */
static pid_t hold_back_kswapd(void)
{
	pid_t hog;

	let_run(kswapd(), SCHED_IDLE, 1);
	hog = fork();
	if (!hog) {
		guest_on_cpu(1);
		for (;;)
			;
	}
	return hog;
}

static void release_kswapd(pid_t hog)
{
	let_run(kswapd(), SCHED_OTHER, 0);
	kill(hog, SIGKILL);
	waitpid(hog, NULL, 0);
}

/* All but this much is taken away, and not given back before the process ends. */
#define LEFT_FREE	(128 * MB)

static void take_memory(void)
{
	const uint64_t there = guest_file_number("/proc/meminfo", "MemFree") * 1024ULL;
	void *p;

	NEED(there > LEFT_FREE, "only %llu bytes of memory are free", (unsigned long long)there);
	p = mmap(NULL, there - LEFT_FREE, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	NEED(p != MAP_FAILED, "mmap: %s", strerror(errno));
}

/* Over all zones, as the kernel itself counts. */
static long long stalls(void)
{
	static const char *const names[] = { "allocstall_dma", "allocstall_dma32", "allocstall_normal",
					     "allocstall_movable", "allocstall_device" };
	long long sum = 0;
	unsigned int i;

	for (i = 0; i < KTAP_SIZE(names); i++) {
		const long long n = guest_file_number("/proc/vmstat", names[i]);

		sum += n > 0 ? n : 0;
	}
	return sum;
}

static void each_reclaim_of_the_machine_is_logged(void)
{
	const int fd = disk();
	const long long before = stalls();
	pid_t child, hog;

	witness_start();
	RECORD_RECLAIM();
	hog = hold_back_kswapd();
	child = fork();
	if (!child) {
		guest_write_file("/proc/self/oom_score_adj", "1000");
		guest_on_cpu(0);
		take_memory();
		read_disk(fd, 3 * LEFT_FREE);
		_exit(0);
	}
	finish(child);
	release_kswapd(hog);
	recording_stop();
	witness_stop();
	check_against_tracer(child);
	EXPECT(begins(child, false) >= 100, "only %u", begins(child, false));
	check_pairs(child);
	/* Of all threads. */
	EXPECT_EQ(stalls() - before, begins(0, false));
}

static const struct ktap_test tests[] = {
	KTAP_TEST(each_reclaim_in_a_group_is_logged),
	KTAP_TEST(each_reclaim_of_the_machine_is_logged),
};

int main(int argc, char **argv)
{
	return guest_main(tests, KTAP_SIZE(tests), argc, argv);
}
