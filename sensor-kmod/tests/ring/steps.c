// SPDX-License-Identifier: GPL-2.0-only
#include "../ktap.h"
#include "fixture.h"
#include "steps.h"

unsigned int steps_small, steps_large;

static const struct happening *next, *end;
static unsigned int step, active;
static bool stepping, reading, exchanging;

static bool write_with(bool (*write)(unsigned int level, u32 size), unsigned int size)
{
	bool fitted;

	if (active == LEVELS)
		return false;
	fitted = write(active++, size);
	active--;
	return fitted;
}

bool steps_write(unsigned int size)
{
	return write_with(ring_write, size);
}

bool steps_try_write(unsigned int size)
{
	return write_with(ring_try_write, size);
}

void steps_read(void)
{
	/* Locks keep these apart. */
	if (reading || exchanging || ring.overwrite)
		return;
	reading = true;
	ring_read();
	reading = false;
}

void steps_exchange(void)
{
	const bool quiet = !active;
	int err;

	if (reading || exchanging)
		return;
	exchanging = true;
	err = ring_exchange();
	EXPECT(!err || err == -EBUSY || !quiet, "nobody writes, and the exchange says %d", err);
	exchanging = false;
}

static void happen(enum what what)
{
	if (what == READER)
		steps_read();
	else if (what == EXCHANGE)
		steps_exchange();
	else
		steps_write(what == INTERRUPT_SMALL ? steps_small : steps_large);
}

void ring_step(void)
{
	const unsigned int now = step++;

	while (stepping && next != end && next->step <= now)
		happen(next++->what);
}

unsigned int steps_run(void (*op)(void), const struct happening *happenings, unsigned int nr)
{
	next = happenings;
	end = happenings + nr;
	step = 0;
	stepping = true;
	op();
	stepping = false;
	return step;
}
