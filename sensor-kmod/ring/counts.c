// SPDX-License-Identifier: GPL-2.0-only
/*
 * What went into rings, and what came out.
 */
#include "buffer.h"
#include "counts.h"
#include "record.h"
#include "ring.h"

/**
 * magnet_ring_counts() - what went into a ring, and what came out
 * @cb: the ring
 *
 * While it is read, one may be a record ahead of the other.
 *
 * Context: any.
 */
struct magnet_ring_counts magnet_ring_counts(const struct magnet_cpu_buffer *cb)
{
	const u64 told = READ_ONCE(cb->told_read);
	const u64 told_bytes = told * (magnet_read_header_size() + sizeof(struct magnet_lost));
	unsigned long counted;
	struct magnet_ring_counts c;

	/* First what was read: it is no more than what was written. */
	c.records_read = READ_ONCE(cb->ring_records_read) + told;
	c.bytes_read = READ_ONCE(cb->bytes_read);
	c.records_written = local_read(&cb->ring.records) + told;
	/* Pairs with the release in magnet_ring_publish(): all of them are below its end. */
	counted = smp_load_acquire(&cb->ring.commit_records);
	c.bytes_written = magnet_read_bytes(magnet_ring_published(&cb->ring) - cb->begin, counted) +
			  told_bytes;
	return c;
}

/* Records of a flight recorder that made room for younger ones. */
u64 magnet_buffer_overwritten(const struct magnet_buffer *buffer)
{
	struct magnet_cpu_buffer *cb;
	unsigned int i = 0;
	u64 overwritten = 0;

	while ((cb = magnet_buffer_next(buffer, &i)))
		overwritten += local_read(&cb->ring.overwritten);
	return overwritten;
}
