// SPDX-License-Identifier: GPL-2.0-only
/*
 * The life of buffers: their names, the list of them, who logs there and who
 * looks on as they come and go.
 */
#include <linux/cpu.h>
#include <linux/ctype.h>
#include <linux/log2.h>
#include <linux/netlink.h>
#include <linux/slab.h>

#include "buffer.h"
#include "owner.h"
#include "ring_memory.h"
#include "wake.h"

/* The list, and the rings and writers of each: see buffer.h. */
DEFINE_MUTEX(magnet_buffers_lock);
LIST_HEAD(magnet_buffers);
/* While there is no buffer it may change. */
static LIST_HEAD(watchers);

/* ---- who looks on ---- */

void magnet_buffers_watch(struct magnet_buffer_watcher *watcher)
{
	list_add_tail(&watcher->node, &watchers);
}

void magnet_buffers_unwatch(struct magnet_buffer_watcher *watcher)
{
	list_del(&watcher->node);
}

/**
 * magnet_buffer_show_ring() - a buffer that is there has one more ring: show it
 * @cb: the ring
 *
 * Context: may sleep; magnet_buffers_lock held.
 */
void magnet_buffer_show_ring(struct magnet_cpu_buffer *cb)
{
	const struct magnet_buffer_watcher *watcher;

	list_for_each_entry(watcher, &watchers, node)
		if (watcher->ring_added)
			watcher->ring_added(cb);
}

static void show(struct magnet_buffer *buffer)
{
	const struct magnet_buffer_watcher *watcher;

	list_for_each_entry(watcher, &watchers, node)
		if (watcher->added)
			watcher->added(buffer);
}

static void hide(struct magnet_buffer *buffer)
{
	const struct magnet_buffer_watcher *watcher;

	list_for_each_entry(watcher, &watchers, node)
		if (watcher->removed)
			watcher->removed(buffer);
}

/* ---- the list ---- */

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

	list_for_each_entry(buffer, &magnet_buffers, node)
		if (!strcmp(buffer->name, name))
			return buffer;
	return NULL;
}

/* The n-th buffer of the list, for dumps; magnet_mutex held. */
struct magnet_buffer *magnet_buffer_nth(unsigned int n)
{
	struct magnet_buffer *buffer;

	list_for_each_entry(buffer, &magnet_buffers, node)
		if (!n--)
			return buffer;
	return NULL;
}

bool magnet_buffers_exist(void)
{
	return !list_empty(&magnet_buffers);
}

/* ---- names and sizes ---- */

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

/* ---- from the beginning to the end ---- */

static void free_buffer(struct kref *ref)
{
	struct magnet_buffer *buffer = container_of(ref, struct magnet_buffer, ref);
	unsigned int cpu;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		if (buffer->cpu[cpu])
			magnet_buffer_free_ring(buffer->cpu[cpu]);
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
	INIT_LIST_HEAD(&buffer->writers);
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
	mutex_lock(&magnet_buffers_lock);
	list_add_tail(&buffer->node, &magnet_buffers);
	show(buffer);
	mutex_unlock(&magnet_buffers_lock);
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
		err = magnet_ring_check_memory(size, num_online_cpus(), extack);
	if (err)
		return ERR_PTR(err);
	buffer = magnet_buffer_alloc(name, size, flags, client);
	if (!buffer)
		return ERR_PTR(-ENOMEM);

	cpus_read_lock();
	for_each_online_cpu(cpu) {
		err = magnet_buffer_add_ring(buffer, cpu);
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
	return buffer;
}

/**
 * magnet_buffer_remove() - take a buffer away
 * @buffer: nobody logs there
 *
 * Its files vanish; whoever has one open reads what is left, then 0.
 *
 * Context: may sleep; magnet_mutex held.
 */
void magnet_buffer_remove(struct magnet_buffer *buffer)
{
	unsigned int cpu;

	cpus_read_lock();
	mutex_lock(&magnet_buffers_lock);
	list_del(&buffer->node);
	mutex_unlock(&magnet_buffers_lock);
	cpus_read_unlock();

	hide(buffer);
	/* Pairs with the acquire in magnet_buffer_dead(). */
	smp_store_release(&buffer->dead, true);
	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		if (buffer->cpu[cpu])
			wake_up_all(&buffer->cpu[cpu]->wait);
	wake_up_all(&buffer->wait);
	magnet_buffer_put(buffer);
}

/* ---- who logs ---- */

/**
 * magnet_buffer_bind() - somebody logs to a buffer's rings from now on
 * @buffer: where to
 * @writer: who; told of each ring before it logs there
 *
 * Context: may sleep; magnet_mutex held.
 */
void magnet_buffer_bind(struct magnet_buffer *buffer, struct magnet_writer *writer)
{
	unsigned int cpu;

	kref_get(&buffer->ref);
	cpus_read_lock();
	mutex_lock(&magnet_buffers_lock);
	for_each_possible_cpu(cpu)
		if (buffer->cpu[cpu])
			writer->bind(writer, buffer->cpu[cpu]);
	list_add_tail(&writer->node, &buffer->writers);
	buffer->nr_writers++;
	mutex_unlock(&magnet_buffers_lock);
	cpus_read_unlock();
}

/* The reverse, when no handler can see @writer any more. */
void magnet_buffer_unbind(struct magnet_buffer *buffer, struct magnet_writer *writer)
{
	cpus_read_lock();
	mutex_lock(&magnet_buffers_lock);
	list_del(&writer->node);
	buffer->nr_writers--;
	mutex_unlock(&magnet_buffers_lock);
	cpus_read_unlock();
	magnet_buffer_put(buffer);
}

/**
 * magnet_writers_each() - do something for all who log
 * @fn: what
 *
 * Context: may sleep; @fn is called with cpus_read_lock held.
 */
void magnet_writers_each(void (*fn)(struct magnet_writer *writer))
{
	struct magnet_buffer *buffer;
	struct magnet_writer *writer;

	cpus_read_lock();
	mutex_lock(&magnet_buffers_lock);
	list_for_each_entry(buffer, &magnet_buffers, node)
		list_for_each_entry(writer, &buffer->writers, node)
			fn(writer);
	mutex_unlock(&magnet_buffers_lock);
	cpus_read_unlock();
}
