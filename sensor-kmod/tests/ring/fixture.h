/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One ring with a writer that numbers what it logs, and a reader that checks
 * every byte of it.
 */
#ifndef MAGNET_RING_FIXTURE_H
#define MAGNET_RING_FIXTURE_H

#include "ring.h"
#include "record.h"

/* Thread, soft interrupt, hard interrupt, NMI. */
#define LEVELS		4
#define EVENT		MAGNET_EVENT_UDP_SENDMSG
#define TEST_CPU	7

/* What the writer of each level did; nobody else writes it. */
struct written {
	u64 attempted;
	u64 committed;
	u64 dropped;
};

/* What the reader got. */
struct received {
	u64 records;		/* without LOST */
	u64 bytes;		/* of records, without LOST */
	u64 lost_records;
	u64 lost;		/* events that LOST records tell of */
	u64 told_by_reader;	/* LOST records that the reader wrote itself */
	u64 next[LEVELS];	/* the least number that may come next */
	u64 gaps;		/* numbers that did not follow the one before */
	u64 timer;		/* of the last record */
	u64 marks;		/* marks that were believed */
	u64 marked;		/* what comes now is younger than the last of them */
};

extern struct magnet_ring ring;
extern struct written written[LEVELS];
extern struct received received;

/* Sleeping readers would have been woken this often; with ring.armed it leaves a mark. */
extern u64 wakes;
extern void (*on_wake)(void);
/* magnet_ring_lost_event() came this often. */
extern u64 lost_events;

/* A fresh ring of @size bytes whose positions begin at @start. */
void ring_setup(unsigned long size, unsigned long start);

/*
 * Give the ring twice as much memory, or its first memory again. What is
 * copied beforehand is copied first. 0, -EAGAIN or -EBUSY.
 */
int ring_exchange(void);
/* What the ring has becomes @to, and the ring goes on empty. Once after ring_setup(). */
int ring_hand_over(struct magnet_ring *to);

/* Log an event of @size bytes, as a handler does. False: it was dropped. */
bool ring_write(unsigned int level, u32 size);
/* Log a record that may be left out: only what comes through counts. */
bool ring_try_write(unsigned int level, u32 size);
/* The first half of it, and the second. */
void *ring_write_begin(unsigned int level, u32 size);
void ring_write_end(void);

/*
 * Read and check all that may be read, the loss at the end of it included: up to
 * the mark, if there is one, as magnetfs/drain.c does.
 */
void ring_read(void);
/* The same, of at most one record. False: there is none. */
bool ring_read_one(void);

/*
 * After everybody has come to rest and all was read: nothing is lost without
 * being counted.
 */
void ring_check_equation(void);
/*
 * The same of a flight recorder, from which nothing was read before. @taken:
 * what was handed over and read as well, or NULL.
 */
void ring_check_recorder(const struct magnet_ring *taken);

u32 header_size(void);
u32 lost_size(void);
u64 total_attempted(void);
u64 total_committed(void);
u64 total_dropped(void);

#endif
