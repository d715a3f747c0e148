// SPDX-License-Identifier: GPL-2.0-only
/*
 * A ring's memory: pages that are mapped twice in a row.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include <linux/vmalloc.h>

#include "buffer.h"
#include "clock.h"
#include "record.h"
#include "ring.h"
#include "ring_memory.h"

#define MAGNET_GFP (GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN | __GFP_ZERO)

/* Bytes of all rings. */
static atomic_long_t memory_used;

unsigned long magnet_ring_memory(void)
{
	return atomic_long_read(&memory_used);
}

static void free_pages_of(struct page **pages, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		__free_page(pages[i]);
	kvfree(pages);
}

/**
 * magnet_memory_alloc() - memory for a ring
 * @memory: what there is to know of it
 * @size: bytes, a power of two of at least a page
 * @cpu: the owner; its memory node is preferred
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int magnet_memory_alloc(struct magnet_memory *memory, unsigned long size, int cpu)
{
	const unsigned int n = size >> PAGE_SHIFT;
	const int nid = cpu_to_node(cpu);
	struct page **pages;
	unsigned int i;

	pages = kvmalloc_array(2 * n, sizeof(*pages), GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!pages)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		pages[i] = alloc_pages_node(nid, MAGNET_GFP, 0);
		if (!pages[i])
			goto free;
		pages[n + i] = pages[i];
	}
	memory->at.data = vmap(pages, 2 * n, VM_MAP, PAGE_KERNEL);
	if (!memory->at.data)
		goto free;
	memory->at.size = size;
	memory->pages = pages;
	atomic_long_add(size, &memory_used);
	return 0;

free:
	free_pages_of(pages, i);
	return -ENOMEM;
}

/**
 * magnet_memory_free() - give it back
 * @memory: nobody has it any more; may be none
 *
 * Context: may sleep.
 */
void magnet_memory_free(struct magnet_memory *memory)
{
	if (!memory->pages)
		return;
	vunmap(memory->at.data);
	atomic_long_sub(memory->at.size, &memory_used);
	free_pages_of(memory->pages, memory->at.size >> PAGE_SHIFT);
	memory->pages = NULL;
}

/**
 * magnet_ring_alloc() - give a new ring its memory
 * @cb: zeroed
 * @size: bytes, a power of two of at least a page
 * @cpu: the owner
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int magnet_ring_alloc(struct magnet_cpu_buffer *cb, unsigned long size, int cpu)
{
	struct magnet_memory memory;
	int err = magnet_memory_alloc(&memory, size, cpu);

	if (err)
		return err;
	cb->ring.data = memory.at.data;
	cb->ring.size = size;
	cb->ring.mask = size - 1;
	cb->pages = memory.pages;
	return 0;
}

/**
 * magnet_ring_free() - give the memory back
 * @cb: no writer and no reader has it any more
 *
 * Context: may sleep.
 */
void magnet_ring_free(struct magnet_cpu_buffer *cb)
{
	struct magnet_memory memory = {
		.at = { cb->ring.data, cb->ring.size },
		.pages = cb->pages,
	};

	magnet_memory_free(&memory);
	cb->pages = NULL;
}

/**
 * magnet_ring_write_clock() - log a CLOCK record, if there is room
 * @r: the ring
 * @pair: realtime and monotonic of it; the record's own stamp is taken anew
 *	inside the reserve loop and both are moved to that instant
 *
 * @pos: where it begins; may be NULL
 *
 * Context: on the ring's CPU with preemption off, or while nobody can log
 * there.
 * Return: false when there was no room.
 */
bool magnet_ring_write_clock(struct magnet_ring *r,
			     const struct magnet_clock_pair *pair, unsigned long *pos)
{
	const u32 size = magnet_header_size() + sizeof(struct magnet_clock);
	struct magnet_clock *payload;
	u64 timer, ns;
	void *rec;

	rec = magnet_ring_try_reserve(r, size, &timer);
	if (!rec)
		return false;
	/* Less than a ring's size below the head, however many records came behind it. */
	if (pos) {
		const unsigned long head = local_read(&r->head);

		*pos = head - ((head - (rec - r->data)) & r->mask);
	}
	payload = magnet_header_write(rec,
				      magnet_header_word(r->cpu, MAGNET_EVENT_CLOCK, size),
				      0, 0, timer);
	ns = mul_u64_u32_div(timer - pair->timer, 1000000, magnet_clock_khz());
	payload->realtime_ns = pair->realtime_ns + ns;
	payload->monotonic_ns = pair->monotonic_ns + ns;
	payload->epoch = pair->epoch;
	payload->flags = magnet_clock_flags();
	magnet_ring_commit(r);
	return true;
}
