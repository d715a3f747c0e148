// SPDX-License-Identifier: GPL-2.0-only
/*
 * Flight recorders, whose newest records overwrite the oldest; and rings that
 * get other memory.
 */
#include "../ktap.h"
#include "fixture.h"
#include "recorder.h"
#include "steps.h"

#define SIZE	4096ul

static struct magnet_ring taken;

static void setup(void)
{
	ring_setup(SIZE, -2 * SIZE);
	ring.overwrite = true;
}

static void read_all(void)
{
	while (ring_read_one())
		;
}

/* Read what was handed over, then what has come since. */
static void read_both(void)
{
	const struct magnet_ring live = ring;
	long told;

	ring = taken;
	read_all();
	told = ring.lost_reported.counter;
	EXPECT_EQ(ring.lost_pending.counter, 0);
	EXPECT(told <= live.lost_reported.counter, "%ld were handed over, %ld counted", told,
	       live.lost_reported.counter);
	ring = live;
	read_all();
}

void recorder_keeps_the_newest(void)
{
	unsigned int i;

	setup();
	for (i = 0; i < 1009; i++)
		EXPECT(ring_write(0, 40 + i % 7 * 8), "event %u was dropped", i);
	read_all();
	ring_check_recorder(NULL);
	/* Not much more was given up than had to. */
	EXPECT(received.bytes > SIZE - SIZE / 8 - 96, "%llu bytes are left", received.bytes);
}

void recorder_counts_what_it_overwrites(void)
{
	setup();
	ring_write(0, SIZE - 64);
	ring_write(0, 64);
	EXPECT_EQ(ring.overwritten.v, 0);
	ring_write(0, 64);
	EXPECT_EQ(ring.overwritten.v, 1);
	read_all();
	EXPECT_EQ(received.records, 2);
	ring_check_recorder(NULL);
}

/* What is not yet whole is not overwritten: rather the younger is dropped. */
void recorder_keeps_what_is_not_committed(void)
{
	unsigned int i;

	setup();
	ring_write(0, 256);
	REQUIRE(ring_write_begin(0, 64), "an event was dropped");
	for (i = 0; i < 100; i++)
		ring_write(1, 128);
	EXPECT_EQ(written[1].committed, (SIZE - 64) / 128);
	EXPECT_EQ(ring.overwritten.v, 1);
	ring_write_end();
	EXPECT(ring_write(0, 64), "it stays full");
	read_all();
	ring_check_recorder(NULL);
}

void recorder_keeps_all_for_what_never_fits(void)
{
	setup();
	ring_write(0, SIZE / 2);
	EXPECT(!ring_write(0, SIZE + 8), "more than the ring's size fitted");
	EXPECT_EQ(ring.overwritten.v, 0);
	read_all();
	EXPECT_EQ(received.records, 1);
	ring_check_recorder(NULL);
}

void recorder_has_room_for_what_may_be_left_out(void)
{
	setup();
	ring_write(0, SIZE / 2);
	ring_write(0, SIZE / 2);
	EXPECT(ring_try_write(0, 64), "a CLOCK record would be left out for ever");
	read_all();
	EXPECT_EQ(received.records, 2);
	ring_check_recorder(NULL);
}

static void write_96(void)
{
	steps_write(96);
}

static void full(void)
{
	setup();
	while (ring.head.v - (long)ring.tail <= (long)SIZE - 56)
		ring_write(0, 56);
}

static const enum what happenings[] = { INTERRUPT_SMALL, INTERRUPT_LARGE, EXCHANGE };

static void one_run(void (*op)(void), const struct happening *h, unsigned int nr)
{
	const int before = ktap_complaints;
	unsigned int i;

	full();
	steps_run(op, h, nr);
	read_all();
	ring_check_recorder(NULL);
	for (i = 0; ktap_complaints != before && i < nr; i++)
		printf("# ... happening %u before step %u\n", h[i].what, h[i].step);
}

/* Two interrupts, or exchanges of the memory, at any steps of a write that overwrites. */
void recorder_is_interrupted(void)
{
	struct happening h[2];
	unsigned int steps, i, j;

	steps_small = header_size();
	/* Enough of them overwrite what the interrupted writer looks at. */
	steps_large = SIZE / 2;
	full();
	steps = steps_run(write_96, NULL, 0);
	EXPECT(steps > 40, "a write takes only %u steps", steps);
	EXPECT(ring.overwritten.v, "nothing was overwritten");
	for (i = 0; i < KTAP_SIZE(happenings) * KTAP_SIZE(happenings); i++) {
		h[0].what = happenings[i % KTAP_SIZE(happenings)];
		h[1].what = happenings[i / KTAP_SIZE(happenings)];
		for (h[0].step = 0; h[0].step < steps && !ktap_complaints; h[0].step++)
			for (j = 0; j < 2 * steps; j++) {
				h[1].step = h[0].step + j;
				one_run(write_96, h, 2);
			}
	}
}

void recorder_becomes_smaller(void)
{
	unsigned int i;

	setup();
	EXPECT_EQ(ring_exchange(), 0);
	EXPECT_EQ(ring.size, 2 * SIZE);
	for (i = 0; i < 300; i++)
		ring_write(0, 72);
	EXPECT_EQ(ring_exchange(), -EBUSY);
	magnet_ring_shrink(&ring, SIZE);
	EXPECT_EQ(ring.size, SIZE);
	EXPECT(ring.head.v - (long)ring.tail <= (long)SIZE, "too much is kept");
	EXPECT(ring.head.v - (long)ring.tail > (long)SIZE - 72, "too much is given up");
	/* Writers are kept to it, too. */
	for (i = 0; i < 100; i++)
		ring_write(0, 72);
	EXPECT(ring.head.v - (long)ring.tail <= (long)SIZE, "it has grown again");
	EXPECT_EQ(ring_exchange(), 0);
	EXPECT_EQ(ring.size, SIZE);
	ring_write(0, 72);
	read_all();
	ring_check_recorder(NULL);
}

/* ---- handing over ---- */

void hand_over_takes_all(void)
{
	unsigned int i;

	setup();
	for (i = 0; i < 200; i++)
		ring_write(0, 72);
	EXPECT_EQ(ring_hand_over(&taken), 0);
	EXPECT_EQ(magnet_ring_published(&ring) - ring.tail, 0);
	EXPECT_EQ(taken.records.v, 200 - ring.overwritten.v);
	for (i = 0; i < 5; i++)
		ring_write(0, 72);
	read_both();
	EXPECT_EQ(received.records, 205 - ring.overwritten.v);
	ring_check_recorder(&taken);
}

void hand_over_takes_the_loss(void)
{
	setup();
	ring_write(0, 72);
	ring_write(0, SIZE + 8);
	EXPECT_EQ(ring_hand_over(&taken), 0);
	EXPECT_EQ(ring.lost_pending.counter, 0);
	EXPECT_EQ(taken.lost_pending.counter, 1);
	EXPECT(ring_write(0, 72), "the ring is closed");
	read_both();
	EXPECT_EQ(received.lost, 1);
	EXPECT_EQ(received.records, 2);
	ring_check_recorder(&taken);
}

void hand_over_waits_for_a_writer(void)
{
	setup();
	REQUIRE(ring_write_begin(0, 64), "an empty ring is full");
	EXPECT_EQ(ring_hand_over(&taken), -EAGAIN);
	ring_write_end();
	ring_write(0, 64);
	EXPECT_EQ(ring_hand_over(&taken), 0);
	read_both();
	ring_check_recorder(&taken);
}

static void hand_over(void)
{
	EXPECT_EQ(ring_hand_over(&taken), 0);
}

/* By an NMI at any step: its event is in either ring, or counted. */
void hand_over_is_interrupted(void)
{
	struct happening h = {};
	unsigned int steps, lost = 0;

	steps_small = header_size();
	steps_large = 256;
	full();
	steps = steps_run(hand_over, NULL, 0);
	EXPECT(steps > 8, "it takes only %u steps", steps);
	for (; h.step < steps; h.step++)
		for (h.what = INTERRUPT_SMALL; h.what <= INTERRUPT_LARGE; h.what++) {
			full();
			steps_run(hand_over, &h, 1);
			lost += total_dropped();
			ring_write(0, 56);
			read_both();
			ring_check_recorder(&taken);
			EXPECT_EQ(received.lost, total_dropped());
		}
	EXPECT(lost, "no interrupt met the exchange itself");
}

/* ---- exchanging ---- */

void exchange_keeps_what_is_unread(void)
{
	unsigned long start;
	unsigned int i;

	for (start = -2 * SIZE; start != 2 * SIZE && !ktap_complaints; start += 8) {
		ring_setup(SIZE, start);
		for (i = 0; i < 20; i++)
			ring_write(0, 40 + i % 3 * 56);
		EXPECT_EQ(ring_exchange(), 0);
		EXPECT_EQ(ring.size, 2 * SIZE);
		ring_write(0, 40);
		EXPECT_EQ(ring_exchange(), 0);
		ring_write(0, 40);
		ring_read();
		EXPECT_EQ(received.records, 22);
		ring_check_equation();
	}
}

void exchange_refuses_too_little(void)
{
	ring_setup(SIZE, 0);
	EXPECT_EQ(ring_exchange(), 0);
	ring_write(0, SIZE);
	ring_write(0, 40);
	EXPECT_EQ(ring_exchange(), -EBUSY);
	EXPECT_EQ(ring.size, 2 * SIZE);
	ring_write(0, 40);
	EXPECT(ring_read_one(), "nothing is there");
	EXPECT_EQ(ring_exchange(), 0);
	ring_read();
	EXPECT_EQ(received.records, 3);
	ring_check_equation();
}

void exchange_waits_for_a_writer(void)
{
	ring_setup(SIZE, 0);
	ring_write(0, 64);
	REQUIRE(ring_write_begin(0, 64), "an empty ring is full");
	EXPECT_EQ(ring_exchange(), -EAGAIN);
	EXPECT_EQ(ring.size, SIZE);
	EXPECT(ring_write(1, 64), "it stays closed");
	ring_write_end();
	EXPECT_EQ(ring_exchange(), 0);
	ring_read();
	EXPECT_EQ(received.records, 3);
	ring_check_equation();
}

void exchange_gives_memory_to_a_ring_without(void)
{
	ring_setup(SIZE, 0);
	ring.size = 0;
	ring.mask = 0;
	ring.data = NULL;
	ring_write(0, 64);
	EXPECT_EQ(ring_exchange(), 0);
	EXPECT(ring.size, "it has no memory");
	EXPECT(ring_write(0, 64), "nothing fits");
	ring_read();
	EXPECT_EQ(received.lost, 1);
	EXPECT_EQ(received.records, 1);
	ring_check_equation();
}
