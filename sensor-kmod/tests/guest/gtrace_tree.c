// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tree: who inherits what, and how it shows.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "guest.h"
#include "gtrace.h"

#define TASK		"t"
#define HIERARCHY	"/proc/gtrace"
/* Tries to be quicker than a fork. */
#define ADDED		3000
#define FAIL_NTH	"/proc/thread-self/fail-nth"

/* ---- a family that stands still ---- */

#define GENERATIONS	5

static pid_t *family;

/* Each has one child; all have said who they are when this one is ready. */
static void found_family(void)
{
	int i;

	for (i = 0; i < GENERATIONS; i++) {
		family[i] = getpid();
		if (i == GENERATIONS - 1 || fork())
			break;
	}
	ready();
	for (;;)
		pause();
}

static void make_family(void)
{
	begin();
	/* It lies behind what is shared anyway. */
	family = (pid_t *)(shared + 1);
	escaper(TASK, found_family);
	UNTIL(__atomic_load_n(&shared->ready, __ATOMIC_ACQUIRE) == GENERATIONS);
}

static void end_one(int i)
{
	kill(family[i], SIGKILL);
	UNTIL((report(), !traced(family[i])));
}

static void expect_parent(int of, pid_t parent, unsigned int depth)
{
	const struct traced *it = traced(family[of]);

	REQUIRE(it, "%d is not there", of);
	EXPECT_EQ(it->parent, parent);
	EXPECT_EQ(it->depth, depth);
}

void child_inherits(void)
{
	char path[64], line[1024];
	unsigned long long start = 0;
	const char *at;
	FILE *file;
	int i;

	make_family();
	EXPECT_EQ(report()->tasks, 1);
	EXPECT_EQ(report()->processes, GENERATIONS);
	for (i = 0; i < GENERATIONS; i++)
		expect_parent(i, i ? family[i - 1] : 0, i);
	EXPECT(!strcmp(traced(family[1])->progname, ESCAPER), "%s", traced(family[1])->progname);
	/* With it a pid that was given again is recognized. */
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)family[3]);
	file = fopen(path, "r");
	NEED(file && fgets(line, sizeof(line), file), "%s", path);
	fclose(file);
	for (at = strrchr(line, ')'), i = 2; i < 22; i++)
		at = strchr(at + 1, ' ');
	start = strtoull(at, NULL, 10);
	EXPECT_EQ(traced(family[3])->start, start);
	end_all(TASK);
}

void ancestor_inherits_who_is_left(void)
{
	make_family();
	end_one(2);
	expect_parent(3, family[1], 2);
	expect_parent(4, family[3], 3);
	end_one(1);
	expect_parent(3, family[0], 1);
	/* Nobody is above any more, and still it is in the task. */
	end_one(0);
	expect_parent(3, 0, 0);
	expect_parent(4, family[3], 1);
	EXPECT_EQ(report()->processes, 2);
	end_all(TASK);
}

/* ---- another program ---- */

static void *exec_from_thread(void *unused)
{
	(void)unused;
	execl("/bin/sleep", "sleep", "1000", NULL);
	return NULL;
}

static void exec_by_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, exec_from_thread, NULL);
	for (;;)
		pause();
}

void exec_by_a_thread_keeps_the_process(void)
{
	pid_t pid;

	begin();
	pid = escaper(TASK, exec_by_thread);
	UNTIL((report(), traced(pid)) && !strcmp(traced(pid)->progname, "sleep"));
	EXPECT_EQ(report()->processes, 1);
	EXPECT_EQ(act(GTRACE_KILL, TASK), 1);
	UNTIL(!report()->tasks);
}

/* ---- how it shows ---- */

void hierarchy_is_as_of_open(void)
{
	char first[8192] = "", again[8192] = "";
	size_t len = 0;
	int fd;

	make_family();
	fd = device_open(O_RDONLY);
	NEED(read(fd, first, 10) == 10, "no ten bytes");
	/* The device is not asked meanwhile: it has an opener. */
	kill(family[GENERATIONS - 1], SIGKILL);
	UNTIL(alive() == GENERATIONS - 1);
	len = 10 + read(fd, first + 10, sizeof(first) - 11);
	EXPECT(!read(fd, again, 1), "there is more");
	NEED(!lseek(fd, 0, SEEK_SET), "lseek: %s", strerror(errno));
	EXPECT_EQ(read(fd, again, sizeof(again) - 1), len);
	EXPECT(!strcmp(first, again), "it has changed");
	close(fd);
	EXPECT(strstr(first, "processes 5 "), "%s", first);
	EXPECT_EQ(report()->processes, GENERATIONS - 1);
	end_all(TASK);
}

static void mount_hierarchy(void)
{
	NEED(!mount("none", HIERARCHY, "gtrace", 0, NULL), "mount: %s", strerror(errno));
}

static unsigned int folders_below(const char *path)
{
	DIR *dir = opendir(path);
	const struct dirent *entry;
	unsigned int n = 0;
	char below[4096];

	NEED(dir, "%s: %s", path, strerror(errno));
	while ((entry = readdir(dir))) {
		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		snprintf(below, sizeof(below), "%s/%s", path, entry->d_name);
		n += 1 + folders_below(below);
	}
	closedir(dir);
	return n;
}

static void read_line(const char *path, char *to, size_t size)
{
	FILE *file = fopen(path, "r");

	NEED(file && fgets(to, size, file), "%s: %s", path, strerror(errno));
	fclose(file);
}

void folders_nest_as_the_tree_does(void)
{
	char path[256] = HIERARCHY "/" TASK, file[300], line[64];
	int i;

	make_family();
	mount_hierarchy();
	for (i = 0; i < GENERATIONS; i++) {
		snprintf(path + strlen(path), sizeof(path) - strlen(path), "/%d", (int)family[i]);
		EXPECT(!access(path, F_OK), "%s: %s", path, strerror(errno));
	}
	EXPECT_EQ(folders_below(HIERARCHY), 1 + GENERATIONS);
	snprintf(file, sizeof(file), "%s/progname", path);
	read_line(file, line, sizeof(line));
	EXPECT(!strcmp(line, ESCAPER "\n"), "%s", line);
	EXPECT(act(GTRACE_STOP, TASK) == GENERATIONS, "no stop");
	read_line(HIERARCHY "/" TASK "/state", line, sizeof(line));
	EXPECT(!strcmp(line, "stop\n"), "%s", line);
	EXPECT(access(HIERARCHY "/u", F_OK) && errno == ENOENT, "another task");
	EXPECT(access(HIERARCHY "/" TASK "/1", F_OK) && errno == ENOENT, "another process");
	end_one(1);
	/* Its child is one level higher now. */
	snprintf(path, sizeof(path), HIERARCHY "/" TASK "/%d/%d/%d/%d", (int)family[0],
		 (int)family[2], (int)family[3], (int)family[4]);
	EXPECT(!access(path, F_OK), "%s: %s", path, strerror(errno));
	EXPECT_EQ(folders_below(HIERARCHY), GENERATIONS);
	end_all(TASK);
	EXPECT_EQ(folders_below(HIERARCHY), 0);
	NEED(!umount(HIERARCHY), "umount: %s", strerror(errno));
}

void folder_of_who_has_ended_is_empty(void)
{
	char path[128], name[64];
	int fd;

	make_family();
	mount_hierarchy();
	snprintf(path, sizeof(path), HIERARCHY "/" TASK "/%d", (int)family[0]);
	fd = open(path, O_RDONLY | O_DIRECTORY);
	NEED(fd >= 0, "%s: %s", path, strerror(errno));
	snprintf(name, sizeof(name), "%d", (int)family[1]);
	EXPECT(!faccessat(fd, name, F_OK, 0), "its child is not there");
	end_one(0);
	EXPECT(faccessat(fd, name, F_OK, 0) && errno == ENOENT, "its child is there");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	EXPECT_EQ(folders_below(path), 0);
	close(fd);
	end_all(TASK);
	NEED(!umount(HIERARCHY), "umount: %s", strerror(errno));
}

/* As a user of this group alone: 0 or -errno. */
static int list_as(gid_t gid)
{
	int status;
	pid_t pid;

	signal(SIGCHLD, SIG_DFL);
	pid = fork();
	if (!pid) {
		if (setgroups(0, NULL) || setresgid(gid, gid, gid) || setresuid(gid, gid, gid))
			_exit(EPROTO);
		_exit(opendir(HIERARCHY) ? 0 : errno);
	}
	NEED(waitpid(pid, &status, 0) == pid && WIFEXITED(status), "wait: %s", strerror(errno));
	signal(SIGCHLD, SIG_IGN);
	return -WEXITSTATUS(status);
}

static int mount_with(const char *options)
{
	return mount("none", HIERARCHY, "gtrace", 0, options) ? -errno : 0;
}

void folders_are_not_for_everybody(void)
{
	begin();
	mount_hierarchy();
	EXPECT_EQ(list_as(65534), -EACCES);
	NEED(!umount(HIERARCHY), "umount: %s", strerror(errno));
	EXPECT_EQ(mount_with("mode=0777"), -EINVAL);
	EXPECT_EQ(mount_with("mode=x"), -EINVAL);
	EXPECT_EQ(mount_with("gid=-1"), -EINVAL);
	EXPECT_EQ(mount_with("size=1"), -EINVAL);
	NEED(!mount_with("mode=0550,gid=1234"), "mount: %s", strerror(errno));
	EXPECT_EQ(list_as(1234), 0);
	EXPECT_EQ(list_as(1235), -EACCES);
	NEED(!umount(HIERARCHY), "umount: %s", strerror(errno));
}

/* Who stands in a folder keeps it, and its name may be another task's by then. */
void folder_is_of_who_has_the_name_now(void)
{
	char line[64];
	int fd;

	make_family();
	mount_hierarchy();
	fd = open(HIERARCHY "/" TASK, O_RDONLY | O_DIRECTORY);
	NEED(fd >= 0, "%s: %s", HIERARCHY "/" TASK, strerror(errno));
	end_all(TASK);
	EXPECT(access(HIERARCHY "/" TASK, F_OK) && errno == ENOENT, "the folder is there");
	make_family();
	EXPECT_EQ(folders_below(HIERARCHY), 1 + GENERATIONS);
	read_line(HIERARCHY "/" TASK "/state", line, sizeof(line));
	EXPECT(!strcmp(line, "run\n"), "%s", line);
	snprintf(line, sizeof(line), "/proc/self/fd/%d", fd);
	EXPECT_EQ(folders_below(line), 0);
	close(fd);
	end_all(TASK);
	NEED(!umount(HIERARCHY), "umount: %s", strerror(errno));
}

/* ---- newcomers ---- */

static sigset_t usr1;

static void be_ready(void)
{
	ready();
	spin();
}

/* After SIGUSR1. */
static void be_ready_once(void)
{
	prctl(PR_SET_NAME, ESCAPER);
	sigwaitinfo(&usr1, NULL);
	be_ready();
}

void newcomer_does_what_its_task_does(void)
{
	unsigned long long late;
	pid_t pid;

	begin();
	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	sigprocmask(SIG_BLOCK, &usr1, NULL);
	escaper(TASK, be_ready);
	UNTIL(__atomic_load_n(&shared->ready, __ATOMIC_ACQUIRE));
	late = report()->late;
	EXPECT_EQ(act(GTRACE_STOP, TASK), 1);
	/* Not by itself: it would be stopped with the device open. */
	EXPECT_EQ(order("new " TASK " p"), -EBUSY);
	pid = fork();
	if (!pid)
		be_ready_once();
	EXPECT_EQ(order("add " TASK " %d", (int)pid), 0);
	kill(pid, SIGUSR1);
	UNTIL((report(), traced(pid)) && all_stopped());
	EXPECT_EQ(shared->ready, 1);
	EXPECT_EQ(report()->late, late + 1);
	EXPECT_EQ(act(GTRACE_CONT, TASK), 2);
	UNTIL(__atomic_load_n(&shared->ready, __ATOMIC_ACQUIRE) == 2);
	end_all(TASK);
}

/* Children with pids that follow each other. */
static void fork_and_fork(void)
{
	ready();
	for (;;) {
		const pid_t pid = fork();

		if (!pid)
			_exit(0);
		__atomic_store_n(&shared->pid, pid, __ATOMIC_RELEASE);
		beat();
	}
}

static bool all_are_there(void)
{
	const struct report *now = report();
	unsigned int i;

	for (i = 0; i < now->processes; i++)
		if (kill(now->traced[i].pid, 0))
			return false;
	return true;
}

/*
 * A pid can be given in an order before the tracepoint of its fork is hit. A
 * process that was twice in the tree would stay there when it has ended.
 */
void child_that_is_added_first_is_there_once(void)
{
	unsigned int i;
	pid_t pid;

	begin();
	pid = escaper(TASK, fork_and_fork);
	UNTIL(__atomic_load_n(&shared->pid, __ATOMIC_ACQUIRE));
	for (i = 0; i < ADDED; i++) {
		const pid_t last = __atomic_load_n(&shared->pid, __ATOMIC_ACQUIRE);
		const int err = order("add " TASK " %d", (int)last + 1 + (int)(i % 3));

		/* It may be somebody else's child, or one of the kernel's threads. */
		EXPECT(!err || err == -ESRCH || err == -EEXIST || err == -EPERM, "add: %s",
		       strerror(-err));
	}
	/* Who was somebody else's is not to be killed. */
	kill(pid, SIGKILL);
	UNTIL(!alive());
	UNTIL(all_are_there());
	EXPECT_EQ(order("reset"), 0);
}

/* ---- no memory ---- */

enum { FORK_REFUSED, CHILD_KILLED, CHILD_RAN };

static int fork_with_failure(int fail, unsigned int n, bool *failed)
{
	char text[16] = {};
	int status;
	pid_t pid;

	snprintf(text, sizeof(text), "%u", n);
	NEED(pwrite(fail, text, strlen(text), 0) > 0, "fail-nth: %s", strerror(errno));
	pid = fork();
	if (!pid)
		_exit(0);
	memset(text, 0, sizeof(text));
	NEED(pread(fail, text, sizeof(text) - 1, 0) > 0, "fail-nth: %s", strerror(errno));
	*failed = !strtol(text, NULL, 10);
	NEED(pwrite(fail, "0", 1, 0) > 0, "fail-nth: %s", strerror(errno));
	if (pid < 0)
		return FORK_REFUSED;
	NEED(waitpid(pid, &status, 0) == pid, "wait: %s", strerror(errno));
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL ? CHILD_KILLED : CHILD_RAN;
}

/* Each allocation of fork fails once. Returns how many children were killed. */
static unsigned int fail_each(int fail)
{
	unsigned int n, killed = 0;
	bool failed = true;

	for (n = 1; failed; n++)
		killed += fork_with_failure(fail, n, &failed) == CHILD_KILLED;
	return killed;
}

/*
 * The last allocation of a fork is the tree's. It is not met when the fork before took one more
 * than this one, because something was left from others.
 */
static void fork_without_memory(void)
{
	const int fail = open(FAIL_NTH, O_RDWR);
	unsigned int pass, killed = 0;

	signal(SIGCHLD, SIG_DFL);
	for (pass = 0; pass < 100 && !killed; pass++)
		killed = fail_each(fail);
	shared->beats = killed;
	ready();
	for (;;)
		pause();
}

void no_memory_at_fork_kills_the_child(void)
{
	unsigned long long no_memory;
	int fd;

	if (access(FAIL_NTH, F_OK))
		guest_skip("this kernel has no fault injection");
	guest_write_file("/sys/kernel/debug/failslab/ignore-gfp-wait", "N");
	guest_write_file("/sys/kernel/debug/failslab/verbose", "0");
	begin();
	no_memory = report()->no_memory;
	escaper(TASK, fork_without_memory);
	UNTIL(__atomic_load_n(&shared->ready, __ATOMIC_ACQUIRE));
	EXPECT(shared->beats, "no child was killed");
	EXPECT_EQ(report()->no_memory, no_memory + shared->beats);
	fd = device_open(O_RDWR);
	EXPECT_EQ(events(fd, GTRACE_EVENT_KILL, NULL), shared->beats);
	close(fd);
	end_all(TASK);
}
