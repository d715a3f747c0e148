/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A fuzzer for a running module: what its files share. Several threads of
 * several processes do what chance picks; those of one process use and close
 * the same descriptors.
 */
#ifndef MAGNET_GUEST_FUZZ_H
#define MAGNET_GUEST_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <magnet.h>

#include "guest.h"

/* Few, so that threads meet on the same ones. */
#define FUZZ_SOCKETS	3
#define FUZZ_FILES	8
#define FUZZ_BUFFERS	5
/* Requests that are sent together. */
#define FUZZ_BATCH	8

/* What shows that the operations get somewhere. */
enum fuzz_success {
	FUZZ_ACKNOWLEDGED,	/* requests */
	FUZZ_REFUSED,
	FUZZ_DESCRIBED,		/* subscriptions, rules and correlating filters */
	FUZZ_RECKONED,		/* last counts of subscriptions, which added up */
	FUZZ_OPENED,		/* data files */
	FUZZ_SET,		/* attributes */
	FUZZ_READ,		/* reads that returned records */
	FUZZ_POLLED,		/* polls that found something to read */
	FUZZ_MARKED,
	FUZZ_SUCCESSES,
};

void fuzz_note(enum fuzz_success what);

/* Chance: the same for the same seed, in each thread of its own. */
struct chance {
	uint64_t	state;
};

uint64_t chance_next(struct chance *c);

static inline unsigned int chance_below(struct chance *c, unsigned int n)
{
	return chance_next(c) % n;
}

/* One time of n. */
static inline bool chance_one_of(struct chance *c, unsigned int n)
{
	return !chance_below(c, n);
}

/* Numbers that programs get wrong: small, large, beside powers of two. */
uint64_t chance_number(struct chance *c);

/* Names that may exist. */
void fuzz_buffer_name(struct chance *c, char *name, size_t size);
void fuzz_point_name(struct chance *c, char *name, size_t size);

/* ---- fuzz_netlink.c ---- */

/* Learns the family and the points; false: the module is not there. */
bool fuzz_netlink_begin(void);
void fuzz_netlink_end(void);
/* In each process, between these. */
void fuzz_sockets_begin(void);
void fuzz_sockets_end(void);
/* FUZZ_BATCH at once, each with a mistake, at least that of an unknown attribute. */
void fuzz_bad_requests(struct chance *c);
void fuzz_dump(struct chance *c);
/* Requests that wait for the kernel's grace periods if they are good. */
void fuzz_slow_request(struct chance *c);
/* A buffer with markers, so that there is something to read. */
void fuzz_good_request(struct chance *c);
/* Its buffers, points and subscriptions die. */
void fuzz_new_socket(struct chance *c);

/* ---- fuzz_text.c ---- */

/* A rule, a chain of rules, a point or a correlating filter; mostly well formed. */
void fuzz_rules(struct chance *c, char *text, size_t size);
void fuzz_definition(struct chance *c, char *text, size_t size);
void fuzz_correlation(struct chance *c, char *text, size_t size);

/* ---- fuzz_files.c ---- */

void fuzz_files_begin(void);
void fuzz_files_end(void);
void fuzz_open(struct chance *c);
void fuzz_close(struct chance *c);
void fuzz_lseek(struct chance *c);
void fuzz_read(struct chance *c);
void fuzz_poll(struct chance *c);
void fuzz_odd(struct chance *c);
void fuzz_share(struct chance *c);
void fuzz_marker(struct chance *c);
void fuzz_control_file(struct chance *c);
void fuzz_events(struct chance *c);

#endif
