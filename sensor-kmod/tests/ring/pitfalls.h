/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MAGNET_RING_PITFALLS_H
#define MAGNET_RING_PITFALLS_H

void pitfall_01_order_is_time(void);
void pitfall_02_failing_reserve_publishes(void);
void pitfall_02_refused_hit_publishes(void);
void pitfall_03_nothing_shows_before_commit(void);
void pitfall_04_outermost_publishes(void);
void pitfall_05_wakes_after_publishing(void);
void pitfall_05_a_drop_wakes(void);
void pitfall_05_a_refused_hit_wakes(void);
void pitfall_08_no_record_wraps(void);
void pitfall_08_positions_overflow(void);
void pitfall_14_header_has_room(void);
void pitfall_14_bytes_as_they_are_read(void);
void lost_counts_and_times_are_exact(void);
void lost_in_an_older_epoch_is_told_in_this_one(void);
void lost_comes_before_the_next_record(void);
void lost_does_not_wait_for_a_full_ring(void);
void lost_is_seen_by_the_next_writer(void);
void tail_loss_is_told_by_the_reader(void);
void tail_loss_waits_for_a_writer(void);
void lost_untold_is_told_again(void);
void lost_untold_is_seen_by_the_next_writer(void);
void ring_without_memory_counts(void);
void too_large_is_dropped(void);
void what_may_be_left_out_is_no_loss(void);

#endif
