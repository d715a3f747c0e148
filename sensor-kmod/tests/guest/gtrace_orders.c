// SPDX-License-Identifier: GPL-2.0-only
/*
 * Orders: bad ones, those of other users, and one opener at a time.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "guest.h"
#include "gtrace.h"

#define TASK		"t"
#define LONGEST		"a123456789b123456789c123456789d"
#define NOBODY		65534

static void be_ready(void)
{
	ready();
	spin();
}

static pid_t member(void)
{
	const unsigned int before = __atomic_load_n(&shared->ready, __ATOMIC_ACQUIRE);
	const pid_t pid = escaper(TASK, be_ready);

	UNTIL(__atomic_load_n(&shared->ready, __ATOMIC_ACQUIRE) > before);
	return pid;
}

/* ---- bad input ---- */

void bad_orders_are_refused(void)
{
	static const char *const none[] = {
		"", "\n", " ", "new", "new t", "new t p q", "New t p", "news t p", "add t", "add t x",
		"add t 0", "add t -1", "add t 1 1", "add t 99999999999", "reset now", "cgroup t",
		"halt t", "stop", "stop t u", "kill ", "new t p\nnew u p",
		/* What is not in a name. */
		"new t?x p", "new t|x p", "new t,x p", "new t.x p", "new t/x p", "new . p",
		"new .. p", "new t\x01 p", "new t\xc3\xa4 p", "new t p?", "new t p|", "new t p,",
	};
	const void *volatile nowhere = NULL;
	static const char zero[] = "reset\0x";
	char big[8192];
	unsigned int i;
	int fd;

	begin();
	for (i = 0; i < KTAP_SIZE(none); i++)
		EXPECT(order("%s", none[i]) == -EINVAL, "\"%s\"", none[i]);
	EXPECT_EQ(order("new " LONGEST "e p"), -ENAMETOOLONG);
	EXPECT_EQ(order("new t " LONGEST "e"), -ENAMETOOLONG);
	EXPECT_EQ(order("add t 2000000000"), -ESRCH);
	fd = device_open(O_WRONLY);
	EXPECT(write(fd, zero, sizeof(zero) - 1) < 0 && errno == EINVAL, "a zero is taken");
	memset(big, 'x', sizeof(big));
	EXPECT(write(fd, big, sizeof(big)) < 0 && errno == EINVAL, "8 KiB are taken");
	EXPECT(write(fd, nowhere, 5) < 0 && errno == EFAULT, "no memory is taken");
	close(fd);
	EXPECT_EQ(report()->tasks, 0);
}

void bad_acts_are_refused(void)
{
	struct gtrace_name name;
	int fd;

	begin();
	member();
	fd = device_open(O_RDWR);
	EXPECT_EQ(device_act(fd, GTRACE_KILL, "u"), -ENOENT);
	EXPECT_EQ(device_act(fd, GTRACE_STOP, ""), -EINVAL);
	EXPECT_EQ(device_act(fd, GTRACE_STOP, "t.x"), -EINVAL);
	memset(&name, 't', sizeof(name));
	EXPECT(ioctl(fd, GTRACE_CONT, &name) < 0 && errno == ENAMETOOLONG, "no end is taken");
	EXPECT(ioctl(fd, GTRACE_CONT, NULL) < 0 && errno == EFAULT, "no name is taken");
	EXPECT(ioctl(fd, GTRACE_NEXT_EVENT, NULL) < 0 && errno == EFAULT, "no event is taken");
	EXPECT(ioctl(fd, _IO(0xE7, 99), NULL) < 0 && errno == ENOTTY, "ioctl 99 is taken");
	close(fd);
	EXPECT_EQ(order("stop u"), -ENOENT);
	EXPECT_EQ(order("kill t.x"), -EINVAL);
	/* The longest name is one. */
	EXPECT_EQ(order("add " LONGEST " %d", (int)report()->traced[0].pid), -EEXIST);
	end_all(TASK);
}

void processes_of_nobody_are_refused(void)
{
	pid_t pid, zombie;

	begin();
	EXPECT_EQ(order("add t 1"), -EPERM);
	/* kthreadd */
	EXPECT_EQ(order("add t 2"), -EPERM);
	signal(SIGCHLD, SIG_DFL);
	zombie = fork();
	if (!zombie)
		_exit(0);
	waitid(P_PID, zombie, NULL, WEXITED | WNOWAIT);
	EXPECT_EQ(order("add t %d", (int)zombie), -ESRCH);
	waitpid(zombie, NULL, 0);
	EXPECT_EQ(report()->tasks, 0);
	pid = member();
	EXPECT_EQ(order("add u %d", (int)pid), -EEXIST);
	EXPECT_EQ(report()->tasks, 1);
	end_all(TASK);
}

/* ---- other users ---- */

/* Whether @fn went well as an ordinary user. */
static bool as_nobody(bool (*fn)(pid_t), pid_t pid)
{
	int status;
	pid_t child;

	signal(SIGCHLD, SIG_DFL);
	NEED(!chmod(DEVICE, 0666), "chmod: %s", strerror(errno));
	child = fork();
	if (!child)
		_exit(setresuid(NOBODY, NOBODY, NOBODY) || !fn(pid));
	NEED(waitpid(child, &status, 0) == child, "wait: %s", strerror(errno));
	chmod(DEVICE, 0600);
	signal(SIGCHLD, SIG_IGN);
	fflush(stdout);
	return !status;
}

static bool use_roots(pid_t pid)
{
	EXPECT_EQ(order("add mine %d", (int)pid), -EPERM);
	EXPECT_EQ(order("new " TASK " p"), -EPERM);
	EXPECT_EQ(order("cgroup " TASK " /"), -EPERM);
	EXPECT_EQ(order("reset"), -EPERM);
	EXPECT_EQ(act(GTRACE_STOP, TASK), -EPERM);
	EXPECT_EQ(act(GTRACE_KILL, TASK), -EPERM);
	fflush(stdout);
	return !ktap_complaints;
}

static bool use_own(pid_t unused)
{
	pid_t child = fork();

	(void)unused;
	if (!child)
		spin();
	EXPECT_EQ(order("add mine %d", (int)child), 0);
	EXPECT_EQ(act(GTRACE_STOP, "mine"), 1);
	EXPECT_EQ(act(GTRACE_CONT, "mine"), 1);
	EXPECT_EQ(act(GTRACE_KILL, "mine"), 1);
	waitpid(child, NULL, 0);
	fflush(stdout);
	return !ktap_complaints;
}

void users_have_their_own(void)
{
	pid_t pid;

	begin();
	pid = member();
	EXPECT(as_nobody(use_roots, pid), "a user has what is root's");
	EXPECT(as_nobody(use_own, 0), "a user has not what is a user's");
	EXPECT(!strcmp(report()->state, "run"), "state %s", report()->state);
	end_all(TASK);
}

static bool make_own(pid_t unused)
{
	(void)unused;
	if (!fork()) {
		if (!order("new mine p"))
			ready();
		spin();
	}
	/* It stays, this process does not. */
	UNTIL(__atomic_load_n(&shared->ready, __ATOMIC_ACQUIRE));
	return true;
}

static bool kill_own(pid_t unused)
{
	(void)unused;
	EXPECT_EQ(act(GTRACE_KILL, "mine"), -EPERM);
	fflush(stdout);
	return !ktap_complaints;
}

/* A program that became root's is not killed for its user; his own is. */
void user_does_not_signal_others(void)
{
	pid_t roots;

	begin();
	EXPECT(as_nobody(make_own, 0), "no task");
	UNTIL(report()->tasks);
	roots = fork();
	if (!roots)
		spin();
	EXPECT_EQ(order("add mine %d", (int)roots), 0);
	EXPECT(as_nobody(kill_own, 0), "it is not refused");
	UNTIL(report()->processes == 1);
	EXPECT(traced(roots), "root's has gone");
	EXPECT(!kill(roots, 0), "root's has ended");
	EXPECT_EQ(act(GTRACE_KILL, "mine"), 1);
	UNTIL(!report()->tasks);
}

/*
 * An order is the opener's: a program of root's that writes its messages into a user's file gives
 * none that the user could not give.
 */
void order_is_the_openers(void)
{
	unsigned int beats;
	pid_t roots;
	int fd;

	begin();
	roots = member();
	NEED(!chmod(DEVICE, 0666) && !setresuid(NOBODY, NOBODY, 0), "setuid: %s", strerror(errno));
	fd = device_open(O_RDWR);
	NEED(!setresuid(0, 0, 0) && !chmod(DEVICE, 0600), "setuid: %s", strerror(errno));
	NEED(fd >= 0, "%s: %s", DEVICE, strerror(-fd));
	EXPECT_EQ(device_write(fd, "new " TASK " p"), -EPERM);
	EXPECT_EQ(device_write(fd, "new mine p"), -EPERM);
	EXPECT_EQ(device_write(fd, "stop " TASK), -EPERM);
	EXPECT_EQ(device_write(fd, "cgroup " TASK " /"), -EPERM);
	EXPECT_EQ(device_write(fd, "reset"), -EPERM);
	EXPECT_EQ(device_act(fd, GTRACE_KILL, TASK), -EPERM);
	close(fd);
	EXPECT_EQ(report()->processes, 1);
	EXPECT(traced(roots), "root's has gone");
	beats = __atomic_load_n(&shared->beats, __ATOMIC_RELAXED);
	UNTIL(__atomic_load_n(&shared->beats, __ATOMIC_RELAXED) > beats);
	end_all(TASK);
}

/* A scheduler's child is a user's already, and enters by the file that it inherited. */
void child_enters_by_its_schedulers_file(void)
{
	pid_t child;
	int fd;

	begin();
	fd = device_open(O_RDWR);
	NEED(fd >= 0, "%s: %s", DEVICE, strerror(-fd));
	child = fork();
	if (!child) {
		if (!setresuid(NOBODY, NOBODY, NOBODY) && !device_write(fd, "new " TASK " p"))
			ready();
		if (device_write(fd, "reset") == -EPERM)
			ready();
		spin();
	}
	UNTIL(__atomic_load_n(&shared->ready, __ATOMIC_ACQUIRE) == 2);
	EXPECT_EQ(device_write(fd, "kill " TASK), 0);
	close(fd);
	UNTIL(!report()->tasks);
}

/* ---- reset ---- */

void reset_forgets_and_signals_nobody(void)
{
	unsigned long long forgotten;
	unsigned int beats;

	begin();
	member();
	member();
	forgotten = report()->forgotten;
	EXPECT_EQ(order("reset\n"), 0);
	EXPECT_EQ(report()->tasks, 0);
	EXPECT_EQ(report()->forgotten, forgotten + 2);
	EXPECT_EQ(alive(), 2);
	beats = __atomic_load_n(&shared->beats, __ATOMIC_RELAXED);
	UNTIL(__atomic_load_n(&shared->beats, __ATOMIC_RELAXED) > beats);
}

/* ---- one at a time ---- */

static volatile sig_atomic_t interrupted;

static void on_signal(int unused)
{
	(void)unused;
	interrupted = 1;
}

/*
 * A process that opens the device, waiting; its exit code says what came of it. It gives up @held,
 * which it inherits: the device is closed when all have closed it.
 */
static pid_t opener(int held)
{
	const struct sigaction action = { .sa_handler = on_signal };
	const pid_t pid = fork();
	int fd;

	if (pid)
		return pid;
	sigaction(SIGUSR1, &action, NULL);
	close(held);
	fd = device_open(O_RDONLY);
	_exit(fd >= 0 ? 0 : -fd);
}

static int status_of(pid_t pid)
{
	int status;

	NEED(waitpid(pid, &status, 0) == pid, "wait: %s", strerror(errno));
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void one_opener_at_a_time(void)
{
	pid_t waiting[4];
	unsigned int i;
	int fd;

	begin();
	signal(SIGCHLD, SIG_DFL);
	fd = device_open(O_RDONLY);
	NEED(fd >= 0, "%s: %s", DEVICE, strerror(-fd));
	EXPECT_EQ(device_open(O_RDONLY | O_NONBLOCK), -EBUSY);
	for (i = 0; i < KTAP_SIZE(waiting); i++) {
		waiting[i] = opener(fd);
		UNTIL(guest_sleeps_in(waiting[i], SYS_openat));
	}
	kill(waiting[1], SIGUSR1);
	EXPECT_EQ(status_of(waiting[1]), EINTR);
	EXPECT(!waitpid(-1, NULL, WNOHANG), "somebody does not wait");
	close(fd);
	EXPECT_EQ(status_of(waiting[0]), 0);
	EXPECT_EQ(status_of(waiting[2]), 0);
	EXPECT_EQ(status_of(waiting[3]), 0);
	fd = device_open(O_RDONLY | O_NONBLOCK);
	EXPECT(fd >= 0, "nobody has it, and it is busy");
	close(fd);
}

/* Opens one of the kernel's misc devices that can be opened; -1: there is none. */
static int open_misc(void)
{
	FILE *file = fopen("/proc/misc", "r");
	char name[64], path[80];
	int fd = -1;

	while (file && fd < 0 && fscanf(file, "%*d %63s", name) == 1) {
		snprintf(path, sizeof(path), "/dev/%s", name);
		fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	}
	if (file)
		fclose(file);
	return fd;
}

/* A wait in open() must not hold up who opens something else. */
void waiting_holds_up_nobody_else(void)
{
	pid_t waiting;
	int fd, before, during;

	begin();
	before = open_misc();
	signal(SIGCHLD, SIG_DFL);
	fd = device_open(O_RDONLY);
	waiting = opener(fd);
	UNTIL(guest_sleeps_in(waiting, SYS_openat));
	during = open_misc();
	EXPECT((before < 0) == (during < 0), "%d before, %d while another waits", before, during);
	close(before);
	close(during);
	close(fd);
	EXPECT_EQ(status_of(waiting), 0);
}
