// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "guest.h"

/* Seconds after which a test is taken to hang; no test takes a tenth of it on Debian's kernel. */
#define HANG_LIMIT	300
/* Kernels that look for faults, and how much slower they are. */
#define KASAN_KERNEL	"/sys/kernel/debug/kmemleak"
#define KCSAN_KERNEL	"/sys/kernel/debug/kcsan"
#define DEBUG_SLOWNESS	10
#define TRIES		5
#define SKIPPED_SIZE	256

enum { OK, FAILED, DISTURBED };

static bool disturbed;
static uint64_t began_us;
/* The test's process says here why it skips. */
static char *skipped;

void guest_disturbed(void)
{
	disturbed = true;
}

static void __attribute__((noreturn)) end_test(void)
{
	fflush(stdout);
	_exit(!ktap_complaints ? OK : disturbed ? DISTURBED : FAILED);
}

void guest_abort(const char *file, int line, const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	ktap_complain(file, line, "%s", text);
	end_test();
}

void guest_skip(const char *why)
{
	snprintf(skipped, SKIPPED_SIZE, "%s", why);
	end_test();
}

/* ---- a process for each test ---- */

/* Where the threads of a test that hangs are. */
static void show_stacks(pid_t pid)
{
	char command[128];

	snprintf(command, sizeof(command), "cat /proc/%d/task/*/stack | sed 's/^/# /'", (int)pid);
	if (system(command))
		printf("# no stacks to show\n");
}

/* In milliseconds. */
static int hang_limit(void)
{
	const bool debug = !access(KASAN_KERNEL, F_OK) || !access(KCSAN_KERNEL, F_OK);

	return HANG_LIMIT * 1000 * (debug ? DEBUG_SLOWNESS : 1);
}

static int wait_for(pid_t pid)
{
	struct pollfd fd = { .fd = syscall(SYS_pidfd_open, pid, 0), .events = POLLIN };
	int status;

	if (poll(&fd, 1, hang_limit()) != 1) {
		printf("# hangs:\n");
		show_stacks(pid);
		kill(-pid, SIGKILL);
		if (poll(&fd, 1, hang_limit()) != 1) {
			printf("Bail out! process %d cannot be killed\n", (int)pid);
			exit(1);
		}
	}
	close(fd.fd);
	/* What the test left running. */
	kill(-pid, SIGKILL);
	waitpid(pid, &status, 0);
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	printf("# ended by signal %d\n", WTERMSIG(status));
	return FAILED;
}

static int run_once(const struct ktap_test *test)
{
	pid_t pid = fork();

	if (pid < 0) {
		perror("fork");
		exit(2);
	}
	if (!pid) {
		setpgid(0, 0);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		began_us = guest_now_us();
		test->run();
		end_test();
	}
	return wait_for(pid);
}

static void run_forked(const struct ktap_test *test)
{
	int result, tries;

	*skipped = 0;
	for (tries = 1; ; tries++) {
		result = run_once(test);
		if (result != DISTURBED || tries == TRIES)
			break;
		printf("# disturbed; once more\n");
	}
	ktap_complaints = result != OK;
	if (*skipped)
		ktap_skipped = skipped;
}

int guest_main(const struct ktap_test *tests, int n, int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	skipped = mmap(NULL, SKIPPED_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	return ktap_main_around(tests, n, argc, argv, run_forked);
}

/* ---- CPUs, time, other threads ---- */

void guest_on_cpu(unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	NEED(!sched_setaffinity(0, sizeof(set), &set), "CPU %u: %s", cpu, strerror(errno));
}

void guest_nap(void)
{
	const struct timespec ms = { .tv_nsec = 1000000 };

	nanosleep(&ms, NULL);
}

uint64_t guest_now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * US_PER_S + ts.tv_nsec / 1000;
}

uint64_t guest_elapsed_us(void)
{
	return guest_now_us() - began_us;
}

pid_t guest_tid(void)
{
	return syscall(SYS_gettid);
}

static ssize_t read_file(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t len = 0;
	ssize_t got;

	if (fd < 0)
		return -1;
	while (len < size - 1 && (got = read(fd, text + len, size - 1 - len)) > 0)
		len += got;
	close(fd);
	text[len] = 0;
	return len;
}

bool guest_sleeps_in(pid_t tid, long syscall_nr)
{
	char path[64], text[256];
	char *end;

	snprintf(path, sizeof(path), "/proc/%d/syscall", (int)tid);
	if (read_file(path, text, sizeof(text)) <= 0)
		return false;
	return strtol(text, &end, 10) == syscall_nr && end != text;
}

static char *whole_file(const char *path)
{
	static char text[1 << 20];

	NEED(read_file(path, text, sizeof(text)) >= 0, "%s: %s", path, strerror(errno));
	return text;
}

bool guest_file_has(const char *path, const char *text)
{
	return strstr(whole_file(path), text);
}

long long guest_file_number(const char *path, const char *word)
{
	const char *at = whole_file(path);
	const size_t len = strlen(word);
	const char *start = at;

	while ((at = strstr(at, word))) {
		if ((at == start || at[-1] == '\n' || at[-1] == ' ') &&
		    (at[len] == ' ' || at[len] == '\t' || at[len] == ':'))
			return strtoll(at + len + 1, NULL, 0);
		at += len;
	}
	return -1;
}

bool guest_write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return done;
}

unsigned long long guest_symbol(const char *symbol)
{
	FILE *file = fopen("/proc/kallsyms", "r");
	unsigned long long address = 0, at;
	char line[1024], name[256];

	NEED(file, "no kallsyms");
	while (!address && fgets(line, sizeof(line), file))
		if (sscanf(line, "%llx %*c %255s", &at, name) == 2 && !strcmp(name, symbol))
			address = at;
	fclose(file);
	return address;
}
