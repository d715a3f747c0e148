/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What went into rings, and what came out.
 */
#ifndef _MAGNET_COUNTS_H
#define _MAGNET_COUNTS_H

#include <linux/types.h>

struct magnet_buffer;
struct magnet_cpu_buffer;

/**
 * struct magnet_ring_counts - what went into a ring, and what came out
 * @records_written: with the LOST records that were made for a reader
 * @records_read: likewise
 * @bytes_written: of the former
 * @bytes_read: of the latter
 *
 * The records that are in the ring, and those that were overwritten, are the
 * difference.
 */
struct magnet_ring_counts {
	u64	records_written;
	u64	records_read;
	u64	bytes_written;
	u64	bytes_read;
};

struct magnet_ring_counts magnet_ring_counts(const struct magnet_cpu_buffer *cb);
u64 magnet_buffer_overwritten(const struct magnet_buffer *buffer);

#endif /* _MAGNET_COUNTS_H */
