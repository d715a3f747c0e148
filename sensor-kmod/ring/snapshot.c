// SPDX-License-Identifier: GPL-2.0-only
/*
 * Snapshots: what a flight recorder has becomes a buffer of its own, and the
 * recorder goes on with fresh memory.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpu.h>
#include <linux/netlink.h>
#include <linux/printk.h>

#include "buffer.h"
#include "clock.h"
#include "clock_record.h"
#include "exchange.h"
#include "record.h"
#include "ring.h"
#include "ring_memory.h"
#include "snapshot.h"

/* The last record is a CLOCK record, so that each snapshot explains its times. */
static void hand_over_here(void *info)
{
	struct magnet_memory_exchange *x = info;
	struct magnet_ring *r = &x->cb->ring;
	struct magnet_clock_pair pair;

	if (!local_read(&r->nest)) {
		magnet_clock_pair_now(&pair);
		magnet_ring_write_clock(r, &pair, NULL);
	}
	x->err = magnet_ring_hand_over(r, &x->to->ring, x->cb->ring_records_read);
}

static int hand_over(struct magnet_cpu_buffer *cb, struct magnet_cpu_buffer *to)
{
	struct magnet_memory_exchange x = { .cb = cb, .to = to };
	struct magnet_ring *r = &to->ring;
	const int err = magnet_exchange_run(&x, hand_over_here);

	if (err) {
		pr_warn("a handler does not come to an end on CPU %u: snapshot %s is without it\n",
			cb->ring.cpu, to->buffer->name);
		return err;
	}
	swap(cb->pages, to->pages);
	WRITE_ONCE(cb->ring_records_read, cb->ring_records_read + r->commit_records);
	WRITE_ONCE(cb->bytes_read,
		   cb->bytes_read + magnet_read_bytes(r->commit - r->tail, r->commit_records));
	WRITE_ONCE(cb->clock_at, r->commit);
	WRITE_ONCE(to->clock_at, r->commit);
	to->begin = r->tail;
	return 0;
}

/*
 * Return: 0; -EAGAIN when a handler got stuck after the look at all rings.
 * What the others had is in the snapshot then: they can't take it back.
 */
static int hand_all_over(struct magnet_buffer *from, struct magnet_buffer *to,
			 struct netlink_ext_ack *extack)
{
	unsigned int cpu;
	int err = 0;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		if (from->cpu[cpu] && hand_over(from->cpu[cpu], to->cpu[cpu]))
			err = -EAGAIN;
	if (err)
		NL_SET_ERR_MSG(extack, "a handler got stuck: the snapshot is there, without the CPUs that the kernel log names; read it, and take another for those");
	return err;
}

/* Rings with fresh memory, which the flight recorder will have. */
static int alloc_rings(struct magnet_buffer *buffer, const struct magnet_buffer *from)
{
	unsigned int cpu;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		if (!from->cpu[cpu])
			continue;
		buffer->cpu[cpu] = magnet_buffer_new_ring(buffer, cpu);
		if (!buffer->cpu[cpu] || magnet_ring_alloc(buffer->cpu[cpu], from->size, cpu))
			return -ENOMEM;
	}
	return 0;
}

static struct magnet_buffer *take_snapshot(struct magnet_buffer *from, const char *name,
					   u32 flags, struct magnet_client *client,
					   struct netlink_ext_ack *extack)
{
	struct magnet_buffer *buffer = magnet_buffer_alloc(name, from->size, flags, client);
	int err;

	if (!buffer || alloc_rings(buffer, from)) {
		NL_SET_ERR_MSG(extack, "no memory for a snapshot, which takes as much as the flight recorder; nothing has changed");
		err = -ENOMEM;
		goto put;
	}
	err = magnet_exchange_check(from, extack);
	if (err)
		goto put;
	err = hand_all_over(from, buffer, extack);
	/* Pairs with the acquire in magnet_buffer_dead(). */
	smp_store_release(&buffer->dead, true);
	magnet_buffer_add(buffer);
	return err ? ERR_PTR(err) : buffer;

put:
	if (buffer)
		magnet_buffer_put(buffer);
	return ERR_PTR(err);
}

/**
 * magnet_buffer_snapshot() - what a flight recorder has becomes a buffer of its own
 * @from: the flight recorder; goes on, empty
 * @name: of the new buffer
 * @flags: MAGNET_F_PERSISTENT
 * @client: owner, or NULL when persistent; a reference is taken
 * @extack: what was wrong
 *
 * Nothing is logged to the new buffer: its readers read to the end, then 0. On
 * failure there is none, unless the text of -EAGAIN says that it is there
 * without some CPUs.
 *
 * Context: may sleep; magnet_mutex held.
 * Return: the new buffer, or an ERR_PTR: -EAGAIN when a handler does not come
 * to an end.
 */
struct magnet_buffer *magnet_buffer_snapshot(struct magnet_buffer *from, const char *name,
					     u32 flags, struct magnet_client *client,
					     struct netlink_ext_ack *extack)
{
	struct magnet_buffer *buffer;
	int err;

	if (!(from->flags & MAGNET_F_OVERWRITE)) {
		NL_SET_ERR_MSG(extack, "only a flight recorder, made with the flag overwrite, has snapshots; read this buffer's files");
		return ERR_PTR(-EOPNOTSUPP);
	}
	err = magnet_buffer_check_name(name, extack);
	if (err)
		return ERR_PTR(err);
	cpus_read_lock();
	err = magnet_ring_check_memory(from->size, magnet_buffer_count_rings(from), extack);
	buffer = err ? ERR_PTR(err) : take_snapshot(from, name, flags, client, extack);
	cpus_read_unlock();
	return buffer;
}
