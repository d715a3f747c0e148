// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a ring like this is known to get wrong, one test each. The numbers are
 * those of the list in tests/README.md.
 */
#include "../ktap.h"
#include "fixture.h"
#include "pitfalls.h"
#include "steps.h"

#define SIZE	4096ul

static void write_96(void)
{
	steps_write(96);
}

/* How many steps a write of 96 bytes takes by itself. */
static unsigned int steps_of_write(u32 room)
{
	ring_setup(SIZE, 0);
	ring_write(0, SIZE - room);
	return steps_run(write_96, NULL, 0);
}

/* The clock is read inside the loop: order in the ring is order in time. */
void pitfall_01_order_is_time(void)
{
	const unsigned int steps = steps_of_write(SIZE / 2);
	struct happening h = { .what = INTERRUPT_SMALL };

	steps_small = header_size();
	for (; h.step < steps; h.step++) {
		ring_setup(SIZE, 0);
		steps_run(write_96, &h, 1);
		ring_read();
		EXPECT_EQ(received.records, 2);
	}
	EXPECT(steps > 8, "a write takes only %u steps", steps);
}

/* A reserve that fails publishes what was logged meanwhile. */
void pitfall_02_failing_reserve_publishes(void)
{
	/* A small record fits, with a LOST record before it; 96 bytes do not. */
	const u32 room = header_size() + lost_size();
	const unsigned int steps = steps_of_write(room);
	struct happening h = { .what = INTERRUPT_SMALL };

	steps_small = header_size();
	for (; h.step < steps; h.step++) {
		ring_setup(SIZE, 0);
		ring_write(0, SIZE - room);
		steps_run(write_96, &h, 1);
		EXPECT(magnet_ring_published(&ring) == (unsigned long)ring.head.v,
		       "an interrupt before step %u left its record stranded", h.step);
		EXPECT_EQ(total_committed(), 2);
		EXPECT_EQ(total_dropped(), 1);
	}
	EXPECT(steps > 8, "a failing write takes only %u steps", steps);
}

static void refuse(void)
{
	written[0].attempted++;
	written[0].dropped++;
	magnet_ring_drop_here(&ring);
}

/* So does an event that is not even tried to log. */
void pitfall_02_refused_hit_publishes(void)
{
	struct happening h = { .what = INTERRUPT_SMALL };
	unsigned int steps;

	steps_small = header_size();
	ring_setup(SIZE, 0);
	steps = steps_run(refuse, NULL, 0);
	for (; h.step < steps; h.step++) {
		ring_setup(SIZE, 0);
		steps_run(refuse, &h, 1);
		EXPECT(magnet_ring_published(&ring) == (unsigned long)ring.head.v,
		       "an interrupt before step %u left its record stranded", h.step);
		EXPECT_EQ(total_committed(), 1);
	}
	EXPECT(steps > 4, "it takes only %u steps", steps);
}

/* A record is seen when it was committed, not before. */
void pitfall_03_nothing_shows_before_commit(void)
{
	ring_setup(SIZE, 0);
	REQUIRE(ring_write_begin(0, 64), "an empty ring is full");
	EXPECT_EQ(magnet_ring_published(&ring), 0);
	ring_read();
	EXPECT_EQ(received.records, 0);
	ring_write_end();
	ring_read();
	EXPECT_EQ(received.records, 1);
	ring_check_equation();
}

/* What is nested in an unfinished record waits for it, and the lag shows that. */
void pitfall_04_outermost_publishes(void)
{
	ring_setup(SIZE, 0);
	REQUIRE(ring_write_begin(0, 64), "an empty ring is full");
	ring_write(1, 96);
	REQUIRE(ring_write_begin(1, 64), "an empty ring is full");
	ring_write(2, 96);
	ring_write_end();
	EXPECT_EQ(magnet_ring_published(&ring), 0);
	EXPECT_EQ(local_read(&ring.head), 64 + 96 + 64 + 96);
	EXPECT_EQ(local_read(&ring.nest), 1);
	ring_write_end();
	EXPECT_EQ(magnet_ring_published(&ring), 64 + 96 + 64 + 96);
	ring_read();
	EXPECT_EQ(received.records, 4);
	ring_check_equation();
}

static void check_published(void)
{
	EXPECT(ring.commit == (unsigned long)ring.head.v, "woken before publishing");
	EXPECT(!local_read(&ring.nest), "woken inside the writer's section");
}

/* Waking: past the watermark, after publishing, by the outermost writer. */
void pitfall_05_wakes_after_publishing(void)
{
	ring_setup(SIZE, 0);
	on_wake = check_published;
	ring.wake_bytes = 192;
	ring_write(0, 96);
	EXPECT_EQ(wakes, 0);
	ring_write(0, 88);
	EXPECT_EQ(wakes, 0);
	ring_write_begin(0, 32);
	ring_write(1, 96);
	EXPECT_EQ(wakes, 0);
	ring_write_end();
	EXPECT_EQ(wakes, 1);
	ring_read();
	ring_write(0, 184);
	EXPECT_EQ(wakes, 1);
	ring_read();
	ring_write(0, 192);
	EXPECT_EQ(wakes, 2);
}

/* Who has read all and sleeps is told of a loss although nothing is logged. */
void pitfall_05_a_drop_wakes(void)
{
	ring_setup(SIZE, 0);
	on_wake = check_published;
	ring.wake_bytes = SIZE;
	ring_write(0, 64);
	EXPECT_EQ(wakes, 0);
	ring_write(0, SIZE);
	EXPECT_EQ(wakes, 1);
}

/* Neither is an event lost in silence that is not even tried to log. */
void pitfall_05_a_refused_hit_wakes(void)
{
	ring_setup(SIZE, 0);
	ring.wake_bytes = SIZE;
	refuse();
	EXPECT_EQ(wakes, 1);
	EXPECT(magnet_ring_tail_loss(&ring), "the reader does not see it");
	ring_read();
	EXPECT_EQ(received.lost, 1);
	ring_check_equation();
}

/* At which offset a record begins does not matter: it is in one piece. */
void pitfall_08_no_record_wraps(void)
{
	static const u32 sizes[] = { 32, 40, 48, 56, 64, 72, 256, 1000, SIZE / 2, SIZE - 8, SIZE };
	unsigned long start;
	unsigned int i;

	for (start = 0; start < SIZE && !ktap_complaints; start += MAGNET_RECORD_ALIGN) {
		for (i = 0; i < KTAP_SIZE(sizes); i++) {
			ring_setup(SIZE, start);
			EXPECT(ring_write(0, sizes[i]), "%u bytes do not fit at %lu", sizes[i],
			       start);
			EXPECT(ring_read_one(), "nothing to read at %lu", start);
			EXPECT(ring_write(0, 40), "40 bytes do not fit after %lu", start);
			ring_read();
			ring_check_equation();
		}
	}
}

/* The same while positions run past the largest number. */
void pitfall_08_positions_overflow(void)
{
	unsigned int i;

	ring_setup(SIZE, -3 * SIZE);
	for (i = 0; i < 1009; i++) {
		EXPECT(ring_write(0, 40), "event %u was dropped", i);
		EXPECT(ring_write(0, 72), "event %u was dropped", i);
		ring_read();
	}
	EXPECT(ring.tail < 64 * SIZE, "the positions did not overflow");
	ring_check_equation();
}

/* Room for as many CPUs and events as there are. */
void pitfall_14_header_has_room(void)
{
	struct magnet_record_classic c;
	struct magnet_record w;

	*(u64 *)&w = magnet_header_word(8191, 0xfffe, MAGNET_RECORD_SIZE_MAX);
	EXPECT_EQ(w.cpu, 8191);
	EXPECT_EQ(w.event, 0xfffe);
	EXPECT_EQ(w.size, MAGNET_RECORD_SIZE_MAX);

	magnet_header_write(&w, magnet_header_word(63, 0x3ff, MAGNET_RECORD_SIZE_MAX),
			    7 | 8ULL << 32, -2, -3);
	c = magnet_classic_of(&w);
	EXPECT_EQ(c.header & 63, 63);
	EXPECT_EQ(c.header >> MAGNET_CLASSIC_EVENT_SHIFT & 0x3ff, 0x3ff);
	EXPECT_EQ(c.header >> MAGNET_CLASSIC_SIZE_SHIFT, MAGNET_RECORD_SIZE_MAX - 8);
	EXPECT_EQ(c.pid, 7);
	EXPECT_EQ(c.abstract_id, -2ULL);
	EXPECT_EQ(c.timer, -3ULL);
}

/* What is read is shorter in layout classic by what its headers are. */
void pitfall_14_bytes_as_they_are_read(void)
{
	EXPECT_EQ(magnet_read_bytes(3 * 40, 3), 3 * 40);
	magnet_classic = true;
	EXPECT_EQ(magnet_read_header_size(), sizeof(struct magnet_record_classic));
	EXPECT_EQ(magnet_read_bytes(3 * 40, 3), 3 * 32);
	/* Others read meanwhile. */
	EXPECT_EQ(magnet_read_bytes(0, 3), 0);
	magnet_classic = false;
}

/* ---- loss ---- */

void lost_counts_and_times_are_exact(void)
{
	u64 rec[(sizeof(struct magnet_record) + sizeof(struct magnet_lost)) / sizeof(u64)];
	const struct magnet_lost *lost = (void *)((char *)rec + header_size());
	u64 first, last;
	int i;

	ring_setup(SIZE, 0);
	ring_write(0, SIZE);
	ring_write(0, 64);
	first = ring_shim_time;
	for (i = 0; i < 41; i++)
		ring_write(0, 64);
	last = ring_shim_time;
	EXPECT(!magnet_ring_lost_record(&ring, rec), "the loss was told before what precedes it");
	ring_read_one();
	EXPECT_EQ(magnet_ring_lost_record(&ring, rec), lost_size());
	EXPECT_EQ(lost->count, 42);
	EXPECT_EQ(lost->first_timer, first);
	EXPECT_EQ(lost->last_timer, last);
	EXPECT(!magnet_ring_lost_record(&ring, rec), "the loss was told twice");
}

/*
 * The timer begins anew, and a CLOCK record says so: who merges by time would wait for
 * the old time to come again.
 */
void lost_in_an_older_epoch_is_told_in_this_one(void)
{
	u64 rec[(sizeof(struct magnet_record) + sizeof(struct magnet_lost)) / sizeof(u64)];
	const struct magnet_lost *lost = (void *)((char *)rec + header_size());
	u64 began;

	ring_setup(SIZE, 0);
	ring_shim_time = 900000;
	ring_write(0, SIZE);
	ring_write(0, 64);
	ring_read_one();
	ring_shim_time = 0;
	received.timer = 0;
	EXPECT(ring_try_write(0, 64), "there is no room");
	began = ring_shim_time;
	ring_read_one();
	EXPECT_EQ(magnet_ring_lost_record(&ring, rec), lost_size());
	EXPECT_EQ(lost->count, 1);
	EXPECT_EQ(magnet_record_timer_of(rec), began);
	EXPECT_EQ(lost->first_timer, began);
	EXPECT_EQ(lost->last_timer, began);
}

/* The LOST record and what follows it are taken in one step. */
void lost_comes_before_the_next_record(void)
{
	ring_setup(SIZE, 0);
	ring_write(0, SIZE);
	ring_write(0, 64);
	ring_write(0, 64);
	/* Consumed, but the reader did not come to the loss. */
	ring_read_one();
	ring_write(0, 64);
	EXPECT_EQ(magnet_ring_published(&ring) - ring.tail, lost_size() + 64);
	ring_read();
	EXPECT_EQ(received.lost, 2);
	EXPECT_EQ(received.told_by_reader, 0);
	ring_check_equation();
}

/* Whatever was dropped, the next record that fits is not put in front of it. */
void lost_does_not_wait_for_a_full_ring(void)
{
	/* A small record fits, but not with a LOST record before it. */
	ring_setup(SIZE, 0);
	ring_write(0, SIZE - lost_size());
	EXPECT(!ring_write(0, lost_size() + 8), "more fitted than there was room");
	EXPECT(!ring_write(0, 32), "a record came before the loss that precedes it");
	ring_read_one();
	EXPECT(ring_write(0, 32), "an empty ring is full");
	ring_read();
	EXPECT_EQ(received.lost, 2);
	EXPECT_EQ(received.told_by_reader, 0);
	ring_check_equation();
}

static void write_40(void)
{
	steps_write(40);
}

/* A drop at any step of a write, also just when a loss was looked for. */
void lost_is_seen_by_the_next_writer(void)
{
	struct happening h = { .what = INTERRUPT_LARGE };
	unsigned int steps;

	steps_large = SIZE + 8;
	ring_setup(SIZE, 0);
	steps = steps_run(write_40, NULL, 0);
	for (; h.step < steps; h.step++) {
		ring_setup(SIZE, 0);
		steps_run(write_40, &h, 1);
		ring_write(0, 40);
		EXPECT(!ring.lost_pending.counter,
		       "the next writer did not see what was dropped before step %u", h.step);
		ring_read();
		ring_check_equation();
	}
	EXPECT(steps > 8, "a write takes only %u steps", steps);
}

void tail_loss_is_told_by_the_reader(void)
{
	ring_setup(SIZE, 0);
	ring_write(0, SIZE);
	ring_write(0, 64);
	EXPECT(!magnet_ring_tail_loss(&ring), "told before the records that precede it");
	ring_read();
	EXPECT_EQ(received.lost, 1);
	EXPECT_EQ(received.told_by_reader, 1);
	EXPECT(!magnet_ring_tail_loss(&ring), "told, and still there");
	ring_check_equation();
}

/* A record that is not yet committed is older than the loss inside it. */
void tail_loss_waits_for_a_writer(void)
{
	ring_setup(SIZE, 0);
	REQUIRE(ring_write_begin(0, 64), "an empty ring is full");
	ring_write(1, SIZE);
	EXPECT(!magnet_ring_tail_loss(&ring), "the loss comes before the older record");
	ring_write_end();
	ring_read();
	EXPECT_EQ(received.lost, 1);
	ring_check_equation();
}

/* The reader's memory ended early: the loss is told again. */
void lost_untold_is_told_again(void)
{
	u64 rec[(sizeof(struct magnet_record) + sizeof(struct magnet_lost)) / sizeof(u64)];
	u32 size;

	ring_setup(SIZE, 0);
	ring_write(0, SIZE);
	ring_write(0, 64);
	ring_read_one();
	size = magnet_ring_lost_record(&ring, rec);
	REQUIRE_EQ(size, lost_size());
	magnet_ring_lost_untold(&ring, (char *)rec + size);
	EXPECT_EQ(ring.lost_pending.counter, 1);
	EXPECT_EQ(ring.lost_reported.counter, 0);
	ring_write(0, SIZE + 8);
	ring_read();
	EXPECT_EQ(received.lost, 2);
	ring_check_equation();
}

/* Also when somebody logged since the reader took it. */
void lost_untold_is_seen_by_the_next_writer(void)
{
	u64 rec[(sizeof(struct magnet_record) + sizeof(struct magnet_lost)) / sizeof(u64)];
	u32 size;

	ring_setup(SIZE, 0);
	ring_write(0, SIZE + 8);
	size = magnet_ring_lost_record(&ring, rec);
	REQUIRE_EQ(size, lost_size());
	ring_write(0, 40);
	magnet_ring_lost_untold(&ring, (char *)rec + size);
	ring_write(0, 40);
	EXPECT(!ring.lost_pending.counter, "the next writer did not see the loss");
	ring_read();
	EXPECT_EQ(received.told_by_reader, 0);
	ring_check_equation();
}

/* Where memory was short a ring has no room at all, and counts. */
void ring_without_memory_counts(void)
{
	u64 timer;

	ring_setup(SIZE, 0);
	ring.size = 0;
	ring.data = NULL;
	EXPECT(!magnet_ring_reserve(&ring, 64, &timer), "it gave out memory");
	EXPECT(!magnet_ring_reserve(&ring, 64, &timer), "it gave out memory");
	EXPECT_EQ(ring.lost_pending.counter, 2);
	EXPECT_EQ(local_read(&ring.nest), 0);
	EXPECT_EQ(ring.commit, 0);
}

void too_large_is_dropped(void)
{
	ring_setup(SIZE, 0);
	EXPECT(!ring_write(0, SIZE + 8), "more than the ring's size fitted");
	EXPECT(ring_write(0, 64), "nothing fits any more");
	ring_read();
	ring_check_equation();
}

/* A record that may be left out is no event, and its lack no loss. */
void what_may_be_left_out_is_no_loss(void)
{
	ring_setup(SIZE, 0);
	ring_write(0, SIZE);
	EXPECT(!ring_try_write(0, 64), "it fits into a full ring");
	EXPECT_EQ(ring.lost_pending.counter, 0);
	EXPECT_EQ(local_read(&ring.nest), 0);
	ring_read();
	EXPECT(ring_try_write(0, 64), "it does not fit into an empty ring");
	ring_read();
	EXPECT_EQ(received.lost, 0);
	ring_check_equation();
}
