// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's proc connector tells of all processes of the machine: who of them
 * descends from a task's first process is worked out here once more.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/netlink.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <signal.h>

#include "guest.h"
#include "gtrace.h"

#define TASK		"t"
#define BRANCHES	53
#define PIDS_MAX	(1 << 22)

static unsigned char in_task[PIDS_MAX / 8];

static bool is_in(uint32_t pid)
{
	return in_task[pid / 8] & (1 << (pid % 8));
}

static void set_in(uint32_t pid, bool in)
{
	in_task[pid / 8] &= ~(1 << (pid % 8));
	in_task[pid / 8] |= in << (pid % 8);
}

static int listen_to_connector(void)
{
	struct sockaddr_nl address = {
		.nl_family = AF_NETLINK, .nl_groups = CN_IDX_PROC, .nl_pid = getpid(),
	};
	struct {
		struct nlmsghdr		nl;
		struct cn_msg		cn;
		enum proc_cn_mcast_op	op;
	} __attribute__((packed)) request = {
		.nl = { .nlmsg_len = sizeof(request), .nlmsg_type = NLMSG_DONE },
		.cn = { .id = { CN_IDX_PROC, CN_VAL_PROC }, .len = sizeof(request.op) },
		.op = PROC_CN_MCAST_LISTEN,
	};
	int fd = socket(PF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_CONNECTOR);
	const int room = 8 << 20;

	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)))
		guest_skip("this kernel has no proc connector");
	setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room));
	NEED(send(fd, &request, sizeof(request), 0) == sizeof(request), "listen: %s",
	     strerror(errno));
	return fd;
}

struct counts {
	unsigned int	forks, exits;
};

/* Threads have another pid than their process. */
static void look_at(const struct proc_event *event, struct counts *counts)
{
	const struct fork_proc_event *fork = &event->event_data.fork;
	const struct exit_proc_event *gone = &event->event_data.exit;

	if (event->what == PROC_EVENT_FORK && fork->child_pid == fork->child_tgid &&
	    is_in(fork->parent_tgid)) {
		counts->forks++;
		set_in(fork->child_pid, true);
	} else if (event->what == PROC_EVENT_EXIT && gone->process_pid == gone->process_tgid &&
		   is_in(gone->process_pid)) {
		counts->exits++;
		set_in(gone->process_pid, false);
	}
}

static void take_all(int fd, struct counts *counts)
{
	char room[4096] __attribute__((aligned(8)));
	ssize_t got;

	while ((got = recv(fd, room, sizeof(room), MSG_DONTWAIT)) > 0) {
		const struct cn_msg *cn = NLMSG_DATA((struct nlmsghdr *)room);

		look_at((const struct proc_event *)cn->data, counts);
	}
	NEED(errno == EAGAIN, "the connector lost events: %s", strerror(errno));
}

/* Double forks, whose first halves end at once. */
static void branch_out(void)
{
	int i;

	pause();
	for (i = 0; i < BRANCHES; i++) {
		if (!fork()) {
			if (!fork()) {
				ready();
				spin();
			}
			_exit(0);
		}
	}
	spin();
}

static void go_on(int unused)
{
	(void)unused;
}

void proc_connector_agrees(void)
{
	unsigned long long forks, exits;
	struct counts seen = {};
	pid_t pid;
	int fd;

	begin();
	signal(SIGUSR1, go_on);
	fd = listen_to_connector();
	forks = report()->forks;
	exits = report()->exits;
	pid = escaper(TASK, branch_out);
	UNTIL((report(), traced(pid)));
	set_in(pid, true);
	/* It may not be asleep yet. */
	while (__atomic_load_n(&shared->ready, __ATOMIC_ACQUIRE) < BRANCHES) {
		kill(pid, SIGUSR1);
		guest_nap();
	}
	end_all(TASK);
	/* It tells an end a little later than the tracepoint. */
	UNTIL((take_all(fd, &seen), seen.exits > 2 * BRANCHES));
	EXPECT_EQ(report()->forks - forks, 2 * BRANCHES);
	EXPECT_EQ(seen.forks, 2 * BRANCHES);
	EXPECT_EQ(seen.exits, 2 * BRANCHES + 1);
	EXPECT_EQ(report()->exits - exits, 2 * BRANCHES + 1);
	close(fd);
}
