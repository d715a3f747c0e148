/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records as user space gets them, in the layout that is in force.
 */
#ifndef MAGNET_GUEST_RECORDS_H
#define MAGNET_GUEST_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <magnet.h>

struct record {
	uint32_t	size;
	uint32_t	cpu;
	uint32_t	event;
	uint32_t	tgid;
	uint32_t	tid;		/* 0 in layout classic */
	uint64_t	id;
	uint64_t	timer;
	const void	*payload;
};

/* The layout of the module that is loaded. */
bool records_classic(void);

size_t records_header_size(void);
/* Bytes of an event of sensor_emit(), and what it takes in a ring, which knows one layout. */
size_t records_event_size(void);
size_t records_event_in_ring(void);
/* Bytes that these records take in a ring. */
size_t records_in_ring(size_t bytes, size_t records);

/*
 * The record at *at; moves *at behind it. False at @end, and after telling when
 * there is no whole record.
 */
bool records_next(const void **at, const void *end, struct record *rec);

/* What was read in one call or in several. */
struct batch {
	size_t		bytes;
	unsigned int	events;		/* neither LOST nor CLOCK */
	unsigned int	clocks;
	unsigned int	lost_records;
	uint64_t	lost;
	uint64_t	timer;		/* of the last record */
	uint32_t	first_len;	/* magnet_sock.len of the first event */
	uint32_t	last_len;	/* and of the last */
};

/* Count what is there, and check that time never goes back. */
void batch_add(struct batch *b, const void *data, size_t len);

#endif
