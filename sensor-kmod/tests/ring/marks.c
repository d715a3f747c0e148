// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the mark says, and when it says nothing. That it is never believed while
 * it is being noted, the interleavings show: armed, marked.
 */
#include "../ktap.h"
#include "fixture.h"
#include "mark.h"
#include "marks.h"
#include "steps.h"

#define SIZE	4096ul

/* A reader sleeps: whoever publishes wakes it. */
static void setup(void)
{
	ring_setup(SIZE, 0);
	ring.armed = 1;
	ring.wake_bytes = 1;
}

void mark_says_how_far_the_ring_is(void)
{
	struct magnet_ring_mark mark;

	setup();
	EXPECT(!magnet_ring_mark_take(&ring, SIZE, &mark), "there is a mark before the first record");
	ring_write(0, 96);
	ring_write(0, 64);
	ring.armed = 0;
	ring_write(0, 64);
	REQUIRE(magnet_ring_mark_take(&ring, 96 + 64 + 64, &mark), "there is no mark");
	EXPECT_EQ(mark.pos, 96 + 64);
	EXPECT_EQ(mark.records, 2);
	ring_read();
	EXPECT_EQ(received.marks, 1);
	EXPECT_EQ(received.records, 3);
	ring_check_equation();
}

/* A LOST record is one as well, unless the reader has made it. */
void mark_counts_the_records_below_it(void)
{
	setup();
	ring_write(0, SIZE);
	ring_write(0, 96);
	ring_read();
	EXPECT_EQ(received.told_by_reader, 1);
	ring_write(0, SIZE - 64);
	ring_write(0, 96);
	ring_read_one();
	ring_write(0, 96);
	ring_read();
	EXPECT_EQ(received.lost_records, 2);
	EXPECT_EQ(received.marks, 2);
	ring_check_equation();
}

/* Where the clock stands still as well: its reader takes what is not younger for read. */
void mark_is_older_than_the_next_record(void)
{
	struct magnet_ring_mark mark;

	setup();
	ring_write(0, 96);
	ring_shim_stands = true;
	ring_write(0, 96);
	REQUIRE(magnet_ring_mark_take(&ring, 2 * 96, &mark), "there is no mark");
	EXPECT(mark.timer < ring_shim_time, "a record of %llu may follow the mark, which says %llu",
	       ring_shim_time, mark.timer);
}

void mark_in_what_was_read_says_nothing(void)
{
	struct magnet_ring_mark mark;

	setup();
	ring_write(0, 96);
	ring_write(0, 64);
	ring_read();
	EXPECT_EQ(received.marks, 1);
	ring.armed = 0;
	ring_write(0, 96);
	EXPECT(!magnet_ring_mark_take(&ring, SIZE, &mark), "the mark at %lu counts after %lu",
	       mark.pos, ring.tail);
	ring_read();
	EXPECT_EQ(received.marks, 1);
	ring_check_equation();
}

void mark_beyond_the_readers_memory_says_nothing(void)
{
	struct magnet_ring_mark mark;

	setup();
	ring_write(0, 96);
	ring_write(0, 64);
	EXPECT(!magnet_ring_mark_take(&ring, 96 + 63, &mark),
	       "the mark is at %lu, and the reader has room for less", mark.pos);
	EXPECT(magnet_ring_mark_take(&ring, 96 + 64, &mark), "what just fits does not");
}

static void write_96(void)
{
	steps_write(96);
}

/*
 * Its time is what the reader has come to, and a LOST record that it makes there
 * is not older than the records before: an interrupt that logs while the mark is
 * noted is in it, with its time, or is not.
 */
void mark_is_not_older_than_what_is_below_it(void)
{
	struct happening h = { .what = INTERRUPT_SMALL };
	unsigned int steps;

	steps_small = header_size();
	setup();
	steps = steps_run(write_96, NULL, 0);
	for (; h.step < steps; h.step++) {
		struct magnet_ring_mark mark;

		setup();
		steps_run(write_96, &h, 1);
		if (!magnet_ring_mark_take(&ring, SIZE, &mark))
			continue;
		ring.commit = mark.pos;
		ring_read();
		EXPECT(received.timer <= mark.timer,
		       "an interrupt before step %u: the mark says %llu, and the last record below it %llu",
		       h.step, mark.timer, received.timer);
	}
	EXPECT(steps > 8, "a write takes only %u steps", steps);
}
