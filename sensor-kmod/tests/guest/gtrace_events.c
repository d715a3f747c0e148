// SPDX-License-Identifier: GPL-2.0-only
/*
 * What happens is told in the FIFO, and as events of magnet's.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "guest.h"
#include "gtrace.h"
#include "sensor.h"

#define TASK	"t"

/* ---- one after the other ---- */

/* Ends when it is told to. */
static void one_child(void)
{
	signal(SIGCHLD, SIG_DFL);
	if (!fork())
		exec_escaper();
	wait(NULL);
	ready();
	for (;;)
		pause();
}

static void expect_next(int fd, unsigned int kind, uint32_t pid, uint32_t parent, uint64_t arg)
{
	struct gtrace_event event;

	REQUIRE(!ioctl(fd, GTRACE_NEXT_EVENT, &event), "no event of kind %u: %s", kind,
		strerror(errno));
	EXPECT_EQ(event.kind, kind);
	if (pid != UINT32_MAX)
		EXPECT_EQ(event.pid, pid);
	EXPECT_EQ(event.parent, parent);
	EXPECT_EQ(event.arg, arg);
	EXPECT(!strcmp(event.task, TASK), "task %s", event.task);
	EXPECT(!pid || !strcmp(event.progname, ESCAPER), "progname %s", event.progname);
}

static bool is_readable(int fd)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };

	return poll(&pfd, 1, 0) == 1;
}

void each_event_is_told(void)
{
	pid_t pid;
	int fd;

	begin();
	pid = escaper(TASK, one_child);
	UNTIL(__atomic_load_n(&shared->ready, __ATOMIC_ACQUIRE));
	fd = device_open(O_RDWR);
	expect_next(fd, GTRACE_EVENT_NEW, pid, 0, 0);
	expect_next(fd, GTRACE_EVENT_FORK, UINT32_MAX, pid, 0);
	expect_next(fd, GTRACE_EVENT_EXEC, UINT32_MAX, pid, 0);
	expect_next(fd, GTRACE_EVENT_EXIT, UINT32_MAX, pid, 0);
	EXPECT_EQ(events(fd, 0, NULL), 0);
	EXPECT_EQ(device_act(fd, GTRACE_STOP, TASK), 1);
	expect_next(fd, GTRACE_EVENT_STOP, 0, 0, 1);
	EXPECT_EQ(device_act(fd, GTRACE_CONT, TASK), 1);
	expect_next(fd, GTRACE_EVENT_CONT, 0, 0, 1);
	EXPECT_EQ(device_act(fd, GTRACE_KILL, TASK), 1);
	expect_next(fd, GTRACE_EVENT_KILL, 0, 0, 1);
	UNTIL(!alive());
	UNTIL(is_readable(fd));
	expect_next(fd, GTRACE_EVENT_EXIT, pid, 0, SIGKILL);
	close(fd);
}

/* ---- too many ---- */

#define CHILDREN	1009

/* One after the other. */
static void have_children(int n)
{
	signal(SIGCHLD, SIG_DFL);
	while (n--) {
		if (!fork())
			_exit(0);
		wait(NULL);
	}
	ready();
	for (;;)
		pause();
}

static void many_children(void)
{
	have_children(CHILDREN);
}

void full_fifo_loses_and_says_so(void)
{
	/* One comes, each child comes and goes. */
	const unsigned int all = 1 + 2 * CHILDREN;
	struct gtrace_event event, lost;
	unsigned int n = 0, i;
	int fd;

	begin();
	n = report()->lost;
	escaper(TASK, many_children);
	UNTIL(__atomic_load_n(&shared->ready, __ATOMIC_ACQUIRE));
	EXPECT_EQ(report()->lost - n, all - GTRACE_FIFO_EVENTS);
	fd = device_open(O_RDWR);
	/* What comes behind the loss needs room for two. */
	for (i = 0; i < 2; i++)
		EXPECT(!ioctl(fd, GTRACE_NEXT_EVENT, &event), "%s", strerror(errno));
	EXPECT_EQ(device_act(fd, GTRACE_STOP, TASK), 1);
	for (; i < GTRACE_FIFO_EVENTS; i++) {
		EXPECT(!ioctl(fd, GTRACE_NEXT_EVENT, &event), "%s", strerror(errno));
		EXPECT(event.kind == GTRACE_EVENT_FORK || event.kind == GTRACE_EVENT_EXIT,
		       "kind %u", event.kind);
	}
	EXPECT(!ioctl(fd, GTRACE_NEXT_EVENT, &lost), "%s", strerror(errno));
	EXPECT_EQ(lost.kind, GTRACE_EVENT_LOST);
	EXPECT_EQ(lost.arg, all - GTRACE_FIFO_EVENTS);
	expect_next(fd, GTRACE_EVENT_STOP, 0, 0, 1);
	EXPECT_EQ(events(fd, 0, NULL), 0);
	close(fd);
	end_all(TASK);
}

/* ---- telling who waits ---- */

#define SIGNALS	101

void each_event_signals(void)
{
	const unsigned int all = 2 * SIGNALS;
	const struct timespec no_time = {};
	unsigned int n = 0;
	sigset_t set;
	pid_t pid;
	int fd;

	begin();
	fd = open(DEVICE, O_RDWR);
	NEED(fd >= 0, "%s: %s", DEVICE, strerror(errno));
	pid = fork();
	if (!pid) {
		if (device_write(fd, "new " TASK " " ESCAPER))
			_exit(1);
		close(fd);
		have_children(SIGNALS);
	}
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	sigprocmask(SIG_BLOCK, &set, NULL);
	/* Only what happens from here on. */
	UNTIL(is_readable(fd));
	NEED(!fcntl(fd, F_SETOWN, getpid()) && !fcntl(fd, F_SETSIG, SIGRTMIN), "fcntl: %s",
	     strerror(errno));
	NEED(!fcntl(fd, F_SETFL, O_ASYNC), "O_ASYNC: %s", strerror(errno));
	UNTIL(__atomic_load_n(&shared->ready, __ATOMIC_ACQUIRE));
	/* Some children may have come before; no event gives two signals. */
	while (sigtimedwait(&set, NULL, &no_time) == SIGRTMIN)
		n++;
	EXPECT(n && n <= all, "%u signals", n);
	events(fd, 0, NULL);
	EXPECT_EQ(device_act(fd, GTRACE_STOP, TASK), 1);
	EXPECT_EQ(sigwaitinfo(&set, NULL), SIGRTMIN);
	EXPECT_EQ(device_act(fd, GTRACE_KILL, TASK), 1);
	EXPECT_EQ(sigwaitinfo(&set, NULL), SIGRTMIN);
	EXPECT_EQ(sigwaitinfo(&set, NULL), SIGRTMIN);
	EXPECT(sigtimedwait(&set, NULL, &no_time) < 0 && errno == EAGAIN,
	       "one signal too many");
	EXPECT_EQ(events(fd, GTRACE_EVENT_EXIT, NULL), 1);
	close(fd);
}

struct poller {
	int	fd;
	pid_t	tid;
	short	revents;
};

static void *wait_by_poll(void *arg)
{
	struct poller *poller = arg;
	struct pollfd pfd = { .fd = poller->fd, .events = POLLIN };

	__atomic_store_n(&poller->tid, guest_tid(), __ATOMIC_RELEASE);
	poll(&pfd, 1, -1);
	poller->revents = pfd.revents;
	return NULL;
}

void poll_waits_for_an_event(void)
{
	struct poller poller = {};
	pthread_t thread;

	begin();
	escaper(TASK, one_child);
	UNTIL(__atomic_load_n(&shared->ready, __ATOMIC_ACQUIRE));
	poller.fd = device_open(O_RDWR);
	events(poller.fd, 0, NULL);
	NEED(!pthread_create(&thread, NULL, wait_by_poll, &poller), "no thread");
	UNTIL(__atomic_load_n(&poller.tid, __ATOMIC_ACQUIRE));
	UNTIL(guest_sleeps_in(poller.tid, SYS_poll) || guest_sleeps_in(poller.tid, SYS_ppoll));
	EXPECT_EQ(device_act(poller.fd, GTRACE_STOP, TASK), 1);
	pthread_join(thread, NULL);
	EXPECT(poller.revents & POLLIN, "revents %#x", poller.revents);
	EXPECT_EQ(events(poller.fd, GTRACE_EVENT_STOP, NULL), 1);
	EXPECT(!is_readable(poller.fd), "still there");
	close(poller.fd);
	end_all(TASK);
}

/* ---- magnet's ---- */

enum { NEW, FORK, EXEC, EXIT, STOP, CONT, KILL, ESCAPE, KINDS };

static const char *const points[KINDS] = {
	"gtrace_new", "gtrace_fork", "gtrace_exec", "gtrace_exit", "gtrace_stop", "gtrace_cont",
	"gtrace_kill", "gtrace_escape",
};

void events_are_magnets_too(void)
{
	static const unsigned int wanted[KINDS] = { 1, CHILDREN, 0, CHILDREN + 1, 1, 1, 1, 0 };
	static struct sensor s;
	uint32_t subs[KINDS];
	unsigned int i;

	begin();
	sensor_make(&s, 1 << 20);
	for (i = 0; i < KINDS; i++)
		NEED(!ctl_sub_new(&s.ctl, points[i], s.buffer, 0, &subs[i]), "%s: %s", points[i],
		     s.ctl.error);
	escaper(TASK, many_children);
	UNTIL(__atomic_load_n(&shared->ready, __ATOMIC_ACQUIRE));
	EXPECT_EQ(act(GTRACE_STOP, TASK), 1);
	EXPECT_EQ(act(GTRACE_CONT, TASK), 1);
	end_all(TASK);
	for (i = 0; i < KINDS; i++) {
		struct magnet_ctl_counters c;

		NEED(!ctl_sub_del(&s.ctl, subs[i], &c), "%s", s.ctl.error);
		EXPECT(c.committed == wanted[i], "%s: %llu, not %u", points[i],
		       (unsigned long long)c.committed, wanted[i]);
		EXPECT_EQ(c.hits, c.committed);
	}
}
