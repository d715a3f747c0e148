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
	INTERLEAVING(try, empty) \
	INTERLEAVING(try, some) \
	INTERLEAVING(try, full) \
	INTERLEAVING(try, full_and_lost) \
	INTERLEAVING(try, room_for_small) \
	INTERLEAVING(try, room_for_one) \
	INTERLEAVING(try, empty_and_lost) \
	INTERLEAVING(try, lost_and_no_room_to_tell) \
	INTERLEAVING(try, lost_and_room_to_tell) \
	INTERLEAVING(read, empty) \
	INTERLEAVING(read, some) \
	INTERLEAVING(read, full) \
	INTERLEAVING(read, full_and_lost) \
	INTERLEAVING(read, room_for_small) \
	INTERLEAVING(read, room_for_one) \
	INTERLEAVING(read, empty_and_lost) \
	INTERLEAVING(read, lost_and_no_room_to_tell) \
	INTERLEAVING(read, lost_and_room_to_tell) \
	INTERLEAVING(exchange, empty) \
	INTERLEAVING(exchange, some) \
	INTERLEAVING(exchange, full) \
	INTERLEAVING(exchange, full_and_lost) \
	INTERLEAVING(exchange, room_for_small) \
	INTERLEAVING(exchange, room_for_one) \
	INTERLEAVING(exchange, empty_and_lost) \
	INTERLEAVING(exchange, lost_and_no_room_to_tell) \
	INTERLEAVING(exchange, lost_and_room_to_tell)

#define INTERLEAVING(op, state) void op##_##state(void);
INTERLEAVINGS
#undef INTERLEAVING

void random_interleavings(void);

#endif
