/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a dynamic point logs besides the header: fields in the style of perf
 * probe, compiled into a short straight program when the point is inserted.
 *
 *   [name=]$argN[:type]		N-th argument, from 1
 *   [name=]$retval[:type]		what the function returned
 *   [name=]%register[:type]
 *   [name=]+offset(any of these)[:type]	memory there; also -offset, nested
 *
 * Types: u8 u16 u32 u64, s8 to s64, x8 to x64, string (char[64]), char[8] to
 * char[248] in steps of 8. Without a type it is u64.
 */
#ifndef _MAGNET_FETCH_H
#define _MAGNET_FETCH_H

#include <linux/netlink.h>
#include <linux/types.h>

#include <magnet.h>
#include <uapi/magnet.h>

#define MAGNET_FETCH_FIELDS	16
#define MAGNET_FETCH_DEREFS	4
/* It stands on the stack of whatever the probe interrupts. */
#define MAGNET_FETCH_SIZE_MAX	256

/**
 * enum magnet_fetch_where - what there is to fetch from
 * @MAGNET_FETCH_ENTRY: the first instruction of a function; words are pt_regs
 * @MAGNET_FETCH_INSIDE: any other instruction; words are pt_regs
 * @MAGNET_FETCH_RETURN: entry and return of a function; words are pt_regs
 * @MAGNET_FETCH_FUNCTION: words are the six arguments of a function
 * @MAGNET_FETCH_TRACEPOINT: words are five arguments of a tracepoint
 */
enum magnet_fetch_where {
	MAGNET_FETCH_ENTRY,
	MAGNET_FETCH_INSIDE,
	MAGNET_FETCH_RETURN,
	MAGNET_FETCH_FUNCTION,
	MAGNET_FETCH_TRACEPOINT,
};

#define MAGNET_FUNCTION_ARGUMENTS	6
#define MAGNET_TRACEPOINT_ARGUMENTS	5

/**
 * struct magnet_fetch_op - how one field is fetched
 * @word: index of the word that it starts from
 * @offset: of the field in the payload
 * @size: of the field
 * @nr_derefs: how often memory is read
 * @text: the last read is a string
 * @at_return: not at the entry, of a function whose return is hooked
 * @deref: what is added before each read
 */
struct magnet_fetch_op {
	u16	word;
	u16	offset;
	u16	size;
	u8	nr_derefs;
	bool	text;
	bool	at_return;
	s32	deref[MAGNET_FETCH_DEREFS];
};

#define MAGNET_FIELD_NAME_SIZE	32
#define MAGNET_TYPE_NAME_SIZE	12

/**
 * struct magnet_fetch - all fields of a point
 * @size: bytes of the payload, a multiple of 8
 * @nr: fields that are fetched
 * @op: how
 * @nr_fields: fields with the latency
 * @field: as the event database wants them, ended by one without name
 * @name: their names
 * @type: their types
 */
struct magnet_fetch {
	unsigned int		size;
	unsigned int		nr;
	struct magnet_fetch_op	op[MAGNET_FETCH_FIELDS];
	unsigned int		nr_fields;
	struct magnet_field	field[MAGNET_FETCH_FIELDS + 2];
	char			name[MAGNET_FETCH_FIELDS + 1][MAGNET_FIELD_NAME_SIZE];
	char			type[MAGNET_FETCH_FIELDS + 1][MAGNET_TYPE_NAME_SIZE];
};

int magnet_fetch_compile(struct magnet_fetch *f, enum magnet_fetch_where where, char *args,
			 struct netlink_ext_ack *extack);
void notrace magnet_fetch_run(const struct magnet_fetch *f, bool at_return,
			      const unsigned long *words, void *payload);

#endif /* _MAGNET_FETCH_H */
