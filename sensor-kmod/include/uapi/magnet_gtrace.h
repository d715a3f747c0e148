/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * /dev/gtrace: the trees of processes that make up tasks, orders to them, and
 * what happened to them. docs/gtrace.md says how it is used.
 */
#ifndef _UAPI_MAGNET_GTRACE_H
#define _UAPI_MAGNET_GTRACE_H

#include <linux/ioctl.h>
#include <linux/types.h>

/* Bytes of a name, with the zero at its end. */
#define GTRACE_NAME_SIZE	32
/* None of these is in a task's name. */
#define GTRACE_NAME_WITHOUT	"?|,./"
/* Events that the FIFO holds. */
#define GTRACE_FIFO_EVENTS	1024

/**
 * enum gtrace_event_kind - what happened
 * @GTRACE_EVENT_NEW: a process came into a task by an order
 * @GTRACE_EVENT_FORK: a process of a task made another one
 * @GTRACE_EVENT_EXEC: a process of a task runs another program
 * @GTRACE_EVENT_EXIT: a process of a task has ended; arg is what wait(2) gives
 * @GTRACE_EVENT_STOP: a task was stopped; arg is the number of processes that were sent SIGSTOP.
 *	With a pid: that process came later, and was stopped before its first instruction
 * @GTRACE_EVENT_CONT: a task was continued; arg is the number of processes that were sent SIGCONT
 * @GTRACE_EVENT_KILL: as @GTRACE_EVENT_STOP, with SIGKILL; also of a process for which there was
 *	no memory
 * @GTRACE_EVENT_ESCAPE: a process of a task is in a cgroup outside of the task's; arg is the id of
 *	that cgroup
 * @GTRACE_EVENT_LOST: the FIFO had no room; arg is the number of events that are missing here
 */
enum gtrace_event_kind {
	GTRACE_EVENT_NEW	= 1,
	GTRACE_EVENT_FORK	= 2,
	GTRACE_EVENT_EXEC	= 3,
	GTRACE_EVENT_EXIT	= 4,
	GTRACE_EVENT_STOP	= 5,
	GTRACE_EVENT_CONT	= 6,
	GTRACE_EVENT_KILL	= 7,
	GTRACE_EVENT_ESCAPE	= 8,
	GTRACE_EVENT_LOST	= 9,
};

/**
 * struct gtrace_event - an event of the FIFO
 * @time_ns: CLOCK_MONOTONIC
 * @arg: see &enum gtrace_event_kind
 * @kind: &enum gtrace_event_kind
 * @pid: the process, in the first pid namespace; 0: all of the task
 * @parent: its parent in the tree; 0: it has none there
 * @reserved: 0
 * @task: name of the task
 * @progname: name of the process's program
 */
struct gtrace_event {
	__u64	time_ns;
	__u64	arg;
	__u32	kind;
	__u32	pid;
	__u32	parent;
	__u32	reserved;
	char	task[GTRACE_NAME_SIZE];
	char	progname[GTRACE_NAME_SIZE];
};

/**
 * struct gtrace_name - the task that an order is for
 * @name: ends with a zero
 */
struct gtrace_name {
	char	name[GTRACE_NAME_SIZE];
};

/* These give the number of processes that were sent the signal. */
#define GTRACE_STOP		_IOW(0xE7, 1, struct gtrace_name)
#define GTRACE_CONT		_IOW(0xE7, 2, struct gtrace_name)
#define GTRACE_KILL		_IOW(0xE7, 3, struct gtrace_name)
/* Takes the oldest event from the FIFO; EAGAIN: there is none. */
#define GTRACE_NEXT_EVENT	_IOR(0xE7, 4, struct gtrace_event)

#endif /* _UAPI_MAGNET_GTRACE_H */
