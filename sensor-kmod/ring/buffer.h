/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Buffers: named sets of rings, one for each CPU that has been online.
 */
#ifndef _MAGNET_BUFFER_H
#define _MAGNET_BUFFER_H

#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/irq_work.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>

#include <uapi/magnet.h>

#include "ring.h"

struct dentry;
struct device;
struct magnet_client;
struct netlink_ext_ack;
struct page;

/* Below /dev/magnet, so no buffer can have this name. */
#define MAGNET_MARKER_NODE	"marker"

/**
 * struct magnet_data_file - what is behind a data file and its node
 * @buffer: whose records it has
 * @cb: those of this CPU; NULL: of all, merged in one order
 * @node: /dev/magnet/<buffer>/<name>
 */
struct magnet_data_file {
	struct magnet_buffer		*buffer;
	struct magnet_cpu_buffer	*cb;
	struct device			*node;
};

/**
 * struct magnet_cpu_buffer - a ring with what the reader's side needs
 * @ring: the ring itself
 * @pages: of @ring.data
 * @memory: held while records are copied out of @ring.data, or other memory
 *	takes its place
 * @peek: the same for a look at the oldest record, which may not sleep
 * @begin: position of the first record that this ring ever had
 * @buffer: the buffer it is a part of
 * @wait: sleeping readers and pollers
 * @wake_work: wakes @wait, outside of the probe
 * @reader: 1 while the data file or the character node is open
 * @ring_records_read: records of the ring that were read; of a flight recorder:
 *	that snapshots took
 * @told_read: LOST records that were made for a reader who had read all
 * @bytes_read: bytes of both
 * @clock_at: @ring.commit when the last CLOCK record was written
 * @epoch: of that record
 * @border: where the first CLOCK record of @epoch begins: what is below is of an
 *	older one
 * @flush: position below which everything is readable
 * @whole: position up to which no record is missing, nor will be, that is no
 *	younger than @whole_timer; the reader's @state orders both
 * @whole_timer: the clock when that was found
 * @met: when its CPU was last interrupted for the reader, CLOCK_MONOTONIC in ns
 * @seen_bytes: unread in the ring, when the reader last set its wake points
 * @seen_records: likewise
 * @file: cpuN
 */
struct magnet_cpu_buffer {
	struct magnet_ring	ring;
	struct page		**pages;
	struct mutex		memory; /* who copies, or exchanges it */
	raw_spinlock_t		peek; /* who looks at it */
	unsigned long		begin;
	struct magnet_buffer	*buffer;
	wait_queue_head_t	wait;
	struct irq_work		wake_work;
	unsigned long		reader;
	unsigned long		ring_records_read;
	u64			told_read;
	u64			bytes_read;
	unsigned long		clock_at;
	u32			epoch;
	unsigned long		border;
	unsigned long		flush;
	unsigned long		whole;
	u64			whole_timer;
	u64			met;
	unsigned long		seen_bytes;
	u64			seen_records;
	struct magnet_data_file	file;
};

/**
 * struct magnet_buffer - one ring for each CPU that has been online
 * @ref: one for the list, one for each subscription and open file
 * @node: in the list of buffers
 * @name: as in data/<name>
 * @size: bytes of each ring
 * @flags: MAGNET_F_*
 * @client: owner; NULL when persistent
 * @dead: removed, or a snapshot: nothing is logged any more, readers read to
 *	the end, then 0
 * @dir: data/<name>
 * @writers: who logs here
 * @nr_writers: how many
 * @loss_told: lost events as of the last notice; of who sends them
 * @merged: the file of all rings
 * @wait: its sleeping readers and pollers
 * @readers: open cpuN files; -1 while @merged is open
 * @merged_late: records that a read of @merged returned after a younger one
 * @cpu: a ring for each CPU, NULL where it has never been online
 */
struct magnet_buffer {
	struct kref			ref;
	struct list_head		node;
	char				name[MAGNET_NAME_SIZE];
	unsigned long			size;
	u32				flags;
	struct magnet_client		*client;
	bool				dead;
	struct dentry			*dir;
	struct list_head		writers;
	unsigned int			nr_writers;
	u64				loss_told;
	struct magnet_data_file		merged;
	wait_queue_head_t		wait;
	atomic_t			readers;
	u64				merged_late;
	struct magnet_cpu_buffer	*cpu[];
};

/**
 * struct magnet_writer - who logs to all rings of a buffer
 * @node: in @buffer->writers
 * @bind: called for each ring, also of a CPU that comes later, before anything
 *	is logged there; with magnet_buffers_lock held
 */
struct magnet_writer {
	struct list_head	node;
	void			(*bind)(struct magnet_writer *writer,
					struct magnet_cpu_buffer *cb);
};

/**
 * struct magnet_buffer_watcher - who looks on as buffers come and go
 * @node: in the list of watchers
 * @added: a buffer is there, with its rings; magnet_mutex and magnet_buffers_lock
 *	held
 * @ring_added: it has one more; magnet_buffers_lock held, and a CPU is coming
 * @removed: a buffer goes, nothing is logged there; magnet_mutex held
 *
 * All may sleep; NULL: it does not care.
 */
struct magnet_buffer_watcher {
	struct list_head	node;
	void			(*added)(struct magnet_buffer *buffer);
	void			(*ring_added)(struct magnet_cpu_buffer *cb);
	void			(*removed)(struct magnet_buffer *buffer);
};

/*
 * Held to change the list of buffers, and a buffer's rings and writers. A leaf
 * under cpus_read_lock: the hotplug callback takes it, so nothing that takes the
 * hotplug lock may be called below it.
 */
extern struct mutex magnet_buffers_lock;
/* To read it magnet_mutex will do as well. */
extern struct list_head magnet_buffers;

/* Before there are buffers, and when there are none any more. */
void magnet_buffers_watch(struct magnet_buffer_watcher *watcher);
void magnet_buffers_unwatch(struct magnet_buffer_watcher *watcher);

struct magnet_buffer *magnet_buffer_create(const char *name, u64 size, u32 flags,
					   struct magnet_client *client,
					   struct netlink_ext_ack *extack);
struct magnet_buffer *magnet_buffer_find(const char *name);
struct magnet_buffer *magnet_buffer_nth(unsigned int n);
bool magnet_buffers_exist(void);
struct magnet_buffer *magnet_buffer_alloc(const char *name, unsigned long size, u32 flags,
					  struct magnet_client *client);
void magnet_buffer_add(struct magnet_buffer *buffer);
void magnet_buffer_show_ring(struct magnet_cpu_buffer *cb);
int magnet_buffer_check_name(const char *name, struct netlink_ext_ack *extack);
int magnet_buffer_check_size(u64 *size, struct netlink_ext_ack *extack);
void magnet_buffer_remove(struct magnet_buffer *buffer);
void magnet_buffer_put(struct magnet_buffer *buffer);
void magnet_buffer_bind(struct magnet_buffer *buffer, struct magnet_writer *writer);
void magnet_buffer_unbind(struct magnet_buffer *buffer, struct magnet_writer *writer);
void magnet_writers_each(void (*fn)(struct magnet_writer *writer));

/* cpu_buffer.c */
struct magnet_cpu_buffer *magnet_buffer_new_ring(struct magnet_buffer *buffer, int cpu);
void magnet_buffer_free_ring(struct magnet_cpu_buffer *cb);
int magnet_buffer_add_ring(struct magnet_buffer *buffer, int cpu);

static inline bool magnet_buffer_dead(const struct magnet_buffer *buffer)
{
	/* Pairs with the releases in magnet_buffer_remove() and magnet_buffer_snapshot(). */
	return smp_load_acquire(&buffer->dead);
}

/* A buffer's next ring; @i counts on and begins with 0. NULL at the end. */
static inline struct magnet_cpu_buffer *magnet_buffer_next(const struct magnet_buffer *buffer,
							   unsigned int *i)
{
	while (*i < nr_cpu_ids) {
		/* Pairs with the release in magnet_buffer_add_ring(): a CPU may just come up. */
		struct magnet_cpu_buffer *cb = smp_load_acquire(&buffer->cpu[(*i)++]);

		if (cb)
			return cb;
	}
	return NULL;
}

/* How many rings it has; no CPU comes. */
static inline unsigned int magnet_buffer_count_rings(const struct magnet_buffer *buffer)
{
	unsigned int i = 0, rings = 0;

	while (magnet_buffer_next(buffer, &i))
		rings++;
	return rings;
}

static inline struct magnet_cpu_buffer *magnet_cpu_buffer(struct magnet_ring *r)
{
	return container_of(r, struct magnet_cpu_buffer, ring);
}

#endif /* _MAGNET_BUFFER_H */
