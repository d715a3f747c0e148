/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MAGNET_RING_MARKS_H
#define MAGNET_RING_MARKS_H

void mark_says_how_far_the_ring_is(void);
void mark_counts_the_records_below_it(void);
void mark_is_older_than_the_next_record(void);
void mark_in_what_was_read_says_nothing(void);
void mark_beyond_the_readers_memory_says_nothing(void);
void mark_is_not_older_than_what_is_below_it(void);

#endif
