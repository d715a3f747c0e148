// SPDX-License-Identifier: GPL-2.0-only
/*
 * Buffers: named sets of rings, one for each CPU that has been online.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/ctype.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/poll.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "buffer.h"
#include "clock.h"
#include "control/magnetk.h"
#include "control/netlink.h"
#include "kernevesub/storm.h"
#include "magnetfs/magnetfs.h"
#include "magnetfs/reader.h"
#include "monisub/monisub.h"
#include "monisub/sub.h"
#include "owner.h"
#include "record.h"
#include "ring.h"
#include "ring_memory.h"
#include "turn.h"

/*
 * The list of buffers, and each buffer's list of subscriptions. A leaf under
 * cpus_read_lock: the hotplug callback takes it, so nothing that takes the
 * hotplug lock may be called below it.
 */
static DEFINE_MUTEX(buffers_lock);
static LIST_HEAD(buffers);
static enum cpuhp_state hotplug_state;

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
	cb->ring.wake_bytes = ULONG_MAX;
	mutex_init(&cb->memory);
	raw_spin_lock_init(&cb->peek);
	init_waitqueue_head(&cb->wait);
	magnet_reader_init_work(cb);
	return cb;
}

/**
 * magnet_log_clock() - a CLOCK record, if there is room
 * @cb: the ring
 *
 * Context: on the ring's CPU with interrupts off, or while nobody can log
 * there.
 */
void magnet_log_clock(struct magnet_cpu_buffer *cb)
{
	struct magnet_clock_pair pair;
	unsigned long pos;

	magnet_clock_pair_now(&pair);
	if (!magnet_ring_write_clock(&cb->ring, &pair, &pos))
		return;
	WRITE_ONCE(cb->clock_at, READ_ONCE(cb->ring.commit));
	if (cb->epoch == pair.epoch)
		return;
	WRITE_ONCE(cb->border, pos);
	/* Pairs with magnet_epoch_told(). */
	smp_store_release(&cb->epoch, pair.epoch);
}

/*
 * A CPU whose memory could not be had still gets a ring, of size 0: its
 * events are counted as dropped. A monitor must not keep a CPU offline, nor
 * take more than its share of the memory because one comes.
 */
static int add_ring(struct magnet_buffer *buffer, int cpu)
{
	struct magnet_cpu_buffer *cb = magnet_buffer_new_ring(buffer, cpu);
	int err;

	if (!cb)
		return -ENOMEM;
	err = magnet_buffer_check_memory(buffer->size, 1, NULL) ?:
	      magnet_ring_alloc(cb, buffer->size, cpu);
	if (!err)
		magnet_log_clock(cb);
	/* Pairs with magnet_buffer_next(). */
	smp_store_release(&buffer->cpu[cpu], cb);
	return err;
}

static void free_buffer(struct kref *ref)
{
	struct magnet_buffer *buffer = container_of(ref, struct magnet_buffer, ref);
	unsigned int cpu;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		struct magnet_cpu_buffer *cb = buffer->cpu[cpu];

		if (!cb)
			continue;
		irq_work_sync(&cb->wake_work);
		magnet_ring_free(cb);
		kfree(cb);
	}
	if (buffer->client)
		magnet_client_put(buffer->client);
	kvfree(buffer);
}

/**
 * magnet_buffer_put() - give up a reference
 * @buffer: freed with the last one
 *
 * Context: may sleep.
 */
void magnet_buffer_put(struct magnet_buffer *buffer)
{
	kref_put(&buffer->ref, free_buffer);
}

static bool name_is_good(const char *name)
{
	const char *c;

	for (c = name; *c; c++)
		if (!isalnum(*c) && *c != '_' && *c != '-' && *c != '.')
			return false;
	return name[0] && name[0] != '.';
}

/**
 * magnet_buffer_check_name() - may a new buffer have this name?
 * @name: the name
 * @extack: what was wrong
 *
 * Context: magnet_mutex held.
 * Return: 0, -EINVAL or -EEXIST.
 */
int magnet_buffer_check_name(const char *name, struct netlink_ext_ack *extack)
{
	if (!name_is_good(name)) {
		NL_SET_ERR_MSG(extack, "a buffer's name has letters, digits, '_', '-' and '.', and does not start with '.'");
		return -EINVAL;
	}
	if (!strcmp(name, MAGNET_MARKER_NODE)) {
		NL_SET_ERR_MSG(extack, "/dev/magnet/" MAGNET_MARKER_NODE " is taken; choose another name for the buffer");
		return -EINVAL;
	}
	if (magnet_buffer_find(name)) {
		NL_SET_ERR_MSG(extack, "a buffer of this name exists; choose another name, or remove that one first");
		return -EEXIST;
	}
	return 0;
}

/**
 * magnet_buffer_check_size() - round up to a size that a buffer may have
 * @size: bytes per CPU
 * @extack: what was wrong
 *
 * Return: 0 or -EINVAL.
 */
int magnet_buffer_check_size(u64 *size, struct netlink_ext_ack *extack)
{
	if (*size > MAGNET_BUFFER_SIZE_MAX) {
		NL_SET_ERR_MSG(extack, "a buffer has at most 256 MiB per CPU; ask for less");
		return -EINVAL;
	}
	*size = roundup_pow_of_two(max_t(u64, *size, MAGNET_BUFFER_SIZE_MIN));
	return 0;
}

/**
 * magnet_buffer_check_memory() - may rings take so much more memory?
 * @size: bytes of each
 * @rings: how many
 * @extack: what was wrong
 *
 * Also keeps vmap() from mapping more pages than the machine has.
 *
 * Return: 0 or -ENOMEM.
 */
int magnet_buffer_check_memory(u64 size, unsigned int rings, struct netlink_ext_ack *extack)
{
	if (magnet_ring_memory() + size * rings <= (u64)totalram_pages() * PAGE_SIZE / 2)
		return 0;
	NL_SET_ERR_MSG(extack, "all buffers together would take more than half of the memory; ask for less per CPU");
	return -ENOMEM;
}

/**
 * magnet_buffer_alloc() - a buffer without rings and files
 * @name: checked
 * @size: bytes per CPU
 * @flags: MAGNET_F_PERSISTENT, MAGNET_F_OVERWRITE
 * @client: owner, or NULL when persistent; a reference is taken
 *
 * Context: may sleep.
 * Return: the buffer, or NULL.
 */
struct magnet_buffer *magnet_buffer_alloc(const char *name, unsigned long size, u32 flags,
					  struct magnet_client *client)
{
	struct magnet_buffer *buffer = kvzalloc(struct_size(buffer, cpu, nr_cpu_ids),
						GFP_KERNEL_ACCOUNT);

	if (!buffer)
		return NULL;
	kref_init(&buffer->ref);
	INIT_LIST_HEAD(&buffer->subs);
	init_waitqueue_head(&buffer->wait);
	buffer->merged.buffer = buffer;
	strscpy(buffer->name, name, sizeof(buffer->name));
	buffer->size = size;
	buffer->flags = flags;
	if (client)
		magnet_client_get(client);
	buffer->client = client;
	return buffer;
}

/**
 * magnet_buffer_add() - a buffer is complete: show it
 * @buffer: with its rings
 *
 * Context: may sleep; magnet_mutex and cpus_read_lock held.
 */
void magnet_buffer_add(struct magnet_buffer *buffer)
{
	mutex_lock(&buffers_lock);
	list_add_tail(&buffer->node, &buffers);
	magnet_magnetfs_add_buffer(buffer);
	mutex_unlock(&buffers_lock);
}

/**
 * magnet_buffer_create() - make a buffer and its files
 * @name: letters, digits, '_', '-', '.'
 * @size: bytes per CPU; rounded up to a power of two
 * @flags: MAGNET_F_PERSISTENT, MAGNET_F_OVERWRITE
 * @client: owner, or NULL when persistent; a reference is taken
 * @extack: what was wrong
 *
 * Context: may sleep; magnet_mutex held.
 * Return: the buffer, or an ERR_PTR.
 */
struct magnet_buffer *magnet_buffer_create(const char *name, u64 size, u32 flags,
					   struct magnet_client *client,
					   struct netlink_ext_ack *extack)
{
	struct magnet_buffer *buffer;
	unsigned int cpu;
	int err;

	err = magnet_buffer_check_name(name, extack);
	if (!err)
		err = magnet_buffer_check_size(&size, extack);
	if (!err)
		err = magnet_buffer_check_memory(size, num_online_cpus(), extack);
	if (err)
		return ERR_PTR(err);
	buffer = magnet_buffer_alloc(name, size, flags, client);
	if (!buffer)
		return ERR_PTR(-ENOMEM);

	cpus_read_lock();
	for_each_online_cpu(cpu) {
		err = add_ring(buffer, cpu);
		if (err)
			break;
	}
	if (!err)
		magnet_buffer_add(buffer);
	cpus_read_unlock();
	if (err) {
		NL_SET_ERR_MSG(extack, "no memory for a buffer of this size; ask for less");
		magnet_buffer_put(buffer);
		return ERR_PTR(err);
	}
	magnetk_buffer_made();
	return buffer;
}

/**
 * magnet_buffer_find() - by name
 * @name: its name
 *
 * Context: may sleep; magnet_mutex held.
 * Return: the buffer, without a reference of its own; or NULL.
 */
struct magnet_buffer *magnet_buffer_find(const char *name)
{
	struct magnet_buffer *buffer;

	list_for_each_entry(buffer, &buffers, node)
		if (!strcmp(buffer->name, name))
			return buffer;
	return NULL;
}

/* The n-th buffer of the list, for dumps; magnet_mutex held. */
struct magnet_buffer *magnet_buffer_nth(unsigned int n)
{
	struct magnet_buffer *buffer;

	list_for_each_entry(buffer, &buffers, node)
		if (!n--)
			return buffer;
	return NULL;
}

/* A notice when events were lost since the last one; magnet_mutex held. */
static void tell_loss(struct magnet_buffer *buffer)
{
	const u64 lost = magnet_buffer_lost(buffer);

	if (lost == buffer->loss_told)
		return;
	buffer->loss_told = lost;
	magnet_netlink_loss(buffer->name, lost);
}

/**
 * magnet_buffer_remove() - take a buffer away
 * @buffer: without subscriptions
 *
 * Its files vanish; whoever has one open reads what is left, then 0. What
 * magnetk has not yet told of its loss is told.
 *
 * Context: may sleep; magnet_mutex held.
 */
void magnet_buffer_remove(struct magnet_buffer *buffer)
{
	unsigned int cpu;

	tell_loss(buffer);
	cpus_read_lock();
	mutex_lock(&buffers_lock);
	list_del(&buffer->node);
	mutex_unlock(&buffers_lock);
	cpus_read_unlock();

	magnet_magnetfs_remove_buffer(buffer);
	/* Pairs with the acquire in magnet_buffer_dead(). */
	smp_store_release(&buffer->dead, true);
	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		if (buffer->cpu[cpu])
			wake_up_all(&buffer->cpu[cpu]->wait);
	wake_up_all(&buffer->wait);
	magnet_buffer_put(buffer);
}

/**
 * magnet_buffer_bind() - let a new subscription log to its buffer's rings
 * @buffer: where it logs
 * @sub: not yet attached
 *
 * Context: may sleep; magnet_mutex held.
 */
void magnet_buffer_bind(struct magnet_buffer *buffer, struct magnet_sub *sub)
{
	unsigned int cpu;

	kref_get(&buffer->ref);
	sub->buffer = buffer;
	cpus_read_lock();
	mutex_lock(&buffers_lock);
	for_each_possible_cpu(cpu)
		if (buffer->cpu[cpu])
			magnet_sub_cpu_init(sub, cpu, buffer->cpu[cpu]);
	list_add_tail(&sub->buffer_node, &buffer->subs);
	buffer->nr_subs++;
	mutex_unlock(&buffers_lock);
	cpus_read_unlock();
}

/* The reverse, when no handler can see @sub any more. */
void magnet_buffer_unbind(struct magnet_sub *sub)
{
	cpus_read_lock();
	mutex_lock(&buffers_lock);
	/* Nothing comes after it that could. */
	magnet_sub_tell_storms(sub);
	list_del(&sub->buffer_node);
	sub->buffer->nr_subs--;
	mutex_unlock(&buffers_lock);
	cpus_read_unlock();
	magnet_buffer_put(sub->buffer);
}

/* A CPU comes up: every buffer gets a ring for it before it can log. */
static int cpu_prepare(unsigned int cpu)
{
	struct magnet_buffer *buffer;
	struct magnet_sub *sub;
	int err = 0;

	mutex_lock(&buffers_lock);
	list_for_each_entry(buffer, &buffers, node) {
		if (magnet_buffer_dead(buffer))
			continue;
		if (buffer->cpu[cpu]) {
			/* After a suspend, say. It is not there yet, so we may. */
			if (!magnet_epoch_told(buffer->cpu[cpu]))
				magnet_log_clock(buffer->cpu[cpu]);
			continue;
		}
		if (add_ring(buffer, cpu))
			pr_warn("no memory for buffer %s on CPU %u: its events there are counted as dropped\n",
				buffer->name, cpu);
		/* Not even to count what is dropped. */
		if (!buffer->cpu[cpu]) {
			err = -ENOMEM;
			break;
		}
		list_for_each_entry(sub, &buffer->subs, buffer_node)
			magnet_sub_cpu_init(sub, cpu, buffer->cpu[cpu]);
		magnet_magnetfs_add_ring(buffer->cpu[cpu]);
		/* Who reads all rings sets its wake point in this one, too. */
		wake_up_interruptible_poll(&buffer->wait, EPOLLIN | EPOLLRDNORM);
	}
	mutex_unlock(&buffers_lock);
	return err;
}

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
	mutex_lock(&buffers_lock);
	list_for_each_entry(buffer, &buffers, node) {
		for_each_online_cpu(cpu) {
			struct magnet_cpu_buffer *cb = buffer->cpu[cpu];

			if (cb && READ_ONCE(cb->ring.commit) != READ_ONCE(cb->clock_at))
				smp_call_function_single(cpu, write_clock_here, cb, 1);
		}
	}
	mutex_unlock(&buffers_lock);
	cpus_read_unlock();
}

static void wake_readers_of(struct magnet_buffer *buffer)
{
	struct magnet_cpu_buffer *cb;
	unsigned int i = 0;

	while ((cb = magnet_buffer_next(buffer, &i)))
		wake_up_interruptible_poll(&cb->wait, EPOLLIN | EPOLLRDNORM);
	wake_up_interruptible_poll(&buffer->wait, EPOLLIN | EPOLLRDNORM);
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
	wake_readers_of(buffer);
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
	mutex_lock(&buffers_lock);
	list_for_each_entry(buffer, &buffers, node)
		if (!magnet_buffer_dead(buffer))
			told &= write_epoch(buffer);
	mutex_unlock(&buffers_lock);
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

	if (!mutex_trylock(&buffers_lock))
		return;
	list_for_each_entry(buffer, &buffers, node)
		if (!magnet_buffer_dead(buffer) && buffer->cpu[cpu])
			magnet_log_clock(buffer->cpu[cpu]);
	mutex_unlock(&buffers_lock);
}

/**
 * magnet_buffers_tell_storms() - STORM records of what no event has told of
 *
 * Context: may sleep.
 */
void magnet_buffers_tell_storms(void)
{
	struct magnet_buffer *buffer;
	struct magnet_sub *sub;

	cpus_read_lock();
	mutex_lock(&buffers_lock);
	list_for_each_entry(buffer, &buffers, node)
		list_for_each_entry(sub, &buffer->subs, buffer_node)
			magnet_sub_tell_storms(sub);
	mutex_unlock(&buffers_lock);
	cpus_read_unlock();
}

/* Events dropped on a ring, told or not. */
u64 magnet_ring_lost(struct magnet_ring *r)
{
	return atomic_long_read(&r->lost_reported) + atomic_long_read(&r->lost_pending);
}

u64 magnet_buffer_lost(struct magnet_buffer *buffer)
{
	struct magnet_cpu_buffer *cb;
	unsigned int i = 0;
	u64 lost = 0;

	while ((cb = magnet_buffer_next(buffer, &i)))
		lost += magnet_ring_lost(&cb->ring);
	return lost;
}

u64 magnet_buffer_overwritten(struct magnet_buffer *buffer)
{
	struct magnet_cpu_buffer *cb;
	unsigned int i = 0;
	u64 overwritten = 0;

	while ((cb = magnet_buffer_next(buffer, &i)))
		overwritten += local_read(&cb->ring.overwritten);
	return overwritten;
}

bool magnet_buffers_exist(void)
{
	return !list_empty(&buffers);
}

/* magnetk: a notice for each buffer that lost events since the last one. */
void magnet_buffers_tell_loss(void)
{
	struct magnet_buffer *buffer;

	mutex_lock(&magnet_mutex);
	list_for_each_entry(buffer, &buffers, node)
		tell_loss(buffer);
	mutex_unlock(&magnet_mutex);
}

static const char *kind_of(const struct magnet_buffer *buffer)
{
	if (magnet_buffer_dead(buffer))
		return "snapshot";
	return buffer->flags & MAGNET_F_OVERWRITE ? "recorder" : "buffer";
}

void magnet_buffers_show(struct seq_file *m)
{
	struct magnet_buffer *buffer;

	seq_puts(m, "# name bytes_per_cpu subscriptions owner lost kind overwritten\n");
	mutex_lock(&magnet_mutex);
	list_for_each_entry(buffer, &buffers, node) {
		seq_printf(m, "%s %lu %u ", buffer->name, buffer->size, buffer->nr_subs);
		if (buffer->client)
			seq_printf(m, "port:%u", buffer->client->portid);
		else
			seq_puts(m, "persistent");
		seq_printf(m, " %llu %s %llu\n", magnet_buffer_lost(buffer), kind_of(buffer),
			   magnet_buffer_overwritten(buffer));
	}
	mutex_unlock(&magnet_mutex);
}

/**
 * magnet_ring_counts() - what went into a ring, and what came out
 * @cb: the ring
 *
 * While it is read, one may be a record ahead of the other.
 *
 * Context: any.
 */
struct magnet_ring_counts magnet_ring_counts(struct magnet_cpu_buffer *cb)
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

static void show_ring(struct seq_file *m, struct magnet_cpu_buffer *cb)
{
	struct magnet_ring *r = &cb->ring;
	const unsigned long commit = magnet_ring_published(r);
	const struct magnet_ring_counts c = magnet_ring_counts(cb);

	seq_printf(m, "ring %s cpu%u size %lu unread %lu reserved %ld nest %ld records %llu read %llu lost %llu lost_told %lu overwritten %lu reader %lu\n",
		   cb->buffer->name, r->cpu, READ_ONCE(r->size), commit - READ_ONCE(r->tail),
		   local_read(&r->head) - commit, local_read(&r->nest),
		   c.records_written, c.records_read, magnet_ring_lost(r),
		   atomic_long_read(&r->lost_reported), local_read(&r->overwritten),
		   READ_ONCE(cb->reader) & 1);
}

void magnet_stats_show(struct seq_file *m)
{
	struct magnet_cpu_buffer *cb;
	struct magnet_buffer *buffer;
	unsigned int i;

	mutex_lock(&magnet_mutex);
	list_for_each_entry(buffer, &buffers, node) {
		i = 0;
		while ((cb = magnet_buffer_next(buffer, &i)))
			show_ring(m, cb);
		seq_printf(m, "merged %s late %llu reader %d\n", buffer->name,
			   READ_ONCE(buffer->merged_late), atomic_read(&buffer->readers) < 0);
	}
	magnet_sub_stats_show(m);
	mutex_unlock(&magnet_mutex);
}

int magnet_buffers_init(void)
{
	int state;

	state = cpuhp_setup_state_nocalls(CPUHP_BP_PREPARE_DYN, "magnet:prepare",
					  cpu_prepare, NULL);
	if (state < 0)
		return state;
	hotplug_state = state;
	return 0;
}

void magnet_buffers_exit(void)
{
	cpuhp_remove_state_nocalls(hotplug_state);
}
