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
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/netlink.h>
#include <linux/poll.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "buffer.h"
#include "clock.h"
#include "exchange.h"
#include "owner.h"
#include "record.h"
#include "ring.h"
#include "ring_memory.h"

/* How often an exchange is tried that meets a writer each time, and after which pause. */
#define TRIES		1000
#define PAUSE_US	50
/* So much may be left to copy while interrupts are off. */
#define COPY_LAST	SZ_32K
/* So much is copied before others get the CPU. */
#define COPY_STEP	SZ_1M

/**
 * struct exchange - a ring gets other memory
 * @cb: the ring
 * @memory: its new memory, afterwards the old
 * @copied: what is below this position has been copied
 * @to: instead of @memory: the ring that gets the old one, and gives its own
 * @err: how it went
 */
struct exchange {
	struct magnet_cpu_buffer	*cb;
	struct magnet_ring_memory	memory;
	unsigned long			copied;
	struct magnet_cpu_buffer	*to;
	int				err;
};

/* On the ring's CPU; no CPU comes or goes. Who is offline logs nothing. */
static void run_there(struct exchange *x, smp_call_func_t fn)
{
	unsigned long flags;

	if (!smp_call_function_single(x->cb->ring.cpu, fn, x, 1))
		return;
	local_irq_save(flags);
	fn(x);
	local_irq_restore(flags);
}

/* The same until no writer is in the way. */
static int exchange(struct exchange *x, smp_call_func_t fn)
{
	unsigned int tries;

	for (tries = 0; tries < TRIES; tries++) {
		run_there(x, fn);
		if (x->err != -EAGAIN)
			break;
		usleep_range(PAUSE_US, 2 * PAUSE_US);
	}
	return x->err;
}

/* A look: does a writer stand in the way? */
static void look_here(void *info)
{
	struct exchange *x = info;

	x->err = magnet_ring_busy(&x->cb->ring) ? -EAGAIN : 0;
}

/*
 * Before anything is done to the first ring, no handler may be stuck on any
 * CPU: then, as a rule, all rings are exchanged or none.
 */
static int check_rings(const struct magnet_buffer *buffer, struct netlink_ext_ack *extack)
{
	unsigned int cpu;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		struct exchange x = { .cb = buffer->cpu[cpu] };

		if (!x.cb || !exchange(&x, look_here))
			continue;
		NL_SET_ERR_MSG(extack, "a handler does not come to an end on one of the CPUs; nothing has changed, try again");
		return -EAGAIN;
	}
	return 0;
}

/* ---- another size ---- */

static void shrink_here(void *info)
{
	struct exchange *x = info;

	magnet_ring_shrink(&x->cb->ring, x->memory.size);
}

static void unshrink_here(void *info)
{
	struct exchange *x = info;

	WRITE_ONCE(x->cb->ring.size, x->cb->ring.mask + 1);
}

static void exchange_here(void *info)
{
	struct exchange *x = info;
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
static void copy_ahead(struct exchange *x)
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
	struct exchange x = { .cb = cb, .memory = memory->at };
	struct magnet_ring *r = &cb->ring;
	int err;

	mutex_lock(&cb->memory);
	while (r->overwrite && r->size > memory->at.size)
		run_there(&x, shrink_here);
	copy_ahead(&x);
	do {
		err = exchange(&x, exchange_here);
	} while (r->overwrite && err == -EBUSY);
	if (!err) {
		memory->at = x.memory;
		swap(memory->pages, cb->pages);
	} else if (r->overwrite) {
		run_there(&x, unshrink_here);
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

static unsigned int count_rings(const struct magnet_buffer *buffer)
{
	unsigned int cpu, rings = 0;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		rings += !!buffer->cpu[cpu];
	return rings;
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

/* Wake points are reckoned from the size, so whoever sleeps looks anew. */
static void wake_all(struct magnet_buffer *buffer)
{
	unsigned int cpu;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		if (buffer->cpu[cpu])
			wake_up_interruptible_poll(&buffer->cpu[cpu]->wait,
						   EPOLLIN | EPOLLRDNORM);
	wake_up_interruptible_poll(&buffer->wait, EPOLLIN | EPOLLRDNORM);
}

static int resize(struct magnet_buffer *buffer, u64 size, struct netlink_ext_ack *extack)
{
	struct magnet_memory *memory;
	unsigned int cpu;
	int err;

	err = magnet_buffer_check_memory(size, count_rings(buffer), extack) ?:
	      check_rings(buffer, extack);
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
	wake_all(buffer);
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

/* ---- snapshots ---- */

/* The last record is a CLOCK record, so that each snapshot explains its times. */
static void hand_over_here(void *info)
{
	struct exchange *x = info;
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
	struct exchange x = { .cb = cb, .to = to };
	struct magnet_ring *r = &to->ring;
	const int err = exchange(&x, hand_over_here);

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
	err = check_rings(from, extack);
	if (err)
		goto put;
	err = hand_all_over(from, buffer, extack);
	/* The loss is not news: it was told of the flight recorder. */
	buffer->loss_told = magnet_buffer_lost(buffer);
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
	err = magnet_buffer_check_memory(from->size, count_rings(from), extack);
	buffer = err ? ERR_PTR(err) : take_snapshot(from, name, flags, client, extack);
	cpus_read_unlock();
	return buffer;
}
