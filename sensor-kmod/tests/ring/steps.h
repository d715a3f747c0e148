/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Interleavings made to order: something happens before the n-th access that
 * the code under test makes.
 */
#ifndef MAGNET_RING_STEPS_H
#define MAGNET_RING_STEPS_H

#include <stdbool.h>

/* What may come in between. */
enum what {
	INTERRUPT_SMALL,	/* an interrupt logs a record of least size */
	INTERRUPT_LARGE,	/* one that does not fit where space is short */
	READER,			/* the other CPU reads all there is */
	EXCHANGE,		/* the ring gets other memory */
	NR_WHATS,
};

struct happening {
	unsigned int	step;
	enum what	what;
};

#define HAPPENINGS_MAX	6

/*
 * Run @op while these happen, in the order of their steps; interrupts may be
 * interrupted, and the reader too. Returns how many steps there were.
 */
unsigned int steps_run(void (*op)(void), const struct happening *happenings, unsigned int nr);

/* Log an event at the level that is free, as interrupts do. */
bool steps_write(unsigned int size);
bool steps_try_write(unsigned int size);
/* Read all, unless that is what was interrupted; not from a flight recorder. */
void steps_read(void);
/* Exchange the memory, unless somebody reads or does so already. */
void steps_exchange(void);

extern unsigned int steps_small, steps_large;

#endif
