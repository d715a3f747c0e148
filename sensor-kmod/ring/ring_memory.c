// SPDX-License-Identifier: GPL-2.0-only
/*
 * A ring's memory: pages that are mapped twice in a row.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/netlink.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include <linux/vmalloc.h>

#include "buffer.h"
#include "ring.h"
#include "ring_memory.h"

#define MAGNET_GFP (GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN | __GFP_ZERO)

/* Bytes of all rings. */
static atomic_long_t memory_used;

/**
 * magnet_ring_check_memory() - may rings take so much more memory?
 * @size: bytes of each
 * @rings: how many
 * @extack: what was wrong
 *
 * Also keeps vmap() from mapping more pages than the machine has.
 *
 * Return: 0 or -ENOMEM.
 */
int magnet_ring_check_memory(u64 size, unsigned int rings, struct netlink_ext_ack *extack)
{
	if (atomic_long_read(&memory_used) + size * rings <= (u64)totalram_pages() * PAGE_SIZE / 2)
		return 0;
	NL_SET_ERR_MSG(extack, "all buffers together would take more than half of the memory; ask for less per CPU");
	return -ENOMEM;
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
