// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ways out of a task. After one order to kill nobody is left, after one to stop
 * nobody runs; and whoever was born or came has ended.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "guest.h"
#include "gtrace.h"

#define TASK	"t"
/* Processes at once that a fork bomb may have. */
#define BOMB_MAX	"120"
#define BOMB_GROWN	100

static void on_signal(int unused)
{
	(void)unused;
}

/* ---- ways ---- */

static void fork_twice(void)
{
	if (!fork()) {
		if (!fork()) {
			setsid();
			if (!fork()) {
				ready();
				spin();
			}
			_exit(0);
		}
		_exit(0);
	}
	spin();
}

/* Where it can't have more the older ones go on. */
static void bomb(void)
{
	for (;;) {
		const pid_t pid = fork();

		beat();
		if (!pid)
			ready();
		if (pid < 0)
			usleep(100);
	}
}

static void move_on(void)
{
	int i;

	for (i = 1; i < 20; i++)
		if (!fork())
			break;
	ready();
	for (;;) {
		const pid_t pid = fork();

		beat();
		if (pid > 0)
			_exit(0);
	}
}

static void *fork_for_ever(void *unused)
{
	(void)unused;
	for (;;) {
		const pid_t pid = fork();

		if (!pid) {
			ready();
			usleep(1000);
			_exit(0);
		}
		beat();
		usleep(1000);
	}
}

static void threads_fork(void)
{
	pthread_t thread;
	int i;

	for (i = 0; i < 3; i++)
		if (pthread_create(&thread, NULL, fork_for_ever, NULL))
			_exit(1);
	fork_for_ever(NULL);
}

static void leader_goes(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, fork_for_ever, NULL))
		_exit(1);
	pthread_exit(NULL);
}

/* The children are this test's own, as this process is. */
static void clone_siblings(void)
{
	struct clone_args args = { .flags = CLONE_PARENT };
	int i;

	for (i = 0; i < 5; i++) {
		if (!syscall(SYS_clone3, &args, sizeof(args))) {
			ready();
			spin();
		}
	}
	spin();
}

static void reap_for_others(void)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (!fork()) {
		if (!fork()) {
			ready();
			spin();
		}
		_exit(0);
	}
	spin();
}

static void vfork_for_ever(void)
{
	for (;;) {
		if (!vfork()) {
			ready();
			_exit(0);
		}
		beat();
	}
}

static void vfork_and_exec(void)
{
	fork();
	for (;;) {
		if (!vfork())
			exec_escaper();
		ready();
		beat();
	}
}

static void clone_elsewhere(void)
{
	struct clone_args args = { .flags = CLONE_INTO_CGROUP, .exit_signal = SIGCHLD };
	pid_t pid;

	args.cgroup = open(CGROUPS "/other", O_RDONLY | O_DIRECTORY);
	pid = syscall(SYS_clone3, &args, sizeof(args));
	if (!pid) {
		shared->pid = getpid();
		ready();
	}
	spin();
}

static void be_ready(void)
{
	ready();
	spin();
}

/* ---- killed, stopped ---- */

/* Until @n have said so, or have been born. */
static void start(void (*way)(void), unsigned int n)
{
	escaper(TASK, way);
	UNTIL(__atomic_load_n(&shared->ready, __ATOMIC_ACQUIRE) >= n);
}

/* How often each way is tried. */
static unsigned int rounds(void)
{
	const char *text = getenv("GTRACE_ROUNDS");

	return text ? atoi(text) : 1;
}

static void is_killed_once(void (*way)(void), unsigned int n)
{
	unsigned long long came, went;

	begin();
	came = report()->created + report()->forks;
	went = report()->exits;
	start(way, n);
	report();
	end_all(TASK);
	came = report()->created + report()->forks - came;
	went = report()->exits - went;
	EXPECT_EQ(came, went);
	EXPECT(came >= n, "%llu came", came);
}

static void is_killed(void (*way)(void), unsigned int n)
{
	for (unsigned int i = rounds(); i; i--)
		is_killed_once(way, n);
}

static void expect_standstill(void)
{
	const unsigned int beats = __atomic_load_n(&shared->beats, __ATOMIC_RELAXED);
	const unsigned long long forks = report()->forks;
	const unsigned int n = alive();
	int i;

	EXPECT(!strcmp(report()->state, "stop"), "state %s", report()->state);
	for (i = 0; i < 200; i++)
		guest_nap();
	EXPECT_EQ(alive(), n);
	EXPECT_EQ(report()->forks, forks);
	EXPECT_EQ(__atomic_load_n(&shared->beats, __ATOMIC_RELAXED), beats);
}

static void is_stopped_once(void (*way)(void), unsigned int n)
{
	unsigned int beats;
	int result;

	begin();
	start(way, n);
	result = act(GTRACE_STOP, TASK);
	EXPECT(result > 0, "stop: %s", strerror(-result));
	UNTIL(all_stopped());
	expect_standstill();
	beats = __atomic_load_n(&shared->beats, __ATOMIC_RELAXED);
	result = act(GTRACE_CONT, TASK);
	EXPECT(result > 0, "cont: %s", strerror(-result));
	UNTIL(__atomic_load_n(&shared->beats, __ATOMIC_RELAXED) > beats);
	EXPECT(!strcmp(report()->state, "run"), "state %s", report()->state);
	/* Stopped ones are killed, too. */
	EXPECT(act(GTRACE_STOP, TASK) > 0, "no second stop");
	end_all(TASK);
}

static void is_stopped(void (*way)(void), unsigned int n)
{
	for (unsigned int i = rounds(); i; i--)
		is_stopped_once(way, n);
}

/* ---- the tests ---- */

void double_fork_is_killed(void)
{
	is_killed(fork_twice, 1);
}

void double_fork_is_stopped(void)
{
	is_stopped(fork_twice, 1);
}

static void limit_bomb(void)
{
	make_cgroup("/bomb");
	guest_write_file(CGROUPS "/cgroup.subtree_control", "+pids");
	NEED(guest_write_file(CGROUPS "/bomb/pids.max", BOMB_MAX), "pids.max: %s",
	     strerror(errno));
}

static void bomb_in_cgroup(void)
{
	move_to(getpid(), "/bomb");
	bomb();
}

void fork_bomb_is_killed(void)
{
	limit_bomb();
	is_killed(bomb_in_cgroup, BOMB_GROWN);
}

void fork_bomb_is_stopped(void)
{
	limit_bomb();
	is_stopped(bomb_in_cgroup, BOMB_GROWN);
}

void forks_that_move_on_are_killed(void)
{
	is_killed(move_on, 20);
}

void forks_that_move_on_are_stopped(void)
{
	is_stopped(move_on, 20);
}

void threads_that_fork_are_killed(void)
{
	is_killed(threads_fork, 40);
}

void threads_that_fork_are_stopped(void)
{
	is_stopped(threads_fork, 40);
}

void leader_that_is_gone_is_killed(void)
{
	is_killed(leader_goes, 10);
}

void leader_that_is_gone_is_stopped(void)
{
	is_stopped(leader_goes, 10);
}

void clone_parent_is_killed(void)
{
	is_killed(clone_siblings, 5);
}

void clone_parent_is_stopped(void)
{
	is_stopped(clone_siblings, 5);
}

void subreaper_is_killed(void)
{
	is_killed(reap_for_others, 1);
}

void subreaper_is_stopped(void)
{
	is_stopped(reap_for_others, 1);
}

void vfork_is_killed(void)
{
	is_killed(vfork_for_ever, 20);
}

void vfork_is_stopped(void)
{
	is_stopped(vfork_for_ever, 20);
}

void vfork_and_exec_are_killed(void)
{
	is_killed(vfork_and_exec, 10);
}

void vfork_and_exec_are_stopped(void)
{
	is_stopped(vfork_and_exec, 10);
}

void clone_into_cgroup_is_told_and_killed(void)
{
	const uint64_t other = make_cgroup("/other");
	struct gtrace_event event;
	int fd;

	make_cgroup("/home");
	begin();
	move_to(getpid(), "/home");
	start(clone_elsewhere, 1);
	fd = device_open(O_RDWR);
	EXPECT_EQ(events(fd, GTRACE_EVENT_ESCAPE, &event), 1);
	EXPECT_EQ(event.pid, shared->pid);
	EXPECT_EQ(event.arg, other);
	EXPECT(!strcmp(event.task, TASK), "task %s", event.task);
	close(fd);
	end_all(TASK);
	move_to(getpid(), "");
}

/* Moves inside of the task's cgroup are nobody's business. */
void move_is_told_and_killed(void)
{
	const uint64_t other = make_cgroup("/other");
	struct gtrace_event event;
	pid_t pid;
	int fd;

	make_cgroup("/home");
	make_cgroup("/home/room");
	begin();
	pid = escaper(TASK, be_ready);
	UNTIL(__atomic_load_n(&shared->ready, __ATOMIC_ACQUIRE));
	EXPECT_EQ(order("cgroup " TASK " /nowhere"), -ENOENT);
	EXPECT_EQ(order("cgroup " TASK " nowhere"), -EINVAL);
	EXPECT_EQ(order("cgroup u /home"), -ENOENT);
	EXPECT_EQ(order("cgroup " TASK " /home\n"), 0);
	fd = device_open(O_RDWR);
	move_to(pid, "/home");
	move_to(pid, "/home/room");
	EXPECT_EQ(events(fd, GTRACE_EVENT_ESCAPE, NULL), 0);
	move_to(pid, "/other");
	EXPECT_EQ(events(fd, GTRACE_EVENT_ESCAPE, &event), 1);
	EXPECT_EQ(event.pid, pid);
	EXPECT_EQ(event.arg, other);
	/* Where it is to be it may return. */
	move_to(pid, "/home");
	EXPECT_EQ(events(fd, GTRACE_EVENT_ESCAPE, NULL), 0);
	close(fd);
	end_all(TASK);
}

static void escape_and_fork(void)
{
	ready();
	/* SIGUSR1 says that it has been moved. */
	pause();
	if (!fork()) {
		shared->pid = getpid();
		ready();
	}
	spin();
}

/* Who is born outside is told, too: returning the parent does not return it. */
void children_of_who_left_are_told(void)
{
	const uint64_t other = make_cgroup("/other");
	struct gtrace_event event;
	pid_t pid;
	int fd;

	make_cgroup("/home");
	begin();
	signal(SIGUSR1, on_signal);
	pid = escaper(TASK, escape_and_fork);
	UNTIL(__atomic_load_n(&shared->ready, __ATOMIC_ACQUIRE) == 1);
	UNTIL(guest_sleeps_in(pid, SYS_pause));
	EXPECT_EQ(order("cgroup " TASK " /home"), 0);
	fd = device_open(O_RDWR);
	move_to(pid, "/other");
	EXPECT_EQ(events(fd, GTRACE_EVENT_ESCAPE, &event), 1);
	kill(pid, SIGUSR1);
	UNTIL(__atomic_load_n(&shared->ready, __ATOMIC_ACQUIRE) == 2);
	EXPECT_EQ(events(fd, GTRACE_EVENT_ESCAPE, &event), 1);
	EXPECT_EQ(event.pid, shared->pid);
	EXPECT_EQ(event.arg, other);
	close(fd);
	end_all(TASK);
	signal(SIGUSR1, SIG_DFL);
}

/* A tracer may let it go on after a stop; a kill is one. */
void traced_process_is_killed(void)
{
	pid_t pid;

	begin();
	pid = escaper(TASK, be_ready);
	UNTIL(__atomic_load_n(&shared->ready, __ATOMIC_ACQUIRE));
	NEED(!ptrace(PTRACE_SEIZE, pid, NULL, NULL), "ptrace: %s", strerror(errno));
	NEED(!ptrace(PTRACE_INTERRUPT, pid, NULL, NULL), "ptrace: %s", strerror(errno));
	NEED(waitpid(pid, NULL, __WALL) == pid, "wait: %s", strerror(errno));
	EXPECT_EQ(act(GTRACE_KILL, TASK), 1);
	UNTIL(!alive());
	UNTIL(!report()->tasks);
}

/* A signal is undone by a signal, which the freezer is not; but nobody has left. */
void strangers_sigcont_wakes_and_changes_no_member(void)
{
	unsigned int beats;
	pid_t pid;

	begin();
	pid = escaper(TASK, be_ready);
	UNTIL(__atomic_load_n(&shared->ready, __ATOMIC_ACQUIRE));
	EXPECT_EQ(act(GTRACE_STOP, TASK), 1);
	UNTIL(all_stopped());
	beats = __atomic_load_n(&shared->beats, __ATOMIC_RELAXED);
	kill(pid, SIGCONT);
	UNTIL(__atomic_load_n(&shared->beats, __ATOMIC_RELAXED) > beats);
	EXPECT(!strcmp(report()->state, "stop"), "state %s", report()->state);
	EXPECT(traced(pid), "it has left");
	EXPECT_EQ(act(GTRACE_STOP, TASK), 1);
	UNTIL(all_stopped());
	end_all(TASK);
}

static void wait_and_exec(void)
{
	ready();
	for (;;) {
		beat();
		if (__atomic_load_n(&shared->go, __ATOMIC_ACQUIRE))
			exec_escaper();
	}
}

/* Somebody's SIGCONT lets a process run, and no further than to its next program. */
void stopped_task_begins_no_program(void)
{
	struct gtrace_event event;
	pid_t pid;
	int fd;

	begin();
	pid = escaper(TASK, wait_and_exec);
	UNTIL(__atomic_load_n(&shared->ready, __ATOMIC_ACQUIRE));
	EXPECT_EQ(act(GTRACE_STOP, TASK), 1);
	UNTIL(all_stopped());
	fd = device_open(O_RDONLY);
	events(fd, GTRACE_EVENT_STOP, &event);
	close(fd);
	__atomic_store_n(&shared->go, 1, __ATOMIC_RELEASE);
	kill(pid, SIGCONT);
	fd = device_open(O_RDONLY);
	UNTIL(events(fd, GTRACE_EVENT_STOP, &event));
	close(fd);
	EXPECT_EQ(event.pid, (unsigned int)pid);
	UNTIL(all_stopped());
	EXPECT_EQ(report()->processes, 1);
	EXPECT(traced(pid), "it has left");
	EXPECT_EQ(act(GTRACE_CONT, TASK), 1);
	UNTIL(!report()->tasks);
}

/* ---- nested tasks, reset ---- */

static void give_orders(void)
{
	const int fd = atoi(getenv("GTRACE_FD"));
	unsigned int refused = 0;

	refused += device_write(fd, "new " TASK " other") == -EPERM;
	refused += device_write(fd, "new u other") == -EPERM;
	refused += device_write(fd, "add u 1") == -EPERM;
	refused += device_write(fd, "cgroup " TASK " /") == -EPERM;
	refused += device_write(fd, "reset") == -EPERM;
	refused += device_act(fd, GTRACE_CONT, TASK) == -EPERM;
	refused += device_open(O_RDONLY) == -EPERM;
	shared->beats = refused;
	ready();
	for (;;)
		pause();
}

void member_gives_no_orders(void)
{
	char text[16];
	pid_t pid;
	int fd;

	begin();
	fd = open(DEVICE, O_RDWR);
	NEED(fd >= 0, "%s: %s", DEVICE, strerror(errno));
	snprintf(text, sizeof(text), "%d", fd);
	setenv("GTRACE_FD", text, 1);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_NAME, ESCAPER);
		if (!device_write(fd, "new " TASK " " ESCAPER))
			give_orders();
		_exit(1);
	}
	UNTIL(__atomic_load_n(&shared->ready, __ATOMIC_ACQUIRE));
	EXPECT_EQ(shared->beats, 7);
	close(fd);
	/* It still has the device open. */
	EXPECT_EQ(device_open(O_RDONLY | O_NONBLOCK), -EBUSY);
	kill(pid, SIGKILL);
	UNTIL(!alive());
}

/* ---- many ---- */

/* A kernel that looks for faults needs ten times the memory for each. */
static int many(void)
{
	const char *text = getenv("GTRACE_MANY");

	return text ? atoi(text) : 10000;
}

#define STACK_SIZE	4096

static int sleep_for_ever(void *unused)
{
	(void)unused;
	ready();
	for (;;)
		pause();
	return 0;
}

/* With one memory for all of them, as far as they need one. */
static void make_many(void)
{
	const int n = many();
	char *stacks = mmap(NULL, (size_t)n * STACK_SIZE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	int i;

	for (i = 1; i < n && stacks != MAP_FAILED; i++)
		if (clone(sleep_for_ever, stacks + (size_t)i * STACK_SIZE, CLONE_VM | SIGCHLD,
			  NULL) < 0)
			_exit(1);
	ready();
	spin();
}

void ten_thousand_are_killed(void)
{
	const int n = many();

	begin();
	start(make_many, n);
	EXPECT_EQ(report()->processes, n);
	EXPECT_EQ(act(GTRACE_STOP, TASK), n);
	UNTIL(all_stopped());
	EXPECT_EQ(act(GTRACE_CONT, TASK), n);
	EXPECT_EQ(act(GTRACE_KILL, TASK), n);
	UNTIL(!alive());
	UNTIL(!report()->tasks);
}
