/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A ring's memory: pages that are mapped twice in a row.
 */
#ifndef _MAGNET_RING_MEMORY_H
#define _MAGNET_RING_MEMORY_H

#include <linux/types.h>

#include "ring.h"

struct magnet_clock_pair;
struct magnet_cpu_buffer;
struct page;

/**
 * struct magnet_memory - memory for a ring
 * @at: where it is mapped, twice in a row
 * @pages: its pages; NULL: there is none
 */
struct magnet_memory {
	struct magnet_ring_memory	at;
	struct page			**pages;
};

int magnet_memory_alloc(struct magnet_memory *memory, unsigned long size, int cpu);
void magnet_memory_free(struct magnet_memory *memory);
int magnet_ring_alloc(struct magnet_cpu_buffer *cb, unsigned long size, int cpu);
void magnet_ring_free(struct magnet_cpu_buffer *cb);
unsigned long magnet_ring_memory(void);
bool magnet_ring_write_clock(struct magnet_ring *r,
			     const struct magnet_clock_pair *pair, unsigned long *pos);

#endif /* _MAGNET_RING_MEMORY_H */
