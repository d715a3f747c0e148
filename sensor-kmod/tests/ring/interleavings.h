/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MAGNET_RING_INTERLEAVINGS_H
#define MAGNET_RING_INTERLEAVINGS_H

/* Operation under test, state of the ring when it begins. */
#define INTERLEAVINGS \
	INTERLEAVING(write, empty) \
	INTERLEAVING(write, some) \
	INTERLEAVING(write, full) \
	INTERLEAVING(write, full_and_lost) \
	INTERLEAVING(write, room_for_small) \
	INTERLEAVING(write, room_for_one) \
	INTERLEAVING(write, empty_and_lost) \
	INTERLEAVING(write, lost_and_no_room_to_tell) \
	INTERLEAVING(write, lost_and_room_to_tell) \
	INTERLEAVING(write, armed) \
	INTERLEAVING(write, marked) \
	INTERLEAVING(write, mark_was_read) \
	INTERLEAVING(write, marked_and_lost) \
	INTERLEAVING(try, empty) \
	INTERLEAVING(try, some) \
	INTERLEAVING(try, full) \
	INTERLEAVING(try, full_and_lost) \
	INTERLEAVING(try, room_for_small) \
	INTERLEAVING(try, room_for_one) \
	INTERLEAVING(try, empty_and_lost) \
	INTERLEAVING(try, lost_and_no_room_to_tell) \
	INTERLEAVING(try, lost_and_room_to_tell) \
	INTERLEAVING(try, armed) \
	INTERLEAVING(try, marked) \
	INTERLEAVING(try, mark_was_read) \
	INTERLEAVING(try, marked_and_lost) \
	INTERLEAVING(read, empty) \
	INTERLEAVING(read, some) \
	INTERLEAVING(read, full) \
	INTERLEAVING(read, full_and_lost) \
	INTERLEAVING(read, room_for_small) \
	INTERLEAVING(read, room_for_one) \
	INTERLEAVING(read, empty_and_lost) \
	INTERLEAVING(read, lost_and_no_room_to_tell) \
	INTERLEAVING(read, lost_and_room_to_tell) \
	INTERLEAVING(read, armed) \
	INTERLEAVING(read, marked) \
	INTERLEAVING(read, mark_was_read) \
	INTERLEAVING(read, marked_and_lost) \
	INTERLEAVING(exchange, empty) \
	INTERLEAVING(exchange, some) \
	INTERLEAVING(exchange, full) \
	INTERLEAVING(exchange, full_and_lost) \
	INTERLEAVING(exchange, room_for_small) \
	INTERLEAVING(exchange, room_for_one) \
	INTERLEAVING(exchange, empty_and_lost) \
	INTERLEAVING(exchange, lost_and_no_room_to_tell) \
	INTERLEAVING(exchange, lost_and_room_to_tell) \
	INTERLEAVING(exchange, armed) \
	INTERLEAVING(exchange, marked) \
	INTERLEAVING(exchange, mark_was_read) \
	INTERLEAVING(exchange, marked_and_lost)

#define INTERLEAVING(op, state) void op##_##state(void);
INTERLEAVINGS
#undef INTERLEAVING

void random_interleavings(void);

#endif
