// SPDX-License-Identifier: GPL-2.0-only
/*
 * Other memory for rings while events flow: a buffer gets another size, or
 * what a flight recorder has becomes a buffer of its own.
 *
 * Positions go on as they were; the memory below them is another. The exchange
 * runs on the ring's CPU with interrupts off, so that only an NMI can come in
 * between, and goes ahead when it interrupted no writer. Readers, who look at
 * records from other CPUs, are kept out by the ring's two locks.
 */
#include <linux/delay.h>
#include <linux/netlink.h>

#include "buffer.h"
#include "exchange.h"

/* How often an exchange is tried that meets a writer each time, and after which pause. */
#define TRIES		1000
#define PAUSE_US	50

/**
 * magnet_exchange_there() - do something on a ring's CPU, with interrupts off
 * @x: the ring
 * @fn: what; given @x. Here, where that CPU is offline: nobody logs there
 *
 * Context: may sleep; cpus_read_lock held.
 */
void magnet_exchange_there(struct magnet_memory_exchange *x, smp_call_func_t fn)
{
	unsigned long flags;

	if (!smp_call_function_single(x->cb->ring.cpu, fn, x, 1))
		return;
	local_irq_save(flags);
	fn(x);
	local_irq_restore(flags);
}

/**
 * magnet_exchange_run() - the same until no writer is in the way
 * @x: the ring
 * @fn: what; sets @x->err, -EAGAIN: again, soon
 *
 * Context: may sleep; cpus_read_lock held.
 * Return: @x->err; -EAGAIN: a writer does not come to an end.
 */
int magnet_exchange_run(struct magnet_memory_exchange *x, smp_call_func_t fn)
{
	unsigned int tries;

	for (tries = 0; tries < TRIES; tries++) {
		magnet_exchange_there(x, fn);
		if (x->err != -EAGAIN)
			break;
		usleep_range(PAUSE_US, 2 * PAUSE_US);
	}
	return x->err;
}

/* A look: does a writer stand in the way? */
static void look_here(void *info)
{
	struct magnet_memory_exchange *x = info;

	x->err = magnet_ring_busy(&x->cb->ring) ? -EAGAIN : 0;
}

/**
 * magnet_exchange_check() - does a handler stand in the way on any CPU?
 * @buffer: the buffer
 * @extack: what was wrong
 *
 * Asked before anything is done to the first ring: then, as a rule, all rings are
 * exchanged or none.
 *
 * Context: may sleep; cpus_read_lock held.
 * Return: 0 or -EAGAIN.
 */
int magnet_exchange_check(const struct magnet_buffer *buffer, struct netlink_ext_ack *extack)
{
	unsigned int cpu;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		struct magnet_memory_exchange x = { .cb = buffer->cpu[cpu] };

		if (!x.cb || !magnet_exchange_run(&x, look_here))
			continue;
		NL_SET_ERR_MSG(extack, "a handler does not come to an end on one of the CPUs; nothing has changed, try again");
		return -EAGAIN;
	}
	return 0;
}
