// SPDX-License-Identifier: GPL-2.0-only
/*
 * CLOCK records in all rings: now and then, and where an epoch of the timer
 * begins.
 */
#include <linux/cpu.h>
#include <linux/smp.h>

#include "buffer.h"
#include "clock_record.h"
#include "epoch.h"
#include "wake.h"

/* On the ring's CPU, with interrupts off. */
static void write_clock_here(void *info)
{
	magnet_log_clock(info);
}

/**
 * magnet_buffers_write_clock() - a CLOCK record in each ring that is in use
 *
 * Rings where nothing was logged since the last one are left alone, so that
 * no idle CPU is woken.
 *
 * Context: may sleep.
 */
void magnet_buffers_write_clock(void)
{
	struct magnet_buffer *buffer;
	unsigned int cpu;

	cpus_read_lock();
	mutex_lock(&magnet_buffers_lock);
	list_for_each_entry(buffer, &magnet_buffers, node) {
		for_each_online_cpu(cpu) {
			struct magnet_cpu_buffer *cb = buffer->cpu[cpu];

			if (cb && READ_ONCE(cb->ring.commit) != READ_ONCE(cb->clock_at))
				smp_call_function_single(cpu, write_clock_here, cb, 1);
		}
	}
	mutex_unlock(&magnet_buffers_lock);
	cpus_read_unlock();
}

/* False when a ring had no room. A CPU that is offline gets its record when it comes. */
static bool write_epoch(struct magnet_buffer *buffer)
{
	bool told = true;
	unsigned int cpu;

	for_each_online_cpu(cpu) {
		struct magnet_cpu_buffer *cb = buffer->cpu[cpu];

		if (!cb || !cb->ring.size || magnet_epoch_told(cb))
			continue;
		smp_call_function_single(cpu, write_clock_here, cb, 1);
		told &= magnet_epoch_told(cb);
	}
	/* Who waits for a time to come may wait for the wrong one. */
	magnet_wake_readers(buffer);
	return told;
}

/**
 * magnet_buffers_write_epoch() - a CLOCK record in each ring that has none of this epoch
 *
 * Context: may sleep.
 * Return: false when a ring had no room.
 */
bool magnet_buffers_write_epoch(void)
{
	struct magnet_buffer *buffer;
	bool told = true;

	cpus_read_lock();
	mutex_lock(&magnet_buffers_lock);
	list_for_each_entry(buffer, &magnet_buffers, node)
		if (!magnet_buffer_dead(buffer))
			told &= write_epoch(buffer);
	mutex_unlock(&magnet_buffers_lock);
	cpus_read_unlock();
	return told;
}

/**
 * magnet_buffers_write_epoch_here() - the same in this CPU's rings, at once
 *
 * Context: interrupts off, no other CPU is online. Who holds the lock does not
 * run; then magnetk does it.
 */
void magnet_buffers_write_epoch_here(void)
{
	const int cpu = smp_processor_id();
	struct magnet_buffer *buffer;

	if (!mutex_trylock(&magnet_buffers_lock))
		return;
	list_for_each_entry(buffer, &magnet_buffers, node)
		if (!magnet_buffer_dead(buffer) && buffer->cpu[cpu])
			magnet_log_clock(buffer->cpu[cpu]);
	mutex_unlock(&magnet_buffers_lock);
}
