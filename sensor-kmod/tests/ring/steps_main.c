// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ring with interrupts and readers made to come in between, step by step.
 * RING_SEED repeats a random run.
 */
#include <stdlib.h>
#include <time.h>

#include "../ktap.h"
#include "fixture.h"
#include "interleavings.h"
#include "jumps.h"
#include "marks.h"
#include "paces.h"
#include "pitfalls.h"
#include "recorder.h"

#define INTERLEAVING(op, state)	KTAP_TEST(op##_##state),

static const struct ktap_test tests[] = {
	KTAP_TEST(pitfall_01_order_is_time),
	KTAP_TEST(pitfall_02_failing_reserve_publishes),
	KTAP_TEST(pitfall_02_refused_hit_publishes),
	KTAP_TEST(pitfall_03_nothing_shows_before_commit),
	KTAP_TEST(pitfall_04_outermost_publishes),
	KTAP_TEST(pitfall_05_wakes_after_publishing),
	KTAP_TEST(pitfall_05_a_drop_wakes),
	KTAP_TEST(pitfall_05_a_refused_hit_wakes),
	KTAP_TEST(pitfall_08_no_record_wraps),
	KTAP_TEST(pitfall_08_positions_overflow),
	KTAP_TEST(pitfall_14_header_has_room),
	KTAP_TEST(pitfall_14_bytes_as_they_are_read),
	KTAP_TEST(lost_counts_and_times_are_exact),
	KTAP_TEST(lost_in_an_older_epoch_is_told_in_this_one),
	KTAP_TEST(lost_comes_before_the_next_record),
	KTAP_TEST(lost_does_not_wait_for_a_full_ring),
	KTAP_TEST(lost_is_seen_by_the_next_writer),
	KTAP_TEST(tail_loss_is_told_by_the_reader),
	KTAP_TEST(tail_loss_waits_for_a_writer),
	KTAP_TEST(lost_untold_is_told_again),
	KTAP_TEST(lost_untold_is_seen_by_the_next_writer),
	KTAP_TEST(ring_without_memory_counts),
	KTAP_TEST(too_large_is_dropped),
	KTAP_TEST(what_may_be_left_out_is_no_loss),
	KTAP_TEST(recorder_keeps_the_newest),
	KTAP_TEST(recorder_counts_what_it_overwrites),
	KTAP_TEST(recorder_keeps_what_is_not_committed),
	KTAP_TEST(recorder_keeps_all_for_what_never_fits),
	KTAP_TEST(recorder_has_room_for_what_may_be_left_out),
	KTAP_TEST(recorder_is_interrupted),
	KTAP_TEST(recorder_becomes_smaller),
	KTAP_TEST(hand_over_takes_all),
	KTAP_TEST(hand_over_takes_the_loss),
	KTAP_TEST(hand_over_waits_for_a_writer),
	KTAP_TEST(hand_over_is_interrupted),
	KTAP_TEST(exchange_keeps_what_is_unread),
	KTAP_TEST(exchange_refuses_too_little),
	KTAP_TEST(exchange_waits_for_a_writer),
	KTAP_TEST(exchange_gives_memory_to_a_ring_without),
	KTAP_TEST(mark_says_how_far_the_ring_is),
	KTAP_TEST(mark_counts_the_records_below_it),
	KTAP_TEST(mark_is_older_than_the_next_record),
	KTAP_TEST(mark_in_what_was_read_says_nothing),
	KTAP_TEST(mark_beyond_the_readers_memory_says_nothing),
	KTAP_TEST(mark_is_not_older_than_what_is_below_it),
	KTAP_TEST(timer_is_explained),
	KTAP_TEST(first_look_is_no_jump),
	KTAP_TEST(jump_is_seen_once),
	KTAP_TEST(older_look_says_nothing),
	KTAP_TEST(one_in_a_time_comes),
	KTAP_TEST(bucket_lets_through),
	KTAP_TEST(bucket_keeps_its_rate),
	KTAP_TEST(bucket_begins_anew),
	INTERLEAVINGS
	KTAP_TEST(random_interleavings),
};

int main(int argc, char **argv)
{
	const char *text = getenv("RING_SEED");
	const unsigned int seed = text ? strtoul(text, NULL, 0) : (unsigned int)time(NULL);

	srandom(seed);
	printf("# RING_SEED=%u\n", seed);
	return ktap_main_around(tests, KTAP_SIZE(tests), argc, argv, ktap_run_here);
}
