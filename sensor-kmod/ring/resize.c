// SPDX-License-Identifier: GPL-2.0-only
/*
 * Another size for a buffer while events flow: what is unread moves to the new
 * memory.
 */
#include <linux/cpu.h>
#include <linux/netlink.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "buffer.h"
#include "exchange.h"
#include "resize.h"
#include "ring.h"
#include "ring_memory.h"
#include "wake.h"

/* So much may be left to copy while interrupts are off. */
#define COPY_LAST	SZ_32K
/* So much is copied before others get the CPU. */
#define COPY_STEP	SZ_1M

static void shrink_here(void *info)
{
	struct magnet_memory_exchange *x = info;

	magnet_ring_shrink(&x->cb->ring, x->memory.size);
}

static void unshrink_here(void *info)
{
	struct magnet_memory_exchange *x = info;

	WRITE_ONCE(x->cb->ring.size, x->cb->ring.mask + 1);
}

static void exchange_here(void *info)
{
	struct magnet_memory_exchange *x = info;
	struct magnet_ring *r = &x->cb->ring;

	if (r->overwrite)
		magnet_ring_shrink(r, x->memory.size);
	raw_spin_lock(&x->cb->peek);
	x->err = magnet_ring_exchange(r, &x->memory, x->copied);
	raw_spin_unlock(&x->cb->peek);
}

/*
 * Most of the copying, while events flow. Of a flight recorder, what is being
 * overwritten at the same time is copied in vain: the exchange looks anew from
 * where on records count.
 */
static void copy_ahead(struct magnet_memory_exchange *x)
{
	struct magnet_ring *r = &x->cb->ring;
	const unsigned long room = min(r->size, x->memory.size), mask = x->memory.size - 1;
	unsigned long left, done = 0;

	x->copied = READ_ONCE(r->tail);
	while (done <= 2 * room) {
		const unsigned long commit = magnet_ring_published(r);

		if (commit - x->copied > room)
			x->copied = commit - room;
		left = min_t(unsigned long, commit - x->copied, COPY_STEP);
		if (left <= COPY_LAST)
			break;
		/* Races with writers only where nothing counts any more, see above. */
		data_race(memcpy((char *)x->memory.data + (x->copied & mask),
				 magnet_ring_at(r, x->copied), left));
		x->copied += left;
		done += left;
		cond_resched();
	}
}

/* @memory: new, and on success the old one. */
static int resize_ring(struct magnet_cpu_buffer *cb, struct magnet_memory *memory)
{
	struct magnet_memory_exchange x = { .cb = cb, .memory = memory->at };
	struct magnet_ring *r = &cb->ring;
	int err;

	mutex_lock(&cb->memory);
	while (r->overwrite && r->size > memory->at.size)
		magnet_exchange_there(&x, shrink_here);
	copy_ahead(&x);
	do {
		err = magnet_exchange_run(&x, exchange_here);
	} while (r->overwrite && err == -EBUSY);
	if (!err) {
		memory->at = x.memory;
		swap(memory->pages, cb->pages);
	} else if (r->overwrite) {
		magnet_exchange_there(&x, unshrink_here);
	}
	mutex_unlock(&cb->memory);
	return err;
}

/*
 * The rings before the one that failed get their old memory again. When that
 * became smaller, it may have too little room by now; and a handler that is
 * stuck may be in the way.
 */
static bool undo_rings(struct magnet_buffer *buffer, struct magnet_memory *memory,
		       unsigned int end)
{
	bool undone = true;
	unsigned int cpu;

	for (cpu = 0; cpu < end; cpu++)
		if (buffer->cpu[cpu] && resize_ring(buffer->cpu[cpu], &memory[cpu]))
			undone = false;
	return undone;
}

/* All rings, or none, or else @extack says that it is some. */
static int resize_rings(struct magnet_buffer *buffer, struct magnet_memory *memory,
			struct netlink_ext_ack *extack)
{
	unsigned int cpu;
	int err = 0;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		if (!buffer->cpu[cpu])
			continue;
		err = resize_ring(buffer->cpu[cpu], &memory[cpu]);
		if (err)
			break;
	}
	if (!err)
		return 0;
	if (!undo_rings(buffer, memory, cpu)) {
		NL_SET_ERR_MSG(extack, "only some CPUs' rings have the new size (control/stats), a handler did not come to an end; nothing is lost, ask again for a size");
		return -EAGAIN;
	}
	if (err == -EBUSY)
		NL_SET_ERR_MSG(extack, "more is unread than fits into this size; read the buffer first, or ask for more");
	else
		NL_SET_ERR_MSG(extack, "a handler does not come to an end on one of the CPUs; the size is as it was, a flight recorder may have given up its oldest, try again");
	return err;
}

static struct magnet_memory *alloc_all(const struct magnet_buffer *buffer, unsigned long size)
{
	struct magnet_memory *memory = kvcalloc(nr_cpu_ids, sizeof(*memory), GFP_KERNEL_ACCOUNT);
	unsigned int cpu;

	for (cpu = 0; memory && cpu < nr_cpu_ids; cpu++) {
		if (!buffer->cpu[cpu] || !magnet_memory_alloc(&memory[cpu], size, cpu))
			continue;
		while (cpu--)
			magnet_memory_free(&memory[cpu]);
		kvfree(memory);
		return NULL;
	}
	return memory;
}

static int resize(struct magnet_buffer *buffer, u64 size, struct netlink_ext_ack *extack)
{
	struct magnet_memory *memory;
	unsigned int cpu;
	int err;

	err = magnet_ring_check_memory(size, magnet_buffer_count_rings(buffer), extack) ?:
	      magnet_exchange_check(buffer, extack);
	if (err)
		return err;
	memory = alloc_all(buffer, size);
	if (!memory) {
		NL_SET_ERR_MSG(extack, "no memory for a buffer of this size; it stays as it was");
		return -ENOMEM;
	}
	err = resize_rings(buffer, memory, extack);
	if (!err)
		buffer->size = size;
	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		magnet_memory_free(&memory[cpu]);
	kvfree(memory);
	/* Wake points are reckoned from the size, so whoever sleeps looks anew. */
	magnet_wake_readers(buffer);
	return err;
}

/**
 * magnet_buffer_resize() - give a buffer another size while events flow
 * @buffer: the buffer
 * @size: bytes per CPU; rounded up to a power of two
 * @extack: what was wrong
 *
 * What is unread stays, in order, and readers may sleep in their files. A
 * flight recorder that becomes smaller keeps the newest. On failure the size
 * is as it was, unless the text of -EAGAIN says that some rings have the new
 * one: then a handler got stuck between two of them.
 *
 * Context: may sleep; magnet_mutex held.
 * Return: 0; -EINVAL; -ENOMEM; -EBUSY when more is unread than fits; -EROFS
 * for a snapshot; -EAGAIN when a handler does not come to an end.
 */
int magnet_buffer_resize(struct magnet_buffer *buffer, u64 size, struct netlink_ext_ack *extack)
{
	int err;

	if (magnet_buffer_dead(buffer)) {
		NL_SET_ERR_MSG(extack, "a snapshot can't be resized: nothing is logged there; resize its flight recorder");
		return -EROFS;
	}
	err = magnet_buffer_check_size(&size, extack);
	if (err)
		return err;
	cpus_read_lock();
	err = resize(buffer, size, extack);
	cpus_read_unlock();
	return err;
}
