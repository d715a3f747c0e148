/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MAGNET_RING_RECORDER_H
#define MAGNET_RING_RECORDER_H

void recorder_keeps_the_newest(void);
void recorder_counts_what_it_overwrites(void);
void recorder_keeps_what_is_not_committed(void);
void recorder_keeps_all_for_what_never_fits(void);
void recorder_has_room_for_what_may_be_left_out(void);
void recorder_is_interrupted(void);
void recorder_becomes_smaller(void);
void hand_over_takes_all(void);
void hand_over_takes_the_loss(void);
void hand_over_waits_for_a_writer(void);
void hand_over_is_interrupted(void);
void exchange_keeps_what_is_unread(void);
void exchange_refuses_too_little(void);
void exchange_waits_for_a_writer(void);
void exchange_gives_memory_to_a_ring_without(void);

#endif
