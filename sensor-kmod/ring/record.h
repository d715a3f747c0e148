/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Record headers: as they are in a ring, and as they are read. Writers know one
 * layout, wide; where layout=classic is in force, who reads gets the other.
 *
 * Like ring.h, this file also compiles in user space.
 */
#ifndef _MAGNET_RECORD_H
#define _MAGNET_RECORD_H

#ifdef __KERNEL__
#include <linux/compiler.h>
#include <linux/types.h>
#else
#include "ring_shim.h"
#endif

#include <uapi/magnet.h>

/* Readers get headers of layout classic. Set before anybody can read. */
extern bool magnet_classic;

static __always_inline u32 magnet_header_size(void)
{
	return sizeof(struct magnet_record);
}

/* What a record is shorter by for who reads it. */
static __always_inline u32 magnet_read_less(void)
{
	const u32 less = sizeof(struct magnet_record) - sizeof(struct magnet_record_classic);

	return magnet_classic ? less : 0;
}

/* Of a record as it is read. */
static __always_inline u32 magnet_read_header_size(void)
{
	return magnet_header_size() - magnet_read_less();
}

/**
 * magnet_read_bytes() - what records of a ring come to for who reads them
 * @bytes: in the ring
 * @records: their number; while others log or read it may be too large
 */
static inline unsigned long magnet_read_bytes(unsigned long bytes, unsigned long records)
{
	const unsigned long less = magnet_read_less() * records;

	return bytes > less ? bytes - less : 0;
}

/**
 * magnet_header_word() - what is constant in an event's headers on one CPU
 * @cpu: CPU
 * @event: enum magnet_event
 * @size: bytes of the whole record
 *
 * Return: the first eight bytes.
 */
static inline u64 magnet_header_word(u16 cpu, u16 event, u32 size)
{
	return size | (u64)cpu << 32 | (u64)event << 48;
}

/* The same for a record that is longer by @more bytes. */
static inline u64 magnet_header_word_longer(u64 word, u32 more)
{
	return word + more;
}

/**
 * magnet_header_write() - write a header
 * @rec: where to
 * @word: magnet_header_word()
 * @who: tgid, and above it tid
 * @id: abstract id
 * @timer: time stamp
 *
 * Return: where the payload starts.
 */
static __always_inline void *
magnet_header_write(void *rec, u64 word, u64 who, u64 id, u64 timer)
{
	struct magnet_record *w = rec;
	u64 *words = rec;

	words[0] = word;
	words[1] = who;
	w->abstract_id = id;
	w->timer = timer;
	return w + 1;
}

static __always_inline u32 magnet_record_size_of(const void *rec)
{
	/* Of a flight recorder it may be overwritten just now; then it does not count. */
	return READ_ONCE(*(const u32 *)rec);
}

/* Of a record as it is read. */
static __always_inline u32 magnet_read_size_of(const void *rec)
{
	return magnet_record_size_of(rec) - magnet_read_less();
}

static __always_inline u64 magnet_record_timer_of(const void *rec)
{
	return ((const struct magnet_record *)rec)->timer;
}

/**
 * magnet_classic_of() - a record's header in layout classic
 * @rec: the record
 *
 * Its tid is left out. The payload is the same.
 */
static inline struct magnet_record_classic magnet_classic_of(const struct magnet_record *rec)
{
	const u32 size = rec->size - sizeof(*rec) + sizeof(struct magnet_record_classic);

	return (struct magnet_record_classic){
		.header = rec->cpu | (u32)rec->event << MAGNET_CLASSIC_EVENT_SHIFT |
			  size << MAGNET_CLASSIC_SIZE_SHIFT,
		.pid = rec->tgid,
		.abstract_id = rec->abstract_id,
		.timer = rec->timer,
	};
}

#endif /* _MAGNET_RECORD_H */
