/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A ring's memory: pages that are mapped twice in a row.
 */
#ifndef _MAGNET_RING_MEMORY_H
#define _MAGNET_RING_MEMORY_H

#include <linux/types.h>

#include "ring.h"

struct magnet_cpu_buffer;
struct netlink_ext_ack;
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
int magnet_ring_check_memory(u64 size, unsigned int rings, struct netlink_ext_ack *extack);

#endif /* _MAGNET_RING_MEMORY_H */
