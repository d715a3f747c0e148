/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Record headers in the layout that is in force.
 *
 * Like ring.h, this file also compiles in user space.
 */
#ifndef _MAGNET_RECORD_H
#define _MAGNET_RECORD_H

#ifdef __KERNEL__
#include <linux/jump_label.h>
#include <linux/types.h>

DECLARE_STATIC_KEY_FALSE(magnet_layout_classic);

static __always_inline bool magnet_classic(void)
{
	return static_branch_unlikely(&magnet_layout_classic);
}
#else
#include "ring_shim.h"
#endif

#include <uapi/magnet.h>

static __always_inline u32 magnet_header_size_of(const bool classic)
{
	return classic ? sizeof(struct magnet_record_classic) : sizeof(struct magnet_record);
}

static __always_inline u32 magnet_header_size(void)
{
	return magnet_header_size_of(magnet_classic());
}

/**
 * magnet_header_word() - what is constant in an event's headers on one CPU
 * @cpu: CPU
 * @event: enum magnet_event
 * @size: bytes of the whole record
 *
 * Return: in layout wide the first eight bytes, in classic the first four.
 */
static inline u64 magnet_header_word(u16 cpu, u16 event, u32 size)
{
	if (magnet_classic())
		return cpu | (u32)event << MAGNET_CLASSIC_EVENT_SHIFT |
		       size << MAGNET_CLASSIC_SIZE_SHIFT;
	return size | (u64)cpu << 32 | (u64)event << 48;
}

/* The same for a record that is longer by @more bytes. */
static inline u64 magnet_header_word_longer(u64 word, u32 more)
{
	return word + (magnet_classic() ? more << MAGNET_CLASSIC_SIZE_SHIFT : more);
}

/**
 * magnet_header_write_as() - write a header in a known layout
 * @classic: the layout
 * @rec: where to
 * @word: magnet_header_word()
 * @who: tgid, and above it tid
 * @id: abstract id
 * @timer: time stamp
 *
 * Return: where the payload starts.
 */
static __always_inline void *
magnet_header_write_as(const bool classic, void *rec, u64 word, u64 who, u64 id, u64 timer)
{
	struct magnet_record *w = rec;
	u64 *words = rec;

	if (classic) {
		struct magnet_record_classic *c = rec;

		c->header = word;
		c->pid = who;
		c->abstract_id = id;
		c->timer = timer;
		return c + 1;
	}
	words[0] = word;
	words[1] = who;
	w->abstract_id = id;
	w->timer = timer;
	return w + 1;
}

/* The same in the layout that is in force. */
static __always_inline void *
magnet_header_write(void *rec, u64 word, u32 tgid, u32 tid, u64 id, u64 timer)
{
	return magnet_header_write_as(magnet_classic(), rec, word, tgid | (u64)tid << 32,
				      id, timer);
}

static __always_inline u32 magnet_record_size_of(const void *rec)
{
	/* Of a flight recorder it may be overwritten just now; then it does not count. */
	const u32 word = READ_ONCE(*(const u32 *)rec);

	return magnet_classic() ? word >> MAGNET_CLASSIC_SIZE_SHIFT : word;
}

static __always_inline u64 magnet_record_timer_of(const void *rec)
{
	return magnet_classic() ? ((const struct magnet_record_classic *)rec)->timer :
				  ((const struct magnet_record *)rec)->timer;
}

#endif /* _MAGNET_RECORD_H */
