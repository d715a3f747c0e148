// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events say who: programs with a name each, however short they live, threads
 * that get other names, and texts that are too long.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "guest.h"
#include "recording.h"

/* A program that is called with this ends at once. */
#define END		"--end"
/* What the kernel calls this program. */
#define OWN_NAME	"test-names"

static char folder[64], self[PATH_MAX];

/* ---- programs ---- */

static void make_folder(void)
{
	const ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	NEED(len > 0, "/proc/self/exe: %s", strerror(errno));
	self[len] = '\0';
	snprintf(folder, sizeof(folder), "/tmp/names-%d", (int)getpid());
	NEED(!mkdir(folder, 0700), "%s: %s", folder, strerror(errno));
}

/* This program by another name. */
static void link_program(char *path, size_t size, const char *name)
{
	snprintf(path, size, "%s/%s", folder, name);
	NEED(!symlink(self, path), "%s: %s", path, strerror(errno));
}

static pid_t run(const char *path, char *const *argv)
{
	const pid_t child = fork();
	int status;

	NEED(child >= 0, "fork: %s", strerror(errno));
	if (!child) {
		execv(path, argv);
		_exit(127);
	}
	NEED(waitpid(child, &status, 0) == child && WIFEXITED(status) && !WEXITSTATUS(status),
	     "%s: status %#x", path, status);
	return child;
}

struct wanted {
	unsigned int	event;
	uint64_t	id;
};

static bool is_wanted(const struct record *rec, const void *arg)
{
	const struct wanted *want = arg;

	return rec->event == want->event && rec->id == want->id;
}

/* The payload of the only event about this thread. */
static const void *only(unsigned int event, pid_t tid)
{
	const struct wanted want = { .event = event, .id = tid };
	const struct record *rec = recording_find(NULL, is_wanted, &want);

	EXPECT_EQ(recording_count(is_wanted, &want), 1);
	NEED(rec, "event %#x of %d is missing", event, (int)tid);
	return rec->payload;
}

#define EXPECT_TEXT(actual, expected)						\
	EXPECT(!strcmp(actual, expected), "\"%s\" in place of \"%s\"", actual, expected)

static void check_program(pid_t pid, const char *name, const char *path, const char *arguments)
{
	const struct magnet_fork *begin = only(MAGNET_EVENT_SCHED_PROCESS_FORK, pid);
	const struct magnet_rename *rename = only(MAGNET_EVENT_TASK_RENAME, pid);
	const struct magnet_exec *exec = only(MAGNET_EVENT_SCHED_PROCESS_EXEC, pid);
	const struct magnet_exit *end = only(MAGNET_EVENT_SCHED_PROCESS_EXIT, pid);

	EXPECT_EQ(begin->child_tgid, pid);
	EXPECT_EQ(begin->parent, getpid());
	EXPECT_TEXT(begin->comm, OWN_NAME);
	EXPECT_EQ(rename->tgid, pid);
	EXPECT_EQ(rename->parent, getpid());
	EXPECT_TEXT(rename->old_comm, OWN_NAME);
	EXPECT_TEXT(rename->comm, name);
	EXPECT_EQ(exec->old_tid, pid);
	EXPECT_EQ(exec->parent, getpid());
	EXPECT_TEXT(exec->comm, name);
	EXPECT_TEXT(exec->path, path);
	EXPECT_EQ(exec->path_len, strlen(path));
	EXPECT_TEXT(exec->argv, arguments);
	EXPECT_EQ(exec->argv_len, strlen(arguments));
	EXPECT_EQ(exec->argv_kept, strlen(arguments));
	EXPECT_EQ(end->exit_code, 0);
	EXPECT_EQ(end->group_dead, 1);
	EXPECT_EQ(end->parent, getpid());
	EXPECT_TEXT(end->comm, name);
}

#define PROGRAMS	1009
#define RECORD_NAMES()	RECORD("sched_process_fork", "sched_process_exec",		\
			       "sched_process_exit", "task_rename")

static void each_program_has_its_name(void)
{
	static pid_t pids[PROGRAMS];
	char name[32], path[128], arguments[96];
	unsigned int i;

	make_folder();
	RECORD_NAMES();
	for (i = 0; i < PROGRAMS; i++) {
		char number[16];
		char *const argv[] = { name, END, number, NULL };

		snprintf(number, sizeof(number), "%u", i);
		snprintf(name, sizeof(name), "program-%u", i);
		link_program(path, sizeof(path), name);
		pids[i] = run(path, argv);
		unlink(path);
	}
	recording_stop();
	for (i = 0; i < PROGRAMS; i++) {
		snprintf(name, sizeof(name), "program-%u", i);
		snprintf(path, sizeof(path), "%s/%s", folder, name);
		snprintf(arguments, sizeof(arguments), "%s " END " %u", name, i);
		check_program(pids[i], name, path, arguments);
	}
	rmdir(folder);
}

/* ---- long texts ---- */

#define LONG_NAME	150
#define LONG_ARGUMENT	10007

static void long_texts_are_cut_and_say_so(void)
{
	static char name[LONG_NAME + 1], argument[LONG_ARGUMENT + 1], path[PATH_MAX];
	char *const argv[] = { "x", END, argument, NULL };
	char expected[MAGNET_ARGV_SIZE];
	const struct magnet_exec *exec;
	pid_t pid;

	make_folder();
	memset(name, 'n', LONG_NAME);
	memset(argument, 'a', LONG_ARGUMENT);
	link_program(path, sizeof(path), name);
	RECORD("sched_process_exec");
	pid = run(path, argv);
	recording_stop();
	unlink(path);
	rmdir(folder);
	exec = only(MAGNET_EVENT_SCHED_PROCESS_EXEC, pid);
	EXPECT_TEXT(exec->comm, "nnnnnnnnnnnnnnn");
	EXPECT_EQ(exec->path_len, strlen(path));
	EXPECT_EQ(strlen(exec->path), sizeof(exec->path) - 1);
	EXPECT(!strncmp(exec->path, path, sizeof(exec->path) - 1), "\"%s\"", exec->path);
	EXPECT_EQ(exec->argv_len, strlen("x " END " ") + LONG_ARGUMENT);
	EXPECT_EQ(exec->argv_kept, sizeof(exec->argv) - 1);
	memset(expected, 'a', sizeof(expected));
	memcpy(expected, "x " END " ", strlen("x " END " "));
	expected[sizeof(expected) - 1] = '\0';
	EXPECT_TEXT(exec->argv, expected);
}

/* The kernel gives a program without arguments an empty one. */
static void empty_arguments_are_none(void)
{
	char empty[] = "";
	char *const argv[] = { empty, NULL };
	const struct magnet_exec *exec;
	pid_t pid;

	RECORD("sched_process_exec");
	pid = run("/bin/true", argv);
	recording_stop();
	exec = only(MAGNET_EVENT_SCHED_PROCESS_EXEC, pid);
	EXPECT_TEXT(exec->path, "/bin/true");
	EXPECT_TEXT(exec->comm, "true");
	EXPECT_EQ(exec->argv_len, 0);
	EXPECT_EQ(exec->argv_kept, 0);
	EXPECT_TEXT(exec->argv, "");
}

/* ---- threads ---- */

#define RENAMES		1009

static void each_new_name_is_logged(void)
{
	const struct wanted want = { .event = MAGNET_EVENT_TASK_RENAME, .id = guest_tid() };
	char name[32], before[32] = OWN_NAME;
	const struct record *rec = NULL;
	unsigned int i;

	RECORD("task_rename");
	for (i = 0; i < RENAMES; i++) {
		snprintf(name, sizeof(name), "name-%u", i);
		NEED(!prctl(PR_SET_NAME, name), "prctl: %s", strerror(errno));
	}
	recording_stop();
	EXPECT_EQ(recording_count(is_wanted, &want), RENAMES);
	for (i = 0; i < RENAMES; i++) {
		const struct magnet_rename *rename;

		rec = recording_find(rec ? rec + 1 : NULL, is_wanted, &want);
		NEED(rec, "name %u is missing", i);
		rename = rec->payload;
		snprintf(name, sizeof(name), "name-%u", i);
		EXPECT_EQ(rename->tgid, getpid());
		EXPECT_EQ(rename->parent, getppid());
		EXPECT_TEXT(rename->old_comm, before);
		EXPECT_TEXT(rename->comm, name);
		memcpy(before, name, sizeof(before));
	}
}

struct helper {
	pid_t	tid;
	bool	end;
};

static void *help(void *arg)
{
	struct helper *helper = arg;

	__atomic_store_n(&helper->tid, guest_tid(), __ATOMIC_RELEASE);
	UNTIL(__atomic_load_n(&helper->end, __ATOMIC_ACQUIRE));
	return NULL;
}

/* The kernel cuts names that are too long itself. */
static void a_thread_names_another(void)
{
	const struct magnet_rename *rename;
	const struct magnet_fork *begin;
	const struct magnet_exit *end;
	struct helper helper = {};
	pthread_t thread;
	char path[64];

	RECORD_NAMES();
	NEED(!pthread_create(&thread, NULL, help, &helper), "no thread");
	UNTIL(__atomic_load_n(&helper.tid, __ATOMIC_ACQUIRE));
	snprintf(path, sizeof(path), "/proc/self/task/%d/comm", (int)helper.tid);
	NEED(guest_write_file(path, "0123456789abcdefghij"), "%s: %s", path, strerror(errno));
	__atomic_store_n(&helper.end, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	/* Its exit may still be under way. */
	UNTIL(access(path, F_OK));
	recording_stop();
	begin = only(MAGNET_EVENT_SCHED_PROCESS_FORK, helper.tid);
	EXPECT_EQ(begin->child_tgid, getpid());
	EXPECT_TEXT(begin->comm, OWN_NAME);
	rename = only(MAGNET_EVENT_TASK_RENAME, helper.tid);
	EXPECT_EQ(rename->tgid, getpid());
	EXPECT_TEXT(rename->old_comm, OWN_NAME);
	EXPECT_TEXT(rename->comm, "0123456789abcde");
	end = only(MAGNET_EVENT_SCHED_PROCESS_EXIT, helper.tid);
	EXPECT_EQ(end->group_dead, 0);
	EXPECT_TEXT(end->comm, "0123456789abcde");
}

static void *execute(void *arg)
{
	char name[] = "true";
	char *const argv[] = { name, NULL };

	*(pid_t *)arg = guest_tid();
	execv("/bin/true", argv);
	_exit(127);
}

/* It becomes the process's only thread, and takes over its number. */
static void a_further_thread_executes(void)
{
	const struct magnet_exec *exec;
	const struct magnet_fork *begin;
	pthread_t thread;
	pid_t child, tid;
	int status;

	RECORD("sched_process_exec", "sched_process_fork");
	child = fork();
	if (!child) {
		static pid_t own;

		pthread_create(&thread, NULL, execute, &own);
		pthread_join(thread, NULL);
		_exit(127);
	}
	NEED(child > 0 && waitpid(child, &status, 0) == child && !status, "status %#x", status);
	recording_stop();
	exec = only(MAGNET_EVENT_SCHED_PROCESS_EXEC, child);
	tid = exec->old_tid;
	EXPECT(tid != child, "it was the first thread");
	begin = only(MAGNET_EVENT_SCHED_PROCESS_FORK, tid);
	EXPECT_EQ(begin->child_tgid, child);
	EXPECT_TEXT(exec->comm, "true");
	EXPECT_TEXT(exec->argv, "true");
}

/* ---- threads that end together ---- */

#define GROUPS	211
#define THREADS	8

static void *wait_for_the_end(void *barrier)
{
	pthread_barrier_wait(barrier);
	pause();
	return NULL;
}

/* All threads but the first wait, and are killed by the same call. */
static void end_together(void)
{
	static pthread_barrier_t barrier;
	pthread_t thread;
	unsigned int i;

	pthread_barrier_init(&barrier, NULL, THREADS);
	for (i = 1; i < THREADS; i++)
		if (pthread_create(&thread, NULL, wait_for_the_end, &barrier))
			_exit(1);
	pthread_barrier_wait(&barrier);
	_exit(0);
}

static bool is_end_of(const struct record *rec, const void *arg)
{
	return rec->event == MAGNET_EVENT_SCHED_PROCESS_EXIT && rec->tgid == *(const uint32_t *)arg;
}

static bool is_last_end_of(const struct record *rec, const void *arg)
{
	const struct magnet_exit *end = rec->payload;

	return is_end_of(rec, arg) && end->group_dead;
}

/* Also where several find that they are the last ones. */
static void a_process_ends_once(void)
{
	static uint32_t pids[GROUPS];
	unsigned int i;
	pid_t child;
	int status;

	RECORD("sched_process_exit");
	for (i = 0; i < GROUPS; i++) {
		child = fork();
		if (!child)
			end_together();
		NEED(child > 0 && waitpid(child, &status, 0) == child && !status, "status %#x",
		     status);
		pids[i] = child;
	}
	recording_stop();
	for (i = 0; i < GROUPS; i++) {
		EXPECT_EQ(recording_count(is_end_of, &pids[i]), THREADS);
		EXPECT_EQ(recording_count(is_last_end_of, &pids[i]), 1);
	}
}

/* ---- rules ---- */

/* What rules are asked about goes another way than what is logged as it is. */
static void rules_leave_the_texts_as_they_are(void)
{
	char rules[64], path[128];
	char *const argv[] = { "ruled", END, NULL };
	pid_t pid;

	make_folder();
	link_program(path, sizeof(path), "ruled");
	snprintf(rules, sizeof(rules), "drop if parent != %d", (int)getpid());
	recording_rules(rules);
	RECORD_NAMES();
	pid = run(path, argv);
	recording_stop();
	unlink(path);
	rmdir(folder);
	check_program(pid, "ruled", path, "ruled " END);
}

static const struct ktap_test tests[] = {
	KTAP_TEST(each_program_has_its_name),
	KTAP_TEST(long_texts_are_cut_and_say_so),
	KTAP_TEST(empty_arguments_are_none),
	KTAP_TEST(each_new_name_is_logged),
	KTAP_TEST(a_thread_names_another),
	KTAP_TEST(a_further_thread_executes),
	KTAP_TEST(a_process_ends_once),
	KTAP_TEST(rules_leave_the_texts_as_they_are),
};

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], END))
		return 0;
	return guest_main(tests, KTAP_SIZE(tests), argc, argv);
}
