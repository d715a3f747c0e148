/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Numbered markers: written one after the other, and every byte of them looked
 * at when they are read.
 */
#ifndef MAGNET_GUEST_MARKS_H
#define MAGNET_GUEST_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Write the markers @first to @last, each a bit longer than @len bytes. */
void marks_write(uint64_t first, uint64_t last, size_t len);

/* What was read of them. */
struct marks {
	uint64_t	first;		/* the first one that came */
	uint64_t	last;		/* and the last */
	uint64_t	events;
	uint64_t	bytes;
	uint64_t	records;	/* with LOST and CLOCK */
	uint64_t	clocks;
	uint64_t	lost;
	uint64_t	untold;		/* lost since the last marker */
	uint64_t	timer;		/* of the last record */
	bool		ended;		/* a read returned 0 */
};

/*
 * Read all that is there without sleeping. Fails the test where a number is
 * missing that no LOST record tells of, where a text is another, and where time
 * goes back. @m begins zeroed, and goes on where it was.
 */
void marks_read(int fd, struct marks *m);

/* One more CLOCK record comes every ten seconds, and no test can prevent it. */
void marks_expect_clocks(uint64_t clocks, uint64_t wanted);

#endif
