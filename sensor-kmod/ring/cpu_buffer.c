// SPDX-License-Identifier: GPL-2.0-only
/*
 * A buffer's ring for a CPU: from its memory to its end.
 */
#include <linux/slab.h>
#include <linux/topology.h>

#include "buffer.h"
#include "clock_record.h"
#include "ring_memory.h"
#include "wake.h"

/**
 * magnet_buffer_new_ring() - a ring without memory
 * @buffer: whose; does not know it yet
 * @cpu: the owner
 *
 * Context: may sleep.
 * Return: the ring, or NULL.
 */
struct magnet_cpu_buffer *magnet_buffer_new_ring(struct magnet_buffer *buffer, int cpu)
{
	struct magnet_cpu_buffer *cb = kzalloc_node(sizeof(*cb), GFP_KERNEL_ACCOUNT,
						    cpu_to_node(cpu));

	if (!cb)
		return NULL;
	cb->buffer = buffer;
	cb->file.buffer = buffer;
	cb->file.cb = cb;
	cb->ring.cpu = cpu;
	cb->ring.overwrite = buffer->flags & MAGNET_F_OVERWRITE;
	mutex_init(&cb->memory);
	raw_spin_lock_init(&cb->peek);
	magnet_wake_init(cb);
	return cb;
}

/**
 * magnet_buffer_free_ring() - the reverse, of a ring with memory or without
 * @cb: nobody has it any more
 *
 * Context: may sleep.
 */
void magnet_buffer_free_ring(struct magnet_cpu_buffer *cb)
{
	irq_work_sync(&cb->wake_work);
	magnet_ring_free(cb);
	kfree(cb);
}

/**
 * magnet_buffer_add_ring() - a ring for a CPU
 * @buffer: the buffer; has none for it
 * @cpu: CPU
 *
 * A CPU whose memory could not be had still gets a ring, of size 0: its
 * events are counted as dropped. A monitor must not keep a CPU offline, nor
 * take more than its share of the memory because one comes.
 *
 * Context: may sleep; nothing can be logged there yet.
 * Return: 0, or an error: then there is a ring without memory, or none.
 */
int magnet_buffer_add_ring(struct magnet_buffer *buffer, int cpu)
{
	struct magnet_cpu_buffer *cb = magnet_buffer_new_ring(buffer, cpu);
	int err;

	if (!cb)
		return -ENOMEM;
	err = magnet_ring_check_memory(buffer->size, 1, NULL) ?:
	      magnet_ring_alloc(cb, buffer->size, cpu);
	if (!err)
		magnet_log_clock(cb);
	/* Pairs with magnet_buffer_next(). */
	smp_store_release(&buffer->cpu[cpu], cb);
	return err;
}
