/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the files of test-gtrace share: /dev/gtrace, what it says, and processes
 * that try to get out of a task.
 */
#ifndef MAGNET_GUEST_GTRACE_H
#define MAGNET_GUEST_GTRACE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <magnet_gtrace.h>

#define DEVICE		"/dev/gtrace"
/* All processes of these tests have this name, whoever they descend from. */
#define ESCAPER		"escaper"
#define CGROUPS		"/tmp/magnet-gtrace"

/* ---- the device ---- */

/* fd or -errno. */
int device_open(int flags);
/* 0 or -errno. */
int device_write(int fd, const char *order);
int device_act(int fd, unsigned long cmd, const char *task);
/* The same with a device of their own, for as long as it takes. */
int order(const char *format, ...) __attribute__((format(printf, 1, 2)));
int act(unsigned long cmd, const char *task);

/* ---- what it says ---- */

struct traced {
	uint32_t		pid, parent, depth;
	unsigned long long	start;
	char			progname[GTRACE_NAME_SIZE];
	char			task[GTRACE_NAME_SIZE];
};

struct report {
	unsigned long long	created, forks, exits, forgotten, late, no_memory, lost;
	unsigned int		tasks, processes;
	struct traced		*traced;
	char			state[8];	/* of the last task */
	unsigned long long	cgroup;
};

/* As of now; the last one goes. */
const struct report *report(void);
/* A process of the last report, or NULL. */
const struct traced *traced(pid_t pid);

/* Take the events away; returns how many of a kind there were, and the last of them. */
unsigned int events(int fd, unsigned int kind, struct gtrace_event *last);

/* ---- processes ---- */

/* Shared by the test and its processes, unless they run another program. */
struct shared {
	unsigned int	beats;		/* goes up while one of them runs */
	unsigned int	ready;
	unsigned int	go;
	pid_t		pid;
};

extern struct shared *shared;

/* No task, no process of an earlier test, no event. */
void begin(void);
/* A process that enters @task and goes its way; this process inherits its children. */
typedef void (*way_fn)(void);
pid_t escaper(const char *task, way_fn way);
/* Processes that are neither dead nor zombies; and do all of them stand still? */
unsigned int alive(void);
bool all_stopped(void);
/* Goes on until a signal ends it. */
__attribute__((noreturn)) void spin(void);
/* Runs this program again under the escapers' name: it ends at once. */
void exec_escaper(void);
void beat(void);
void ready(void);
/* Ends all of them, and waits. */
void end_all(const char *task);

uint64_t make_cgroup(const char *folder);
void move_to(pid_t pid, const char *folder);

/* ---- the tests ---- */

/* gtrace_escapes.c */
void double_fork_is_killed(void);
void double_fork_is_stopped(void);
void fork_bomb_is_killed(void);
void fork_bomb_is_stopped(void);
void forks_that_move_on_are_killed(void);
void forks_that_move_on_are_stopped(void);
void threads_that_fork_are_killed(void);
void threads_that_fork_are_stopped(void);
void leader_that_is_gone_is_killed(void);
void leader_that_is_gone_is_stopped(void);
void clone_parent_is_killed(void);
void clone_parent_is_stopped(void);
void subreaper_is_killed(void);
void subreaper_is_stopped(void);
void vfork_is_killed(void);
void vfork_is_stopped(void);
void vfork_and_exec_are_killed(void);
void vfork_and_exec_are_stopped(void);
void clone_into_cgroup_is_told_and_killed(void);
void move_is_told_and_killed(void);
void children_of_who_left_are_told(void);
void traced_process_is_killed(void);
void strangers_sigcont_wakes_and_changes_no_member(void);
void stopped_task_begins_no_program(void);
void member_gives_no_orders(void);
void ten_thousand_are_killed(void);

/* gtrace_tree.c */
void child_inherits(void);
void ancestor_inherits_who_is_left(void);
void exec_by_a_thread_keeps_the_process(void);
void hierarchy_is_as_of_open(void);
void folders_nest_as_the_tree_does(void);
void folder_of_who_has_ended_is_empty(void);
void folders_are_not_for_everybody(void);
void folder_is_of_who_has_the_name_now(void);
void child_that_is_added_first_is_there_once(void);
void newcomer_does_what_its_task_does(void);
void no_memory_at_fork_kills_the_child(void);

/* gtrace_orders.c */
void bad_orders_are_refused(void);
void bad_acts_are_refused(void);
void processes_of_nobody_are_refused(void);
void users_have_their_own(void);
void user_does_not_signal_others(void);
void order_is_the_openers(void);
void child_enters_by_its_schedulers_file(void);
void reset_forgets_and_signals_nobody(void);
void one_opener_at_a_time(void);
void waiting_holds_up_nobody_else(void);

/* gtrace_events.c */
void each_event_is_told(void);
void full_fifo_loses_and_says_so(void);
void each_event_signals(void);
void poll_waits_for_an_event(void);
void events_are_magnets_too(void);

/* gtrace_witness.c */
void proc_connector_agrees(void);

#endif
