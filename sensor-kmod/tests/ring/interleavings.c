// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every interleaving of DEPTH happenings with a write, with a write that may be
 * left out, with a read and with an exchange of the memory, and many random ones
 * of more, from each state of the ring that matters.
 */
#include <stdlib.h>

#include "../ktap.h"
#include "fixture.h"
#include "interleavings.h"
#include "steps.h"

#define SIZE		4096u
#define RANDOM_RUNS	500000
#ifndef DEPTH
#define DEPTH		2
#endif
/* What the operation under test logs. */
#define OP_SIZE		96u
#define LARGE_SIZE	256u

static void op_write(void)
{
	steps_write(OP_SIZE);
}

static void op_try(void)
{
	steps_try_write(OP_SIZE);
}

static void op_read(void)
{
	steps_read();
}

static void op_exchange(void)
{
	steps_exchange();
}

/* ---- states ---- */

/* One record that leaves @room bytes. */
static void leave_room(u32 room)
{
	ring_write(0, SIZE - room);
}

static void state_empty(void)
{
}

static void state_some(void)
{
	ring_write(0, OP_SIZE);
	ring_write(0, header_size());
}

static void state_full(void)
{
	leave_room(0);
}

static void state_full_and_lost(void)
{
	leave_room(0);
	ring_write(0, OP_SIZE);
}

static void state_room_for_small(void)
{
	leave_room(header_size());
}

static void state_room_for_one(void)
{
	leave_room(OP_SIZE);
}

/* All records have been read, and the loss after them not. */
static void state_empty_and_lost(void)
{
	leave_room(0);
	ring_write(0, OP_SIZE);
	ring_write(0, OP_SIZE);
	ring_read_one();
}

/* Loss is pending; the record fits, but not with the LOST record before it. */
static void state_lost_and_no_room_to_tell(void)
{
	ring_write(0, SIZE - OP_SIZE - header_size());
	ring_write(0, SIZE);
}

static void state_lost_and_room_to_tell(void)
{
	ring_write(0, SIZE - OP_SIZE - lost_size());
	ring_write(0, SIZE);
}

/* A reader sleeps, and whoever publishes wakes it and leaves a mark. */
static void arm(void)
{
	ring.armed = 1;
	ring.wake_bytes = 1;
}

static void state_armed(void)
{
	arm();
}

/* The mark is below the last record. */
static void state_marked(void)
{
	arm();
	ring_write(0, OP_SIZE);
	ring.armed = 0;
	ring_write(0, header_size());
	ring.armed = 1;
}

/* The mark is in what was read. */
static void state_mark_was_read(void)
{
	arm();
	ring_write(0, OP_SIZE);
	ring_read();
	ring.armed = 0;
	ring_write(0, header_size());
	ring.armed = 1;
}

static void state_marked_and_lost(void)
{
	arm();
	leave_room(0);
	ring_write(0, OP_SIZE);
}

/* ---- running them ---- */

struct scenario {
	void (*state)(void);
	void (*op)(void);
	unsigned long start;
};

static const char *const what_names[] = {
	[INTERRUPT_SMALL] = "small interrupt",
	[INTERRUPT_LARGE] = "large interrupt",
	[READER] = "reader",
	[EXCHANGE] = "exchange",
};

static void explain(unsigned long start, const struct happening *happenings, unsigned int nr)
{
	unsigned int i;

	printf("# ... ring at %lu", start);
	for (i = 0; i < nr; i++)
		printf(", %s before step %u", what_names[happenings[i].what], happenings[i].step);
	putchar('\n');
}

/* Returns the number of steps that there were. */
static unsigned int run(const struct scenario *s, const struct happening *happenings,
			unsigned int nr)
{
	const int before = ktap_complaints;
	unsigned int steps;

	ring_setup(SIZE, s->start);
	s->state();
	steps = steps_run(s->op, happenings, nr);

	/* Nobody may have to wait for the next event to be published. */
	EXPECT(ring.commit == (unsigned long)ring.head.v, "%lu bytes are stranded",
	       (unsigned long)ring.head.v - ring.commit);
	EXPECT(!local_read(&ring.nest), "nest is %ld when all is over", local_read(&ring.nest));
	while (ring_read_one())
		;
	ring_check_equation();
	if (ktap_complaints != before)
		explain(s->start, happenings, nr);
	return steps;
}

/* All ways in which more may happen at or after the @nr-th happening. */
static void run_all(const struct scenario *s, struct happening *h, unsigned int nr)
{
	const unsigned int steps = run(s, h, nr);

	if (nr == DEPTH)
		return;
	for (h[nr].step = nr ? h[nr - 1].step : 0; h[nr].step < steps; h[nr].step++)
		for (h[nr].what = 0; h[nr].what < NR_WHATS && !ktap_complaints; h[nr].what++)
			run_all(s, h, nr + 1);
}

static void interleave(void (*state)(void), void (*op)(void))
{
	/* The second start makes positions pass the largest number. */
	struct scenario s = { .state = state, .op = op, .start = -(unsigned long)SIZE };
	struct happening h[DEPTH];

	steps_large = LARGE_SIZE;
	steps_small = header_size();
	run_all(&s, h, 0);
}

#define INTERLEAVING(op, state)						\
	void op##_##state(void)						\
	{								\
		interleave(state_##state, op_##op);		\
	}
INTERLEAVINGS
#undef INTERLEAVING

static void (*const states[])(void) = {
	state_empty, state_some, state_full, state_full_and_lost, state_room_for_small,
	state_room_for_one, state_empty_and_lost, state_lost_and_no_room_to_tell,
	state_lost_and_room_to_tell, state_armed, state_marked, state_mark_was_read,
	state_marked_and_lost,
};

static void (*const ops[])(void) = { op_write, op_try, op_read, op_exchange };

static int by_step(const void *a, const void *b)
{
	const struct happening *x = a, *y = b;

	return (int)x->step - (int)y->step;
}

void random_interleavings(void)
{
	unsigned int i, j;

	for (i = 0; i < RANDOM_RUNS && !ktap_complaints; i++) {
		struct scenario s = {
			.state = states[random() % KTAP_SIZE(states)],
			.op = ops[random() % KTAP_SIZE(ops)],
			.start = random() % 2 ? -(unsigned long)SIZE : (unsigned long)random() * 8,
		};
		struct happening h[HAPPENINGS_MAX];
		const unsigned int nr = 3 + random() % (HAPPENINGS_MAX - 2);

		steps_small = header_size();
		steps_large = header_size() + 8 * (random() % 64);
		for (j = 0; j < nr; j++)
			h[j] = (struct happening) { random() % 120, random() % NR_WHATS };
		qsort(h, nr, sizeof(*h), by_step);
		run(&s, h, nr);
	}
}
