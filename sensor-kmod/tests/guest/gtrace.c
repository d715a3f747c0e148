// SPDX-License-Identifier: GPL-2.0-only
/*
 * magnet_gtrace.ko: the tree, the device, and every way out of a task.
 */
#include <stdio.h>
#include <string.h>

#include "guest.h"
#include "gtrace.h"

static const struct ktap_test tests[] = {
	KTAP_TEST(child_inherits),
	KTAP_TEST(ancestor_inherits_who_is_left),
	KTAP_TEST(exec_by_a_thread_keeps_the_process),
	KTAP_TEST(hierarchy_is_as_of_open),
	KTAP_TEST(folders_nest_as_the_tree_does),
	KTAP_TEST(folder_of_who_has_ended_is_empty),
	KTAP_TEST(folders_are_not_for_everybody),
	KTAP_TEST(folder_is_of_who_has_the_name_now),
	KTAP_TEST(child_that_is_added_first_is_there_once),
	KTAP_TEST(newcomer_does_what_its_task_does),
	KTAP_TEST(no_memory_at_fork_kills_the_child),
	KTAP_TEST(bad_orders_are_refused),
	KTAP_TEST(bad_acts_are_refused),
	KTAP_TEST(processes_of_nobody_are_refused),
	KTAP_TEST(users_have_their_own),
	KTAP_TEST(user_does_not_signal_others),
	KTAP_TEST(order_is_the_openers),
	KTAP_TEST(child_enters_by_its_schedulers_file),
	KTAP_TEST(reset_forgets_and_signals_nobody),
	KTAP_TEST(one_opener_at_a_time),
	KTAP_TEST(waiting_holds_up_nobody_else),
	KTAP_TEST(each_event_is_told),
	KTAP_TEST(full_fifo_loses_and_says_so),
	KTAP_TEST(each_event_signals),
	KTAP_TEST(poll_waits_for_an_event),
	KTAP_TEST(events_are_magnets_too),
	KTAP_TEST(double_fork_is_killed),
	KTAP_TEST(double_fork_is_stopped),
	KTAP_TEST(fork_bomb_is_killed),
	KTAP_TEST(fork_bomb_is_stopped),
	KTAP_TEST(forks_that_move_on_are_killed),
	KTAP_TEST(forks_that_move_on_are_stopped),
	KTAP_TEST(threads_that_fork_are_killed),
	KTAP_TEST(threads_that_fork_are_stopped),
	KTAP_TEST(leader_that_is_gone_is_killed),
	KTAP_TEST(leader_that_is_gone_is_stopped),
	KTAP_TEST(clone_parent_is_killed),
	KTAP_TEST(clone_parent_is_stopped),
	KTAP_TEST(subreaper_is_killed),
	KTAP_TEST(subreaper_is_stopped),
	KTAP_TEST(vfork_is_killed),
	KTAP_TEST(vfork_is_stopped),
	KTAP_TEST(vfork_and_exec_are_killed),
	KTAP_TEST(vfork_and_exec_are_stopped),
	KTAP_TEST(clone_into_cgroup_is_told_and_killed),
	KTAP_TEST(move_is_told_and_killed),
	KTAP_TEST(children_of_who_left_are_told),
	KTAP_TEST(traced_process_is_killed),
	KTAP_TEST(strangers_sigcont_wakes_and_changes_no_member),
	KTAP_TEST(stopped_task_begins_no_program),
	KTAP_TEST(member_gives_no_orders),
	KTAP_TEST(ten_thousand_are_killed),
	KTAP_TEST(proc_connector_agrees),
};

/* An order on the command line: --stop TASK, --cont TASK, --kill TASK. */
static int act_by_word(const char *word, const char *task)
{
	const unsigned long cmd = !strcmp(word, "--stop") ? GTRACE_STOP :
				  !strcmp(word, "--cont") ? GTRACE_CONT : GTRACE_KILL;
	const int result = act(cmd, task);

	if (result < 0)
		fprintf(stderr, "%s %s: %s\n", word, task, strerror(-result));
	else
		printf("%d\n", result);
	return result < 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strncmp(argv[1], "--", 2))
		return act_by_word(argv[1], argv[2]);
	/* An escaper that has run another program. */
	if (argc == 2 && !strcmp(argv[1], "--end"))
		return 0;
	return guest_main(tests, KTAP_SIZE(tests), argc, argv);
}
